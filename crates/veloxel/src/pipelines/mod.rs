//! What a face calls: load → prepare → run → measure → report, each as one function.
//!
//! Everything that can be refused early is: output folders and extensions are checked before anything is computed.

mod choice;
mod demo;
mod device;
mod evaluate;
mod flow;
mod outputs;
mod parameters;
mod points;
mod sequence;
mod stage;
mod staging;
mod warp;

pub use choice::{RunChoice, StartChoice};
pub use demo::{DemoJob, demo};
pub use device::{DeviceChoice, DeviceListing, devices};
pub use evaluate::{DisparityFile, evaluate_disparity, evaluate_flow, evaluate_labels};
pub use flow::{FlowJob, FlowOutputs, FlowRun, flow};
pub use parameters::{ParameterChoice, parameter_names};
pub use points::{move_point, warp_points};
pub use sequence::{SequenceJob, sequence};
pub use warp::{WarpJob, warp_flow, warp_image, warp_labels};
