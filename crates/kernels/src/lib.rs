//! Every kernel of Veloxel: plain arrays in, plain arrays out, no formats and no printing.
//!
//! A kernel is a folder `FAMILY/NAME`: `mod.rs` is the contract (shapes, units, border rule, validation), `cpu.rs` its text for
//! processors, which is also the specification, and `NAME.wgsl` its text for GPUs; `gpu.rs` launches it. Short texts or
//! launches are in `mod.rs`. Families: [`image`] (samples of one image or two), [`variational`] (terms and solvers of energies
//! over a displacement), [`elements`] (least squares over finite elements), [`phase`] (oriented filters and matching by phase),
//! [`matching`] (displacements from windows and patches of two images), [`stereo`] (costs of disparities along paths), [`paths`]
//! (shortest paths), [`clusters`] (clusters
//! around medoids).
//!
//! # What is stable
//!
//! Nothing: kernels may change in any version. The library `veloxel` has them in its module `unstable`.

mod bindings;
pub mod clusters;
pub mod elements;
pub mod image;
pub mod kernel;
pub mod matching;
pub mod paths;
pub mod phase;
mod shared;
pub mod stereo;
#[cfg(test)]
mod threads;
pub mod variational;

pub use kernel::Kernel;
pub use shared::taps::Taps;
