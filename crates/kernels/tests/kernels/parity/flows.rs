use super::*;
use veloxel_kernels::image::centre_of_mass::CentreOfMass;
use veloxel_kernels::variational::flow_composition::{FlowComposition, OutsideVector};
use veloxel_kernels::variational::flow_length::FlowLength;
use veloxel_kernels::variational::inverse_consistency::WeighByResidual;
use veloxel_testkit::on_every_device;

/// Noise of amplitude 1.7, NaN here and there, some vectors 0.
fn flow(device: &Device, shape: Shape, seed: u64) -> Field {
    (0..shape.components())
        .map(|c| {
            let mut samples: Vec<f32> = noise(shape.len(), seed + c as u64).iter().map(|v| 1.7 * v).collect();
            samples.iter_mut().step_by(97).for_each(|v| *v = 0.0);
            samples.iter_mut().skip(c).step_by(101).for_each(|v| *v = f32::NAN);
            device.upload(samples).unwrap()
        })
        .collect()
}

on_every_device! {
    fn flows_follow_each_other(device: &Device) {
        for shape in shapes() {
            for outside in [OutsideVector::Unknown, OutsideVector::KeepFirst] {
                Pair::new(device).alike(&format!("{:?} {outside:?}", shape.size), |device| {
                    let (first, second) = (flow(device, shape, 1), flow(device, shape, 11));
                    let mut out = device.scratch_field(shape.components(), shape.len()).unwrap();
                    FlowComposition { shape, first: &first, second: &second, outside, out: &mut out }
                        .run(device)
                        .unwrap();
                    out
                });
            }
        }
    }

    fn residuals_lower_the_confidence(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("{:?}", shape.size), |device| {
                let residual = flow(device, shape, 5);
                let mut confidence = noise_buffer(device, shape.len(), 3);
                let kernel = WeighByResidual { residual: &residual, half_vox: 0.5, confidence: &mut confidence };
                let (sum, count) = kernel.run(device).unwrap().get(device).unwrap();
                vec![confidence, device.upload(vec![sum as f32, count as f32]).unwrap()]
            });
        }
    }

    fn lengths_add_up(device: &Device) {
        for shape in shapes() {
            let sums = |device: &Device| {
                let (field, weight) = (flow(device, shape, 5), noise_buffer(device, shape.len(), 3));
                [None, Some(&weight)].map(|weight| {
                    FlowLength { flow: &field, weight }.run(device).unwrap().get(device).unwrap()
                })
            };
            let [got, expected] = [device, &Device::cpu(1).unwrap()].map(sums);
            for ((sum, count), (expected_sum, expected_count)) in got.into_iter().zip(expected) {
                assert_close("sum", sum, expected_sum);
                assert_eq!(count, expected_count);
            }
        }
    }

    fn centres_are_the_same(device: &Device) {
        for shape in shapes() {
            let centre = |device: &Device| {
                let image = noise_buffer(device, shape.len(), 3);
                let centre = CentreOfMass { shape, image: &image, gain: 0.7, offset: 0.2 };
                centre.run(device).unwrap().get(device).unwrap()
            };
            assert_eq!(centre(device), centre(&Device::cpu(2).unwrap()), "{:?}", shape.size);
        }
    }
}
