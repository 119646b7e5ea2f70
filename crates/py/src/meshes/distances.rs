//! All shortest distances of a graph, or of the faces of a mesh.

use crate::error::{InputError, exception};
use crate::meshes::mesh::Mesh;
use crate::running::run;
use crate::session::Session;
use crate::settings::Settings;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use veloxel::GraphKind;
use veloxel::pipelines::distances::{
    ArcRows, DistanceMethod, DistanceValues, DistancesRequest, DistancesResult, FaceGraph, GraphSource,
    distances as find_distances,
};
use veloxel::pipelines::segment::{FuzzyParams, PartsDraft};

/// Distances row by row, number of rows and of columns, and the algorithm that ran with the reason.
type Matrix<'py> = (Bound<'py, PyArray1<f32>>, usize, usize, String);

fn algorithm_of(name: &str) -> PyResult<DistanceMethod> {
    let own = DistanceMethod::ALL.iter().find(|(own, _)| *own == name);
    own.map(|(_, method)| *method).ok_or_else(|| {
        let all: Vec<_> = DistanceMethod::ALL.iter().map(|(own, _)| *own).collect();
        InputError::new_err(format!("algorithm is one of {}, not {name:?}", all.join(", ")))
    })
}

fn matrix(py: Python<'_>, found: DistancesResult) -> PyResult<Matrix<'_>> {
    let DistanceValues::Floats(values) = found.values else {
        return Err(InputError::new_err("distances were asked for as floats"));
    };
    Ok((PyArray1::from_vec(py, values), found.rows, found.columns, found.chosen_because))
}

/// A graph in compressed rows, as a tuple: where each row begins, the node that each arc leads to, its weight, and whether arcs lead
/// one way.
#[derive(FromPyObject)]
pub struct Rows<'py>(
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f32>,
    bool,
);

/// Distances between the nodes of a graph.
#[pyfunction]
#[pyo3(signature = (session, graph, sources=None, algorithm="auto", progress=None))]
pub fn graph_distances<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    graph: Rows<'py>,
    sources: Option<Vec<u32>>,
    algorithm: &str,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Matrix<'py>> {
    let algorithm = algorithm_of(algorithm)?;
    let Rows(rows, targets, weights, directed) = graph;
    let [offsets, targets] = [rows.as_array().to_vec(), targets.as_array().to_vec()];
    let weights = weights.as_array().to_vec();
    let kind = if directed { GraphKind::Directed } else { GraphKind::Undirected };
    let found = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let rows = ArcRows { kind, offsets: &offsets, targets: &targets, weights: &weights };
            let request = DistancesRequest {
                sources: sources.as_deref(),
                algorithm,
                ..DistancesRequest::new(GraphSource::Rows(rows))
            };
            find_distances(&request, library)
        })
    })?;
    matrix(py, found)
}

/// Distances between the faces of a mesh, by the settings of fuzzy clustering.
#[pyfunction]
#[pyo3(signature = (session, mesh, settings, sources=None, algorithm="auto", progress=None))]
pub fn distances<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    mesh: &Bound<'py, Mesh>,
    settings: Settings,
    sources: Option<Vec<u32>>,
    algorithm: &str,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Matrix<'py>> {
    let algorithm = algorithm_of(algorithm)?;
    let draft: PartsDraft = settings.draft()?;
    let params: FuzzyParams = draft.build(veloxel::Dimension::Three).map_err(|error| exception(&error))?;
    let surface = &mesh.get().surface;
    let found = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let faces = FaceGraph::new(surface, &params, library)?;
            let request = DistancesRequest {
                sources: sources.as_deref(),
                algorithm,
                ..DistancesRequest::new(GraphSource::Faces(&faces))
            };
            find_distances(&request, library)
        })
    })?;
    matrix(py, found)
}
