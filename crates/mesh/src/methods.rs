//! Every way to find parts, by name.

use crate::CutsParams;
use veloxel_core::parameters::MethodParameters;

/// The parameters of every way to find parts; the first is the default.
pub static PARAMETERS: [MethodParameters; 1] = [MethodParameters::of::<CutsParams>()];
