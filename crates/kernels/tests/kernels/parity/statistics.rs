//! Kernels that sum over the grid: local normalisation and affine moments.

use super::*;
use veloxel_kernels::image::affine_normal_equations::affine_normal_equations;
use veloxel_kernels::image::local_normalise::local_normalise;
use veloxel_testkit::on_every_device;

/// The equations of every shape on the device and on the processor.
fn check_equations(device: &Device, weighted: bool) {
    for shape in shapes() {
        Pair::new(device).alike(&format!("affine_normal_equations {shape:?}"), |device| {
            let n = shape.len();
            let mut moving = noise(n, 2);
            moving.iter_mut().skip(n / 2).step_by(37).for_each(|v| *v = f32::NAN);
            let (fixed, warped) = (noise_buffer(device, n, 1), device.upload(moving).unwrap());
            let weight = noise_buffer(device, n, 5);
            let weight = weighted.then_some(&weight);
            let centre = shape.size.map(|s| 0.4 * s as f64);
            let found =
                affine_normal_equations(device, (shape, centre, 0.3), (&fixed, &warped), weight).unwrap();
            let found = found.get(device).unwrap();
            let of = |v: Vec<f64>| device.upload(v.iter().map(|&v| v as f32).collect()).unwrap();
            vec![of(found.matrix), of(found.rhs), of(vec![found.mean_energy])]
        });
    }
}

on_every_device! {
    fn normalised_images(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("local_normalise {shape:?}"), |device| {
                let samples = noise(shape.len(), 3).iter().map(|v| 0.5 + v).collect();
                let mut image = device.upload(samples).unwrap();
                local_normalise(device, (shape, 1.6, 0.1), &mut image).unwrap();
                vec![image]
            });
        }
    }

    fn flat_images_stay_zero(device: &Device) {
        let mut image = device.upload(vec![0.5; shapes()[3].len()]).unwrap();
        local_normalise(device, (shapes()[3], 0.0, 0.1), &mut image).unwrap();
        assert!(device.download(image).unwrap().iter().all(|&v| v == 0.0));
    }

    fn normal_equations(device: &Device) {
        check_equations(device, false);
    }

    fn normal_equations_of_weighted_voxels(device: &Device) {
        check_equations(device, true);
    }
}
