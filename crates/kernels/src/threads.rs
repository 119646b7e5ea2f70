//! Tests of kernels on several threads, over grids that are just large enough to be split; `cargo xtask sanitize` runs them.
//!
//! Every result is compared with that of one thread; under ThreadSanitizer every access is checked as well.

use crate::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use crate::kernel::Kernel;
use crate::variational::compose::{Compose, UpdateRule};
use crate::variational::operator::{
    Jacobi, Operator, Relax, ResidualNorm2, RestrictResidual, SubtractProduct, SubtractVolumeTarget,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, DeviceKind, Field};
use veloxel_phantoms::signed_noise as noise;

const THREADS: usize = 4;
const SPACING_EDGES: [f32; 3] = [1.0, 1.5, 1.2];

/// The shapes of a plane, a volume of many planes, one of few planes, and one whose rows are shorter than a vector.
fn shapes() -> [Shape; 4] {
    let [plane, volume, thin, short] = if cfg!(miri) {
        // Miri interprets: no more samples than two threads need.
        [[17, 16, 1], [9, 4, 5], [9, 8, 2], [3, 8, 6]]
    } else {
        [[131, 250, 1], [33, 25, 40], [65, 64, 8], [11, 40, 75]]
    };
    let of = |size, dimension| Shape { size, dimension };
    let volume_of = |size| of(size, Dimension::Three);
    [of(plane, Dimension::Two), volume_of(volume), volume_of(thin), volume_of(short)]
}

fn positive(device: &Device, shape: Shape, seed: u64) -> Buffer {
    device.upload(noise(shape.len(), seed).into_iter().map(|v| 1.1 + v).collect()).unwrap()
}

fn field(device: &Device, shape: Shape, seed: u64) -> Field {
    (0..shape.components()).map(|c| positive(device, shape, seed + c as u64)).collect()
}

/// Runs `work` with one thread and with several, and compares the buffers that it leaves.
fn same_for_all_threads(what: &str, work: impl Fn(&Device) -> Field + Sync) {
    let bits = |threads| -> Vec<u32> {
        on_threads(threads, |device| {
            work(device).iter().flat_map(|b| b.host().iter().map(|v| v.to_bits())).collect()
        })
    };
    assert!(bits(1) == bits(THREADS), "{what}");
}

/// Runs `work` on a device's own threads.
///
/// ThreadSanitizer does not see the locks of a standard library that was compiled without it, so handing work to the pool and
/// back would look like a race: the counter makes the order visible. The devices are kept, since it would not see that their
/// threads end either.
fn on_threads<R: Send>(threads: usize, work: impl FnOnce(&Device) -> R + Send) -> R {
    static DEVICES: [OnceLock<Device>; THREADS + 1] = [const { OnceLock::new() }; THREADS + 1];
    static HAND_OVERS: AtomicUsize = AtomicUsize::new(0);
    let hand_over = || HAND_OVERS.fetch_add(1, Ordering::AcqRel);
    let device = DEVICES[threads].get_or_init(|| Device::cpu(threads).unwrap());
    hand_over();
    let mut result = None;
    device.scope(|| {
        hand_over();
        // What a job returns, the pool would copy behind the counter's back.
        result = Some(work(device));
        hand_over();
    });
    hand_over();
    result.expect("the work should have been done")
}

/// The coefficients of one operator; the bits of `terms` choose tensor, ψ, w.
struct System {
    shape: Shape,
    tensor: Option<Field>,
    diffusivity: Option<Buffer>,
    volume_weight: Option<Buffer>,
}

impl System {
    fn new(device: &Device, shape: Shape, terms: usize) -> Self {
        let has = |bit: usize| terms >> bit & 1 == 1;
        let components = shape.components();
        // Diagonally dominant.
        let entry = |row: usize, column: usize| {
            let samples = noise(shape.len(), (row * 3 + column) as u64).into_iter();
            let (scale, offset) = if row == column { (1.0, 3.0) } else { (0.3, 0.0) };
            device.upload(samples.map(|v| scale * v + offset).collect()).unwrap()
        };
        let entries = (0..components).flat_map(|row| (row..components).map(move |column| (row, column)));
        Self {
            shape,
            tensor: has(0).then(|| entries.map(|(row, column)| entry(row, column)).collect()),
            diffusivity: has(1).then(|| positive(device, shape, 20)),
            volume_weight: has(2).then(|| positive(device, shape, 21)),
        }
    }
    fn operator(&self) -> Operator<'_> {
        Operator {
            shape: self.shape,
            spacing_edges: SPACING_EDGES,
            alpha: 0.3,
            tensor: self.tensor.as_deref(),
            diffusivity: self.diffusivity.as_ref(),
            volume_weight: self.volume_weight.as_ref(),
        }
    }
}

#[test]
fn sweeps_share_no_row() {
    for shape in shapes() {
        let all_terms = if cfg!(miri) { vec![0, 7] } else { (0..8).collect() };
        for (terms, omega) in all_terms.into_iter().flat_map(|terms| [(terms, 1.0), (terms, 1.9)]) {
            same_for_all_threads(&format!("{shape:?} {terms} {omega}"), |device| {
                let system = System::new(device, shape, terms);
                let (mut x, rhs) = (field(device, shape, 1), field(device, shape, 5));
                let operator = system.operator();
                Relax { operator, x: &mut x, rhs: &rhs, omega, sweeps: 2 }.run(device).unwrap();
                x
            });
        }
    }
}

#[test]
fn products_and_residuals_share_no_row() {
    for (shape, terms) in shapes().into_iter().flat_map(|shape| [1, 7].map(|terms| (shape, terms))) {
        let coarse_shape = Shape { size: shape.size.map(|n| n.div_ceil(2)), ..shape };
        same_for_all_threads(&format!("{shape:?} {terms}"), |device| {
            let system = System::new(device, shape, terms);
            let operator = system.operator();
            let (x, rhs) = (field(device, shape, 1), field(device, shape, 5));
            let (mut out, mut target) = (field(device, shape, 9), field(device, shape, 9));
            let mut coarse = field(device, coarse_shape, 9);
            let (x, rhs) = (&x[..], &rhs[..]);
            Jacobi { operator, x, rhs, out: &mut out, damping: 0.7 }.run(device).unwrap();
            let product = SubtractProduct { operator, x, target: &mut target }.run(device).unwrap();
            let residual = ResidualNorm2 { operator, x, rhs }.run(device).unwrap();
            let restrict = RestrictResidual { operator, x, rhs, coarse_shape, coarse: &mut coarse };
            let restricted = restrict.run(device).unwrap();
            let change = &rhs[0];
            SubtractVolumeTarget { operator, change, rhs: &mut target }.run(device).unwrap();
            let norms = [product, residual, restricted].map(|norm| norm.get(device).unwrap() as f32);
            let norms = device.upload(norms.to_vec()).unwrap();
            out.into_iter().chain(target).chain(coarse).chain([norms]).collect()
        });
    }
}

#[test]
fn gathers_share_no_row() {
    for shape in shapes() {
        same_for_all_threads(&format!("{shape:?}"), |device| {
            let moving = positive(device, shape, 3);
            let displacement = field(device, shape, 4);
            let mut fields = field(device, shape, 8);
            let compose = Compose {
                shape,
                spacing_edges: SPACING_EDGES,
                update: UpdateRule::Compose,
                displacement: &displacement,
                increment: &mut fields,
            };
            compose.run(device).unwrap();
            use Interpolation::{CubicConvolution, CubicSpline, Linear, MostWeight, Nearest};
            for interpolation in [Nearest, MostWeight, Linear, CubicConvolution, CubicSpline] {
                let mut out = positive(device, shape, 0);
                let warp = Warp {
                    shape,
                    moving_shape: shape,
                    spacing_edges: SPACING_EDGES,
                    interpolation,
                    border: Border::Centres,
                    cut: None,
                    moving_from_fixed: VoxelAffine::IDENTITY,
                    moving: &moving,
                    displacement: &displacement,
                    out: &mut out,
                };
                warp.run(device).unwrap();
                fields.push(out);
            }
            fields
        });
    }
}

#[test]
fn split_rows_share_no_sample() {
    let [width, rows] = [67, if cfg!(miri) { 32 } else { 4000 }];
    let run = |device: &Device| {
        let DeviceKind::Cpu(cpu) = device.kind() else { unreachable!("a processor was asked for") };
        let (mut ramp, mut squares) = (vec![0.0; width * rows], vec![0.0; width * rows]);
        cpu.split_rows([&mut ramp, &mut squares], width, width * rows, |row, [ramp, squares]| {
            for (x, (value, square)) in ramp.iter_mut().zip(squares).enumerate() {
                *value = (row * width + x) as f32;
                *square = *value * *value;
            }
        });
        (ramp, squares)
    };
    assert!(on_threads(1, run) == on_threads(THREADS, run));
}
