//! Streams of other libraries that work on the same GPU.

use cudarc::driver::{CudaContext, CudaEvent, DriverError, sys};
use std::sync::Arc;

/// An event after everything that was submitted to a stream, given by the driver's handle of it.
pub(super) fn recorded_on(context: &Arc<CudaContext>, stream: u64) -> Result<CudaEvent, DriverError> {
    context.bind_to_thread()?;
    let event = context.new_event(None)?;
    let stream = std::ptr::with_exposed_provenance_mut(stream as usize);
    // SAFETY: the context is current, and the driver refuses a handle that is no stream of it.
    unsafe { sys::cuEventRecord(event.cu_event(), stream) }.result()?;
    Ok(event)
}
