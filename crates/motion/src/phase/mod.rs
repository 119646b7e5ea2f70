//! Phase-based flow, stereo and features: one Gabor pyramid an image, three uses of it (Pauwels et al. 2012).

pub mod engine;
mod estimates;
pub mod features;
pub mod flow;
pub mod parameters;
mod parts;
mod plan;
mod report;
pub mod results;
pub mod row_check;
mod semi_global;
pub mod stereo;
mod twin;

pub use engine::{PhaseEngine, PhaseFrame, PhaseImage, PhaseOutputs};
pub use features::{FeatureMaps, PhaseFeatures, ResidentFeatures, phase_features, phase_features_on_device};
pub use flow::{PhaseFlow, PhaseFlowFields, phase_flow};
pub use parameters::{PhaseParameters, PhasePreset};
pub use plan::PhaseWanted;
pub use report::PhaseReport;
pub use results::{
    ConfidenceChoice, FeatureScales, KnownShares, PhaseCounts, PhaseFields, PhaseTaken, ResidentPhase,
};
pub use stereo::{PhaseStereo, ResidentStereo, phase_stereo, phase_stereo_on_device};
