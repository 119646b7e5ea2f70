//! How long fields take to be applied, composed or inverted, from a run over small ones that are made up.

use super::dry_run::{TimeEstimate, noisy_waves};
use super::maps::{ComposeRequest, Map, compose, invert};
use super::prepare::grids::OutsideFill;
use super::warp::{
    FinerImage, Interpolation, LabelChoice, WarpImageRequest, WarpLabelsRequest, WarpNames, warp_image,
    warp_labels,
};
use crate::{Result, Session};
use veloxel_core::{Dimension, Flow, Grid};
use veloxel_io::Strictness;

/// What is done with fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldWork {
    /// An image is pulled back.
    WarpImage(Interpolation),
    /// Labels are pulled back.
    WarpLabels(LabelChoice),
    /// Several fields become one.
    Compose {
        /// How many.
        fields: usize,
    },
    /// A field is inverted.
    Invert,
}

/// Pixels and voxels an axis of the field that the time is measured on.
const MEASURED_SIDE: [usize; 2] = [256, 40];

/// Estimates how long the result on a grid takes, without files.
///
/// # Errors
/// A device that is not there, and what it fails with; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn field_time(work: FieldWork, result: &Grid, session: &Session) -> Result<TimeEstimate> {
    let [flat, deep] = MEASURED_SIDE;
    let grid = match result.dimension() {
        Dimension::Two => Grid::image(flat, flat)?,
        Dimension::Three => Grid::volume(deep, deep, deep)?,
    };
    let flow = Flow::from_fn(grid.clone(), |[x, y, z]| {
        [0.8 * (0.1 * y).sin(), 0.5 * (0.12 * x).cos(), if z > 0.0 { 0.6 * (0.1 * x).sin() } else { 0.0 }]
    });
    let image = noisy_waves(&grid, 0.0);
    let start = std::time::Instant::now();
    match work {
        FieldWork::WarpImage(interpolation) => {
            let (finer, outside) = (FinerImage::Sampled, OutsideFill::Edge);
            let (strictness, names) = (Strictness::Lenient, WarpNames::default());
            let (flow, image) = (&flow, (&image).into());
            let request = WarpImageRequest { flow, image, interpolation, finer, outside, strictness, names };
            drop(warp_image(&request, session)?);
        }
        FieldWork::WarpLabels(choice) => {
            let labels = image.map(|v| (v.abs() * 2.0) as i32);
            let strictness = Strictness::Lenient;
            let request = WarpLabelsRequest { flow: &flow, labels: &labels, choice, strictness };
            drop(warp_labels(&request, session)?);
        }
        FieldWork::Compose { fields } => {
            let maps = vec![Map::Field(&flow); fields];
            drop(compose(&ComposeRequest { maps: &maps, grid: Some(&grid) }, session)?);
        }
        FieldWork::Invert => drop(invert(&flow, None, session)?),
    }
    let ns_per_voxel = 1e9 * start.elapsed().as_secs_f64() / grid.len() as f64;
    let solve_ms = 1e-6 * ns_per_voxel * result.len() as f64;
    Ok(TimeEstimate { solve_ms, ns_per_voxel, measured_size: grid.size() })
}
