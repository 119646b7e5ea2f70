//! Fields applied to images and labels, which may lie on grids of their own.

use super::grids::{OutsideFill, Sampling, allow_two_grids, warp_image};
use super::output_plan::{Holds, OutputPlan, name};
use crate::VeloxelError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_io::{IoError, Kind, Reading};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::Border;

/// A field, what it moves, and where the result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpJob {
    /// The field.
    pub flow: PathBuf,
    /// The image (or labels) that it points into, or points in the space that it lives on.
    pub input: PathBuf,
    /// The result, on the field's grid.
    pub output: PathBuf,
    /// How files are read.
    pub reading: Reading,
}

impl WarpJob {
    /// Checks the files, reads the field, does the work, and writes what comes of it.
    pub(super) fn run<T>(
        &self,
        holds: Holds,
        work: impl FnOnce(&Flow, &mut Warnings) -> Result<T, VeloxelError>,
        write: impl FnOnce(&Path, T, &mut Warnings) -> Result<(), IoError>,
    ) -> Result<Warnings, VeloxelError> {
        let mut plan = OutputPlan::default()
            .reads("flow", [&self.flow])
            .reads("input", [&self.input])
            .writes("output", [&self.output], holds);
        plan.check()?;
        let mut warnings = Warnings::new();
        let flow = io::read_flow(&self.flow, self.reading, &mut warnings)?;
        plan.check_dimension(flow.grid().dimension())?;
        let done = work(&flow, &mut warnings)?;
        plan.write("output", |path| write(path, done, &mut warnings))?;
        plan.finish()?;
        Ok(warnings)
    }
}

/// `veloxel warp image`; where INPUT has no sample or the field is unknown the result holds what `outside` says.
///
/// # Errors
/// As for every file, and [`warp_image`].
pub fn warp_flow(
    job: &WarpJob,
    device: &Device,
    (interpolation, outside): (Interpolation, OutsideFill),
) -> Result<Warnings, VeloxelError> {
    let sampling = Sampling { interpolation, border: outside.border() };
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let moving = io::read_image(&job.input, job.reading, warnings)?;
        moving.require_finite(&job.input.display().to_string(), |_| false)?;
        allow_two_grids(flow.grid(), moving.grid(), job.reading.strictness, warnings)?;
        let mut moved = warp_image(device, (flow, &moving), sampling)?;
        outside.fill(&mut moved, &name(&job.output), warnings);
        Ok(moved)
    };
    job.run(Holds::Samples(Kind::Image), work, |path, moved, warnings| {
        io::write_image(path, &moved, warnings)
    })
}

/// Which label stands between voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelChoice {
    /// That of the nearest voxel.
    #[default]
    Nearest,
    /// The one with the most weight among the voxels around, by bi- or trilinear weights: borders become smooth.
    MostWeight,
}

/// `veloxel warp labels`; 0 where the field leaves the image or is unknown.
///
/// # Errors
/// As for every file, and [`warp_image`].
pub fn warp_labels(job: &WarpJob, device: &Device, choice: LabelChoice) -> Result<Warnings, VeloxelError> {
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let labels = io::read_labels(&job.input, job.reading.strictness, warnings)?;
        allow_two_grids(flow.grid(), labels.grid(), job.reading.strictness, warnings)?;
        match choice {
            LabelChoice::Nearest => {
                let samples = labels.map(|&label| label as f32);
                let sampling = Sampling { interpolation: Interpolation::Nearest, border: Border::Voxels };
                let moved = warp_image(device, (flow, &samples), sampling)?;
                Ok(moved.map(|v| if v.is_finite() { *v as i32 } else { 0 }))
            }
            LabelChoice::MostWeight => most_weight(device, (flow, &labels)),
        }
    };
    job.run(Holds::Samples(Kind::Image), work, |path, moved, _| io::write_labels(path, &moved))
}

/// The label of the most weight at every voxel of the field's grid; of two with the same the smaller one.
fn most_weight(device: &Device, (flow, labels): (&Flow, &Volume<i32>)) -> Result<Volume<i32>, VeloxelError> {
    let present: BTreeSet<i32> = labels.data().iter().copied().collect();
    let sampling = Sampling { interpolation: Interpolation::Linear, border: Border::Voxels };
    let mut best = Volume::from_fn(flow.grid().clone(), |_| (0, 0f32));
    for label in present {
        let share = labels.map(|&l| f32::from(u8::from(l == label)));
        let share = warp_image(device, (flow, &share), sampling)?;
        // NaN, outside of the labels, is above nothing.
        best.data_mut()
            .iter_mut()
            .zip(share.data())
            .filter(|(best, share)| **share > best.1)
            .for_each(|(best, &share)| *best = (label, share));
    }
    Ok(best.map(|(label, _)| *label))
}
