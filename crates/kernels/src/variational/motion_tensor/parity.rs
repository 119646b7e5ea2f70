//! Tests of the kernel on every device against its text for processors.

use crate::image::gradient::Scheme;
use crate::kernel::Kernel;
use crate::shared::taps::Taps;
use crate::variational::motion_tensor::{Constraint, DataTerm, Mismatch, MotionTensor};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

const NORMALISED: Constraint = Constraint::Normalised { zeta: 0.1 };

/// Filters of these radii; a radius of 0 is the identity.
fn taps(radii: [usize; 3]) -> [Taps; 3] {
    radii.map(|r| Taps::gaussian(r as f64 / 2.5, 2.5))
}

/// An image like the fixed one, with a hole.
fn warped(device: &Device, len: usize, seed: u64) -> Buffer {
    let mut samples = noise(len, seed);
    let holes = samples.len() / 7;
    samples.iter_mut().skip(len / 3).take(holes).step_by(3).for_each(|v| *v = f32::NAN);
    device.upload(samples).unwrap()
}

/// A tensor of the window `taps`.
#[derive(Clone)]
struct Case {
    scheme: Scheme,
    constraint: Constraint,
    taps: [Taps; 3],
    pairs: usize,
    weighted: bool,
    /// Whether there is a channel for tt.
    with_tt: bool,
}

impl Case {
    /// A case of central differences of one pair under normalised constraints.
    fn of(taps: [Taps; 3]) -> Self {
        let (scheme, constraint) = (Scheme::Central4, NORMALISED);
        Self { scheme, constraint, taps, pairs: 1, weighted: false, with_tt: false }
    }
    fn weighted(self) -> Self {
        Self { weighted: true, ..self }
    }
    fn with_tt(self) -> Self {
        Self { with_tt: true, ..self }
    }
}

/// Compares one case on the device and on the processor.
fn check(device: &Device, shape: Shape, case: Case) {
    let Case { scheme, constraint, taps, pairs, weighted, with_tt } = case;
    let what = format!("{shape:?} {scheme:?} {constraint:?} {pairs} pairs, radius {}", taps[0].radius());
    Pair::new(device).alike(&what, |device| {
        let n = shape.len();
        let fixed = noise_field(device, pairs, n, 1);
        let warped: Vec<_> = (0..pairs).map(|k| warped(device, n, 50 + k as u64)).collect();
        let pairs: Vec<_> = fixed.iter().zip(&warped).collect();
        let weight: Vec<f32> = noise(n, 77).iter().map(|v| v.max(0.0)).collect();
        let weight = device.upload(weight).unwrap();
        let term = DataTerm {
            shape,
            spacing_edges: [1.0, 1.25, 2.0],
            scheme,
            constraint,
            pairs: &pairs,
            weight: weighted.then_some(&weight),
        };
        let channels = shape.tensor_entries() + shape.components() + usize::from(with_tt);
        let mut out = device.zeros_field(channels, n).unwrap();
        MotionTensor { term, taps: &taps, out: &mut out }.run(device).unwrap();
        let share = Mismatch { term }.run(device).unwrap().get(device).unwrap();
        out.push(device.upload(vec![share as f32]).unwrap());
        out
    });
}

on_every_device! {
    fn tensors_of_every_shape(device: &Device) {
        for shape in shapes() {
            check(device, shape, Case::of(taps([3; 3])));
        }
    }

    fn tensors_of_every_option(device: &Device) {
        for shape in [shapes()[0], shapes()[2]] {
            let d = shape.components();
            for scheme in [Scheme::Forward, Scheme::TwoSided] {
                let plain = Case { scheme, constraint: Constraint::Plain, ..Case::of(taps([3, 2, 1])) };
                check(device, shape, plain.weighted());
            }
            check(device, shape, Case { pairs: d, ..Case::of(taps([0, 1, 0])) }.weighted().with_tt());
        }
        for scheme in [Scheme::Forward, Scheme::TwoSided] {
            check(device, shapes()[3], Case { scheme, ..Case::of(taps([0; 3])) }.with_tt());
        }
    }

    fn tensors_under_wide_filters(device: &Device) {
        // Every radius is a text of its own, which must fit the registers.
        let quads = Shape { size: [24, 19, 13], dimension: Dimension::Three };
        for radius in 2..=8 {
            check(device, quads, Case::of(taps([radius; 3])));
        }
        check(device, shapes()[1], Case::of(taps([8; 3])).with_tt());
        check(device, shapes()[2], Case { constraint: Constraint::Plain, ..Case::of(taps([6, 5, 7])) });
    }

    fn tensors_with_all_channels_and_weights(device: &Device) {
        for radius in 1..=8 {
            check(device, shapes()[2], Case::of(taps([radius; 3])).weighted().with_tt());
        }
        for radius in 1..=3 {
            check(device, shapes()[2], Case::of(taps([radius; 3])).weighted());
            check(device, shapes()[2], Case::of(taps([radius; 3])).with_tt());
        }
    }

    fn tensors_under_filters_of_many_passes(device: &Device) {
        check(device, shapes()[2], Case::of(taps([2, 0, 9])));
        check(device, shapes()[3], Case::of(taps([11, 10, 4])).with_tt());
    }
}
