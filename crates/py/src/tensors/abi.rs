//! The structures of DLPack, in which libraries of Python hand each other arrays without a copy.
//!
//! *Source*: DLPack 0.8, `dlpack.h` (`DLManagedTensor`), and the Python specification of `__dlpack__`.

use std::ffi::{CStr, c_void};

/// The name of a capsule whose tensor was not taken yet.
pub const NAME: &CStr = c"dltensor";
/// The name of a capsule whose tensor was taken.
pub const USED: &CStr = c"used_dltensor";

/// Kinds of devices: the processor, and a GPU of CUDA.
pub const CPU: i32 = 1;
/// See [`CPU`].
pub const CUDA: i32 = 2;

/// The type `float32`.
pub const FLOAT32: DataType = DataType { code: 2, bits: 32, lanes: 1 };

/// Where a tensor lies: the kind of device, and its number.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub kind: i32,
    pub ordinal: i32,
}

/// The type of samples: a code (2: floats), bits, and how many make one.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// An array.
#[repr(C)]
#[derive(Debug)]
pub struct Tensor {
    pub data: *mut c_void,
    pub place: Place,
    pub axes: i32,
    pub of: DataType,
    /// As many numbers as axes.
    pub shape: *mut i64,
    /// As many numbers as axes, samples; null: the last axis is fastest, without gaps.
    pub strides: *mut i64,
    pub offset_bytes: u64,
}

/// An array with its owner, who is told by `deleter` when it is no longer needed.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    pub tensor: Tensor,
    pub owner: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}
