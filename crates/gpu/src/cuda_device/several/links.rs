//! How GPUs reach each other's memory.

use cudarc::driver::{CudaContext, DriverError, sys};
use std::sync::Arc;

/// The way on which a GPU reads the memory of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Transport {
    /// Directly, over the link between them.
    Peer,
    /// Through the host: the driver moves pages to the GPU that uses them.
    Host,
}

impl Transport {
    /// The transport as text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Peer => "which read each other's memory directly",
            Self::Host => "whose memory moves through the host, as they do not reach each other's",
        }
    }
}

/// Refuses GPUs of different models: the slowest one would decide, and the smallest memory.
pub(super) fn require_alike(contexts: &[Arc<CudaContext>]) -> Result<(), String> {
    let models = contexts.iter().map(|context| context.name().unwrap_or_default()).collect::<Vec<_>>();
    match models.iter().position(|model| *model != models[0]) {
        None => Ok(()),
        Some(nth) => Err(format!(
            "GPU {} is a {}, and GPU {} a {}: name GPUs of one model",
            contexts[0].ordinal(),
            models[0],
            contexts[nth].ordinal(),
            models[nth],
        )),
    }
}

/// Gives every GPU access to the memory of every other one, where the machine can.
pub(super) fn connect(contexts: &[Arc<CudaContext>]) -> Result<Transport, DriverError> {
    let pairs = || {
        contexts.iter().flat_map(|from| {
            contexts.iter().filter(move |to| to.ordinal() != from.ordinal()).map(move |to| [from, to])
        })
    };
    let wanted = std::env::var_os("VELOXEL_PEERS").is_none_or(|asked| asked != "off");
    for [from, to] in pairs() {
        let mut can = 0;
        // SAFETY: it writes one number.
        unsafe { sys::cuDeviceCanAccessPeer(&mut can, from.cu_device(), to.cu_device()) }.result()?;
        if can == 0 || !wanted {
            return Ok(Transport::Host);
        }
    }
    for [from, to] in pairs() {
        from.bind_to_thread()?;
        // SAFETY: both contexts live as long as the device.
        match unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) }.result() {
            Err(DriverError(sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)) | Ok(()) => {}
            Err(error) => return Err(error),
        }
    }
    contexts[0].bind_to_thread()?;
    Ok(Transport::Peer)
}
