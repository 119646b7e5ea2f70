//! What is measured of a field, and sampled by it, slab by slab: no copy of a whole volume is made on the device.

use super::cut::{grid_of, slabs};
use super::moving_part::Moving;
use super::source::ImageBoxes;
use crate::error::Result;
use crate::method::pending_account::folding_warning;
use crate::method::pending_flow::DenseFlow;
use crate::steps::moving_image::{FinerImage, MovingImage};
use std::sync::Arc;
use veloxel_core::{Dimension, Flow, Grid, GridBox, JacobianReport, Mask, Shape, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};
use veloxel_kernels::variational::jacobian::Jacobian;

/// A grid's slabs along its last axis, as thick as so many samples of each of so many volumes allow; and the same with `margin`
/// voxels more on either side.
fn grid_slabs(
    grid: &Grid,
    volumes: usize,
    most_samples: usize,
    margin: usize,
) -> impl Iterator<Item = (GridBox, GridBox)> {
    let (size, axis) = (grid.size(), grid.dimension().count() - 1);
    let thickness = (most_samples / (volumes * grid.len() / size[axis])).clamp(1, size[axis]);
    slabs(size, axis, thickness, margin)
}

/// Adds the determinant of a flow, measured within a mask, and a moving image as it is seen then, if one is given.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub(super) fn measure(
    device: &Device,
    found: &mut DenseFlow,
    measured: Option<&Mask>,
    moving: Option<(&Volume<f32>, Interpolation)>,
    most_samples: usize,
) -> Result<()> {
    let flow = &found.flow;
    let (report, determinant) = device.scope(|| determinant(device, flow, measured, most_samples))?;
    found.statistics.jacobian = report;
    found.statistics.warnings.extend(folding_warning(flow.grid(), &report));
    found.jacobian = Some(determinant);
    if let Some((moving, interpolation)) = moving {
        let warp = || warp_in_slabs(device, flow, moving, interpolation, Border::Voxels, most_samples);
        found.warped = Some(device.scope(warp)?);
    }
    Ok(())
}

/// det(I + ∇d) at every voxel, and its statistics within a mask: what a run over the whole grid says.
fn determinant(
    device: &Device,
    flow: &Flow,
    measured: Option<&Mask>,
    most_samples: usize,
) -> Result<(JacobianReport, Volume<f32>)> {
    let (grid, size) = (flow.grid(), flow.grid().size());
    let mut out = Vec::with_capacity(grid.len());
    let mut sums = DeterminantSums::default();
    for (own, seen) in grid_slabs(grid, grid.dimension().count() + 2, most_samples, 1) {
        let components: Vec<_> = flow.components_vox().map(|c| Arc::new(seen.of(c, size))).collect();
        let first = out.len();
        let counts = |nth: usize| measured.is_none_or(|mask| mask.data()[first + nth]);
        sums.add(device, grid.dimension(), [own, seen], &components, counts, &mut out)?;
    }
    Ok((sums.report(), Volume::new(grid.clone(), out)?))
}

/// The statistics of det(I + ∇d), box by box.
#[derive(Debug)]
pub struct DeterminantSums {
    all: JacobianReport,
    voxels: f64,
    /// Memory that is used again: which voxels count, and the determinants.
    weight: Arc<Vec<f32>>,
    det: Vec<f32>,
}

impl Default for DeterminantSums {
    fn default() -> Self {
        let all = JacobianReport { min: f64::INFINITY, max: f64::NEG_INFINITY, ..JacobianReport::default() };
        Self { all, voxels: 0.0, weight: Arc::default(), det: Vec::new() }
    }
}

impl DeterminantSums {
    /// Counts a box in and appends the determinants there to `out`. `own` is the box, `seen` is it with its neighbours, as far as the
    /// grid goes; the components of the flow, voxels, are those of `seen`; `counts` says which voxels of the box count, by their number
    /// in it.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    pub fn add(
        &mut self,
        device: &Device,
        dimension: Dimension,
        [own, seen]: [GridBox; 2],
        components_vox: &[Arc<Vec<f32>>],
        counts: impl Fn(usize) -> bool,
        out: &mut Vec<f32>,
    ) -> Result<()> {
        let shape = Shape { size: seen.size, dimension };
        let displacement = components_vox.iter().map(|c| device.share(c)).collect::<Result<Vec<_>, _>>()?;
        let inner = own.within(&seen);
        let weight = Arc::make_mut(&mut self.weight);
        weight.clear();
        weight.resize(seen.len(), 0.0);
        for (nth, place) in inner.rows(seen.size).flatten().enumerate() {
            weight[place] = f32::from(u8::from(counts(nth)));
        }
        let weight = device.share(&self.weight)?;
        let mut det = if device.is_gpu() {
            device.scratch(seen.len())?
        } else {
            let mut memory = std::mem::take(&mut self.det);
            memory.resize(seen.len(), 0.0);
            device.upload(memory)?
        };
        let kernel = Jacobian {
            shape,
            spacing_edges: [1.0; 3],
            displacement: &displacement,
            weight: Some(&weight),
            out: &mut det,
        };
        let report = kernel.run(device)?.get(device)?;
        Operation::Rescale { gain: 1.0, offset: 1.0 }.on(&mut det).run(device)?;
        self.det = device.download(det)?;
        let first = out.len();
        inner.append_to(out, &self.det, seen.size);
        let count =
            out[first..].iter().enumerate().filter(|(nth, v)| v.is_finite() && counts(*nth)).count() as f64;
        if count > 0.0 {
            let all = &mut self.all;
            (all.min, all.max) = (all.min.min(report.min), all.max.max(report.max));
            all.share_folded += count * report.share_folded;
            all.mean_abs_minus_one += count * report.mean_abs_minus_one;
            all.divergence_rms += count * report.divergence_rms.powi(2);
            self.voxels += count;
        }
        Ok(())
    }

    /// The statistics of all boxes.
    pub fn report(&self) -> JacobianReport {
        let (mut all, voxels) = (self.all, self.voxels);
        if voxels > 0.0 {
            all.share_folded /= voxels;
            all.mean_abs_minus_one /= voxels;
            all.divergence_rms = (all.divergence_rms / voxels).sqrt();
        } else {
            (all.min, all.max) = (1.0, 1.0);
        }
        all
    }

    /// The warnings about a flow on a grid that folds so.
    pub fn warnings(&self, grid: &Grid) -> Warnings {
        folding_warning(grid, &self.report())
    }
}

/// A spline's coefficients depend on samples so far away, to the last bit but one.
const SPLINE_VOX: usize = 16;

/// The moving image at `x + d(x)`, as [`PendingFlow::warp`](crate::PendingFlow::warp) gives it.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub fn warp_in_slabs(
    device: &Device,
    flow: &Flow,
    moving: &Volume<f32>,
    interpolation: Interpolation,
    border: Border,
    most_samples: usize,
) -> Result<Volume<f32>> {
    let (grid, size) = (flow.grid(), flow.grid().size());
    let mut out = Vec::with_capacity(grid.len());
    let whole = Moving::on(moving, grid);
    for (own, _) in grid_slabs(grid, grid.dimension().count() + 4, most_samples, 0) {
        let displacement: Vec<Vec<f32>> = flow.components_vox().map(|c| own.of(c, size)).collect();
        let Some(part) = whole.reached(own, &displacement, SPLINE_VOX) else {
            out.resize(out.len() + own.len(), f32::NAN);
            continue;
        };
        let samples = device.upload(moving.samples(part)?.into_owned())?;
        let displacement =
            displacement.into_iter().map(|c| device.upload(c)).collect::<Result<Vec<_>, _>>()?;
        let place = |part: GridBox, grid: &Grid| {
            grid_of(part, grid, grid.world_from_voxel(part.begin.map(|b| b as f64)))
        };
        let seen = if whole.is_on_one_grid() {
            let offset = [0, 1, 2].map(|a| own.begin[a] as f64 - part.begin[a] as f64);
            let map = VoxelAffine { offset, ..VoxelAffine::IDENTITY };
            let shapes = [own, part].map(|part| Shape { size: part.size, dimension: grid.dimension() });
            MovingImage::of_samples(device, shapes, samples, interpolation, map)?
                .warp(&displacement, border)?
        } else {
            let moving = place(part, moving.grid())?;
            MovingImage::new(
                device,
                &samples,
                &moving,
                &place(own, grid)?,
                interpolation,
                FinerImage::Sampled,
            )?
            .warp(&displacement, border)?
        };
        out.extend(device.download(seen)?);
    }
    Ok(Volume::new(grid.clone(), out)?)
}
