//! Memory of a device by its address, for other libraries that work on the same device.

use crate::memory::buffer::{Buffer, Memory};
use crate::memory::element::Element;
use crate::memory::place::PointerPlace;
use crate::{ComputeError, Device, DeviceKind};
use std::any::Any;
use std::sync::Arc;

/// Samples in the memory of a device, by their address. The memory stays as long as a clone of this value is there, and goes
/// back to the device's pool after that: a user of the address keeps a clone until its own work is done.
#[derive(Debug, Clone)]
pub struct DevicePointer {
    address: u64,
    bytes: usize,
    place: PointerPlace,
    _keeps: Arc<dyn Keeps>,
}

/// An owner of memory.
trait Keeps: Any + std::fmt::Debug + Send + Sync {}

impl<T: Element> Keeps for Buffer<T> {}

impl DevicePointer {
    /// The address of the first sample.
    pub fn address(&self) -> u64 {
        self.address
    }
    /// How many bytes are in use from there on.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Where the address is valid.
    pub fn place(&self) -> PointerPlace {
        self.place
    }
}

impl Device {
    /// Gives up a buffer for its address. Work that writes the buffer was submitted when this returns, and may still run: see
    /// [`PointerPlace`].
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] for a device whose memory has no address that others could use;
    /// [`ComputeError::WrongDevice`] for a buffer of another device; [`ComputeError::DeviceFailed`].
    pub fn pointer_to<T: Element>(&self, buffer: Buffer<T>) -> Result<DevicePointer, ComputeError> {
        let bytes = buffer.len() * size_of::<T>();
        let (address, place) = match (self.kind(), buffer.memory()) {
            (DeviceKind::Cpu(_), Memory::Host(_) | Memory::Part(_) | Memory::Shared(_)) => {
                (buffer.host().as_ptr().expose_provenance() as u64, PointerPlace::Host)
            }
            (DeviceKind::Gpu(gpu), Memory::Gpu(memory)) => gpu.address(memory)?,
            _ => return Err(ComputeError::WrongDevice),
        };
        Ok(DevicePointer { address, bytes, place, _keeps: Arc::new(buffer) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_memory() {
        let device = Device::cpu(1).unwrap();
        let pointer = device.pointer_to(device.upload(vec![1.0f32, 2.0, 3.0]).unwrap()).unwrap();
        assert_eq!((pointer.bytes(), pointer.place()), (12, PointerPlace::Host));
        let clone = pointer.clone();
        drop(pointer);
        let samples = std::ptr::with_exposed_provenance::<f32>(clone.address() as usize);
        // SAFETY: the clone keeps three samples at this address.
        let samples = unsafe { std::slice::from_raw_parts(samples, 3) };
        assert_eq!(samples, [1.0, 2.0, 3.0]);
    }
}
