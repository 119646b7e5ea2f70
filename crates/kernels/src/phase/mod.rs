//! Kernels of phase-based methods: oriented band-pass filters, flow and disparity from their phases, and checks of both and of how rough a flow is.

pub mod flow_roughness;
pub mod forward_backward_check;
pub mod gabor;
pub mod phase_flow;
pub mod phase_stereo;
