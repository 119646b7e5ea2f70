//! Methods around any other one, which they run once or more for every pair: what they share with it is written once.

use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::Footprint;
use crate::method::observer::Observer;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::shared_scalars::Decisions;
use std::marker::PhantomData;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::Interpolation;

/// What is made of a method of pairs.
pub trait Wrapping: Send {
    /// What a run takes where the method takes `own`; none: unknown.
    fn footprint(own: Footprint, grid: &Grid) -> Option<Footprint>;
    /// The numbers of the whole image that both decide by, if there are any.
    fn decisions<M: PairMethod + ?Sized>(_: &mut M) -> Option<&mut Decisions> {
        None
    }
    /// As [`PairMethod::estimate`].
    fn estimate<M: PairMethod + ?Sized>(
        method: &mut M,
        pair: ImagePair<'_>,
        observer: &dyn Observer,
    ) -> Result<PendingFlow>;
}

/// A method, and what is made of it.
#[derive(Debug)]
pub struct Wrapped<W, M: ?Sized> {
    wrapping: PhantomData<W>,
    pub(crate) method: Box<M>,
}

impl<W, M> Wrapped<W, M> {
    /// Around a method.
    pub fn new(method: M) -> Self {
        Self::of_box(Box::new(method))
    }
}

impl<W, M: ?Sized> Wrapped<W, M> {
    /// [`Self::new`] for a method whose type is not known.
    pub fn of_box(method: Box<M>) -> Self {
        Self { wrapping: PhantomData, method }
    }
}

impl<W: Wrapping, M: DenseMethod + ?Sized> DenseMethod for Wrapped<W, M> {
    fn grid(&self) -> &Grid {
        self.method.grid()
    }
    fn device(&self) -> &Device {
        self.method.device()
    }
    fn interpolation(&self) -> Interpolation {
        self.method.interpolation()
    }
    fn footprint(&self) -> Option<Footprint> {
        W::footprint(self.method.footprint()?, self.grid())
    }
}

impl<W: Wrapping, M: PairMethod + ?Sized> PairMethod for Wrapped<W, M> {
    fn decisions(&mut self) -> Option<&mut Decisions> {
        W::decisions(&mut *self.method)
    }
    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow> {
        W::estimate(&mut *self.method, pair, observer)
    }
}
