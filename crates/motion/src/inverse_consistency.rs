//! Both directions of any pair method: where going there and back does not lead home, the confidence falls.
//!
//! *Method*: the residual `r(x) = d(x) + d⁻(x + d(x))` of the composed flows, voxels; the confidence is divided by
//! `1 + |r|²/h²` with h = 0.5 voxel. *Cost*: twice the method, and one gather.

use crate::affine_registration::invert;
use crate::decisions::Decisions;
use crate::footprint::Footprint;
use crate::frame::FrameSource;
use crate::method::{DenseMethod, ImagePair, PairMethod};
use crate::moving_image::{frame_on, voxel_map};
use crate::pending_flow::PendingFlow;
use crate::resident::{Region, ResidentStart};
use crate::{MotionError, Observer};
use veloxel_core::{Grid, Shape};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CopyBuffer;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
use veloxel_kernels::variational::compose::{Compose, Update};
use veloxel_kernels::variational::inverse_consistency::WeighByResidual;

/// Residual at which the confidence halves, voxels.
const HALF_CONFIDENCE_VOX: f32 = 0.5;

/// A method that estimates both directions.
#[derive(Debug)]
pub struct InverseConsistent<M: ?Sized>(Box<M>);

impl<M: PairMethod> InverseConsistent<M> {
    /// Estimates with `method`, twice a pair.
    pub fn new(method: M) -> Self {
        Self(Box::new(method))
    }
}

impl InverseConsistent<dyn PairMethod> {
    /// [`Self::new`] for a method whose type is not known.
    pub fn of_box(method: Box<dyn PairMethod>) -> Self {
        Self(method)
    }
}

impl<M: DenseMethod + ?Sized> DenseMethod for InverseConsistent<M> {
    fn grid(&self) -> &Grid {
        self.0.grid()
    }
    fn device(&self) -> &Device {
        self.0.device()
    }
    fn interpolation(&self) -> Interpolation {
        self.0.interpolation()
    }
    fn footprint(&self) -> Option<Footprint> {
        // While the way back is found: the way there, its confidence, and the images once more.
        let held = 3 + self.0.grid().dimension().count();
        Some(self.0.footprint()?.with_more(held as f64).overlapping())
    }
}

impl<M: PairMethod + ?Sized> PairMethod for InverseConsistent<M> {
    fn decisions(&mut self) -> Option<&mut Decisions> {
        self.0.decisions()
    }

    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow, MotionError> {
        let mut forward = self.0.estimate(pair.borrowed(), observer)?;
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
        let back = self.0.estimate(back, observer)?;
        let device = self.device().clone();
        let (flow, confidence, residual_sum) = forward.weigh();
        let shape = Shape::of(&flow.grid);
        let mut residual = device.scratch_field(shape.components(), shape.len())?;
        flow.components_vox
            .iter()
            .zip(&mut residual)
            .try_for_each(|(d, out)| CopyBuffer { from: d, to: out }.run(&device))?;
        let back = &back.flow().components_vox;
        let (spacing_edges, update) = ([1.0; 3], Update::Compose);
        Compose { shape, spacing_edges, update, displacement: back, increment: &mut residual }
            .run(&device)?;
        let weigh = WeighByResidual { residual: &residual, half_vox: HALF_CONFIDENCE_VOX, confidence };
        *residual_sum = Some(weigh.run(&device)?);
        forward.mark()?;
        Ok(forward)
    }
}
