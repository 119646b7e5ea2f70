//! Tensors of other libraries in the memory of a session's device, in and out through DLPack.

mod abi;
mod given;
mod taken;

pub use given::DeviceTensor;
pub use taken::{Samples, Taken, TensorGiven, place_of, words_of};
