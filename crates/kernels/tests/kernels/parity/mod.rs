//! Every kernel on every device against its processor text.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

mod compose;
mod convolve;
mod flows;
mod gradient;
mod median;
mod motion_tensor;
mod multigrid_transfer;
mod operator;
mod phase;
mod pointwise;
mod quantiles;
mod resample;
mod spline;
mod statistics;
mod total_displacement;
mod warp;
mod weights;

use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_testkit::parity::{Pair, assert_close, noise, noise_buffer, noise_field, shapes};
