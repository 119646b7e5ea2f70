//! How much work launches are, counted: what a model of a run's time is made of.

use super::bindings::BoundBuffer;
use super::launch::Launch;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Launches that were counted, by the length of the largest buffer that they bind, in bytes.
#[derive(Debug, Default)]
pub struct LaunchCounts(Mutex<BTreeMap<usize, CountedLaunches>>);

/// Launches, and what they bind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountedLaunches {
    /// Number of launches.
    pub launches: usize,
    /// Bytes of all buffers of all launches.
    pub bytes: usize,
}

impl LaunchCounts {
    /// Counts a launch.
    pub(crate) fn count(&self, launch: &Launch<'_>) {
        let bytes = launch.buffers.iter().map(|bound| match bound {
            BoundBuffer::In(buffer) | BoundBuffer::Out(buffer) => buffer.bytes(),
            BoundBuffer::Absent | BoundBuffer::Spare => 0,
        });
        let (largest, sum) = bytes.fold((0, 0), |(largest, sum), own| (own.max(largest), sum + own));
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = counts.entry(largest).or_default();
        counted.launches += 1;
        counted.bytes += sum;
    }

    /// The launches whose largest buffer has at least so many bytes.
    pub fn at_least(&self, bytes: usize) -> CountedLaunches {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.range(bytes..).fold(CountedLaunches::default(), |sum, (_, own)| CountedLaunches {
            launches: sum.launches + own.launches,
            bytes: sum.bytes + own.bytes,
        })
    }
}
