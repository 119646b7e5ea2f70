//! Processor text of [`super::AbsoluteDifference`].

use super::AbsoluteDifference;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn absolute_difference(cpu: &Cpu, args: &AbsoluteDifference<'_>) -> [f64; 2] {
    let n = args.fixed.len();
    let (fixed, warped, weight) = (args.fixed.host(), args.warped.host(), args.weight.map(Buffer::host));
    cpu.sum(n, n, |range| {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in range {
            let difference = warped[i] - fixed[i];
            if !difference.is_nan() && weight.is_none_or(|w| w[i] > 0.0) {
                sum += f64::from(difference.abs());
                count += 1.0;
            }
        }
        [sum, count]
    })
}
