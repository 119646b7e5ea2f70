//! Every way to find parts, by name.

use crate::cuts::CutsParams;
use crate::fuzzy::FuzzyParams;
use veloxel_core::parameters::MethodParameters;

/// The parameters of every way to find parts; the first is the default.
pub static PARAMETERS: [MethodParameters; 2] =
    [MethodParameters::of::<CutsParams>(), MethodParameters::of::<FuzzyParams>()];
