//! A ray through a mesh.

use crate::vector::Vector;

/// Where a ray begins and leads to.
pub(crate) struct Ray {
    pub origin: Vector,
    pub direction: Vector,
    /// The triangle that it begins at, which it does not meet.
    pub from: u32,
}
