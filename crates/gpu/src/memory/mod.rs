//! Memory of devices: typed buffers, the pools that they come from, and transfers between host and device.

pub(crate) mod buffer;
pub(crate) mod buffer_pool;
pub(crate) mod device_pointer;
pub(crate) mod element;
pub(crate) mod filled;
pub(crate) mod gpu_memory;
pub(crate) mod host_memory;
pub(crate) mod pending;
pub(crate) mod place;
pub(crate) mod planar_memory;
pub(crate) mod result_memory;
pub(crate) mod traffic;

mod foreign;
mod transfers;
