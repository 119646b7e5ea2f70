//! Methods that estimate dense motion, and the seam over which everything else is written once.
//!
//! [`method`] is the seam. A method is one file or folder named as the literature names it: [`mod@clg`],
//! [`block_matching`], [`finite_elements`], [`lucas_kanade`], [`phase`].
//!
//! # What is stable
//!
//! The library `veloxel` gives on as stable: parameters and presets of the methods ([`ClgParams`], [`ClgPreset`] and their like),
//! [`Pair`], [`Start`], [`DenseFlow`], [`FeatureMaps`], [`PhaseStereo`], [`PhaseWanted`], [`SequenceMode`] and [`MotionError`]. What a
//! method of one's own is made of is in its module `method`, everything in its module `unstable`; both may change in any version.

pub mod block_matching;
pub mod clg;
pub mod delivered;
mod error;
pub mod finite_elements;
pub mod guide_points;
pub mod lucas_kanade;
pub mod method;
pub mod over;
pub mod phase;
pub mod point_tracking;
pub mod steps;
pub mod symmetric;

pub use block_matching::BlockMatching;
pub use block_matching::parameters::{BlockMatchingParams, BlockMatchingPreset};
pub use clg::parameters::{ClgParams, ClgPreset};
pub use clg::{Clg, clg};
pub use delivered::{
    DeliveredFeatures, DeliveredFields, DeliveredResult, DeliveredTypes, Delivery, DeliveryError,
    LeavingFields,
};
pub use error::MotionError;
pub use finite_elements::FiniteElements;
pub use finite_elements::parameters::{FiniteElementsParams, FiniteElementsPreset};
pub use guide_points::GuidePointFit;
pub use lucas_kanade::LucasKanade;
pub use lucas_kanade::parameters::{LucasKanadeParams, LucasKanadePreset};
pub use method::calibration::{ErrorCurves, LengthErrors, OutlineErrors, THRESHOLDS_VOX};
pub use method::dense::DenseMethod;
pub use method::footprint::{Footprint, Tiling};
pub use method::local_method::LocalMethod;
pub use method::local_window::{LocalWindow, PartFlow, WindowPart};
pub use method::pair::{ImagePair, Pair, PairMethod};
pub use method::pending_account::{MethodAccount, PendingAccount};
pub use method::pending_flow::{DenseFlow, FlowExtras, FoundFlow, OnDevice, PendingFlow};
pub use method::resident::{
    DataRegion, ResidentFlow, ResidentMask, ResidentRegion, ResidentStart, require_weights,
};
pub use method::shared_scalars::SharedScalars;
pub use method::start::Start;
pub use method::table::{
    AnyMethod, DenseDraft, DenseMethodEntry, METHODS, MethodOpening, OpenedMethod, TakenImages,
};
pub use method::uses::{DimensionSupport, GivenInput, InputUse, MethodUses, TileSupport};
pub use method::window::{FrameWindow, WindowMethod};
pub use over::cycle::{
    ContourMotion, ContourRule, Cycle, CycleEstimate, CycleFrame, CyclePlan, PeriodicChoice, Periodicity,
    track_cycle,
};
pub use over::inverse_consistency::InverseConsistent;
pub use over::matches::Matched;
pub use over::refined::Refined;
pub use over::sample_memory::SampleMemory;
pub use over::sequence::{
    ResidentField, ResidentSteps, SequenceField, SequenceFrames, SequenceMode, SequencePlan, SequenceRole,
    run_pairs_side_by_side, run_sequence, run_windows,
};
pub use over::stream::{DeliveredFlow, LeavingFlow, PairStream, StreamFlow, StreamedFlow};
pub use over::tiles::{
    BoxedPair, CoarsePlan, DeterminantSums, FinalBoxes, FlowInTiles, FlowPart, FoundTile, ImageBoxes,
    KeptBeginning, KeptTile, OpenTile, PartWarp, TileAccount, TileFollower, TilePlan, TileSeams, TileStore,
    Tiled, TiledWindows, warp_in_slabs,
};
pub use phase::{
    ConfidenceChoice, FeatureMaps, FeatureScales, KnownShares, PhaseCounts, PhaseEngine, PhaseFeatures,
    PhaseFields, PhaseFlow, PhaseFlowFields, PhaseFrame, PhaseImage, PhaseOutputs, PhaseParameters,
    PhasePreset, PhaseReport, PhaseStereo, PhaseTaken, PhaseWanted, ResidentFeatures, ResidentPhase,
    ResidentStereo, phase_features, phase_features_on_device, phase_flow, phase_stereo,
    phase_stereo_on_device,
};
pub use point_tracking::{PointStatus, PointTracker, TrackedPoint, TrackingParameters};
pub use steps::composition::compose_flows;
pub use steps::frame::{Frame, FrameSource};
pub use steps::intensity::IntensityMap;
pub use steps::linear::motion_group::AffineModel;
pub use steps::masking::without_unknown;
pub use steps::moving_image::{FinerImage, MovingImage, require_sampled, voxel_map};
pub use symmetric::Symmetric;
pub use symmetric::parameters::{SymmetricParams, SymmetricPreset};
pub use veloxel_kernels::image::warp::{Border, VoxelAffine};
