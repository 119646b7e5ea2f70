//! Samples that another library holds in a device's memory, by their address; and its streams.

use crate::device::{Device, DeviceKind};
use crate::error::ComputeError;
use crate::memory::buffer::{Buffer, Memory};
use crate::memory::element::{Element, words_of};
use crate::memory::place::PointerPlace;

impl Device {
    /// Where memory of this device lies, for other libraries that work on it; none where they cannot use it. Work of others that
    /// [`Self::copy_from`] depends on must run on the stream that this names, or be waited for there.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn place(&self) -> Result<Option<PointerPlace>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => Ok(Some(PointerPlace::Host)),
            DeviceKind::Gpu(gpu) => gpu.place(),
        }
    }

    /// Copies `len` samples from an address in the memory of this device to a new buffer, after what was submitted to the stream of
    /// [`Self::place`]. On a GPU the copy may still run when this returns.
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] for a device whose memory has no addresses; [`ComputeError::OutOfMemory`];
    /// [`ComputeError::DeviceFailed`].
    ///
    /// # Safety
    /// The address is that of `len` samples, which stay there as they are until the device is done with the copy.
    pub unsafe fn copy_from<T: Element>(&self, address: u64, len: usize) -> Result<Buffer<T>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => {
                let samples = std::ptr::with_exposed_provenance::<T>(address as usize);
                // SAFETY: the caller promises samples at this address.
                self.upload_copy(unsafe { std::slice::from_raw_parts(samples, len) })
            }
            DeviceKind::Gpu(gpu) => {
                let memory = gpu.copy_from(address, words_of::<T>(len))?;
                Ok(Buffer::new(Memory::Gpu(memory), len))
            }
        }
    }

    /// Makes all later work wait for what another library submitted to a stream of its own on this device, given by the driver's
    /// handle: memory that work reads can be given to others after this. The processor has no such streams.
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] for a device that no other library can use; [`ComputeError::DeviceFailed`].
    pub fn wait_for_stream(&self, stream: u64) -> Result<(), ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => Ok(()),
            DeviceKind::Gpu(gpu) => gpu.wait_for_stream(stream),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_others_are_copied() {
        let device = Device::cpu(1).unwrap();
        assert_eq!(device.place().unwrap(), Some(PointerPlace::Host));
        let theirs = vec![1.0f32, 2.0, 3.0];
        // SAFETY: the vector lives until the copy was made.
        let copy = unsafe { device.copy_from::<f32>(theirs.as_ptr().expose_provenance() as u64, 3) }.unwrap();
        drop(theirs);
        assert_eq!(device.download(copy).unwrap(), [1.0, 2.0, 3.0]);
        device.wait_for_stream(1).unwrap();
    }
}
