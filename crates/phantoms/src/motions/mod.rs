//! Motions: the displacement of every point in closed form.

pub(crate) mod affine;
pub(crate) mod breathing;
pub(crate) mod motion;
pub(crate) mod shell;
pub(crate) mod sinusoid;
pub(crate) mod twist;
