//! The files of one method's run.

use super::cine::Cine;
use super::tables::{self, Timing};
use super::{Setting, Tracked};
use crate::Result;
use std::path::Path;
use veloxel_core::{ContourSet, Dimension, Sequence, Structure, Volume};
use veloxel_io::{self as io, LabelMeaning};

/// Writes outlines, labels, fields and tables of a run, names beginning with `prefix`.
pub(super) fn write(folder: &Path, prefix: &str, tracked: &Tracked, setting: &Setting<'_>) -> Result<()> {
    let path = |name: &str| folder.join(format!("{prefix}{name}"));
    let (cine, job, start) = (setting.cine, setting.job, setting.seeds.reference());
    let interval_ms = cine.place.frame_interval_ms;
    let timing = Timing { interval_ms, periodicity: tracked.run.periodicity, reference: start };
    for name in ["contours.json", "contours.csv"] {
        io::write_contours(&path(name), &tracked.contours, &cine.place)?;
    }
    let labels = labels(&tracked.contours, cine, job.labels)?;
    io::write_sequence(&path("labels.nii.gz"), &labels)?;
    for (frame, field) in tracked.fields.iter().enumerate().filter(|(frame, _)| *frame != start) {
        let extension = if field.grid().dimension() == Dimension::Two { "flo" } else { "nii.gz" };
        io::write_flow(&path(&format!("field_{start:03}_{frame:03}.{extension}")), field)?;
    }
    if job.animation {
        super::animation::write(&path("loop.gif"), tracked, setting)?;
    }
    io::write_text(&path("function.csv"), &tables::function(&tracked.run, cine.place.frames, timing))?;
    if !tracked.run.strain.is_empty() {
        io::write_text(&path("strain.csv"), &tables::strain(&tracked.run, timing))?;
    }
    Ok(())
}

/// The inside of all outlines as labels, frame by frame.
fn labels(contours: &ContourSet, cine: &Cine, meaning: LabelMeaning) -> Result<Sequence> {
    let grid = cine.sequence.grid();
    let [nx, ny, _] = grid.size();
    // Later ones lie over earlier ones.
    let order =
        [(Structure::Rv, meaning.rv), (Structure::Epi, meaning.muscle), (Structure::Endo, meaning.lv)];
    let frame = |frame: usize| {
        let mut labels = Volume::from_fn(grid.clone(), |_| 0.0f32);
        for slice in contours.slices() {
            for (structure, label) in order {
                let Some(contour) = contours.get(structure, slice, frame) else { continue };
                for y in 0..ny {
                    for x in 0..nx {
                        if contour.polygon.contains([x as f64, y as f64]) {
                            labels.data_mut()[(slice * ny + y) * nx + x] = label as f32;
                        }
                    }
                }
            }
        }
        labels
    };
    let frames = (0..cine.place.frames).map(frame).collect();
    Ok(Sequence::new(frames, cine.place.frame_interval_ms)?)
}
