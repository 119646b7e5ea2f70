//! Processor text of [`super::absolute_difference`].

use veloxel_gpu::{Buffer, Cpu};

pub(super) fn absolute_difference(
    cpu: &Cpu,
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> (f64, f64) {
    let n = fixed.len();
    let (fixed, warped, weight) = (fixed.host(), warped.host(), weight.map(Buffer::host));
    let [sum, count] = cpu.sum(n, n, |range| {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in range {
            let difference = warped[i] - fixed[i];
            if !difference.is_nan() && weight.is_none_or(|w| w[i] > 0.0) {
                sum += f64::from(difference.abs());
                count += 1.0;
            }
        }
        [sum, count]
    });
    (sum, count)
}
