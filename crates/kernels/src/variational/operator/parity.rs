//! Tests of the kernel on every device against its text for processors.

use crate::kernel::Kernel;
use crate::variational::operator::{
    Jacobi, Operator, Relax, ResidualNorm2, RestrictResidual, SubtractProduct, SubtractVolumeTarget,
};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

/// The operator's coefficients of one case, on one device.
struct System {
    shape: Shape,
    tensor: Option<Field>,
    diffusivity: Option<Buffer>,
    volume: Option<Buffer>,
}

impl System {
    /// A system whose `terms` choose tensor, ψ, w.
    fn new(device: &Device, shape: Shape, terms: [bool; 3]) -> Self {
        let n = shape.len();
        let positive = |seed| {
            let samples = noise(n, seed).into_iter().map(|v| 0.6 + 0.5 * v).collect();
            device.upload(samples).unwrap()
        };
        // g gᵀ of a random vector, and a little more on the diagonal.
        let tensor = || {
            let g: Vec<Vec<f32>> = (0..shape.components()).map(|c| noise(n, 50 + c as u64)).collect();
            let mut entries = Vec::new();
            for r in 0..shape.components() {
                for c in r..shape.components() {
                    let more = if r == c { 0.1 } else { 0.0 };
                    entries.push((0..n).map(|i| g[r][i] * g[c][i] + more).collect());
                }
            }
            entries.into_iter().map(|e| device.upload(e).unwrap()).collect()
        };
        Self {
            shape,
            tensor: terms[0].then(tensor),
            diffusivity: terms[1].then(|| positive(7)),
            volume: terms[2].then(|| positive(8)),
        }
    }
    fn operator(&self) -> Operator<'_> {
        Operator {
            shape: self.shape,
            spacing_edges: [1.0, 1.5, 1.2],
            alpha: 0.3,
            tensor: self.tensor.as_deref(),
            diffusivity: self.diffusivity.as_ref(),
            volume_weight: self.volume.as_ref(),
        }
    }
}

const TERMS: [[bool; 3]; 6] = [
    [true, false, false],
    [false, false, false],
    [true, true, false],
    [true, false, true],
    [true, true, true],
    [false, false, true],
];

/// Shapes that are large enough for more than one workgroup, and for rows that do not fit one.
fn larger_shapes() -> Vec<Shape> {
    let mut all = shapes();
    all.push(Shape { size: [1028, 9, 1], dimension: Dimension::Two });
    all.push(Shape { size: [24, 18, 16], dimension: Dimension::Three });
    all.push(Shape { size: [36, 15, 13], dimension: Dimension::Three });
    all
}

fn unknowns(device: &Device, shape: Shape, seed: u64) -> Field {
    noise_field(device, shape.components(), shape.len(), seed)
}

on_every_device! {
    fn sweeps_relax_alike(device: &Device) {
        for shape in larger_shapes() {
            for terms in TERMS {
                for omega in [1.0, 1.7] {
                    Pair::new(device).alike(&format!("relax {:?} {terms:?} {omega}", shape.size), |device| {
                        let system = System::new(device, shape, terms);
                        let (mut x, rhs) = (unknowns(device, shape, 1), unknowns(device, shape, 5));
                        Relax { operator: system.operator(), x: &mut x, rhs: &rhs, omega, sweeps: 5 }.run(device).unwrap();
                        x
                    });
                }
            }
        }
    }

    fn jacobi_sweeps_alike(device: &Device) {
        for shape in larger_shapes() {
            for terms in TERMS {
                Pair::new(device).alike(&format!("jacobi {:?} {terms:?}", shape.size), |device| {
                    let system = System::new(device, shape, terms);
                    let (x, rhs) = (unknowns(device, shape, 1), unknowns(device, shape, 5));
                    let mut out = device.zeros_field(shape.components(), shape.len()).unwrap();
                    let operator = system.operator();
                    Jacobi { operator, x: &x, rhs: &rhs, out: &mut out, damping: 0.7 }.run(device).unwrap();
                    out
                });
            }
        }
    }

    fn residuals_agree(device: &Device) {
        for shape in larger_shapes() {
            for terms in TERMS {
                Pair::new(device).alike_but(1, &format!("residual {:?} {terms:?}", shape.size), |device| {
                    let system = System::new(device, shape, terms);
                    let (x, mut rhs) = (unknowns(device, shape, 1), unknowns(device, shape, 5));
                    let norm2 = ResidualNorm2 { operator: system.operator(), x: &x, rhs: &rhs }.run(device).unwrap();
                    let again = SubtractProduct { operator: system.operator(), x: &x, target: &mut rhs }.run(device).unwrap();
                    let norms = [norm2, again].map(|n| n.get(device).unwrap() as f32);
                    rhs.push(device.upload(norms.to_vec()).unwrap());
                    rhs
                });
            }
        }
    }

    fn residuals_are_restricted_alike(device: &Device) {
        for shape in larger_shapes() {
            for terms in TERMS {
                for halve in [[true; 3], [true, false, true], [false, true, false]] {
                    let half = |a: usize| {
                        let n = shape.size[a];
                        if halve[a] && a < shape.components() { (n / 2).max(1) } else { n }
                    };
                    let coarse = Shape { size: [half(0), half(1), half(2)], ..shape };
                    Pair::new(device).alike_but(1, &format!("restrict {:?} {terms:?} {halve:?}", shape.size), |device| {
                        let system = System::new(device, shape, terms);
                        let (x, rhs) = (unknowns(device, shape, 1), unknowns(device, shape, 5));
                        let mut out = device.zeros_field(shape.components(), coarse.len()).unwrap();
                        let (operator, coarse_shape) = (system.operator(), coarse);
                        let kernel = RestrictResidual { operator, x: &x, rhs: &rhs, coarse_shape, coarse: &mut out };
                        let norm2 = kernel.run(device).unwrap();
                        out.push(device.upload(vec![norm2.get(device).unwrap() as f32]).unwrap());
                        out
                    });
                }
            }
        }
    }

    fn volume_targets_agree(device: &Device) {
        for shape in shapes() {
            Pair::new(device).alike(&format!("volume target {:?}", shape.size), |device| {
                let system = System::new(device, shape, [false, false, true]);
                let mut rhs = unknowns(device, shape, 5);
                let change = noise_buffer(device, shape.len(), 3);
                let operator = system.operator();
                SubtractVolumeTarget { operator, change: &change, rhs: &mut rhs }.run(device).unwrap();
                rhs
            });
        }
    }
}
