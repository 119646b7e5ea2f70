//! Which of two ways to number slices fits the images: outlines of numbered texts do not say at which end they begin.

use super::Cine;
use veloxel_core::{ContourSet, Polygon, Structure, Volume};

/// How many times better one of them must fit.
const CLEAR: f64 = 1.5;

/// Which of two sets of outlines fits the images clearly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClearerFit {
    /// The first one.
    First,
    /// The second one.
    Second,
    /// Neither.
    Neither,
}

/// Compares two sets of outlines by how much the cavity is brighter than the wall around it.
pub fn clearer_fit(first: &ContourSet, second: &ContourSet, cine: &Cine) -> ClearerFit {
    let [first, second] = [first, second].map(|contours| contrast(contours, cine.frames()));
    let (better, worse, fit) =
        if first > second { (first, second, ClearerFit::First) } else { (second, first, ClearerFit::Second) };
    if better < CLEAR * worse.abs() { ClearerFit::Neither } else { fit }
}

/// By how much the cavity is brighter than the wall around it, in standard deviations of the image, mean over slices with both
/// outlines, on the first frame of each.
fn contrast(contours: &ContourSet, frames: &[Volume<f32>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for slice in contours.slices() {
        let pair = |frame: usize| {
            let first_of = |[left, right]: [Structure; 2]| {
                let contour = contours.get(left, slice, frame).or(contours.get(right, slice, frame))?;
                Some(&contour.polygon)
            };
            let endo = first_of([Structure::Endo, Structure::Rv])?;
            Some((frame, endo, first_of([Structure::Epi, Structure::RvEpi])?))
        };
        if let Some((frame, endo, epi)) = contours.frames().into_iter().find_map(pair) {
            sum += step(&frames[frame], slice, [endo, epi]);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

fn step(image: &Volume<f32>, slice: usize, [endo, epi]: [&Polygon; 2]) -> f64 {
    let [nx, ny, _] = image.grid().size();
    let (mut inside, mut wall, mut all) = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0, 0.0]);
    for y in 0..ny {
        for x in 0..nx {
            let (value, p) = (f64::from(*image.at([x, y, slice])), [x as f64, y as f64]);
            all = [all[0] + 1.0, all[1] + value, all[2] + value * value];
            let sum = if endo.contains(p) {
                &mut inside
            } else if epi.contains(p) {
                &mut wall
            } else {
                continue;
            };
            *sum = [sum[0] + 1.0, sum[1] + value];
        }
    }
    let deviation = (all[2] / all[0] - (all[1] / all[0]).powi(2)).sqrt();
    if inside[0] * wall[0] * deviation > 0.0 {
        (inside[1] / inside[0] - wall[1] / wall[0]) / deviation
    } else {
        0.0
    }
}
