//! The options that several jobs share.

pub(crate) mod dense_options;
pub(crate) mod method_options;
pub(crate) mod phase_options;
pub(crate) mod start_from;
