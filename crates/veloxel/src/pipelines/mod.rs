//! Pipelines: values in, values out. Everything that a command does between decoded files and encoded ones is here, callable in
//! memory with a [`Session`](crate::Session) whose observer can follow and stop it.

pub(crate) mod account;
mod compare;
mod demo;
pub(crate) mod dense;
mod dry_run;
pub(crate) mod encode;
pub(crate) mod memory_plan;
mod pair;
pub(crate) mod prepare;
mod sequence;
mod window;

pub use account::{Account, Stages};
pub use compare::{CompareRequest, CompareResult, ComparedMethod, compare};
pub use demo::{DemoPhantom, demo};
pub use dense::{
    DenseError, Directions, Image, MethodChoice, PairNames, PairResult, PairStart, PairWanted, PreparedPair,
    Refinement, StartKind, Wanted,
};
pub use dry_run::{DryRunRequest, Forecast, TimeEstimate, dry_run};
pub use memory_plan::{FlowPlan, FlowSketch, MemoryPart, memory_plan};
pub use pair::{PairRequest, ResidentPair, pair, pair_on_device};
pub use prepare::grids::OutsideFill;
pub use sequence::{
    FieldLabel, FrameNames, SequenceOutput, SequenceRequest, SequenceResult, TrueField, sequence,
};
pub use window::{WindowRequest, window};
