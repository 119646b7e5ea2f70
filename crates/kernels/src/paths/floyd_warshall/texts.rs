//! The texts for GPUs, one set for each kind of lengths.

use crate::bindings::bindings;
use crate::kernel::wgsl;
use veloxel_gpu::wgsl::{Scalar, Stored, Type, vec4};
use veloxel_gpu::{Bindings as _, ShaderSource};

/// The texts of one kind of lengths.
#[derive(Debug)]
pub struct Texts {
    pub(super) wgsl: ShaderSource,
    /// The text in CUDA C++. One H200 adds and compares at most 13.8 × 10¹² lengths a second with two operands at a time, 16.8
    /// with three, and 32.3 of 16 bits.
    pub(super) cuda: ShaderSource,
    /// Number of parts that the CUDA text cuts a tile of the panels into.
    pub(super) parts: u32,
}

const PHASES: &str = include_str!("floyd_warshall.wgsl");

/// Four lengths, as each text stores them.
#[derive(Debug)]
enum FourLengths {}

impl Stored for FourLengths {
    const TYPE: Type = Type::Alias("FourLengths", &[Scalar::F32, Scalar::U32]);
    type Sample = f32;
}

bindings! {
    /// What a launch binds.
    pub(super) struct Bindings<'a> {
        block: Block {
            pivot: u32,
            /// Number of tiles along a side.
            side: u32,
            tasks: u32,
            /// The task that holds the next pivots' own tile, which only the CUDA texts use; there is none if this is not less
            /// than `tasks`.
            next: u32,
        },
        lengths: write FourLengths as any,
        /// Place of each tile.
        slots: read u32,
        /// Row and column of each task, numbered as if the pivots' row and column were absent.
        tasks: read u32,
        /// The pivots' row, and their column turned into a row: for each tile, pivot by pivot.
        row_panel: write vec4<f32>,
        column_panel: write vec4<f32>,
    }
}

pub(super) static F32: Texts = Texts {
    wgsl: wgsl!("floyd_warshall", Bindings, [include_str!("lengths_f32.wgsl"), PHASES]),
    cuda: ShaderSource::cuda("floyd_warshall", Bindings::DECLARATION, &[], include_str!("floyd_warshall.cu")),
    parts: 4,
};
pub(super) static U16: Texts = Texts {
    wgsl: wgsl!("floyd_warshall_u16", Bindings, [include_str!("lengths_u16.wgsl"), PHASES]),
    cuda: ShaderSource::cuda(
        "floyd_warshall_u16",
        Bindings::DECLARATION,
        &[],
        include_str!("floyd_warshall_u16.cu"),
    ),
    parts: 2,
};
