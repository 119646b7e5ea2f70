//! A part of a buffer.

use std::ops::Range;
use veloxel_gpu::Buffer;

/// A stretch of the samples that a device has.
#[derive(Debug, Clone)]
pub(crate) struct Stretch<'a> {
    pub samples: &'a Buffer,
    pub range: Range<usize>,
}

impl<'a> Stretch<'a> {
    /// These samples of a buffer.
    pub fn of(samples: &'a Buffer, range: Range<usize>) -> Self {
        Self { samples, range }
    }

    /// All samples of a buffer.
    pub fn whole(samples: &'a Buffer) -> Self {
        Self { samples, range: 0..samples.len() }
    }
}
