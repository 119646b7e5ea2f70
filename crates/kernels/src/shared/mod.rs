//! Code that several kernels share: vectors of sixteen lanes, gathers, exact functions, and parts of shaders.
//!
//! A part of a shader stands before the kernel's own; a function that both languages need has the same steps in both.

pub(crate) mod arctangent;
pub(crate) mod cell_determinant;
pub(crate) mod expansion;
pub(crate) mod exponential;
pub(crate) mod gather;
pub(crate) mod group_sums;
pub(crate) mod lanes;
pub(crate) mod phases;
pub(crate) mod registers;
pub(crate) mod rows;
pub(crate) mod taps;

use veloxel_gpu::wgsl::{Scalar, Stored, Type};

/// WGSL of atan2, with the same bits on every device.
pub(crate) const ARCTANGENT: &str = include_str!("shaders/arctangent.wgsl");
/// WGSL of the bounds of a map's determinant between voxels.
pub(crate) const CELL_DETERMINANT: &str = include_str!("shaders/cell_determinant.wgsl");
/// WGSL of the four pixels around a position.
pub(crate) const CORNER: &str = include_str!("shaders/corner.wgsl");
/// WGSL of pyramid levels, and of a coarser level's estimate on a finer one; it needs [`NAN`].
pub(crate) const EXPANSION: &str = include_str!("shaders/expansion.wgsl");
/// WGSL of eˣ and ln(1 + x), with the same bits on every device.
pub(crate) const EXPONENTIAL: &str = include_str!("shaders/exponential.wgsl");
/// WGSL of linear interpolation between voxels.
pub(crate) const LATTICE: &str = include_str!("shaders/lattice.wgsl");
/// WGSL of the index of an item in a line of workgroups: see [`veloxel_gpu::line`].
pub(crate) const LINE: &str = include_str!("shaders/line.wgsl");
/// WGSL of NaN and the test for it.
pub(crate) const NAN: &str = include_str!("shaders/nan.wgsl");
/// WGSL of packs of one sample.
pub(crate) const PACK1: &str = include_str!("shaders/pack1.wgsl");
/// The type that [`PACK1`] and [`PACK4`] define for a pack of samples: one, or four.
#[derive(Debug)]
pub(crate) enum Pack {}

impl Stored for Pack {
    const TYPE: Type = Type::Alias("Pack", &[Scalar::F32]);
    type Sample = f32;
}

/// WGSL of packs of four samples.
pub(crate) const PACK4: &str = include_str!("shaders/pack4.wgsl");
/// WGSL of the filters' weights along x and y, for a picture that is filtered tile by tile.
pub(crate) const PLANE_TAPS: &str = include_str!("shaders/plane_taps.wgsl");
/// WGSL of the phases of eight orientations, at pixels and between them.
pub(crate) const PHASES: &str = include_str!("shaders/phases.wgsl");
/// WGSL of neighbours along x, one sample at a time; it comes after [`PACK1`].
pub(crate) const SIDES1: &str = include_str!("shaders/sides1.wgsl");
/// WGSL of neighbours along x, four samples at a time; it comes after [`PACK4`].
pub(crate) const SIDES4: &str = include_str!("shaders/sides4.wgsl");
/// WGSL of the sum over a workgroup of any width and height.
pub(crate) const TILE_SUM: &str = include_str!("shaders/tile_sum.wgsl");
/// WGSL of the sum over a workgroup of 256 threads in a line.
pub(crate) const SUM: &str = include_str!("shaders/sum.wgsl");
