//! Both directions of any pair method: where going there and back does not lead home, the confidence falls.
//!
//! *Method*: the residual `r(x) = d(x) + d⁻(x + d(x))` of the composed flows, voxels; the confidence is divided by
//! `1 + |r|²/h²` with h = 0.5 voxel. *Cost*: twice the method, and one gather.

use crate::affine_registration::invert;
use crate::buffers::copied_field;
use crate::decisions::Decisions;
use crate::footprint::Footprint;
use crate::frame::FrameSource;
use crate::method::{ImagePair, PairMethod};
use crate::moving_image::{frame_on, voxel_map};
use crate::pending_flow::PendingFlow;
use crate::resident::{Region, ResidentStart};
use crate::wrapped::{Wrapped, Wrapping};
use crate::{MotionError, Observer};
use veloxel_core::{Grid, Shape};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::compose::{Compose, Update};
use veloxel_kernels::variational::inverse_consistency::WeighByResidual;

/// Residual at which the confidence halves, voxels.
const HALF_CONFIDENCE_VOX: f32 = 0.5;

/// Estimates both directions.
#[derive(Debug)]
pub struct BothDirections;

/// A method that estimates both directions, twice a pair.
pub type InverseConsistent<M> = Wrapped<BothDirections, M>;

impl Wrapping for BothDirections {
    fn footprint(own: Footprint, grid: &Grid) -> Option<Footprint> {
        // While the way back is found: the way there, its confidence, and the images once more.
        let held = 3 + grid.dimension().count();
        Some(own.with_more(held as f64).overlapping())
    }

    fn decisions<M: PairMethod + ?Sized>(method: &mut M) -> Option<&mut Decisions> {
        method.decisions()
    }

    fn estimate<M: PairMethod + ?Sized>(
        method: &mut M,
        pair: ImagePair<'_>,
        observer: &dyn Observer,
    ) -> Result<PendingFlow, MotionError> {
        let mut forward = method.estimate(pair.borrowed(), observer)?;
        let ImagePair { fixed, moving, region, start } = pair;
        // The way back begins on the same grid, where the moving image has samples there.
        let grid = fixed.frame().grid();
        let (moving, seen) = match voxel_map(grid, moving.frame().grid()) == VoxelAffine::IDENTITY {
            true => (moving, None),
            false => {
                let (frame, seen) = frame_on(moving.frame(), grid)?;
                (FrameSource::Owned(frame), Some(seen))
            }
        };
        let back = ImagePair {
            fixed: moving,
            moving: fixed,
            // The muscle lies elsewhere in the other image, but by less than its size.
            region: Region { mask: seen.as_ref(), ..region },
            start: match start {
                ResidentStart::Affine(map) => ResidentStart::Affine(invert(&map)?),
                _ => ResidentStart::Zero,
            },
        };
        let back = method.estimate(back, observer)?;
        let device = method.device().clone();
        let PendingFlow { flow, confidence, inverse_residual, .. } = &mut forward;
        let shape = Shape::of(&flow.grid);
        let mut residual = copied_field(&device, &flow.components_vox)?;
        let back = &back.flow().components_vox;
        let (spacing_edges, update) = ([1.0; 3], Update::Compose);
        Compose { shape, spacing_edges, update, displacement: back, increment: &mut residual }
            .run(&device)?;
        let weigh = WeighByResidual { residual: &residual, half_vox: HALF_CONFIDENCE_VOX, confidence };
        *inverse_residual = Some(weigh.run(&device)?);
        forward.mark()?;
        Ok(forward)
    }
}
