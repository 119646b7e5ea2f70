//! Fields applied to images and labels on their own grid.

use super::output_plan::{Holds, OutputPlan};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Shape, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_io::{IoError, Kind, Reading};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine, Warp};

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

/// The moving image seen from the fixed grid, `moving(x + d(x))`; NaN outside and where the field is unknown.
///
/// # Errors
/// [`VeloxelError::Core`] unless the image lies on the field's grid; [`VeloxelError::Compute`].
pub fn warp_image(
    device: &Device,
    (flow, moving): (&Flow, &Volume<f32>),
    interpolation: Interpolation,
) -> Result<Volume<f32>, VeloxelError> {
    let what = "field and image must lie on one grid; resample the image onto the field's grid first";
    flow.grid().require_same(moving.grid(), what)?;
    let shape = Shape::of(flow.grid());
    let mut samples = device.upload_copy(moving.data())?;
    if interpolation == Interpolation::CubicSpline {
        SplineCoefficients { shape, samples: &mut samples }.run(device)?;
    }
    let displacement =
        flow.components_vox().iter().map(|c| device.upload_copy(c)).collect::<Result<Vec<_>, _>>()?;
    let mut out = device.zeros(shape.len())?;
    let warp = Warp {
        shape,
        // The field is in voxels already.
        spacing_edges: [1.0; 3],
        interpolation,
        moving_from_fixed: VoxelAffine::IDENTITY,
        moving: &samples,
        displacement: &displacement,
        out: &mut out,
    };
    device.scope(|| warp.run(device))?;
    Ok(Volume::new(flow.grid().clone(), device.download(out)?)?)
}

/// `veloxel warp image`.
///
/// # Errors
/// As for every file, and [`warp_image`].
pub fn warp_flow(
    job: &WarpJob,
    device: &Device,
    interpolation: Interpolation,
) -> Result<Warnings, VeloxelError> {
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let moving = io::read_image(&job.input, job.reading, warnings)?;
        moving.require_finite(&job.input.display().to_string(), |_| false)?;
        warp_image(device, (flow, &moving), interpolation)
    };
    job.run(Holds::Samples(Kind::Image), work, |path, moved, warnings| {
        io::write_image(path, &moved, warnings)
    })
}

/// `veloxel warp labels`: the nearest label; 0 where the field leaves the image or is unknown.
///
/// # Errors
/// As for every file, and [`warp_image`].
pub fn warp_labels(job: &WarpJob, device: &Device) -> Result<Warnings, VeloxelError> {
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let labels = io::read_labels(&job.input, job.reading, warnings)?;
        let samples = labels.map(|&label| label as f32);
        let moved = warp_image(device, (flow, &samples), Interpolation::Nearest)?;
        Ok(moved.map(|v| if v.is_finite() { *v as i32 } else { 0 }))
    };
    job.run(Holds::Samples(Kind::Image), work, |path, moved, _| io::write_labels(path, &moved))
}
