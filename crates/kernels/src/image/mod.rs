//! Kernels on images: filters, derivatives, statistics, resampling and warping.

pub mod affine_normal_equations;
pub mod bilateral_field;
pub mod brightness;
pub mod centre_of_mass;
pub mod convolve;
pub mod deliver;
pub mod displaced_image;
pub mod extremes;
pub mod gather;
pub mod gradient;
pub mod local_normalise;
pub mod median;
pub mod pointwise;
pub mod quantiles;
pub mod quantise;
pub mod resample;
pub mod shrink;
pub mod spline;
pub mod valid_median;
pub mod warp;
pub mod window_sum;
