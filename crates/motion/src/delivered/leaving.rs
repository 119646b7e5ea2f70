//! Results on their way from a device: rounded there, fetched by another thread while the next frame is pushed.

use super::fields::{DeliveredFields, Results};
use super::stretch::Stretch;
use super::types::{DeliveredResult, DeliveredTypes};
use crate::error::Result;
use std::convert::Infallible;
use veloxel_core::{DeliveredSamples, DeliveredType};
use veloxel_gpu::{Buffer, Device, Timestamp};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::deliver::Deliver;

/// Samples in the type in which they leave.
#[derive(Debug)]
struct Leaving {
    kind: DeliveredType,
    len: usize,
    words: Buffer<u32>,
}

/// The results of a frame on the device, in the types in which they leave.
#[derive(Debug)]
pub struct LeavingFields {
    device: Device,
    mark: Option<Timestamp>,
    results: Results<Leaving>,
}

impl LeavingFields {
    /// Rounds the samples on the device, whose memory is free for other results then.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub(crate) fn of(device: &Device, found: Results<Stretch<'_>>, types: &DeliveredTypes) -> Result<Self> {
        let round = |result: DeliveredResult, Stretch { samples, range }: Stretch<'_>| -> Result<_> {
            let (form, len) = (types.form(result), range.len());
            let mut words = device.scratch(form.words(len))?;
            Deliver { form, stretch: range, samples, out: &mut words }.run(device)?;
            Ok(Leaving { kind: types.of(result), len, words })
        };
        let results = found.map(round)?;
        Ok(Self { device: device.clone(), mark: device.mark()?, results })
    }

    /// Fetches all of them in one transfer; waits for this frame, not for those that were pushed after it.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn fetch(self) -> Result<DeliveredFields> {
        let Self { device, mark, results } = self;
        let mut words = Vec::new();
        let Ok(described) = results.map(|_, Leaving { kind, len, words: own }| -> Result<_, Infallible> {
            words.push(own);
            Ok((kind, len))
        });
        let mut fetched = device.download_all_after(words, mark.as_ref())?.into_iter();
        let samples = |_, (kind, len)| -> Result<_, Infallible> {
            let words = fetched.next().expect("every result that was asked for should come");
            Ok(DeliveredSamples::new(kind, len, words))
        };
        let Ok(results) = described.map(samples);
        Ok(results.into())
    }
}
