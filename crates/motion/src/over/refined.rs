//! Any method whose flow is refined afterwards: a mean over neighbours, weighted by confidence and by likeness of the image.
//!
//! *Method*: [`veloxel_kernels::image::bilateral_field`], on the finished flow; the paper's future work (GPGPU 2011, section
//! 6.1). It takes single wrong vectors away, fills holes among certain vectors, and keeps motion boundaries where the image
//! has an edge. *Cost*: one pass over a window of 11² pixels, or 5³ voxels.

use crate::error::Result;
use crate::method::footprint::Footprint;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::DataRegion;
use crate::method::window::{FrameWindow, WindowMethod};
use crate::over::decorated::{Decorated, Decoration};
use crate::steps::frame::Frame;
use veloxel_core::Grid;

/// Refines what a method finds.
#[derive(Debug)]
pub struct Refinement;

/// A method and its refinement.
pub type Refined<M> = Decorated<Refinement, M>;

impl Decoration for Refinement {
    fn footprint(_: Footprint, _: &Grid) -> Option<Footprint> {
        None
    }

    fn estimate<M: PairMethod + ?Sized>(method: &mut M, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let mut found = method.estimate(pair.borrowed())?;
        method.device().scope(|| found.refine(pair.fixed.frame(), pair.region))?;
        Ok(found)
    }
}

impl<M: WindowMethod + ?Sized> WindowMethod for Refined<M> {
    fn window(&self) -> FrameWindow {
        self.method.window()
    }
    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow> {
        let mut found = self.method.estimate(frames)?;
        let centre = frames[self.window().centre];
        self.method.device().scope(|| found.refine(centre, DataRegion::default()))?;
        Ok(found)
    }
}
