//! A box of a warped image, of a field's and an image's boxes: the bits of the whole image warped at once.

use super::moving_part::Moving;
use super::source::ImageBoxes;
use crate::error::{MotionError, Result};
use crate::steps::moving_image::voxel_map;
use veloxel_core::{Flow, Grid, GridBox, Shape};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Cut, Interpolation, Warp};

/// Voxels around a position whose samples count, with one for rounding.
const SAMPLES_VOX: usize = 4;
/// Voxels around these that a spline's coefficients depend on.
const SPLINE_VOX: usize = 14;

/// A box of a field, and the image that it points into.
pub struct PartWarp<'a> {
    /// The grid of the whole field.
    pub grid: &'a Grid,
    /// The grid of the whole image.
    pub moving: &'a Grid,
    /// How samples between voxels are found.
    pub interpolation: Interpolation,
    /// Where the image ends.
    pub border: Border,
}

impl PartWarp<'_> {
    /// The box of the image that a box of the field reaches, with `more` voxels around it; none if it reaches nothing. The components
    /// are voxels; what is no number reaches nothing.
    pub fn reached(&self, part: GridBox, components_vox: &[Vec<f32>], more: usize) -> Option<GridBox> {
        let mut ends = [[0.0; 2]; 3];
        for (component, ends) in components_vox.iter().zip(&mut ends) {
            let known = component.iter().filter(|v| v.is_finite());
            let none = [f32::INFINITY, f32::NEG_INFINITY];
            let [least, most] = known.fold(none, |[least, most], &v| [v.min(least), v.max(most)]);
            if least > most {
                return None;
            }
            *ends = [least, most];
        }
        let spline = if self.interpolation == Interpolation::CubicSpline { SPLINE_VOX } else { 0 };
        let margin = SAMPLES_VOX + spline + more;
        let of = Places { grid: self.moving };
        let moving = Moving::on(&of, self.grid);
        match self.border {
            Border::Unbounded => Some(moving.nearest_to(part, ends, margin)),
            Border::Centres | Border::Voxels => moving.reached_by(part, ends, margin),
        }
    }

    /// `image(x + d(x))` in a box of the field, of the samples of the image in a box that holds what is [reached](Self::reached); NaN
    /// beyond its border and where the field is unknown.
    ///
    /// # Errors
    /// [`MotionError::Compute`].
    pub fn warped(
        &self,
        device: &Device,
        [part, seen]: [GridBox; 2],
        samples: &[f32],
        flow: &Flow,
    ) -> Result<Vec<f32>> {
        let dimension = self.grid.dimension();
        let [shape, moving_shape] = [part, seen].map(|part| Shape { size: part.size, dimension });
        let mut moving = device.upload_copy(samples)?;
        let displacement =
            flow.components_vox().map(|c| device.upload_copy(c)).collect::<Result<Vec<_>, _>>()?;
        let mut out = device.scratch(part.len())?;
        device.scope(|| {
            if self.interpolation == Interpolation::CubicSpline {
                SplineCoefficients { shape: moving_shape, samples: &mut moving }.run(device)?;
            }
            let warp = Warp {
                shape,
                moving_shape,
                // The displacement is in voxels already.
                spacing_edges: [1.0; 3],
                interpolation: self.interpolation,
                border: self.border,
                moving_from_fixed: voxel_map(self.grid, self.moving),
                cut: Some(Cut {
                    fixed_begin: part.begin,
                    moving_begin: seen.begin,
                    moving_whole: self.moving.size(),
                }),
                moving: &moving,
                displacement: &displacement,
                out: &mut out,
            };
            warp.run(device)
        })?;
        Ok(device.download(out)?)
    }
}

/// Where an image lies whose samples are elsewhere.
struct Places<'a> {
    grid: &'a Grid,
}

impl ImageBoxes for Places<'_> {
    fn grid(&self) -> &Grid {
        self.grid
    }

    fn samples(&self, _: GridBox) -> Result<std::borrow::Cow<'_, [f32]>> {
        Err(MotionError::Apart)
    }
}
