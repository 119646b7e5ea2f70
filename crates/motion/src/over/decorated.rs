//! Decorated methods: a decoration runs any method of pairs once or more for every pair. What it shares with that method is
//! written once, here.

use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::Footprint;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::shared_scalars::SharedScalars;
use std::marker::PhantomData;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::Interpolation;

/// What a decorated method does with the method inside.
pub trait Decoration: Send {
    /// What a run takes where the method takes `own`; none: unknown.
    fn footprint(own: Footprint, grid: &Grid) -> Option<Footprint>;
    /// The numbers of the whole image that both decide by, if there are any.
    fn shared_scalars<M: PairMethod + ?Sized>(_: &mut M) -> Option<&mut SharedScalars> {
        None
    }
    /// Estimates as [`PairMethod::estimate`] does, with the method inside.
    fn estimate<M: PairMethod + ?Sized>(method: &mut M, pair: ImagePair<'_>) -> Result<PendingFlow>;
}

/// A decorated method.
#[derive(Debug)]
pub struct Decorated<W, M: ?Sized> {
    decoration: PhantomData<W>,
    pub(crate) method: Box<M>,
}

impl<W, M> Decorated<W, M> {
    /// Around a method.
    pub fn new(method: M) -> Self {
        Self::of_box(Box::new(method))
    }
}

impl<W, M: ?Sized> Decorated<W, M> {
    /// [`Self::new`] for a method whose type is not known.
    pub fn of_box(method: Box<M>) -> Self {
        Self { decoration: PhantomData, method }
    }
}

impl<W: Decoration, M: DenseMethod + ?Sized> DenseMethod for Decorated<W, M> {
    fn grid(&self) -> &Grid {
        self.method.grid()
    }
    fn device(&self) -> &Device {
        self.method.device()
    }
    fn interpolation(&self) -> Interpolation {
        self.method.interpolation()
    }
    fn takes_brightness_as_it_is(&self) -> bool {
        self.method.takes_brightness_as_it_is()
    }
    fn footprint(&self) -> Option<Footprint> {
        W::footprint(self.method.footprint()?, self.grid())
    }
}

impl<W: Decoration, M: PairMethod + ?Sized> PairMethod for Decorated<W, M> {
    fn shared_scalars(&mut self) -> Option<&mut SharedScalars> {
        W::shared_scalars(&mut *self.method)
    }
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow> {
        W::estimate(&mut *self.method, pair)
    }
}
