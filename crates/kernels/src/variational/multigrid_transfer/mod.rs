//! Between a grid and the next coarser one of a multigrid hierarchy.
//!
//! A coarse cell holds two fine cells along each axis where the sizes differ (`n_c = ⌊n / 2⌋`; three at an odd end) and
//! is a mean of what it holds, so coarse tensors and right-hand sides are densities like the fine ones. A cell too many at
//! the end makes the coarse springs there a little stiff, which only slows the correction; a cell too few would make them
//! too soft, and the correction overshoot.
//! *Restriction*: that mean. *Prolongation*: linear between the centres of coarse cells (¾, ¼), constant at the border.

mod cpu;
mod gpu;

pub(crate) use cpu::{add_pairs, cells};

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// The next coarser size along the axes chosen.
pub fn coarser(shape: Shape, halve: Axes<bool>) -> Shape {
    let size = [0, 1, 2].map(|a| if halve[a] { (shape.size[a] / 2).max(1) } else { shape.size[a] });
    Shape { size, ..shape }
}

/// `coarse =` mean of `fine` over each coarse cell, channel by channel.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its shape, or the channels differ in number.
pub fn restrict(
    device: &Device,
    (fine, fine_shape): (&[Buffer], Shape),
    (coarse, coarse_shape): (&mut [Buffer], Shape),
) -> Result<(), ComputeError> {
    require_field(fine, (fine.len(), fine_shape.len()), "restrict", "fine")?;
    require_field(coarse, (fine.len(), coarse_shape.len()), "restrict", "coarse")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            for (fine, coarse) in fine.iter().zip(coarse) {
                cpu::restrict(cpu, (fine.host(), fine_shape), (coarse.host_mut(), coarse_shape));
            }
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::restrict(&**gpu, (fine, fine_shape), (coarse, coarse_shape)),
    }
}

/// `fine += P coarse`, linear, for up to three components.
///
/// # Errors
/// As [`restrict`].
pub fn prolong_add(
    device: &Device,
    (coarse, coarse_shape): (&[Buffer], Shape),
    (fine, fine_shape): (&mut [Buffer], Shape),
) -> Result<(), ComputeError> {
    spread(device, (coarse, coarse_shape), (fine, fine_shape), Onto::Present)
}

/// `fine = P coarse`, likewise.
///
/// # Errors
/// As [`restrict`].
pub fn prolong(
    device: &Device,
    (coarse, coarse_shape): (&[Buffer], Shape),
    (fine, fine_shape): (&mut [Buffer], Shape),
) -> Result<(), ComputeError> {
    spread(device, (coarse, coarse_shape), (fine, fine_shape), Onto::Nothing)
}

/// What a prolongation adds to.
#[derive(Clone, Copy, PartialEq)]
enum Onto {
    /// What the fine grid holds.
    Present,
    /// Zero.
    Nothing,
}

fn spread(
    device: &Device,
    (coarse, coarse_shape): (&[Buffer], Shape),
    (fine, fine_shape): (&mut [Buffer], Shape),
    onto: Onto,
) -> Result<(), ComputeError> {
    require_field(coarse, (coarse.len().min(3), coarse_shape.len()), "prolong", "coarse")?;
    require_field(fine, (coarse.len(), fine_shape.len()), "prolong", "fine")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            for (coarse, fine) in coarse.iter().zip(fine) {
                if onto == Onto::Nothing {
                    fine.host_mut().fill(0.0);
                }
                cpu::prolong_add(cpu, (coarse.host(), coarse_shape), (fine.host_mut(), fine_shape));
            }
            Ok(())
        }
        Kind::Gpu(gpu) => {
            gpu::prolong_add(&**gpu, (coarse, coarse_shape), (fine, fine_shape), onto == Onto::Nothing)
        }
    }
}
