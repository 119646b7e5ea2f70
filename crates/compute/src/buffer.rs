//! Memory of a device.

use crate::ComputeError;

/// `f32` samples in the memory of a device; only kernels look inside.
#[derive(Debug, Default)]
pub struct Buffer {
    samples: Vec<f32>,
}

/// Planar components, `(x, y)` or `(x, y, z)`, or the entries of a tensor: one buffer each.
pub type Field = Vec<Buffer>;

impl Buffer {
    pub(crate) fn zeros(len: usize) -> Result<Self, ComputeError> {
        // Asked for first, so that too much is an error; then taken as zeroed pages, which cost nothing until touched.
        Vec::<f32>::new()
            .try_reserve_exact(len)
            .map_err(|_| ComputeError::OutOfMemory { needed_bytes: len.saturating_mul(size_of::<f32>()) })?;
        let samples = vec![0.0; len];
        Ok(Self { samples })
    }
    pub(crate) fn from_samples(samples: Vec<f32>) -> Self {
        Self { samples }
    }
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }
    /// Whether there is no sample at all.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
    pub(crate) fn host(&self) -> &[f32] {
        &self.samples
    }
    pub(crate) fn host_mut(&mut self) -> &mut [f32] {
        &mut self.samples
    }
    pub(crate) fn into_samples(self) -> Vec<f32> {
        self.samples
    }
    /// Fails unless the buffer has `expected` samples.
    pub(crate) fn require(
        &self,
        expected: usize,
        kernel: &'static str,
        buffer: &'static str,
    ) -> Result<(), ComputeError> {
        let got = self.len();
        if got == expected { Ok(()) } else { Err(ComputeError::Length { kernel, buffer, expected, got }) }
    }
}

/// Fails unless every buffer of a field has `expected` samples and there are `count` of them.
pub(crate) fn require_field(
    field: &[Buffer],
    (count, expected): (usize, usize),
    kernel: &'static str,
    name: &'static str,
) -> Result<(), ComputeError> {
    if field.len() != count {
        let (expected, got) = (count * expected, field.iter().map(Buffer::len).sum());
        return Err(ComputeError::Length { kernel, buffer: name, expected, got });
    }
    field.iter().try_for_each(|b| b.require(expected, kernel, name))
}
