//! Methods that estimate dense motion: one file each, flat, named as the literature names them.

pub mod affine_registration;
pub mod clg;
mod clg_images;
mod clg_level;
pub mod clg_parameters;
mod clg_refinement;
pub mod coarse_to_fine;
pub mod composition;
mod error;
pub mod multigrid;
mod observer;
pub mod prepare;
pub mod sequence;

pub use clg::{Clg, FlowOutput, Pair, Start, clg};
pub use clg_parameters::{ClgParams, Preset};
pub use composition::compose_flows;
pub use error::MotionError;
pub use observer::{Observer, Silent, Step};
pub use sequence::{Role, SequenceField, SequenceFrames, SequenceMode, SequencePlan, run_sequence};
pub use veloxel_compute::kernels::warp::VoxelAffine;
