//! Methods that estimate dense motion, and the seam over which everything else is written once.
//!
//! [`method`] is the seam. A method is one file or folder named as the literature names it: [`mod@clg`],
//! [`block_matching`], [`finite_elements`], [`lucas_kanade`], [`phase`].

pub mod affine_registration;
pub mod block_matching;
mod buffers;
pub mod clg;
mod coarse_pair;
pub mod composition;
pub mod cycle;
mod decisions;
mod error;
pub mod finite_elements;
mod footprint;
mod frame;
mod image_pyramids;
mod intensity;
mod inverse_consistency;
mod level_account;
mod level_by_level;
mod level_steps;
mod local_method;
mod local_window;
mod long_axis;
pub mod lucas_kanade;
mod masking;
mod matches;
pub mod method;
pub mod methods;
mod moving_image;
pub mod multigrid;
mod observer;
mod pending_flow;
pub mod phase;
pub mod point_tracking;
pub mod pyramid;
mod refined;
mod resident;
pub mod sequence;
pub mod solving;
mod start;
pub mod tiles;
mod tolerance;
mod wrapped;

pub use affine_registration::AffineModel;
pub use block_matching::BlockMatching;
pub use block_matching::parameters::{BlockMatchingParams, BlockMatchingPreset};
pub use clg::parameters::{ClgParams, Preset};
pub use clg::{Clg, clg};
pub use composition::compose_flows;
pub use cycle::{
    ContourMotion, ContourRule, Cycle, CycleEstimate, CycleFrame, CyclePlan, Periodic, Periodicity,
    follow_contour, track_cycle,
};
pub use decisions::Decisions;
pub use error::MotionError;
use error::Result;
pub use finite_elements::FiniteElements;
pub use finite_elements::parameters::{FiniteElementsParams, FiniteElementsPreset};
pub use footprint::{Footprint, Tiling};
pub use frame::{Frame, FrameSource};
use image_pyramids::LevelImages;
pub use intensity::IntensityMap;
pub use inverse_consistency::InverseConsistent;
pub use local_method::LocalMethod;
pub use local_window::{LocalWindow, PartFlow, WindowPart};
pub use lucas_kanade::LucasKanade;
pub use lucas_kanade::parameters::{LucasKanadeParams, LucasKanadePreset};
pub use masking::without_unknown;
pub use matches::Matched;
pub use method::{DenseMethod, ImagePair, Pair, PairMethod, Window, WindowMethod};
pub use methods::{AnyMethod, METHODS, Method, Opened, Opening, Takes};
pub use moving_image::{MovingImage, require_sampled, voxel_map};
use observer::Portion;
pub use observer::{Observer, Silent, Step};
pub use pending_flow::{DenseFlow, Extras, Found, MethodAccount, PendingAccount, PendingFlow};
pub use phase::{
    Confidences, FeatureMaps, KnownShares, PhaseCounts, PhaseEngine, PhaseFeatures, PhaseFields, PhaseFlow,
    PhaseFlowFields, PhaseFrame, PhaseImage, PhaseOutputs, PhaseParameters, PhasePreset, PhaseReport,
    PhaseStereo, PhaseTaken, PhaseWanted, phase_features, phase_flow, phase_stereo,
};
pub use point_tracking::{PointStatus, PointTracker, TrackedPoint, TrackingParameters};
use pyramid::LevelGeometry;
pub use refined::Refined;
pub use resident::{Region, ResidentFlow, ResidentMask, ResidentStart, require_weights};
pub use sequence::{
    Role, SequenceField, SequenceFrames, SequenceMode, SequencePlan, run_sequence, run_windows,
};
use solving::{Solving, StopReason};
pub use start::Start;
pub use tiles::{CoarsePlan, OpenTile, Seams, TilePlan, Tiled, TiledWindows, warp_in_slabs};
pub use veloxel_kernels::image::warp::{Border, VoxelAffine};
