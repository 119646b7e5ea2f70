//! Between a grid and the next coarser one of a multigrid hierarchy.
//!
//! A coarse cell holds two fine cells along each axis where the sizes differ (`n_c = ⌊n / 2⌋`; three at an odd end) and
//! is a mean of what it holds, so coarse tensors and right-hand sides are densities like the fine ones. A cell too many at
//! the end makes the coarse springs there a little stiff, which only slows the correction; a cell too few would make them
//! too soft, and the correction overshoot.
//! *Restriction*: that mean. *Prolongation*: linear between the centres of coarse cells (¾, ¼), constant at the border.

mod cpu;

pub(crate) use cpu::{add_pairs, cells};

use crate::{Axes, Buffer, ComputeError, Device, Shape};

/// The next coarser size along the axes chosen.
pub fn coarser(shape: Shape, halve: Axes<bool>) -> Shape {
    let size = [0, 1, 2].map(|a| if halve[a] { (shape.size[a] / 2).max(1) } else { shape.size[a] });
    Shape { size, ..shape }
}

/// `coarse =` mean of `fine` over each coarse cell.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape.
pub fn restrict(
    device: &Device,
    (fine, fine_shape): (&Buffer, Shape),
    (coarse, coarse_shape): (&mut Buffer, Shape),
) -> Result<(), ComputeError> {
    fine.require(fine_shape.len(), "restrict", "fine")?;
    coarse.require(coarse_shape.len(), "restrict", "coarse")?;
    cpu::restrict(device.as_cpu(), (fine.host(), fine_shape), (coarse.host_mut(), coarse_shape));
    Ok(())
}

/// `fine += P coarse`, linear.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape.
pub fn prolong_add(
    device: &Device,
    (coarse, coarse_shape): (&Buffer, Shape),
    (fine, fine_shape): (&mut Buffer, Shape),
) -> Result<(), ComputeError> {
    fine.require(fine_shape.len(), "prolong_add", "fine")?;
    coarse.require(coarse_shape.len(), "prolong_add", "coarse")?;
    cpu::prolong_add(device.as_cpu(), (coarse.host(), coarse_shape), (fine.host_mut(), fine_shape));
    Ok(())
}
