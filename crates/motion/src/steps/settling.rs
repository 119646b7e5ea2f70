//! Iterations beyond the first few go a shrinking part of their way, so that a level settles however many there are.
//!
//! An iteration is not the descent of one energy: it solves for an increment in one metric, averages within windows, and
//! filters by medians. Repeated without end, that drifts: windows are undone and noise gets in, medians flatten bends, and
//! derivatives of a warped image miss the bend of the motion itself. With the field F(d) after a whole iteration from d, filter
//! included, the nth one leads to
//!
//! ```text
//! d ← d + (K/n)⁴ (F(d) − d),      n > K
//! ```
//!
//! All that follow the first K together go at most K/3 times the way of one. Shortened increments alone would not do: the
//! filters would go on in full.
//!
//! *Cost*: a pass over the field in each iteration after K.

use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Mix;

/// An iteration among those of its level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Its number, from 1 on.
    pub nth: usize,
    /// How many count in full; 0: all.
    pub full: usize,
}

impl Turn {
    /// Takes a field back to the part of its way from `before` that this iteration goes; components of both alike.
    pub fn settle(
        self,
        device: &Device,
        before: &[Buffer],
        after: &mut [Buffer],
    ) -> Result<(), ComputeError> {
        let share = 1.0 - self.part();
        if share == 0.0 {
            return Ok(());
        }
        after.iter_mut().zip(before).try_for_each(|(out, with)| Mix { with, share, out }.run(device))
    }

    /// The part of its way that the iteration goes.
    pub fn part(self) -> f32 {
        let Self { nth, full } = self;
        if full == 0 || nth <= full { 1.0 } else { (full as f32 / nth as f32).powi(4) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_iterations_together_go_a_third_as_far_as_the_first() {
        let parts = |full: usize| (1..=1000).map(move |nth| Turn { nth, full }.part());
        assert!(parts(0).all(|part| part == 1.0));
        for full in [1, 2, 5] {
            assert!(parts(full).take(full).all(|part| part == 1.0));
            let later: f32 = parts(full).skip(full).sum();
            assert!(later > 0.0 && later < full as f32 / 3.0, "{full}: {later}");
        }
    }

    #[test]
    fn a_field_goes_its_part_of_the_way_and_holes_stay_filled() {
        let device = Device::cpu(1).unwrap();
        let before = vec![device.upload(vec![0.0, 16.0, 1.0]).unwrap()];
        let after = || vec![device.upload(vec![16.0, 0.0, f32::NAN]).unwrap()];
        let settled = |nth| {
            let mut field = after();
            Turn { nth, full: 1 }.settle(&device, &before, &mut field).unwrap();
            device.read(&field[0]).unwrap()
        };
        assert_eq!(settled(1)[..2], [16.0, 0.0]);
        assert_eq!(settled(2), [1.0, 15.0, 1.0]);
    }
}
