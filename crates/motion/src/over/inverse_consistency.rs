//! Both directions of any pair method: where going there and back does not lead home, the confidence falls.
//!
//! *Method*: the residual `r(x) = d(x) + d⁻(x + d(x))` of the composed flows, voxels; the confidence is divided by
//! `1 + |r|²/h²` with h = 0.5 voxel. *Cost*: twice the method, and one gather.

use crate::error::Result;
use crate::method::footprint::Footprint;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::{DataRegion, ResidentStart};
use crate::method::shared_scalars::SharedScalars;
use crate::over::decorated::{Decorated, Decoration};
use crate::steps::buffers::copied_field;
use crate::steps::frame::FrameSource;
use crate::steps::linear::affine_registration::invert;
use crate::steps::moving_image::frame_on;
use veloxel_core::{Grid, Shape};
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::compose::{Compose, UpdateRule};
use veloxel_kernels::variational::inverse_consistency::WeighByResidual;

/// Residual at which the confidence halves, voxels.
const HALF_CONFIDENCE_VOX: f32 = 0.5;

/// Estimates both directions.
#[derive(Debug)]
pub struct BothDirections;

/// A method that estimates both directions, twice a pair.
pub type InverseConsistent<M> = Decorated<BothDirections, M>;

impl Decoration for BothDirections {
    fn footprint(own: Footprint, grid: &Grid) -> Option<Footprint> {
        // While the way back is found: the way there, its confidence, and the images once more.
        let held = 3 + grid.dimension().count();
        Some(own.with_more(held as f64).overlapping())
    }

    fn shared_scalars<M: PairMethod + ?Sized>(method: &mut M) -> Option<&mut SharedScalars> {
        method.shared_scalars()
    }

    fn estimate<M: PairMethod + ?Sized>(method: &mut M, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let mut forward = method.estimate(pair.borrowed())?;
        let ImagePair { fixed, moving, region, start } = pair;
        // The way back begins on the same grid, where the moving image has samples there.
        let (moving, seen) = match frame_on(moving.frame(), fixed.frame().grid())? {
            None => (moving, None),
            Some((frame, seen)) => (FrameSource::Owned(frame), seen),
        };
        let back = ImagePair {
            fixed: moving,
            moving: fixed,
            // The muscle lies elsewhere in the other image, but by less than its size.
            region: DataRegion { mask: seen.as_ref(), ..region },
            start: match start {
                ResidentStart::Affine(map) => ResidentStart::Affine(invert(&map)?),
                _ => ResidentStart::Zero,
            },
        };
        let back = method.estimate(back)?;
        let device = method.device().clone();
        let PendingFlow { flow, confidence, inverse_residual, .. } = &mut forward;
        let shape = Shape::of(&flow.grid);
        let mut residual = copied_field(&device, &flow.components_vox)?;
        let back = &back.flow().components_vox;
        let (spacing_edges, update) = ([1.0; 3], UpdateRule::Compose);
        Compose { shape, spacing_edges, update, displacement: back, increment: &mut residual }
            .run(&device)?;
        let weigh = WeighByResidual { residual: &residual, half_vox: HALF_CONFIDENCE_VOX, confidence };
        *inverse_residual = Some(weigh.run(&device)?);
        forward.mark()?;
        Ok(forward)
    }
}
