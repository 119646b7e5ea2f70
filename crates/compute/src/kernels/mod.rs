//! Every kernel, one folder each: contract, processor text, and later one GPU text.

pub mod brightness;
pub mod compose;
pub mod confidence;
pub mod convolve;
pub mod diffusivity;
pub mod gradient;
pub mod jacobian;
pub mod local_normalise;
pub mod median;
pub mod moments;
pub mod motion_tensor;
pub mod multigrid_transfer;
pub mod occlusion;
pub mod operator;
pub mod pointwise;
pub mod quantiles;
pub mod resample;
pub mod robust_tensor;
pub mod spline;
pub mod total_displacement;
pub mod warp;
