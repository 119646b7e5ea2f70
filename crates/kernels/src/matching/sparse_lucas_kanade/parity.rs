//! Tests of the kernel on every device against its text for processors, and of that text against known motion.

use super::{PointFate, PointSearch, SparseLucasKanade};
use crate::kernel::Kernel;
use crate::phase::gabor::{Levels, Picture, Pyramid};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{noise, noise_buffer};

const SIZE: [usize; 2] = [96, 70];

fn search(radius: usize) -> PointSearch {
    PointSearch { radius, iterations: 20, tolerance_px: 0.01, least_eigenvalue: 1e-4 }
}

/// A picture that moved by a vector, smooth and with texture everywhere.
fn picture([dx, dy]: [f32; 2]) -> Vec<f32> {
    let at = |i: usize| {
        let (x, y) = ((i % SIZE[0]) as f32 - dx, (i / SIZE[0]) as f32 - dy);
        (0.31 * x + 0.12 * y).sin() + (0.23 * y - 0.17 * x).cos() + 0.5 * (0.055 * x).sin() * (0.07 * y).cos()
    };
    (0..SIZE[0] * SIZE[1]).map(at).collect()
}

fn pyramid(device: &Device, levels: &Levels, samples: &[f32]) -> Buffer {
    let mut out = device.zeros(levels.len()).unwrap();
    let picture = Picture::from_samples(device, samples).unwrap();
    Pyramid { levels, pictures: &[&picture], out: &mut [&mut out] }.run(device).unwrap();
    out
}

/// Position, error and fate of every point.
fn tracked(
    device: &Device,
    levels: &Levels,
    search: PointSearch,
    pictures: [&[f32]; 2],
    points: [&Buffer; 2],
    guesses: Option<[&Buffer; 2]>,
) -> Vec<Buffer> {
    let [first, second] = pictures.map(|samples| pyramid(device, levels, samples));
    let n = points[0].len();
    let mut out: Vec<Buffer> = (0..4).map(|_| device.zeros(n).unwrap()).collect();
    let [x, y, error, fate] = &mut out[..] else { unreachable!("there are four") };
    let kernel = SparseLucasKanade {
        levels,
        search,
        first: &first,
        second: &second,
        points,
        guesses,
        moved: [x, y],
        error,
        fate,
    };
    kernel.run(device).unwrap();
    out
}

/// Positions all over a picture and a little beyond, some of them undefined.
fn anywhere(n: usize, seed: u64, side: usize) -> Vec<f32> {
    let position = |v: f32| (0.5 + 0.54 * v) * side as f32;
    let samples = noise(n, seed).into_iter().enumerate();
    samples.map(|(i, v)| if i % 23 == 5 { f32::NAN } else { position(v) }).collect()
}

/// Checks that the device computes what the processor computes, bit for bit.
fn alike(what: &str, device: &Device, work: impl Fn(&Device) -> Vec<Buffer>) {
    let [got, expected] = [device, &Device::cpu(1).unwrap()]
        .map(|device| work(device).into_iter().map(|b| device.download(b).unwrap()).collect::<Vec<_>>());
    let n = got[0].len();
    let is_same = |a: f32, b: f32| (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits();
    let others = (0..n).filter(|&i| !(0..4).all(|k| is_same(got[k][i], expected[k][i]))).count();
    assert_eq!(others, 0, "{what}: {others} of {n} points differ from the processor's");
}

on_every_device! {
    fn points_anywhere(device: &Device) {
        let (a, b) = (picture([0.0; 2]), picture([2.3, -1.6]));
        let levels = Levels::new(SIZE, 8, 3);
        for (radius, is_guessed) in [(1, false), (4, true), (7, false), (8, false), (10, true), (15, false)] {
            alike(&format!("radius {radius}"), device, |device| {
                let upload = |seed, side| device.upload(anywhere(301, seed, side)).unwrap();
                let points = [upload(1, SIZE[0]), upload(2, SIZE[1])];
                let guesses = [upload(3, SIZE[0]), upload(4, SIZE[1])];
                let guesses = is_guessed.then(|| guesses.each_ref());
                tracked(device, &levels, search(radius), [&a, &b], points.each_ref(), guesses)
            });
        }
    }

    fn pictures_of_noise(device: &Device) {
        let (a, b) = (noise(SIZE[0] * SIZE[1], 8), noise(SIZE[0] * SIZE[1], 9));
        let levels = Levels::new(SIZE, 8, 4);
        alike("noise", device, |device| {
            let points = [noise_buffer(device, 97, 1), noise_buffer(device, 97, 2)];
            tracked(device, &levels, search(3), [&a, &b], points.each_ref(), None)
        });
    }

    fn motion_is_found(device: &Device) {
        let truth = [5.3, -3.6];
        let levels = Levels::new(SIZE, 8, 3);
        let grid: Vec<[f32; 2]> = (0..40).map(|i| [20.0 + 7.3 * (i % 8) as f32, 20.0 + 6.7 * (i / 8) as f32]).collect();
        let points = [0, 1].map(|a| device.upload(grid.iter().map(|p: &[f32; 2]| p[a]).collect()).unwrap());
        let pictures = [&picture([0.0; 2])[..], &picture(truth)];
        let found = tracked(device, &levels, search(4), pictures, points.each_ref(), None);
        let [x, y, error, fate] = [0, 1, 2, 3].map(|k: usize| device.read(&found[k]).unwrap());
        for (i, p) in grid.iter().enumerate() {
            assert_eq!(PointFate::of_code(fate[i]), PointFate::Found, "{p:?}");
            let off = (x[i] - p[0] - truth[0]).hypot(y[i] - p[1] - truth[1]);
            assert!(off < 0.05 && error[i] < 0.01, "{p:?}: {off} px, error {}", error[i]);
        }
    }

    fn fates_are_told_apart(device: &Device) {
        let (mut a, mut b) = (picture([0.0; 2]), picture([-1.5, 0.0]));
        // The lower part has no contrast.
        for image in [&mut a, &mut b] {
            image[40 * SIZE[0]..].fill(1.0);
        }
        let levels = Levels::new(SIZE, 8, 3);
        let cases = [
            ([50.0, 20.0], PointFate::Found),
            ([f32::NAN, 20.0], PointFate::Undefined),
            ([3.0, f32::NAN], PointFate::Undefined),
            ([-0.1, 20.0], PointFate::Outside),
            ([20.0, 69.5], PointFate::Outside),
            ([0.5, 30.0], PointFate::Left),
            ([50.0, 60.0], PointFate::Flat),
        ];
        let points = [0, 1].map(|a| device.upload(cases.map(|(p, _)| p[a]).to_vec()).unwrap());
        let found = tracked(device, &levels, search(4), [&a, &b], points.each_ref(), None);
        let [x, fate] = [0, 3].map(|k: usize| device.read(&found[k]).unwrap());
        for (i, (p, expected)) in cases.into_iter().enumerate() {
            assert_eq!(PointFate::of_code(fate[i]), expected, "{p:?}");
            assert_eq!(x[i].is_nan(), expected != PointFate::Found, "{p:?}");
        }
    }
}
