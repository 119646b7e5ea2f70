//! Results against the truth, as JSON.

use crate::error::exception;
use crate::fields::field::Field;
use crate::image::Image;
use crate::meshes::mesh::Mesh;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use std::path::PathBuf;
use veloxel::io::{self, ReadOptions};
use veloxel::pipelines::{EvaluateRequest, EvaluateSegmentationRequest, FlowClaims, TrueSegmentation};
use veloxel::{FlowCovariance, Grid, Result, Session as Library};

/// A result and the truth, and where they are compared.
struct Compared<'a, T> {
    result: &'a T,
    truth: &'a T,
    mask: Option<&'a Bound<'a, Image>>,
}

impl<T: Sync> Compared<'_, T> {
    /// Measures by a pipeline; its report as JSON.
    fn measure<R: Send>(
        self,
        session: &Bound<'_, Session>,
        pipeline: impl Fn(&EvaluateRequest<'_, T>, &Library) -> Result<R> + Sync + Send,
        json: fn(&R) -> serde_json::Result<String>,
    ) -> PyResult<String> {
        let Self { result, truth, mask } = self;
        let mask = mask.map(|mask| mask.get().mask());
        let found = session.get().lend(|library| {
            run(session.py(), library, None, |library| {
                let request = EvaluateRequest { mask: mask.as_ref(), ..EvaluateRequest::new(result, truth) };
                pipeline(&request, library)
            })
        })?;
        Ok(json(&found).unwrap_or_default())
    }
}

/// End-point and angular error of a field.
#[pyfunction]
#[pyo3(signature = (session, result, truth, claims, mask=None))]
pub fn evaluate_flow(
    session: &Bound<'_, Session>,
    result: &Bound<'_, Field>,
    truth: &Bound<'_, Field>,
    claims: Claims<'_>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    let covariance = claims.covariance(result.get().flow.grid())?;
    let [confidence, expected_error_vox, probability] =
        [&claims.confidence, &claims.expected_error, &claims.probability]
            .map(|map| map.as_ref().map(|map| &map.get().volume));
    let (within_vox, covariance) = (Some(claims.within), covariance.as_ref());
    let claims = FlowClaims { confidence, expected_error_vox, probability, within_vox, covariance };
    Compared { result: &result.get().flow, truth: &truth.get().flow, mask }.measure(
        session,
        |request, library| veloxel::pipelines::evaluate_flow(request, &claims, library),
        serde_json::to_string,
    )
}

/// What a run says of the errors of its field, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Claims<'py> {
    confidence: Option<Bound<'py, Image>>,
    expected_error: Option<Bound<'py, Image>>,
    probability: Option<Bound<'py, Image>>,
    /// The threshold of the probabilities, voxels.
    within: f32,
    /// An image for each entry of the matrices; none: there are no covariances.
    covariance: Vec<Bound<'py, Image>>,
}

impl Claims<'_> {
    fn covariance(&self, grid: &Grid) -> PyResult<Option<FlowCovariance>> {
        if self.covariance.is_empty() {
            return Ok(None);
        }
        let entries = self.covariance.iter().flat_map(|entry| entry.get().volume.data().to_vec()).collect();
        let covariance = FlowCovariance::from_planar_vox2(grid.clone(), entries);
        covariance.map(Some).map_err(|error| exception(&error))
    }
}

/// Absolute error, bad pixels and density of a disparity.
#[pyfunction]
#[pyo3(signature = (session, result, truth, mask=None))]
pub fn evaluate_disparity(
    session: &Bound<'_, Session>,
    result: &Bound<'_, Image>,
    truth: &Bound<'_, Image>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    Compared { result: &result.get().volume, truth: &truth.get().volume, mask }.measure(
        session,
        veloxel::pipelines::evaluate_disparity,
        serde_json::to_string,
    )
}

/// Dice, Jaccard and Hausdorff 95 of every label.
#[pyfunction]
#[pyo3(signature = (session, result, truth, mask=None))]
pub fn evaluate_labels(
    session: &Bound<'_, Session>,
    result: &Bound<'_, Image>,
    truth: &Bound<'_, Image>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    Compared { result: &result.get().volume, truth: &truth.get().volume, mask }.measure(
        session,
        veloxel::pipelines::evaluate_labels,
        serde_json::to_string,
    )
}

/// Parts of a mesh's faces against truths, as JSON: each truth is its name and its parts.
#[pyfunction]
#[pyo3(signature = (session, result, truths, mesh=None))]
pub fn evaluate_segmentation(
    session: &Bound<'_, Session>,
    result: Vec<u32>,
    truths: Vec<(String, Vec<u32>)>,
    mesh: Option<&Bound<'_, Mesh>>,
) -> PyResult<String> {
    let truths: Vec<TrueSegmentation> =
        truths.into_iter().map(|(name, parts)| TrueSegmentation { name, parts }).collect();
    let mesh = mesh.map(|mesh| &mesh.get().surface);
    let found = session.get().lend(|library| {
        run(session.py(), library, None, |library| {
            let request = EvaluateSegmentationRequest { result: &result, truths: &truths, mesh };
            veloxel::pipelines::evaluate_segmentation(&request, library)
        })
    })?;
    Ok(serde_json::to_string(&found).unwrap_or_default())
}

/// Reads the parts of a mesh's faces, `.seg`.
#[pyfunction]
pub fn read_face_labels(session: &Bound<'_, Session>, path: PathBuf) -> PyResult<Vec<u32>> {
    session.get().lend(|library| {
        run(session.py(), library, None, |library| {
            Ok(io::read_face_labels(&path, library.reading(ReadOptions::default()))?)
        })
    })
}
