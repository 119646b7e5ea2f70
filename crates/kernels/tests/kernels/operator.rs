//! The operator against its definition: symmetry, gradient of the energy, agreement of its sweeps, threads.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::operator::{Jacobi, Operator, Relax, ResidualNorm2, SubtractProduct};
use veloxel_phantoms::signed_noise as noise;

struct System {
    shape: Shape,
    spacing: [f32; 3],
    tensor: Option<Field>,
    diffusivity: Option<Buffer>,
    volume: Option<Buffer>,
}

impl System {
    fn operator(&self) -> Operator<'_> {
        Operator {
            shape: self.shape,
            spacing_edges: self.spacing,
            alpha: 0.3,
            tensor: self.tensor.as_deref(),
            diffusivity: self.diffusivity.as_ref(),
            volume_weight: self.volume.as_ref(),
        }
    }
    fn field(&self, device: &Device, seed: u64) -> Field {
        (0..self.shape.components())
            .map(|c| device.upload(noise(self.shape.len(), seed + c as u64)).unwrap())
            .collect()
    }
}

/// Systems of every variant: 2-D and 3-D, with and without each optional term, anisotropic, odd and 1-voxel sizes, rows shorter
/// and longer than a vector.
fn systems(device: &Device) -> Vec<System> {
    let mut out = Vec::new();
    for (size, dimension) in [
        ([9, 8, 1], Dimension::Two),
        ([7, 6, 5], Dimension::Three),
        ([21, 5, 1], Dimension::Two),
        ([19, 3, 4], Dimension::Three),
        ([5, 1, 4], Dimension::Three),
        ([1, 3, 2], Dimension::Three),
        ([2, 2, 2], Dimension::Three),
    ] {
        let shape = Shape { size, dimension };
        let (n, d) = (shape.len(), shape.components());
        for variant in 0..8 {
            let tensor = (variant & 1 == 1).then(|| {
                // J = Σ g gᵀ over two random gradients: symmetric, positive semi-definite.
                let g: Vec<Vec<f32>> = (0..2 * d).map(|c| noise(n, 100 + c as u64)).collect();
                let mut entries = Vec::new();
                for r in 0..d {
                    for c in r..d {
                        let entry = (0..n).map(|i| g[r][i] * g[c][i] + g[d + r][i] * g[d + c][i]).collect();
                        entries.push(device.upload(entry).unwrap());
                    }
                }
                entries
            });
            let positive = |seed| device.upload(noise(n, seed).iter().map(|v| 1.1 + v).collect()).unwrap();
            out.push(System {
                shape,
                spacing: if dimension == Dimension::Two { [1.0, 1.5, 1.0] } else { [1.0, 1.2, 2.5] },
                tensor,
                diffusivity: (variant & 2 == 2).then(|| positive(7)),
                volume: (variant & 4 == 4).then(|| positive(8)),
            });
        }
    }
    out
}

/// The energy `xᵀ A x − 2 xᵀ rhs` by its definition, square by square, without any algebra.
fn energy(operator: &Operator<'_>, x: &[Buffer], rhs: &[Buffer]) -> f64 {
    let shape = operator.shape;
    let d = shape.components();
    let [nx, ny, nz] = shape.size;
    let size = [nx, ny, nz];
    let strides = [1, nx, nx * ny];
    let spacing = operator.spacing_edges.map(f64::from);
    let at = |c: usize, i: usize| f64::from(x[c].host()[i]);
    let psi = |i: usize| operator.diffusivity.map_or(1.0, |b| f64::from(b.host()[i]));
    let mut sum = 0.0;
    for i in 0..shape.len() {
        let position = [i % nx, i / nx % ny, i / (nx * ny)];
        // The one-sided difference quotient of component c along axis a; 0 across the border.
        let difference = |c: usize, a: usize, forward: bool| {
            if forward && position[a] + 1 < size[a] {
                (at(c, i + strides[a]) - at(c, i)) / spacing[a]
            } else if !forward && position[a] > 0 {
                (at(c, i) - at(c, i - strides[a])) / spacing[a]
            } else {
                0.0
            }
        };
        if let Some(tensor) = operator.tensor {
            let mut entry = 0;
            for r in 0..d {
                for c in r..d {
                    let twice = if r == c { 1.0 } else { 2.0 };
                    sum += twice * f64::from(tensor[entry].host()[i]) * at(r, i) * at(c, i);
                    entry += 1;
                }
            }
        }
        for c in 0..d {
            sum -= 2.0 * f64::from(rhs[c].host()[i]) * at(c, i);
            for a in (0..d).filter(|&a| position[a] + 1 < size[a]) {
                let weight = f64::from(operator.alpha) * 0.5 * (psi(i) + psi(i + strides[a]));
                sum += weight * difference(c, a, true).powi(2);
            }
        }
        if let Some(weight) = operator.volume_weight {
            let sides = 1 << d;
            for choice in 0..sides {
                let divergence: f64 = (0..d).map(|a| difference(a, a, choice >> a & 1 == 1)).sum();
                sum += f64::from(weight.host()[i]) * divergence.powi(2) / f64::from(sides);
            }
        }
    }
    sum
}

/// The product A x, and its dot product with y.
fn product(device: &Device, system: &System, x: &[Buffer], y: &[Buffer]) -> (Vec<Vec<f32>>, f64) {
    let mut negative =
        device.zeros_field(system.shape.components(), system.shape.len()).expect("memory should be there");
    let kernel = SubtractProduct { operator: system.operator(), x, target: &mut negative };
    kernel.run(device).expect("shapes should agree");
    let product: Vec<Vec<f32>> =
        negative.into_iter().map(|b| device.download(b).unwrap().into_iter().map(|v| -v).collect()).collect();
    let dot = product
        .iter()
        .zip(y)
        .flat_map(|(a, b)| {
            a.iter()
                .zip(device.read(b).unwrap())
                .map(|(&a, b)| f64::from(a) * f64::from(b))
                .collect::<Vec<_>>()
        })
        .sum();
    (product, dot)
}

#[test]
fn the_matrix_is_symmetric_and_positive() {
    let device = Device::cpu(2).unwrap();
    for system in systems(&device) {
        let (x, y) = (system.field(&device, 1), system.field(&device, 50));
        let (xay, yax) = (product(&device, &system, &y, &x).1, product(&device, &system, &x, &y).1);
        let xax = product(&device, &system, &x, &x).1;
        assert!((xay - yax).abs() < 1e-5 * (1.0 + xax), "{:?}: {xay} against {yax}", system.shape);
        assert!(xax > 0.0, "{:?}: {xax}", system.shape);
    }
}

#[test]
fn the_product_is_the_gradient_of_the_energy() {
    let device = Device::cpu(1).unwrap();
    for system in systems(&device) {
        let (x, rhs) = (system.field(&device, 3), system.field(&device, 60));
        let gradient: Vec<Vec<f64>> = product(&device, &system, &x, &x)
            .0
            .iter()
            .zip(&rhs)
            .map(|(ax, b)| {
                ax.iter().zip(device.read(b).unwrap()).map(|(&a, b)| 2.0 * f64::from(a - b)).collect()
            })
            .collect();
        for c in 0..system.shape.components() {
            for i in [0, system.shape.len() / 2, system.shape.len() - 1] {
                // The energy is quadratic: a central difference is exact up to rounding.
                let step = 0.125;
                let at = |sign: f32| {
                    let moved: Field = x
                        .iter()
                        .enumerate()
                        .map(|(k, b)| {
                            let mut v = device.read(b).unwrap();
                            if k == c {
                                v[i] += sign * step;
                            }
                            device.upload(v).unwrap()
                        })
                        .collect();
                    energy(&system.operator(), &moved, &rhs)
                };
                let expected = (at(1.0) - at(-1.0)) / (2.0 * f64::from(step));
                let got = gradient[c][i];
                assert!(
                    (got - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                    "{:?} component {c} voxel {i}: {got} against {expected}",
                    system.shape
                );
            }
        }
    }
}

#[test]
fn sweeps_converge_to_the_same_solution() {
    let device = Device::cpu(2).unwrap();
    for system in systems(&device).into_iter().filter(|s| s.tensor.is_some()) {
        let rhs = system.field(&device, 9);
        let (n, d) = (system.shape.len(), system.shape.components());
        let mut gauss_seidel = device.zeros_field(d, n).unwrap();
        for _ in 0..400 {
            let operator = system.operator();
            Relax { operator, x: &mut gauss_seidel, rhs: &rhs, omega: 1.2, sweeps: 1 }.run(&device).unwrap();
        }
        let (mut x, mut next) = (device.zeros_field(d, n).unwrap(), device.zeros_field(d, n).unwrap());
        for _ in 0..1500 {
            let operator = system.operator();
            Jacobi { operator, x: &x, rhs: &rhs, out: &mut next, damping: 0.6 }.run(&device).unwrap();
            std::mem::swap(&mut x, &mut next);
        }
        let rhs_norm2: f64 = rhs.iter().flat_map(|b| device.read(b).unwrap()).map(|v| f64::from(v * v)).sum();
        for solution in [&gauss_seidel, &x] {
            let left = ResidualNorm2 { operator: system.operator(), x: solution, rhs: &rhs }
                .run(&device)
                .and_then(|norm2| norm2.get(&device))
                .unwrap();
            assert!(left < 1e-8 * rhs_norm2, "{:?}: {left}", system.shape);
        }
        for (a, b) in gauss_seidel.iter().zip(&x) {
            for (a, b) in device.read(a).unwrap().iter().zip(device.read(b).unwrap()) {
                assert!((a - b).abs() < 1e-3, "{:?}: {a} against {b}", system.shape);
            }
        }
    }
}

#[test]
fn sweeps_do_not_depend_on_threads() {
    let run = |threads, (varying, omega): (bool, f32)| {
        let device = Device::cpu(threads).unwrap();
        let shape = Shape { size: [40, 30, 24], dimension: Dimension::Three };
        let positive =
            |seed| device.upload(noise(shape.len(), seed).iter().map(|v| 1.1 + v).collect()).unwrap();
        let system = System {
            shape,
            spacing: [1.0; 3],
            tensor: None,
            diffusivity: varying.then(|| positive(1)),
            volume: varying.then(|| positive(2)),
        };
        let rhs = system.field(&device, 9);
        let mut x = system.field(&device, 4);
        for _ in 0..5 {
            Relax { operator: system.operator(), x: &mut x, rhs: &rhs, omega, sweeps: 1 }
                .run(&device)
                .unwrap();
        }
        x.into_iter().flat_map(|b| device.download(b).unwrap()).map(f32::to_bits).collect::<Vec<_>>()
    };
    for variant in [(true, 1.0), (false, 1.0), (false, 1.5)] {
        let one = run(1, variant);
        assert!(one == run(2, variant) && one == run(3, variant), "{variant:?}");
    }
}

/// Compares the sweep for equal springs with that for any springs, up to rounding.
#[test]
fn equal_springs_are_springs() {
    let device = Device::cpu(2).unwrap();
    for system in systems(&device).iter().filter(|s| s.diffusivity.is_none()) {
        let equal = device.upload(vec![1.0; system.shape.len()]).unwrap();
        let general = Operator { diffusivity: Some(&equal), ..system.operator() };
        let rhs = system.field(&device, 9);
        for omega in [1.0, 1.4] {
            let run = |operator: &Operator<'_>| {
                let mut x = system.field(&device, 4);
                Relax { operator: *operator, x: &mut x, rhs: &rhs, omega, sweeps: 1 }.run(&device).unwrap();
                x.into_iter().flat_map(|b| device.download(b).unwrap()).collect::<Vec<_>>()
            };
            for (a, b) in run(&system.operator()).iter().zip(run(&general)) {
                assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{:?}: {a} against {b}", system.shape);
            }
        }
    }
}
