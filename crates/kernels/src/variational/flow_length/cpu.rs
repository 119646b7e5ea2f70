//! Processor text of [`super::flow_length`].

use veloxel_gpu::{Buffer, Cpu};

pub(super) fn flow_length(cpu: &Cpu, flow: &[Buffer], weight: Option<&Buffer>) -> (f64, f64) {
    let n = flow.first().map_or(0, Buffer::len);
    let (flow, weight): (Vec<&[f32]>, _) =
        (flow.iter().map(Buffer::host).collect(), weight.map(Buffer::host));
    let [sum, count] = cpu.sum(n, 2 * n, |range| {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in range.filter(|&i| weight.is_none_or(|w| w[i] > 0.0)) {
            let length2: f32 = flow.iter().map(|c| c[i] * c[i]).sum();
            if length2.is_finite() {
                sum += f64::from(length2.sqrt());
                count += 1.0;
            }
        }
        [sum, count]
    });
    (sum, count)
}
