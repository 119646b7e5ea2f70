//! What a run says of the errors of its field, from files.

use crate::Result;
use crate::pipelines::FlowClaims;
use std::path::PathBuf;
use veloxel_core::{FlowCovariance, Grid, Volume, Warnings};
use veloxel_io::{self as io, Reading};

/// Files in which a run says what it knows of its errors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClaimFiles {
    /// Confidences.
    pub confidence: Option<PathBuf>,
    /// Expected errors, voxels.
    pub expected_error: Option<PathBuf>,
    /// Probabilities that errors are below `within_vox`.
    pub probability: Option<PathBuf>,
    /// The threshold of the probabilities, voxels; none: half a voxel.
    pub within_vox: Option<f32>,
    /// Covariances, `.npy`.
    pub covariance: Option<PathBuf>,
}

/// What these files hold, on the grid of the field.
pub(super) struct Claims {
    confidence: Option<Volume<f32>>,
    expected_error_vox: Option<Volume<f32>>,
    probability: Option<Volume<f32>>,
    within_vox: Option<f32>,
    covariance: Option<FlowCovariance>,
}

impl ClaimFiles {
    /// The files that are given.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.confidence, &self.expected_error, &self.probability, &self.covariance].into_iter().flatten()
    }

    /// Reads them, for a field on this grid.
    pub(super) fn read(&self, grid: &Grid, reading: &Reading, warnings: &mut Warnings) -> Result<Claims> {
        let mut map = |path: &Option<PathBuf>| -> Result<_> {
            let map = path.as_ref().map(|path| io::read_image(path, reading, warnings)).transpose()?;
            map.map(|map| map_on(map, grid)).transpose()
        };
        let (confidence, expected_error_vox, probability) =
            (map(&self.confidence)?, map(&self.expected_error)?, map(&self.probability)?);
        let covariance =
            self.covariance.as_ref().map(|path| io::read_covariance(path, reading, warnings)).transpose()?;
        let covariance = covariance.map(|own| covariance_on(own, grid)).transpose()?;
        Ok(Claims { confidence, expected_error_vox, probability, within_vox: self.within_vox, covariance })
    }
}

impl Claims {
    /// The claims, as they are measured.
    pub fn of_field(&self) -> FlowClaims<'_> {
        FlowClaims {
            confidence: self.confidence.as_ref(),
            expected_error_vox: self.expected_error_vox.as_ref(),
            probability: self.probability.as_ref(),
            within_vox: self.within_vox,
            covariance: self.covariance.as_ref(),
        }
    }
}

/// A map on the grid of its field: formats without a place keep the size alone.
fn map_on(map: Volume<f32>, grid: &Grid) -> Result<Volume<f32>> {
    let is_its_own = map.grid().is_unplaced() && map.grid().size() == grid.size();
    Ok(if is_its_own { Volume::new(grid.clone(), map.into_data())? } else { map })
}

/// Covariances on the grid of their field: arrays have no place.
fn covariance_on(covariance: FlowCovariance, grid: &Grid) -> Result<FlowCovariance> {
    let (own, dimension) = (covariance.grid(), grid.dimension());
    let is_its_own = own.size() == grid.size() && own.dimension() == dimension;
    Ok(if is_its_own {
        FlowCovariance::from_planar_vox2(grid.clone(), covariance.into_planar_vox2())?
    } else {
        covariance
    })
}
