//! What a face calls: load → prepare → run → measure → report, each as one function.
//!
//! Everything that can be refused early is: output folders and extensions are checked before anything is computed.

mod choice;
mod demo;
mod device;
mod engine;
mod engine_frames;
mod engine_outputs;
mod engine_run;
mod evaluate;
mod features;
mod flow;
mod outputs;
mod parameter_list;
mod parameters;
mod phase_choice;
mod phase_flow;
mod points;
mod sequence;
mod stage;
mod staging;
mod stereo;
mod warp;

pub use choice::{Directions, RunChoice, StartChoice};
pub use demo::{DemoJob, demo};
pub use device::{DeviceChoice, DeviceListing, devices};
pub use engine::{EngineJob, EngineOutputs, EngineRun, engine};
pub use evaluate::{DisparityFile, evaluate_disparity, evaluate_flow, evaluate_labels};
pub use features::{FeaturesJob, FeaturesRun, features};
pub use flow::{FlowJob, FlowOutputs, FlowRun, flow};
pub use parameter_list::{ListedParameter, clg_parameter_list, phase_parameter_list};
pub use parameters::{ParameterChoice, parameter_names};
pub use phase_choice::PhaseChoice;
pub use phase_flow::{PhaseFlowJob, flow_of_frames};
pub use points::{move_point, warp_points};
pub use sequence::{SequenceJob, sequence};
pub use stereo::{StereoJob, StereoRun, stereo};
pub use warp::{WarpJob, warp_flow, warp_image, warp_labels};
