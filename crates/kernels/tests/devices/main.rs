//! What only a device of one kind can show: memory that is used again, recordings, clocks.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

mod cuda;
mod memory;
mod wgpu;
