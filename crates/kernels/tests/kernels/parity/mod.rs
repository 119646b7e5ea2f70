//! Every kernel on every device against its processor text.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

mod elements;
mod flows;
mod phase;
mod pointwise;
mod statistics;
mod weights;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_testkit::parity::{Pair, assert_close, noise, noise_buffer, noise_field, shapes};
