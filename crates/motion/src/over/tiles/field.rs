//! What is measured of a field, and sampled by it, slab by slab: no copy of a whole volume is made on the device.

use super::cut::{TilePart, slabs};
use super::moving_part::Moving;
use crate::error::Result;
use crate::method::pending_account::folding_warning;
use crate::method::pending_flow::DenseFlow;
use crate::steps::moving_image::{FinerImage, MovingImage};
use veloxel_core::{Flow, Grid, JacobianReport, Mask, Shape, Volume};
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
) -> impl Iterator<Item = (TilePart, TilePart)> {
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
    let mut all = JacobianReport { min: f64::INFINITY, max: f64::NEG_INFINITY, ..JacobianReport::default() };
    let mut voxels = 0.0;
    for (own, seen) in grid_slabs(grid, grid.dimension().count() + 2, most_samples, 1) {
        let shape = Shape { size: seen.size, dimension: grid.dimension() };
        let displacement = flow.components_vox().map(|c| device.upload(seen.of(c, size)));
        let displacement = displacement.collect::<Result<Vec<_>, _>>()?;
        let first = (0..3).map(|a| own.begin[a] - seen.begin[a]).sum::<usize>() * seen.len()
            / seen.size[grid.dimension().count() - 1];
        let mut weight = vec![0.0; seen.len()];
        let counts = |i: usize| measured.is_none_or(|mask| mask.data()[i]);
        let places = own.rows(size).flatten().zip(&mut weight[first..]);
        places.for_each(|(i, weight)| *weight = f32::from(u8::from(counts(i))));
        let weight = device.upload(weight)?;
        let mut det = device.scratch(seen.len())?;
        let kernel = Jacobian {
            shape,
            spacing_edges: [1.0; 3],
            displacement: &displacement,
            weight: Some(&weight),
            out: &mut det,
        };
        let report = kernel.run(device)?.get(device)?;
        Operation::Rescale { gain: 1.0, offset: 1.0 }.on(&mut det).run(device)?;
        let det = device.download(det)?;
        let (det, begin) = (&det[first..first + own.len()], out.len());
        out.extend_from_slice(det);
        let count = det.iter().enumerate().filter(|(i, v)| v.is_finite() && counts(begin + i)).count() as f64;
        if count > 0.0 {
            (all.min, all.max) = (all.min.min(report.min), all.max.max(report.max));
            all.share_folded += count * report.share_folded;
            all.mean_abs_minus_one += count * report.mean_abs_minus_one;
            all.divergence_rms += count * report.divergence_rms.powi(2);
            voxels += count;
        }
    }
    if voxels > 0.0 {
        all.share_folded /= voxels;
        all.mean_abs_minus_one /= voxels;
        all.divergence_rms = (all.divergence_rms / voxels).sqrt();
    } else {
        (all.min, all.max) = (1.0, 1.0);
    }
    Ok((all, Volume::new(grid.clone(), out)?))
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
        let samples = device.upload(part.of(moving.data(), moving.grid().size()))?;
        let displacement =
            displacement.into_iter().map(|c| device.upload(c)).collect::<Result<Vec<_>, _>>()?;
        let place = |part: TilePart, grid: &Grid| {
            part.grid(grid, grid.world_from_voxel(part.begin.map(|b| b as f64)))
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
