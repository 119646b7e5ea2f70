//! Kernels of phase-based methods: oriented band-pass filters, flow and disparity from their phases, and checks of both.

pub mod forward_backward_check;
pub mod gabor;
pub mod phase_flow;
pub mod phase_stereo;
