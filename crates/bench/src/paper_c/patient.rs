//! The patient of Table 1: 6 slices of 19 frames, square regions; of ep-dataset, or a phantom without it.

use crate::accuracy::cine::{PIG_CINE, pig_outlines};
use crate::{BenchError, Session};
use std::path::Path;
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::{Strictness, read_sequence};
use veloxel_phantoms::{CineParams, CinePhantom};

/// Slices and frames of the paper's patient.
pub(super) const SLICES: usize = 6;
pub(super) const FRAMES: usize = 19;
/// The first slice of ep-dataset that is taken.
const FIRST_SLICE: usize = 6;

/// Width of the phantom's region.
const PHANTOM_MM: f64 = 180.0;

/// Pictures of a patient.
pub(super) struct Patient {
    /// What it is.
    pub name: &'static str,
    /// Frames of each slice.
    pub slices: Vec<Vec<Volume<f32>>>,
}

/// The patient of ep-dataset where it is there, else a phantom.
pub(super) fn patient(session: &Session<'_>, side: usize) -> Result<Patient, BenchError> {
    match session.data("cardiac/ep-dataset") {
        Some(folder) => of_pig(&folder, side),
        None => of_phantom(side),
    }
}

/// Slices of ep-dataset around the middle of its outlines.
fn of_pig(folder: &Path, side: usize) -> Result<Patient, BenchError> {
    let slices = FIRST_SLICE..=FIRST_SLICE + SLICES - 1;
    let (outlines, _) = pig_outlines(folder, &slices)?;
    let all = outlines.contours().iter().map(|contour| contour.polygon.centroid_px());
    let (sum, count) = all.fold(([0.0; 2], 0.0), |(sum, n), [x, y]| ([sum[0] + x, sum[1] + y], n + 1.0));
    let from = sum.map(|v: f64| ((v / count) as usize).saturating_sub(side / 2));
    let cine = read_sequence(&folder.join(PIG_CINE), Strictness::Lenient, &mut Warnings::new())?;
    let cut = |slice: usize, frame: &Volume<f32>| -> Result<Volume<f32>, BenchError> {
        let [nx, ny, _] = frame.grid().size();
        let from = [from[0].min(nx - side), from[1].min(ny - side)];
        Ok(Volume::from_fn(Grid::image(side, side)?, |[x, y, _]| {
            *frame.at([from[0] + x, from[1] + y, slice])
        }))
    };
    let of_slice = |slice: usize| cine.frames().iter().take(FRAMES).map(|frame| cut(slice, frame)).collect();
    let slices = slices.map(of_slice).collect::<Result<_, _>>()?;
    Ok(Patient { name: "slices 6 to 11 of ep-dataset", slices })
}

fn of_phantom(side: usize) -> Result<Patient, BenchError> {
    let pixel_mm = PHANTOM_MM / side as f64;
    let grid = Grid::volume(side, side, SLICES)?.with_spacing_mm([pixel_mm, pixel_mm, 6.0])?;
    let phantom = CinePhantom::new(CineParams { grid, frames: FRAMES, ..CineParams::default() })?;
    let frames: Vec<Volume<f32>> = (0..FRAMES).map(|frame| phantom.frame(frame)).collect();
    let cut = |slice: usize, frame: &Volume<f32>| -> Result<Volume<f32>, BenchError> {
        Ok(Volume::from_fn(Grid::image(side, side)?, |[x, y, _]| *frame.at([x, y, slice])))
    };
    let of_slice = |slice: usize| frames.iter().map(|frame| cut(slice, frame)).collect();
    let slices = (0..SLICES).map(of_slice).collect::<Result<_, _>>()?;
    Ok(Patient { name: "a phantom, as there is no ep-dataset here", slices })
}
