//! Tests of what is computed from a field and a tensor, voxel by voxel: determinants, confidence, robust weights, visibility.

use super::*;
use veloxel_kernels::variational::confidence::Confidence;
use veloxel_kernels::variational::diffusivity::{Diffusivity, ImageEdges};
use veloxel_kernels::variational::jacobian::Jacobian;
use veloxel_kernels::variational::occlusion::{Scales, Visibility};
use veloxel_kernels::variational::robust_tensor::{ConstraintGroup, RobustTensor};
use veloxel_testkit::on_every_device;

const SPACING: [f32; 3] = [1.0, 1.25, 2.0];

/// Noise whose entries on the diagonal, and tt, make a positive tensor.
fn tensor(device: &Device, shape: Shape, seed: u64) -> Field {
    let d = shape.components();
    let entries = shape.tensor_entries();
    let diagonal: Vec<usize> = (0..d).map(|c| c * (2 * d + 1 - c) / 2).chain([entries + d]).collect();
    let entry = |c: usize| {
        let mut samples = noise(shape.len(), seed + c as u64);
        if diagonal.contains(&c) {
            samples.iter_mut().for_each(|v| *v = 2.0 + v.abs());
        }
        device.upload(samples).unwrap()
    };
    (0..=entries + d).map(entry).collect()
}

/// Noise with some NaN.
fn holes(device: &Device, len: usize, seed: u64) -> Buffer {
    let mut samples = noise(len, seed);
    samples.iter_mut().skip(2).step_by(11).for_each(|v| *v = f32::NAN);
    device.upload(samples).unwrap()
}

on_every_device! {
    fn determinants(device: &Device) {
        for shape in shapes() {
            for weighted in [false, true] {
                Pair::new(device).alike_but(5, &format!("jacobian {shape:?}"), |device| {
                    let (n, d) = (shape.len(), shape.components());
                    let mut field = noise_field(device, d, n, 5);
                    if weighted {
                        field[d - 1] = holes(device, n, 6);
                    }
                    let weight = noise_buffer(device, n, 9);
                    let mut out = device.zeros(n).unwrap();
                    let weight = weighted.then_some(&weight);
                    let (spacing_edges, displacement) = (SPACING, field.as_slice());
                    let kernel = Jacobian { shape, spacing_edges, displacement, weight, out: &mut out };
                    let report = kernel.run(device).unwrap().get(device).unwrap();
                    let numbers =
                        [report.min, report.max, report.share_folded, report.mean_abs_minus_one, report.divergence_rms];
                    let numbers = numbers.map(|v| device.upload(vec![v as f32]).unwrap());
                    [out].into_iter().chain(numbers).collect()
                });
            }
        }
    }

    fn confidence_of_every_shape(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("confidence {shape:?}"), |device| {
                let tensor = tensor(device, shape, 1);
                let diagonal: Vec<_> = tensor.iter().take(shape.components()).collect();
                let mut out = noise_buffer(device, shape.len(), 40);
                Confidence {
                    shape,
                    contrast: 0.5,
                    half_edges: 1.5,
                    diagonal: &diagonal,
                    error_to_confidence: &mut out,
                }
                .run(device)
                .unwrap();
                vec![out]
            });
        }
    }

    fn constraints_under_penalisers(device: &Device) {
        for shape in shapes() {
            for (count, epsilon) in [(1, f32::MAX.sqrt()), (2, 0.3)] {
                Pair::new(device).alike(&format!("robust_tensor {shape:?}"), |device| {
                    let (n, d) = (shape.len(), shape.components());
                    let tensors = [tensor(device, shape, 1), tensor(device, shape, 30)];
                    let groups: Vec<_> = tensors
                        .iter()
                        .zip([1.0, 2.5])
                        .map(|(tensor, gain)| ConstraintGroup { tensor, gain })
                        .take(count)
                        .collect();
                    let increment = noise_field(device, d, n, 70);
                    let mut out = noise_field(device, shape.tensor_entries() + d, n, 90);
                    RobustTensor { shape, epsilon, groups: &groups, increment: &increment, out: &mut out }
                        .run(device)
                        .unwrap();
                    out
                });
            }
        }
    }

    fn smoothness_weights(device: &Device) {
        for shape in shapes() {
            for (epsilon, edges) in [(Some(0.3), false), (None, true), (Some(0.1), true)] {
                Pair::new(device).alike(&format!("diffusivity {shape:?}"), |device| {
                    let (n, d) = (shape.len(), shape.components());
                    let image = noise_buffer(device, n, 1);
                    let edges = edges.then_some(ImageEdges { kappa: 0.7, image: &image });
                    let (base, increment) = (noise_field(device, d, n, 2), noise_field(device, d, n, 7));
                    let mut out = device.zeros(n).unwrap();
                    let kernel = Diffusivity {
                        shape,
                        spacing_edges: SPACING,
                        epsilon,
                        edges,
                        base: &base,
                        increment: &increment,
                        out: &mut out,
                    };
                    kernel.run(device).unwrap();
                    vec![out]
                });
            }
        }
    }

    fn visible_pixels(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("visibility {shape:?}"), |device| {
                let (n, d) = (shape.len(), shape.components());
                let scales = Scales { divergence: 0.8, intensity: 0.9 };
                let field = noise_field(device, d, n, 2);
                let (fixed, warped) = (noise_buffer(device, n, 7), holes(device, n, 8));
                let mut out = device.zeros(n).unwrap();
                let kernel = Visibility {
                    shape,
                    spacing_edges: SPACING,
                    scales,
                    displacement: &field,
                    fixed: &fixed,
                    warped: &warped,
                    out: &mut out,
                };
                kernel.run(device).unwrap();
                vec![out]
            });
        }
    }
}
