//! Any method whose flow is refined afterwards: a mean over neighbours, weighted by confidence and by likeness of the image.
//!
//! *Method*: [`veloxel_kernels::image::bilateral_field`], on the finished flow; the paper's future work (GPGPU 2011, section
//! 6.1). It takes single wrong vectors away, fills holes among certain vectors, and keeps motion boundaries where the image
//! has an edge. *Cost*: one pass over a window of 11² pixels, or 5³ voxels.

use crate::method::{DenseMethod, ImagePair, PairMethod, Window, WindowMethod};
use crate::pending_flow::PendingFlow;
use crate::resident::Region;
use crate::{Frame, MotionError, Observer};
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::Interpolation;

/// A method and its refinement.
#[derive(Debug)]
pub struct Refined<M: ?Sized>(Box<M>);

impl<M: PairMethod> Refined<M> {
    /// Refines what `method` finds.
    pub fn new(method: M) -> Self {
        Self(Box::new(method))
    }
}

impl<M: ?Sized> Refined<M> {
    /// [`Self::new`] for a method whose type is not known.
    pub fn of_box(method: Box<M>) -> Self {
        Self(method)
    }
}

impl<M: DenseMethod + ?Sized> DenseMethod for Refined<M> {
    fn grid(&self) -> &Grid {
        self.0.grid()
    }
    fn device(&self) -> &Device {
        self.0.device()
    }
    fn interpolation(&self) -> Interpolation {
        self.0.interpolation()
    }
}

impl<M: PairMethod + ?Sized> PairMethod for Refined<M> {
    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow, MotionError> {
        let mut found = self.0.estimate(pair.borrowed(), observer)?;
        let device = self.device().clone();
        device.scope(|| found.refine(pair.fixed.frame(), pair.region))?;
        Ok(found)
    }
}

impl<M: WindowMethod + ?Sized> WindowMethod for Refined<M> {
    fn window(&self) -> Window {
        self.0.window()
    }
    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow, MotionError> {
        let mut found = self.0.estimate(frames)?;
        let (device, centre) = (self.device().clone(), self.window().centre);
        device.scope(|| found.refine(frames[centre], Region::default()))?;
        Ok(found)
    }
}
