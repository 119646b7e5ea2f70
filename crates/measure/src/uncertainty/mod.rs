//! Whether what a run says of its errors holds: the ellipses of its covariances, its probabilities, its expected errors.

pub(crate) mod coverage;
pub(crate) mod reliability;
