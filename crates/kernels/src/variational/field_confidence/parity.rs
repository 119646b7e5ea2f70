//! Tests of the kernel on every device against the kernels that it is made of.

use super::FieldConfidence;
use crate::kernel::Kernel;
use crate::shared::taps::Taps;
use crate::variational::expected_error::ExpectedError;
use veloxel_core::Shape;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

/// Compares the confidence of noise under filters of these standard deviations.
fn check(device: &Device, shape: Shape, sigmas: [f64; 3], half_eigenvalue: Option<f32>) {
    let taps = &sigmas.map(|sigma| Taps::gaussian(sigma, 2.5));
    let what = format!("{:?}, {sigmas:?}, {half_eigenvalue:?}", shape.size);
    Pair::new(device).alike(&what, |device| {
        let (n, d) = (shape.len(), shape.components());
        let displacement = &noise_field(device, d, n, 1);
        // Traces above 0, and determinants of any sign.
        let entry = |c: u64| noise(n, 9 + c).iter().map(|v| 0.1 + v.abs()).collect();
        let tensor: Vec<_> =
            (0..shape.tensor_entries() as u64).map(|c| device.upload(entry(c)).unwrap()).collect();
        let own: Vec<_> = (20..20 + d as u64).map(|c| device.upload(entry(c)).unwrap()).collect();
        let tt = device.upload(entry(50)).unwrap();
        let mut warped = noise(n, 60);
        warped.iter_mut().step_by(7).for_each(|v| *v = f32::NAN);
        let mut warped = device.upload(warped).unwrap();
        let mut out = device.zeros(n).unwrap();
        let errors = ExpectedError {
            shape,
            spacing_edges: [1.0, 1.25, 2.0],
            step_edges: 4.0,
            determinacy: 0.1,
            pooled: 30.0,
            displacement,
            tensor: &tensor,
            tt: &tt,
            outside_edges: 1.5,
            warped_to_error: &mut warped,
        };
        let own = &own.iter().collect::<Vec<_>>();
        let (contrast, half_edges, out_of) = (1e-3, 0.5, &mut out);
        FieldConfidence { errors, taps, own, contrast, half_edges, half_eigenvalue, out: out_of }
            .run(device)
            .unwrap();
        vec![out]
    });
}

on_every_device! {
    fn confidences_of_every_shape(device: &Device) {
        for shape in shapes() {
            check(device, shape, [1.0; 3], None);
            check(device, shape, [1.0; 3], Some(0.2));
        }
    }

    fn confidences_under_every_filter(device: &Device) {
        let picture = Shape { size: [70, 41, 1], dimension: veloxel_core::Dimension::Two };
        for sigmas in [[0.0; 3], [0.6, 3.2, 1.0], [3.2, 0.0, 1.0], [5.0; 3]] {
            check(device, picture, sigmas, Some(0.2));
        }
    }
}
