//! Tests of the kernel on every device against its text for processors.

use super::{MatchesLie, RowFilling};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::noise_buffer;

fn filled(device: &Device, size: [usize; 2], disparity: &[f32], matches: MatchesLie) -> [Vec<f32>; 2] {
    let input = device.upload(disparity.to_vec()).unwrap();
    let [mut out, mut confidence] = [7.0, 0.5].map(|v| device.upload(vec![v; disparity.len()]).unwrap());
    RowFilling { size, matches, disparity: &input, out: &mut out, confidence: &mut confidence }
        .run(device)
        .unwrap();
    [device.download(out).unwrap(), device.download(confidence).unwrap()]
}

on_every_device! {
    fn what_is_hidden_lies_behind(device: &Device) {
        const N: f32 = f32::NAN;
        let row = [N, 3.0, N, N, 1.0, N];
        let [out, confidence] = filled(device, [6, 1], &row, MatchesLie::Anywhere);
        assert_eq!((out, confidence), (vec![3.0, 3.0, 1.0, 1.0, 1.0, 1.0], vec![0.5; 6]));
        let [out, confidence] = filled(device, [6, 1], &row, MatchesLie::Inside);
        assert!(out[0].is_nan() && out[1].is_nan() && out[2..] == [1.0; 4]);
        assert_eq!(confidence, [0.0, 0.0, 0.5, 0.5, 0.5, 0.5]);
        let [out, confidence] = filled(device, [3, 1], &[N; 3], MatchesLie::Anywhere);
        assert!(out.iter().all(|d| d.is_nan()) && confidence == [0.0; 3]);
    }

    fn rows_of_noise(device: &Device) {
        let cpu = Device::cpu(1).unwrap();
        for size in [[1, 1], [37, 5], [70, 41]] {
            let noise = cpu.download(noise_buffer(&cpu, size[0] * size[1], 1)).unwrap();
            let noise: Vec<_> = noise.iter().map(|v| if *v < 0.5 { f32::NAN } else { 30.0 * v }).collect();
            for matches in [MatchesLie::Anywhere, MatchesLie::Inside] {
                let [own, expected] = [device, &cpu].map(|d| filled(d, size, &noise, matches).concat());
                let bits = |v: &f32| if v.is_nan() { 1 } else { v.to_bits() };
                assert_eq!(own.iter().map(bits).collect::<Vec<_>>(), expected.iter().map(bits).collect::<Vec<_>>());
            }
        }
    }
}
