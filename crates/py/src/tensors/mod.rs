//! Tensors of other libraries in the memory of a session's device, in and out through DLPack.

mod abi;
mod given;
mod inputs;
mod taken;

pub use given::DeviceTensor;
pub use inputs::{Beside, Inputs, Ran, Source, copied_bytes, run_with_tensors, tensor_of};
pub use taken::{Samples, Taken, TensorGiven, place_of, words_of};
