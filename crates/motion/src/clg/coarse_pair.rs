//! Two images in, on the host and at a quarter of their size within slices: by how much each place of the fixed image is darker,
//! and the part of it in which the two differ.
//!
//! *Cost*: one pass over each image, and a sixteenth of the voxels on the host.

use crate::error::Result;
use crate::method::resident::ResidentMask;
use crate::steps::frame::Frame;
use crate::steps::moving_image::{FinerImage, MovingImage, voxel_map};
use crate::steps::pyramid::shrink;
use veloxel_core::{Axes, Dimension, Grid, Shape};
use veloxel_gpu::Buffer;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};

/// Slices of a stack lie at least so many pixel widths apart.
const STACK: f64 = 2.0;
/// By how much images shrink: what is smaller is noise.
const SHRINK: usize = 4;
/// Share of the squared differences that lies outside of the region of motion at either end of an axis.
const OUTSIDE: f64 = 0.05;
/// Width of the margin around the region of motion, mm.
const MARGIN_MM: f64 = 25.0;

/// The axis across the slices of a stack, if the grid is one.
pub(crate) fn stack_axis(grid: &Grid) -> Option<usize> {
    let spacing = grid.spacing_mm();
    let is_stack = |&a: &usize| (0..3).all(|b| b == a || spacing[a] >= STACK * spacing[b]);
    (0..3).find(|a| grid.dimension() == Dimension::Three && is_stack(a))
}

/// The difference of two images, coarsely.
pub(crate) struct CoarsePair {
    /// Samples per axis.
    pub size: Axes<usize>,
    /// Their distance, mm.
    pub spacing_mm: Axes<f64>,
    /// By how much the fixed image is darker, in the images' unit; 0 where a sample is unknown.
    pub darker: Vec<f64>,
}

impl CoarsePair {
    /// Compares two images on the fixed one's grid.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn of([fixed, moving]: [&Frame; 2]) -> Result<Self> {
        let (device, grid) = (fixed.device(), fixed.grid());
        let stack = stack_axis(grid);
        let mut coarse = Shape::of(grid);
        let shrinks = |a: &usize| *a < grid.dimension().count() && Some(*a) != stack;
        (0..3).filter(shrinks).for_each(|a| coarse.size[a] = coarse.size[a].div_ceil(SHRINK));
        let shrunk = |samples: &Buffer| -> Result<Vec<f32>> {
            Ok(device.read(&shrink(device, samples, Shape::of(grid), coarse)?)?)
        };
        let there = match voxel_map(grid, moving.grid()) == VoxelAffine::IDENTITY {
            true => shrunk(moving.samples())?,
            false => {
                let linear = Interpolation::Linear;
                let seen = MovingImage::new(
                    device,
                    moving.samples(),
                    moving.grid(),
                    grid,
                    linear,
                    FinerImage::Smoothed,
                )?;
                shrunk(&seen.at_rest(Border::Unbounded)?)?
            }
        };
        let difference =
            |(m, f): (f32, f32)| if (m - f).is_finite() { f64::from(m) - f64::from(f) } else { 0.0 };
        let darker = there.into_iter().zip(shrunk(fixed.samples())?).map(difference).collect();
        let spacing_mm =
            [0, 1, 2].map(|a| grid.spacing_mm()[a] * grid.size()[a] as f64 / coarse.size[a] as f64);
        Ok(Self { size: coarse.size, spacing_mm, darker })
    }

    /// First and last sample along an axis of the part in which the images differ; none if they do not.
    fn extent(&self, axis: usize) -> Option<[usize; 2]> {
        let stride: usize = self.size[..axis].iter().product();
        let mut along = vec![0.0; self.size[axis]];
        for (i, d) in self.darker.iter().enumerate() {
            along[i / stride % self.size[axis]] += d * d;
        }
        let total: f64 = along.iter().sum();
        let margin = (MARGIN_MM / self.spacing_mm[axis]).ceil() as usize;
        let sums: Vec<f64> = (0..along.len()).map(|last| along[..=last].iter().sum()).collect();
        let reaches = |share: f64| sums.iter().position(|&s| s >= share * total).unwrap_or(0);
        let (low, high) = (reaches(OUTSIDE), reaches(1.0 - OUTSIDE));
        (total > 0.0).then(|| [low.saturating_sub(margin), (high + margin).min(self.size[axis] - 1)])
    }
}

/// The box of the fixed image in which two images differ, over all slices of a stack; none if they do not.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
pub(crate) fn region_of_motion(images: [&Frame; 2]) -> Result<Option<ResidentMask>> {
    let (device, grid) = (images[0].device(), images[0].grid());
    let pair = CoarsePair::of(images)?;
    let stack = stack_axis(grid);
    let mut ranges = grid.size().map(|n| 0..n);
    for axis in (0..grid.dimension().count()).filter(|&a| Some(a) != stack) {
        let Some([low, high]) = pair.extent(axis) else { return Ok(None) };
        let factor = grid.size()[axis] as f64 / pair.size[axis] as f64;
        ranges[axis] = (low as f64 * factor) as usize..((high + 1) as f64 * factor).ceil() as usize;
    }
    let inside = |i: usize| {
        let position = grid.position(i);
        f32::from(u8::from((0..3).all(|a| ranges[a].contains(&position[a]))))
    };
    let weight = device.upload((0..grid.len()).map(inside).collect())?;
    Ok(Some(ResidentMask { grid: grid.clone(), weight }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Volume;
    use veloxel_gpu::Device;

    #[test]
    fn the_region_holds_what_differs_and_a_margin() {
        let grid =
            Grid::volume(120, 100, 5).and_then(|g| g.with_spacing_mm([2.0, 2.0, 9.0])).expect("a grid");
        let device = Device::cpu(1).expect("a processor should be there");
        let frame = |radius: f64| {
            let bright = |[x, y, _]: [usize; 3]| (x as f64 - 60.0).hypot(y as f64 - 40.0) < radius;
            let image = Volume::from_fn(grid.clone(), |p| f32::from(u8::from(bright(p))));
            Frame::upload(&device, &image).expect("memory for a frame")
        };
        let (small, large) = (frame(8.0), frame(12.0));
        let region = region_of_motion([&small, &large]).expect("a device that works").expect("a difference");
        let weight = device.read(&region.weight).expect("a device that works");
        let inside = |x, y, z| weight[grid.index([x, y, z])] == 1.0;
        assert!((0..5).all(|z| inside(60, 40, z) && inside(45, 52, z)));
        assert!(!inside(20, 40, 2) && !inside(60, 80, 2) && !inside(105, 40, 2));
        assert!(region_of_motion([&small, &small]).expect("a device that works").is_none());
    }
}
