//! The interface that all GPUs share: memory, transfers, and launches of shaders.
//!
//! `WgpuDevice` gives a shader's WGSL to wgpu; `CudaDevice` translates it. Launches of a device run in the order they were
//! made.

use crate::{ComputeError, DeviceInfo, GpuMemory, Launch, MemoryStats, Timestamp};
use std::fmt::Debug;
use std::ops::Range;

/// A GPU, whichever way it is spoken to.
pub trait Gpu: Debug + Send + Sync {
    /// What it is.
    fn info(&self) -> DeviceInfo;
    /// Whether it takes texts in CUDA C++.
    fn takes_cuda(&self) -> bool {
        false
    }
    /// Whether it is a graphics processor, not a processor that pretends.
    fn is_hardware(&self) -> bool;
    /// Zeroed memory for `words` numbers of four bytes.
    fn zeros(&self, words: usize) -> Result<GpuMemory, ComputeError>;
    /// Memory that is written before it is read.
    fn scratch(&self, words: usize) -> Result<GpuMemory, ComputeError> {
        self.zeros(words)
    }
    /// Bytes; the last word is filled up with zeros.
    fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, ComputeError>;
    /// These words of each, once everything before `after`, or before now, is done.
    fn download(
        &self,
        wanted: &[(&GpuMemory, Range<usize>)],
        after: Option<&Timestamp>,
    ) -> Result<Vec<Vec<u32>>, ComputeError>;
    /// Runs a kernel after everything asked for before.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), ComputeError>;
    /// Waits until everything asked for so far is done.
    fn synchronise(&self) -> Result<(), ComputeError>;
    /// This point of what the device was asked for, where downloads can begin before what comes later.
    fn mark(&self) -> Result<Option<Timestamp>, ComputeError> {
        Ok(None)
    }
    /// This point of what the device was asked for; a device without a clock waits for it.
    fn stamp(&self) -> Result<Timestamp, ComputeError> {
        self.synchronise()?;
        Ok(Timestamp::now())
    }
    /// Runs of launches that came from a recording, where the device records any.
    fn replayed_runs(&self) -> Option<usize> {
        None
    }
    /// What its memory was asked for.
    fn memory_stats(&self) -> MemoryStats;
    /// Memory that nobody has taken, where the driver says.
    fn free_bytes(&self) -> Option<usize> {
        None
    }
}
