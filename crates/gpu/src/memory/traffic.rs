//! How much went over the bus.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that were copied between the host and a GPU since the device was opened; 0 on a processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// From the host to the GPU.
    pub to_device_bytes: u64,
    /// From the GPU to the host.
    pub to_host_bytes: u64,
}

impl Traffic {
    /// What went over the bus since an earlier look.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            to_device_bytes: self.to_device_bytes.saturating_sub(earlier.to_device_bytes),
            to_host_bytes: self.to_host_bytes.saturating_sub(earlier.to_host_bytes),
        }
    }
}

/// Counts bytes as they are copied, on any thread.
#[derive(Debug, Default)]
pub(crate) struct CountedTraffic {
    to_device: AtomicU64,
    to_host: AtomicU64,
}

impl CountedTraffic {
    pub fn count_to_device(&self, bytes: usize) {
        self.to_device.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn count_to_host(&self, bytes: usize) {
        self.to_host.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn so_far(&self) -> Traffic {
        let [to_device_bytes, to_host_bytes] =
            [&self.to_device, &self.to_host].map(|counted| counted.load(Ordering::Relaxed));
        Traffic { to_device_bytes, to_host_bytes }
    }
}
