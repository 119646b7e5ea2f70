//! Methods that estimate dense motion: one file each, flat, named as the literature names them.

pub mod affine_registration;
pub mod clg;
mod clg_images;
mod clg_level;
mod clg_level_run;
pub mod clg_parameters;
mod clg_refinement;
mod clg_weights;
pub mod coarse_to_fine;
pub mod composition;
mod error;
mod frame;
pub mod multigrid;
mod observer;
pub mod prepare;
mod running;
pub mod sequence;
mod tolerance;

pub use clg::{Clg, FlowOutput, Pair, Region, Start, clg};
pub use clg_parameters::{ClgParams, Preset};
pub use composition::compose_flows;
pub use error::MotionError;
pub use frame::Frame;
pub use observer::{Observer, Silent, Step};
pub use running::Running;
pub use sequence::{Role, SequenceField, SequenceFrames, SequenceMode, SequencePlan, run_sequence};
pub use veloxel_compute::kernels::warp::VoxelAffine;
