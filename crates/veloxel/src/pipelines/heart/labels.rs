//! Outlines as label images.

use super::Cine;
use crate::Result;
use veloxel_core::{ContourSet, Control, Grid, Sequence, Structure, Volume};
use veloxel_io::LabelMeaning;

/// The inside of all outlines as labels, frame by frame, on the grid of a cine.
pub(super) fn labels(
    contours: &ContourSet,
    cine: &Cine,
    meaning: LabelMeaning,
    control: &Control,
) -> Result<Sequence> {
    let frame = |frame: usize| frame_labels(contours, frame, cine.grid(), meaning, control);
    let frames = (0..cine.frames().len()).map(frame).collect::<Result<_>>()?;
    Ok(Sequence::new(frames, cine.frame_interval_ms())?)
}

fn frame_labels(
    contours: &ContourSet,
    frame: usize,
    grid: &Grid,
    meaning: LabelMeaning,
    control: &Control,
) -> Result<Volume<f32>> {
    let [nx, ny, _] = grid.size();
    // Later ones lie over earlier ones.
    let order =
        [(Structure::Rv, meaning.rv), (Structure::Epi, meaning.muscle), (Structure::Endo, meaning.lv)];
    let mut labels = Volume::from_fn(grid.clone(), |_| 0.0f32);
    let out = labels.data_mut();
    for slice in contours.slices() {
        for (structure, label) in order {
            control.check()?;
            let (Some(label), Some(contour)) = (label, contours.get(structure, slice, frame)) else {
                continue;
            };
            for y in 0..ny {
                control.check()?;
                let row = contour.polygon.row(y as f64);
                for x in 0..nx {
                    if row.contains(x as f64) {
                        out[(slice * ny + y) * nx + x] = label as f32;
                    }
                }
            }
        }
    }
    Ok(labels)
}
