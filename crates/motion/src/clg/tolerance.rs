//! When a loop of solves is done: residual norms come from the device while it goes on, and what is returned is what the
//! first norm small enough belongs to.
//!
//! A GPU would stand still while the host looks at a number and asks for the next iteration. On small grids, where that takes
//! as long as an iteration, the next one is asked for before the number of this one is looked at, and thrown away if it was
//! not needed: a copy of the unknowns is kept until then. Which iteration ends the loop, and so every bit of the result, does
//! not depend on it. On larger grids, where an iteration costs more than the wait, and on devices that cannot be asked about
//! the past, every number is waited for.

use crate::steps::solving::{Solving, StopReason};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later, Timestamp, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CopyBuffer;

/// Up to this many voxels an iteration takes no longer than to ask for it.
const MOST_VOXELS: usize = 1 << 18;

/// The checks of one loop.
pub(crate) struct Checks {
    rtol: f64,
    ahead: Option<Ahead>,
    /// The unknowns at the check that is not looked at yet.
    kept: Field,
}

/// A check that is not looked at yet.
struct Ahead {
    norm2: Later<f64>,
    mark: Timestamp,
    sweeps: f64,
}

impl Checks {
    /// The loop ends at ‖r‖/‖r₀‖ ≤ `rtol`.
    pub fn new(rtol: f64) -> Self {
        Self { rtol, ahead: None, kept: Field::new() }
    }

    /// Whether the loop ends with ‖r‖² = `norm2` of `x`, or has ended one check before, where `x` then is again.
    ///
    /// With nothing `left` to do it ends in any case.
    pub fn end(
        &mut self,
        device: &Device,
        solving: &mut Solving,
        norm2: Later<f64>,
        x: &mut [Buffer],
        left: usize,
    ) -> Result<bool, ComputeError> {
        let small = x.first().is_none_or(|c| c.len() <= MOST_VOXELS);
        let mark = if small && norm2.peek().is_none() { device.mark()? } else { None };
        if let Some(Ahead { norm2, mark, sweeps }) = self.ahead.take()
            && self.is_small(device, solving, norm2, Some(&mark))?
        {
            self.kept.iter().zip(x).try_for_each(|(kept, x)| CopyBuffer { from: kept, to: x }.run(device))?;
            solving.sweeps = sweeps;
            return Ok(true);
        }
        let Some(mark) = mark.filter(|_| left > 0) else {
            return Ok(self.is_small(device, solving, norm2, None)? || left == 0);
        };
        if self.kept.is_empty() {
            self.kept = x.iter().map(|c| device.scratch(c.len())).collect::<Result<_, _>>()?;
        }
        x.iter()
            .zip(&mut self.kept)
            .try_for_each(|(x, kept)| CopyBuffer { from: x, to: kept }.run(device))?;
        self.ahead = Some(Ahead { norm2, mark, sweeps: solving.sweeps });
        Ok(false)
    }

    /// Waits for a norm, adds it to the solve's, and says whether it is small enough.
    fn is_small(
        &self,
        device: &Device,
        solving: &mut Solving,
        mut norm2: Later<f64>,
        mark: Option<&Timestamp>,
    ) -> Result<bool, ComputeError> {
        let start = &mut solving.norms2[0];
        fetch(device, mark, vec![start, &mut norm2])?;
        let known = |number: &Later<f64>| *number.peek().expect("a number that was fetched should be known");
        let converged = known(&norm2) <= known(start) * self.rtol * self.rtol;
        solving.norms2.push(norm2);
        solving.stop = if converged { StopReason::Converged } else { StopReason::IterationLimit };
        Ok(converged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solve that began at ‖r‖² = 1, and unknowns one iteration after a check whose result was not read yet.
    fn one_ahead(device: &Device, norm2: f64) -> (Solving, Checks, Field) {
        let solving = Solving { norms2: vec![Later::known(1.0)], sweeps: 6.0, stop: StopReason::FixedCount };
        let mut checks = Checks::new(0.1);
        let ahead = Ahead { norm2: Later::known(norm2), mark: device.stamp().unwrap(), sweeps: 3.0 };
        checks.ahead = Some(ahead);
        checks.kept = vec![device.upload(vec![1.0; 4]).unwrap()];
        (solving, checks, vec![device.upload(vec![2.0; 4]).unwrap()])
    }

    #[test]
    fn an_iteration_too_many_is_thrown_away() {
        let device = Device::cpu(1).unwrap();
        let (mut solving, mut checks, mut x) = one_ahead(&device, 0.009);
        assert!(checks.end(&device, &mut solving, Later::known(0.0001), &mut x, 5).unwrap());
        assert_eq!(device.read(&x[0]).unwrap(), [1.0; 4]);
        let solved = solving.settle(&device).unwrap();
        assert_eq!(
            (solved.sweeps, solved.stop, solved.relative_residuals.len()),
            (3.0, StopReason::Converged, 2)
        );
    }

    #[test]
    fn an_iteration_that_was_needed_is_kept() {
        let device = Device::cpu(1).unwrap();
        let (mut solving, mut checks, mut x) = one_ahead(&device, 0.5);
        assert!(!checks.end(&device, &mut solving, Later::known(0.2), &mut x, 5).unwrap());
        assert!(checks.end(&device, &mut solving, Later::known(0.1), &mut x, 0).unwrap());
        assert_eq!(device.read(&x[0]).unwrap(), [2.0; 4]);
        let solved = solving.settle(&device).unwrap();
        assert_eq!((solved.sweeps, solved.stop), (6.0, StopReason::IterationLimit));
    }
}
