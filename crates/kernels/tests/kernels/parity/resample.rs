use super::*;
use veloxel_kernels::image::resample::{resample, resample_field};
use veloxel_testkit::on_every_device;

/// Sizes between which images go, finer, coarser and neither.
fn targets(shape: Shape) -> [Shape; 4] {
    let flat = shape.dimension == Dimension::Two;
    [[1, 1, 1], [19, 14, 7], [64, 31, 20], [2, 50, 3]].map(|mut size| {
        size[2] = if flat { 1 } else { size[2] };
        Shape { size, ..shape }
    })
}

on_every_device! {
    fn images_change_their_grid(device: &Device) {
        for from in shapes() {
            for to in targets(from).into_iter().chain([from]) {
                Pair::new(device).alike(&format!("{:?} to {:?}", from.size, to.size), |device| {
                    let input = noise_buffer(device, from.len(), 1);
                    let mut out = noise_buffer(device, to.len(), 2);
                    resample(device, (&input, from), (&mut out, to), 1.7).unwrap();
                    vec![out]
                });
            }
        }
    }

    fn fields_do_so_in_one_go(device: &Device) {
        for from in shapes() {
            for to in targets(from) {
                Pair::new(device).alike(&format!("{:?} to {:?}", from.size, to.size), |device| {
                    let input = noise_field(device, (from.components(), from.len()), 1);
                    let mut out = noise_field(device, (to.components(), to.len()), 5);
                    resample_field(device, (&input, from), (&mut out, to), 0.5).unwrap();
                    out
                });
            }
        }
    }

    fn weights_keep_their_bits_on_long_axes(device: &Device) {
        let shape = |n| Shape { size: [n, 1, 1], dimension: Dimension::Two };
        for (from, to) in [(60_000, 49_999), (49_999, 60_000)] {
            Pair::new(device).alike(&format!("{from} to {to}"), |device| {
                let input = noise_buffer(device, from, 1);
                let mut out = device.zeros(to).unwrap();
                resample(device, (&input, shape(from)), (&mut out, shape(to)), 1.0).unwrap();
                vec![out]
            });
        }
    }
}
