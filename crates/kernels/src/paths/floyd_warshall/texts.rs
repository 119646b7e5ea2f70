//! The texts for GPUs, one set for each kind of lengths.

use veloxel_gpu::ShaderSource;

/// The texts of one kind of lengths.
#[derive(Debug)]
pub struct Texts {
    pub(super) wgsl: ShaderSource,
    /// One H200 adds and compares at most 13.8 × 10¹² lengths a second by two operands at a time and 16.8 by three; of 16 bits 32.3.
    pub(super) cuda: ShaderSource,
    /// Parts that a tile of the panels is cut into by the CUDA text.
    pub(super) parts: u32,
}

const PHASES: &str = include_str!("floyd_warshall.wgsl");

pub(super) static F32: Texts = Texts {
    wgsl: ShaderSource::wgsl("floyd_warshall", &[include_str!("lengths_f32.wgsl"), PHASES]),
    cuda: ShaderSource::cuda("floyd_warshall", &[], include_str!("floyd_warshall.cu")),
    parts: 4,
};
pub(super) static U16: Texts = Texts {
    wgsl: ShaderSource::wgsl("floyd_warshall_u16", &[include_str!("lengths_u16.wgsl"), PHASES]),
    cuda: ShaderSource::cuda("floyd_warshall_u16", &[], include_str!("floyd_warshall_u16.cu")),
    parts: 2,
};
