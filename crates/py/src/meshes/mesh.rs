//! Meshes, and their parts.

use crate::error::{InputError, exception};
use crate::fields::flow::told;
use crate::running::run;
use crate::session::Session;
use crate::settings::Settings;
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use std::path::PathBuf;
use veloxel::io::{self, ReadOptions};
use veloxel::pipelines::segment::{
    MembershipChoice, PartCount, PartsDraft, SegmentMethod, SegmentRequest, segment as find_parts,
};
use veloxel::{TriangleMesh, VeloxelError, Warnings};

/// A surface of triangles; it never changes.
#[pyclass(frozen, module = "veloxel._veloxel")]
#[derive(Debug, Clone)]
pub struct Mesh {
    pub surface: TriangleMesh,
}

#[pymethods]
impl Mesh {
    /// Copies points `(x, y, z)`, a row each, and triangles, three numbers of points a row.
    #[new]
    fn new(points: PyReadonlyArray2<'_, f64>, triangles: PyReadonlyArray2<'_, i64>) -> PyResult<Self> {
        if points.shape()[1] != 3 || triangles.shape()[1] != 3 {
            let text = "a mesh has three coordinates a point and three corners a triangle";
            return Err(InputError::new_err(text));
        }
        let points = points.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect();
        let corner = |corner: i64| {
            u32::try_from(corner)
                .map_err(|_| InputError::new_err(format!("{corner} is no number of a point")))
        };
        let triangles = triangles.as_array();
        let triangles =
            triangles.rows().into_iter().map(|row| Ok([corner(row[0])?, corner(row[1])?, corner(row[2])?]));
        let surface = TriangleMesh::new(points, triangles.collect::<PyResult<Vec<_>>>()?);
        Ok(Self { surface: surface.map_err(|error| exception(&error))? })
    }

    /// Coordinates of the points, row after row.
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.surface.points().concat())
    }

    /// Corners of the triangles, row after row.
    fn triangles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_vec(py, self.surface.triangles().concat())
    }
}

/// Reads a surface of any format, with warnings.
#[pyfunction]
pub fn read_mesh(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
) -> PyResult<(Mesh, Py<PyList>)> {
    let (surface, warnings) = session.get().lend(|library| {
        run(py, library, None, |library| {
            let mut warnings = Warnings::new();
            let reading = library.reading(ReadOptions::default());
            let surface = io::read_surface(&path, reading, &mut warnings)?;
            Ok::<_, VeloxelError>((surface, warnings))
        })
    })?;
    Ok((Mesh { surface }, told(py, warnings.urgent())?.unbind()))
}

/// The part of each triangle, its certainty, the probability that it is people's, the probability of every part row by row (with their
/// number), the report as JSON, and warnings.
type PartsFound<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
    Option<Bound<'py, PyArray1<f32>>>,
    Option<(Bound<'py, PyArray1<f32>>, usize)>,
    String,
    Bound<'py, PyList>,
);

/// Finds the parts of a mesh; `parts` none: as many as it shows.
#[pyfunction]
#[pyo3(signature = (session, mesh, settings, parts=None, membership=false, progress=None))]
pub fn segment<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    mesh: &Bound<'py, Mesh>,
    settings: Settings,
    parts: Option<usize>,
    membership: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<PartsFound<'py>> {
    let draft: PartsDraft = settings.draft()?;
    let method = SegmentMethod::of(&draft).map_err(|error| exception(&error))?;
    let surface = &mesh.get().surface;
    let found = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let request = SegmentRequest {
                mesh: surface,
                count: parts.map_or(PartCount::Chosen, PartCount::Given),
                method,
                membership: if membership { MembershipChoice::Computed } else { MembershipChoice::default() },
            };
            find_parts(&request, library)
        })
    })?;
    let report = json!({
        "device": found.account.device, "stages": found.account.stages.0,
        "parameters": found.account.parameters, "warnings": found.account.warnings,
        "parts": found.parts, "mean_certainty": found.mean_certainty,
    });
    let membership = found.membership.map(|membership| {
        let rows = (0..membership.rows()).flat_map(|row| membership.row(row).to_vec()).collect();
        (PyArray1::from_vec(py, rows), membership.columns())
    });
    Ok((
        PyArray1::from_vec(py, found.labels),
        PyArray1::from_vec(py, found.certainty),
        found.probability.map(|probability| PyArray1::from_vec(py, probability)),
        membership,
        report.to_string(),
        told(py, found.account.warnings.urgent())?,
    ))
}
