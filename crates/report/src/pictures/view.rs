//! One pair of images with everything that a report draws of it.

use crate::error::ReportError;
use crate::pictures::planes::{Plane, planes_through, slices_of_thin_stack};
use veloxel_core::{Control, Dimension, Flow, Grid, Mask, Stopped, Volume};
use veloxel_measure::is_physical;

/// Voxels that are looked at between two questions whether to go on: some milliseconds.
const VOXELS_AT_ONCE: usize = 1 << 17;

/// A pair, its field and its maps: all on the fixed grid.
#[derive(Debug, Clone, Copy)]
pub struct PairView<'a> {
    /// Title of the pair: `frame 3 → 4`, or the names of the two images.
    pub title: &'a str,
    /// The image that the field lives on.
    pub fixed: &'a Volume<f32>,
    /// The image that the field points into.
    pub moving: &'a Volume<f32>,
    /// The moving image pulled back by the field, NaN where the field leaves the image; none if it is not drawn.
    pub warped: Option<&'a Volume<f32>>,
    /// The field.
    pub flow: &'a Flow,
    /// Confidence of every vector, 0 to 1.
    pub confidence: &'a Volume<f32>,
    /// The probability of every vector, 0 to 1, that it is off by less than half a voxel; none where it is not known.
    pub probability: Option<&'a Volume<f32>>,
    /// The determinant det(I + ∇d) at every voxel.
    pub jacobian: &'a Volume<f32>,
    /// The true field, where it is known.
    pub truth: Option<&'a Flow>,
    /// The mask in which measurements count; drawn as an outline.
    pub mask: Option<&'a Mask>,
    /// The grid of the moving image before it was sampled on the fixed one, if it differs from the fixed grid.
    pub moving_grid: Option<&'a Grid>,
    /// The numbers of the two images in their sequence.
    pub frames: Option<[usize; 2]>,
}

/// A pair among those of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparedView<'a> {
    /// The images, the field and its maps.
    pub pair: PairView<'a>,
    /// Occlusion: 1 where the moving image does not show a voxel, 0 elsewhere; none if it is unknown.
    pub occlusion: Option<&'a Volume<f32>>,
}

impl PairView<'_> {
    /// Checks that everything lies on the fixed grid.
    ///
    /// # Errors
    /// [`ReportError::Core`] that names the first map on another grid.
    pub(crate) fn require_one_grid(&self) -> Result<(), ReportError> {
        let others = [
            (Some(self.moving.grid()), "fixed and moving image"),
            (self.warped.map(|warped| warped.grid()), "fixed and warped image"),
            (Some(self.flow.grid()), "fixed image and flow"),
            (Some(self.confidence.grid()), "fixed image and confidence"),
            (self.probability.map(|probability| probability.grid()), "fixed image and probability"),
            (Some(self.jacobian.grid()), "fixed image and Jacobian"),
            (self.truth.map(|truth| truth.grid()), "fixed image and true flow"),
            (self.mask.map(|mask| mask.grid()), "fixed image and mask"),
        ];
        let same =
            |(grid, what): (Option<&Grid>, _)| grid.map_or(Ok(()), |g| self.grid().require_same(g, what));
        Ok(others.into_iter().try_for_each(same)?)
    }

    pub(crate) fn grid(&self) -> &Grid {
        self.fixed.grid()
    }

    /// The unit of lengths: `mm` if the grid is a physical one, else `px`.
    pub(crate) fn length_unit(&self) -> &'static str {
        if is_physical(self.grid()) { "mm" } else { "px" }
    }

    /// The planes to draw: every slice of a thin stack, else those through the centre of motion, within the mask where there
    /// is one.
    pub(crate) fn planes(&self, control: &Control) -> Result<Vec<Plane>, Stopped> {
        match slices_of_thin_stack(self.grid()) {
            Some(slices) => Ok(slices),
            None => Ok(planes_through(self.grid(), self.centre_of_motion(control)?)),
        }
    }

    /// The one plane of a small picture: the image, the middle slice of a thin stack, or the axial plane through the centre of
    /// motion.
    pub(crate) fn plane(&self, control: &Control) -> Result<Plane, Stopped> {
        Ok(match slices_of_thin_stack(self.grid()) {
            Some(mut slices) => slices.swap_remove(slices.len() / 2),
            None => planes_through(self.grid(), self.centre_of_motion(control)?).swap_remove(0),
        })
    }

    /// The word for samples: pixels of pictures, voxels of volumes.
    pub(crate) fn voxels(&self) -> &'static str {
        match self.grid().dimension() {
            Dimension::Two => "px",
            Dimension::Three => "voxels",
        }
    }

    /// Mean position of the voxels weighted by the squared length of their motion (mm²); the centre without motion.
    fn centre_of_motion(&self, control: &Control) -> Result<[usize; 3], Stopped> {
        let grid = self.grid();
        let spacing = grid.spacing_mm();
        let mut weight_sum = 0.0;
        let mut position_sum = [0.0; 3];
        let mut pace = control.once_in(VOXELS_AT_ONCE);
        for i in (0..grid.len()).filter(|&i| self.flow.is_valid(i) && self.mask.is_none_or(|m| m.data()[i])) {
            pace.step()?;
            let v = self.flow.vector_vox(i);
            let weight: f64 = (0..3).map(|a| (f64::from(v[a]) * spacing[a]).powi(2)).sum();
            weight_sum += weight;
            for (sum, p) in position_sum.iter_mut().zip(grid.position(i)) {
                *sum += weight * p as f64;
            }
        }
        Ok(if weight_sum > 0.0 {
            position_sum.map(|s| (s / weight_sum).round() as usize)
        } else {
            grid.size().map(|n| n / 2)
        })
    }
}
