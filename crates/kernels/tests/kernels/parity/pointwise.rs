use super::*;
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::pointwise::{
    ClipLength, CopyBuffer, CountKnown, InPlace, Mix, MixByVoxel, Multiply, Operation, Paste,
};
use veloxel_testkit::on_every_device;

on_every_device! {
    fn samples_one_by_one(device: &Device) {
        for n in [1, 255, 70_001] {
            Pair::new(device).alike("pointwise", |device| {
                let mut out: Vec<Buffer> = (0..2).map(|k| noise_buffer(device, n, k)).collect();
                let other = noise_buffer(device, n, 9);
                CopyBuffer { from: &other, to: &mut out[0] }.run(device).unwrap();
                for first in [0, 3, 4] {
                    let mut into = noise_buffer(device, 2 * n + first, 4);
                    Paste { from: &other, to: &mut into, first: n + first }.run(device).unwrap();
                    out.push(into);
                }
                Multiply { factor: &other, out: &mut out[1] }.run(device).unwrap();
                out
            });
        }
    }

    fn samples_in_place(device: &Device) {
        let (gain, offset) = (3.0, -1.0);
        for operation in [
            Operation::Fill(0.3),
            Operation::MapAffine { gain, offset },
            Operation::Rescale { gain, offset },
            Operation::LogChange,
        ] {
            for (count, n) in [(1, 255), (2, 1), (3, 70_001)] {
                Pair::new(device).alike(&format!("{operation:?}"), |device| {
                    let mut field = noise_field(device, count, n, 2);
                    InPlace { operation, field: &mut field }.run(device).unwrap();
                    field
                });
            }
        }
    }

    fn mixtures_take_what_is_known(device: &Device) {
        for n in [4, 70_001] {
            Pair::new(device).alike("mix", |device| {
                let some_unknown = |seed| {
                    let mut samples = noise(n, seed);
                    samples.iter_mut().skip(seed as usize).step_by(3).for_each(|v| *v = f32::NAN);
                    device.upload(samples).unwrap()
                };
                let (with, mut out) = (some_unknown(1), some_unknown(2));
                Mix { with: &with, share: 0.3, out: &mut out }.run(device).unwrap();
                vec![out]
            });
        }
        let mut out = device.upload(vec![1.0, f32::NAN, 1.0, f32::NAN]).unwrap();
        let with = device.upload(vec![3.0, 3.0, f32::NAN, f32::NAN]).unwrap();
        Mix { with: &with, share: 0.25, out: &mut out }.run(device).unwrap();
        let mixed = device.download(out).unwrap();
        assert_eq!(mixed[..3], [1.5, 3.0, 1.0]);
        assert!(mixed[3].is_nan());
    }

    fn changes_are_taken_back_in_part(device: &Device) {
        for n in [5, 70_001] {
            Pair::new(device).alike("mix by voxel", |device| {
                let buffer = |seed| device.upload(noise(n, seed)).unwrap();
                let (with, kept, mut out) = (buffer(1), buffer(2), buffer(3));
                MixByVoxel { with: &with, kept: &kept, out: &mut out }.run(device).unwrap();
                vec![out]
            });
        }
        let [with, kept] = [vec![3.0, 3.0, 3.0], vec![1.0, 0.75, 0.0]].map(|samples| device.upload(samples).unwrap());
        let mut out = device.upload(vec![0.1, 1.0, 1.0]).unwrap();
        MixByVoxel { with: &with, kept: &kept, out: &mut out }.run(device).unwrap();
        assert_eq!(device.download(out).unwrap(), [0.1, 1.5, 3.0]);
    }

    fn infinities_become_zero(device: &Device) {
        let mut samples = device.upload(vec![f32::NAN, f32::INFINITY, 2.0]).unwrap();
        Operation::MapAffine { gain: 2.0, offset: 1.0 }.on(&mut samples).run(device).unwrap();
        assert_eq!(device.download(samples).unwrap(), [0.0, 0.0, 5.0]);
    }

    fn what_is_unknown_is_replaced_and_nothing_else(device: &Device) {
        let given = [f32::NAN, f32::INFINITY, -0.0, 2.5, f32::NAN];
        let bits = |samples: &[f32]| samples.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let mut samples = device.upload(given.to_vec()).unwrap();
        Operation::ReplaceUnknown(-1000.0).on(&mut samples).run(device).unwrap();
        let replaced = device.download(samples).unwrap();
        assert_eq!(bits(&replaced), bits(&[-1000.0, f32::INFINITY, -0.0, 2.5, -1000.0]));
    }

    fn increments_are_clipped(device: &Device) {
        for (d, n) in [(2, 1000), (3, 200_003)] {
            Pair::new(device).alike("clip_length", |device| {
                let mut field = noise_field(device, d, n, 3);
                let total = ClipLength { limit: 0.7, field: &mut field }.run(device).unwrap().get(device).unwrap();
                field.push(device.upload(vec![total as f32]).unwrap());
                field
            });
        }
    }

    fn what_is_known_is_counted(device: &Device) {
        let mut samples = noise(70_001, 3);
        (0..70_001).step_by(7).for_each(|k| samples[k] = f32::NAN);
        samples[1] = f32::INFINITY;
        let samples = device.upload(samples).unwrap();
        for (count, expected) in [(1, 0.0), (7, 6.0), (50_001, 42_858.0), (70_001, 60_000.0)] {
            assert_eq!(CountKnown { samples: &samples, count }.run(device).unwrap().get(device).unwrap(), expected);
        }
    }

    fn differences_add_up(device: &Device) {
        let sums = |device: &Device| {
            let fixed = noise_buffer(device, 50_000, 1);
            let mut moving = noise(50_000, 2);
            moving[7] = f32::NAN;
            let moving = device.upload(moving).unwrap();
            let weight = noise_buffer(device, 50_000, 3);
            [None, Some(&weight)].map(|weight| {
                let kernel = AbsoluteDifference { fixed: &fixed, warped: &moving, weight };
                kernel.run(device).unwrap().get(device).unwrap()
            })
        };
        for (got, expected) in sums(device).into_iter().zip(sums(&Device::cpu(1).unwrap())) {
            assert_close("sum", got.0, expected.0);
            assert_eq!(got.1, expected.1);
        }
    }

    fn too_much_memory_is_an_error_and_no_more(device: &Device) {
        let before = noise_buffer(device, 1000, 1);
        let error = device.zeros::<f32>(1 << 45).unwrap_err().to_string();
        assert!(error.contains("bytes"), "{error}");
        // The device works afterwards, and nothing that was there is lost.
        let mut after = device.zeros(1000).unwrap();
        CopyBuffer { from: &before, to: &mut after }.run(device).unwrap();
        assert_eq!(device.download(after).unwrap(), noise(1000, 1));
    }
}
