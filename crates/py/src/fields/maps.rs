//! Linear transforms as a class, and maps that are inverted or follow each other.

use crate::error::{InputError, exception};
use crate::fields::field::Field;
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::{self, ReadOptions};
use veloxel::pipelines::{ComposeRequest, FoundMap, Map, MapResult};
use veloxel::{Dimension, LinearTransform, VeloxelError, Warnings};

/// A linear map from the fixed image's space to the moving one's, LPS millimetres; it never changes.
#[pyclass(frozen, module = "veloxel._veloxel")]
#[derive(Debug, Clone)]
pub struct Transform {
    pub map: LinearTransform,
}

/// A matrix row by row, in the order x, y, z.
type Matrix = [[f64; 3]; 3];

#[pymethods]
impl Transform {
    /// The map `x → matrix · x + offset` of points with so many axes.
    #[new]
    fn new(axes: usize, matrix: Matrix, offset: [f64; 3]) -> PyResult<Self> {
        let dimension = if axes == 2 { Dimension::Two } else { Dimension::Three };
        let map = LinearTransform::new(dimension, matrix, offset).map_err(|error| exception(&error))?;
        Ok(Self { map })
    }

    /// 2 or 3.
    #[getter]
    fn axes(&self) -> usize {
        self.map.dimension().count()
    }

    /// The matrix.
    #[getter]
    fn matrix(&self) -> Matrix {
        self.map.matrix()
    }

    /// Where the origin goes.
    #[getter]
    fn offset(&self) -> [f64; 3] {
        self.map.offset_mm()
    }

    /// Where points `(x, y, z)` go, a row each; the result has the rows one after the other.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if points.shape()[1] != 3 {
            let text = format!("points have three columns, these have {}", points.shape()[1]);
            return Err(InputError::new_err(text));
        }
        let rows = points.as_array();
        let moved = rows.rows().into_iter().flat_map(|row| self.map.apply([row[0], row[1], row[2]]));
        Ok(PyArray1::from_vec(py, moved.collect()))
    }
}

/// Reads a linear transform, with warnings.
#[pyfunction]
pub fn read_transform(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
) -> PyResult<(Transform, Py<PyList>)> {
    let (map, warnings) = session.get().lend(|library| {
        run(py, library, None, |library| {
            let mut warnings = Warnings::new();
            let map = io::read_transform(&path, library.reading(ReadOptions::default()), &mut warnings)?;
            Ok::<_, VeloxelError>((map, warnings))
        })
    })?;
    Ok((Transform { map }, told(py, warnings.urgent())?.unbind()))
}

/// Whether a path's ending is that of a linear transform.
#[pyfunction]
pub fn is_named_transform(path: PathBuf) -> bool {
    io::is_named_transform(&path)
}

/// A field or a linear transform.
#[derive(FromPyObject)]
pub enum AnyMap<'py> {
    Field(Bound<'py, Field>),
    Linear(Bound<'py, Transform>),
}

impl AnyMap<'_> {
    fn map(&self) -> Map<'_> {
        match self {
            Self::Field(field) => Map::Field(&field.get().flow),
            Self::Linear(transform) => Map::Linear(transform.get().map),
        }
    }
}

/// A [`Field`] or a [`Transform`], with warnings.
type Found = (Py<PyAny>, Py<PyList>);

fn found_map(py: Python<'_>, found: MapResult) -> PyResult<Found> {
    let MapResult { map, account, .. } = found;
    let map = match map {
        FoundMap::Field(flow) => Field { flow }.into_py_any(py)?,
        FoundMap::Linear(map) => Transform { map }.into_py_any(py)?,
    };
    // What is unknown has no other place to be told in: a field has no report.
    Ok((map, told(py, account.warnings.iter())?.unbind()))
}

/// Several maps as one, the first one first, on the grid of an image where one is given.
#[pyfunction]
#[pyo3(signature = (session, maps, grid=None))]
pub fn compose(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    maps: Vec<AnyMap<'_>>,
    grid: Option<&Bound<'_, Image>>,
) -> PyResult<Found> {
    let maps: Vec<Map<'_>> = maps.iter().map(AnyMap::map).collect();
    let grid = grid.map(|image| image.get().volume.grid());
    let found = session.get().lend(|library| {
        run(py, library, None, |library| {
            veloxel::pipelines::compose(&ComposeRequest { maps: &maps, grid }, library)
        })
    })?;
    found_map(py, found)
}

/// The way back of a map, on the grid of an image where one is given.
#[pyfunction]
#[pyo3(signature = (session, map, grid=None))]
pub fn invert(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    map: AnyMap<'_>,
    grid: Option<&Bound<'_, Image>>,
) -> PyResult<Found> {
    let (map, grid) = (map.map(), grid.map(|image| image.get().volume.grid()));
    let found = session.get().lend(|library| {
        run(py, library, None, |library| match map {
            Map::Field(flow) => veloxel::pipelines::invert(flow, grid, library),
            Map::Linear(transform) => {
                let maps = [Map::Linear(transform.inverse())];
                veloxel::pipelines::compose(&ComposeRequest { maps: &maps, grid }, library)
            }
        })
    })?;
    found_map(py, found)
}
