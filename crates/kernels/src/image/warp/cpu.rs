//! Processor text of [`super::Warp`].

use super::{Interpolation, VoxelAffine, Warp};
use crate::shared::gather::Lattice;
use crate::shared::lanes::{LANES, Lanes, Pack, each};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::Cpu;

pub(super) fn warp<const D: usize>(cpu: &Cpu, args: Warp<'_>) {
    let [nx, ny, _] = args.shape.size;
    let reach_vox = args.border.reach_vox();
    let lattice = match args.cut {
        None => Lattice::<D>::reaching(args.moving_shape, reach_vox),
        Some(cut) => Lattice::<D>::part(args.moving_shape, cut.moving_begin, cut.moving_whole, reach_vox),
    };
    let [x0, y0, z0] = args.cut.map_or([0; 3], |cut| cut.fixed_begin);
    let samples = args.moving.host();
    let (per_edge, map) = (args.spacing_edges.map(|s| 1.0 / s), Map::of(&args.moving_from_fixed));
    let cost = match args.interpolation {
        Interpolation::CubicSpline | Interpolation::CubicConvolution => 12,
        _ => 4,
    };
    cpu.split_rows([args.out.host_mut()], nx, cost * args.shape.len(), |row, [out]| {
        let displacement = std::array::from_fn(|c| &args.displacement[c].host()[row * nx..(row + 1) * nx]);
        let start = [x0 as f32, (y0 + row % ny) as f32, (z0 + row / ny) as f32];
        let path = Path::<D> { displacement, per_edge, start, map: map.as_ref() };
        match args.interpolation {
            Interpolation::Nearest => {
                label_row(&lattice, &path, out, |at| Lanes(lattice.nearest(at).map(|i| samples[i])));
            }
            Interpolation::MostWeight => {
                label_row(&lattice, &path, out, |at| lattice.most_weight(at, samples));
            }
            Interpolation::Linear => linear_row(&lattice, samples, &path, out),
            Interpolation::CubicSpline => cubic_row::<Spline, D>(&lattice, samples, &path, out),
            Interpolation::CubicConvolution => cubic_row::<Convolution, D>(&lattice, samples, &path, out),
        }
    });
}

/// The positions at which the voxels of a row are sampled.
struct Path<'a, const D: usize> {
    displacement: [&'a [f32]; D],
    per_edge: Axes<f32>,
    /// Position of the row's first voxel in the whole image.
    start: Axes<f32>,
    /// The affine map; none if it is the identity.
    map: Option<&'a Map>,
}

/// An affine map, split into its effect on a displacement and the part that it adds to a position: that part is small, so that
/// large volumes keep their sub-voxel bits.
struct Map {
    linear: Axes<Axes<f32>>,
    added: Axes<Axes<f32>>,
    offset: Axes<f32>,
}

impl Map {
    /// The map; none for the identity.
    fn of(affine: &VoxelAffine) -> Option<Self> {
        (*affine != VoxelAffine::IDENTITY).then(|| Self {
            linear: affine.matrix.map(|r| r.map(|v| v as f32)),
            added: affine.added().map(|r| r.map(|v| v as f32)),
            offset: affine.offset.map(|v| v as f32),
        })
    }
}

impl<const D: usize> Path<'_, D> {
    /// Positions of the voxels from `x` on.
    #[inline(always)]
    fn positions(&self, x: usize) -> [Lanes; D] {
        // Whole numbers: exact in any order.
        let along = Lanes::splat(self.start[0] + x as f32) + Lanes::count();
        let mut shift = [along; D];
        for c in 0..D {
            shift[c] = Lanes::load_or_zero(self.displacement[c], x) * Lanes::splat(self.per_edge[c]);
        }
        let mut at = [along; D];
        for r in 0..D {
            let start = if r == 0 { along } else { Lanes::splat(self.start[r]) };
            at[r] = start
                + match self.map {
                    None => shift[r],
                    Some(map) => {
                        let mut added = Lanes::splat(map.offset[r]) + Lanes::splat(map.added[r][0]) * along;
                        for c in 1..D {
                            added = added + Lanes::splat(map.added[r][c] * self.start[c]);
                        }
                        for c in 0..D {
                            added = added + Lanes::splat(map.linear[r][c]) * shift[c];
                        }
                        added
                    }
                };
        }
        at
    }
}

fn label_row<const D: usize>(
    lattice: &Lattice<D>,
    path: &Path<'_, D>,
    out: &mut [f32],
    labels: impl Fn([Lanes; D]) -> Lanes,
) {
    for x in (0..out.len()).step_by(LANES) {
        let at = path.positions(x);
        (labels(at) + lattice.nan_outside(at)).store_what_fits(out, x);
    }
}

// Without AVX2, whose gathers are slower than loads.
#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn linear_row<const D: usize>(lattice: &Lattice<D>, samples: &[f32], path: &Path<'_, D>, out: &mut [f32]) {
    for x in (0..out.len()).step_by(LANES) {
        let at = path.positions(x);
        lattice.add_linear(lattice.nan_outside(at), &lattice.cells(at), samples).store_what_fits(out, x);
    }
}

// As above.
#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn cubic_row<W: CubicWeights, const D: usize>(
    lattice: &Lattice<D>,
    samples: &[f32],
    path: &Path<'_, D>,
    out: &mut [f32],
) {
    for x in (0..out.len()).step_by(LANES) {
        let at = path.positions(x);
        let mut low = [[0; LANES]; D];
        let mut weights = [[at[0]; 4]; D];
        for a in 0..D {
            let (lower, upper) = lattice.lower(at[a], a);
            (low[a], weights[a]) = (lower, W::of(upper));
        }
        // Voxel by voxel what its four columns of samples bring, then all voxels along x.
        let mut columns = [[0.0; 4]; LANES];
        for k in 0..LANES.min(out.len() - x) {
            let from = each(|a| low[a][k] as usize);
            let (wy, wz) = (each(|i| weights[1][i].0[k]), each(|i| weights[D - 1][i].0[k]));
            columns[k] = match lattice.interior(from, samples) {
                Some(block) => blend_columns::<D>(block, lattice.stride, [wy, wz]),
                None => {
                    let block = lattice.mirrored_block(from, samples);
                    blend_columns::<D>(&block, std::array::from_fn(|a| 1 << (2 * a)), [wy, wz])
                }
            };
        }
        let mut lines = [Lanes::splat(0.0); 4];
        for k in 0..LANES {
            for i in 0..4 {
                lines[i].0[k] = columns[k][i];
            }
        }
        let [a, b, c, d] = weights[0];
        let sum = a * lines[0] + b * lines[1] + c * lines[2] + d * lines[3];
        (lattice.nan_outside(at) + sum).store_what_fits(out, x);
    }
}

/// The weighted sums of four samples along y, and along z, of four neighbours along x.
#[inline(always)]
fn blend_columns<const D: usize>(block: &[f32], stride: [usize; D], [wy, wz]: [[f32; 4]; 2]) -> [f32; 4] {
    assert!(block.len() > 3 * stride.iter().sum::<usize>(), "a block should hold four samples an axis");
    let mut sum = [0.0; 4];
    for z in 0..if D == 3 { 4 } else { 1 } {
        let mut plane = [0.0; 4];
        for y in 0..4 {
            // SAFETY: at most three steps along each axis.
            let four =
                unsafe { block.as_ptr().add(z * stride[D - 1] + y * stride[1]).cast::<[f32; 4]>().read() };
            for k in 0..4 {
                plane[k] += wy[y] * four[k];
            }
        }
        for k in 0..4 {
            sum[k] += if D == 3 { wz[z] * plane[k] } else { plane[k] };
        }
    }
    sum
}

/// Weights of the four neighbours of a position, `t` behind the second of them.
trait CubicWeights {
    fn of(t: Lanes) -> [Lanes; 4];
}

/// The cubic B-spline: `(1−t)³, 4 − 6t² + 3t³, 1 + 3t + 3t² − 3t³, t³`, all over 6.
struct Spline;

impl CubicWeights for Spline {
    #[inline(always)]
    fn of(t: Lanes) -> [Lanes; 4] {
        const SIXTH: f32 = 1.0 / 6.0;
        const POWERS: [[f32; 4]; 4] = [
            [SIXTH, 4.0 * SIXTH, SIXTH, 0.0],
            [-0.5, 0.0, 0.5, 0.0],
            [0.5, -1.0, 0.5, 0.0],
            [-SIXTH, 0.5, -0.5, SIXTH],
        ];
        let mut weights = POWERS[3].map(Lanes::splat);
        for power in [2, 1, 0] {
            for k in 0..4 {
                weights[k] = Lanes::splat(POWERS[power][k]) + t * weights[k];
            }
        }
        // Without the zeros, which compilers leave out.
        weights[3] = Lanes::splat(SIXTH) * t * t * t;
        weights
    }
}

/// Cubic convolution: `−t + 2t² − t³, 2 − 5t² + 3t³, t + 4t² − 3t³, −t² + t³`, all over 2.
struct Convolution;

impl CubicWeights for Convolution {
    #[inline(always)]
    fn of(t: Lanes) -> [Lanes; 4] {
        const SQUARES: [f32; 4] = [1.0, -2.5, 2.0, -0.5];
        const CUBES: [f32; 4] = [-0.5, 1.5, -1.5, 0.5];
        let [a, b, c, d]: [Lanes; 4] =
            std::array::from_fn(|k| t * (Lanes::splat(SQUARES[k]) + t * Lanes::splat(CUBES[k])));
        [t * (Lanes::splat(-0.5) + a), Lanes::splat(1.0) + t * b, t * (Lanes::splat(0.5) + c), t * d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::spline::SplineCoefficients;
    use crate::image::warp::Border;
    use crate::kernel::Kernel;
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

    fn run(interpolation: Interpolation, d: [f32; 3], moving: impl Fn([f32; 3]) -> f32) -> Vec<f32> {
        let shape = Shape { size: [20, 11, 10], dimension: Dimension::Three };
        let device = Device::cpu(2).unwrap();
        let samples = (0..shape.len())
            .map(|i| moving([(i % 20) as f32, (i / 20 % 11) as f32, (i / 220) as f32]))
            .collect();
        let displacement: Vec<_> = d.iter().map(|&v| device.upload(vec![v; shape.len()]).unwrap()).collect();
        let mut moving = device.upload(samples).unwrap();
        if interpolation == Interpolation::CubicSpline {
            SplineCoefficients { shape, samples: &mut moving }.run(&device).unwrap();
        }
        let mut out = device.zeros(shape.len()).unwrap();
        let warp = Warp {
            shape,
            moving_shape: shape,
            spacing_edges: [1.0, 2.0, 1.0],
            interpolation,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: VoxelAffine::IDENTITY,
            moving: &moving,
            displacement: &displacement,
            out: &mut out,
        };
        warp.run(&device).unwrap();
        device.download(out).unwrap()
    }

    #[test]
    fn linear_and_cubic_ones_keep_ramps_and_mark_the_outside() {
        let ramp = |p: [f32; 3]| p[0] + 10.0 * p[1] + 100.0 * p[2];
        // The spline mirrors the ramp at the border; five voxels away 0.27⁵ of the kink (200 a voxel) is left.
        for (interpolation, tolerance) in [
            (Interpolation::Linear, 1e-3),
            (Interpolation::CubicConvolution, 1e-3),
            (Interpolation::CubicSpline, 0.5),
        ] {
            let out = run(interpolation, [0.25, 1.0, -0.5], ramp);
            let expected = ramp([5.25, 5.5, 4.5]);
            assert!(
                (out[5 + 20 * (5 + 11 * 5)] - expected).abs() < tolerance,
                "y moves half a voxel: an edge is half of it"
            );
            assert!(out[19].is_nan(), "x + 0.25 and z − 0.5 leave the grid");
        }
    }

    #[test]
    fn cubic_convolution_keeps_samples_and_parabolas() {
        let image = |p: [f32; 3]| (1.3 * p[0] + 0.7 * p[1] * p[2]).sin();
        let still = run(Interpolation::CubicConvolution, [0.0; 3], image);
        let samples =
            (0..still.len()).map(|i| image([(i % 20) as f32, (i / 20 % 11) as f32, (i / 220) as f32]));
        assert!(still.iter().copied().eq(samples), "at a voxel its sample, bit for bit");
        let parabola = |p: [f32; 3]| p[0] * p[0] + p[1] * p[1] - p[2] * p[2];
        let moved = run(Interpolation::CubicConvolution, [0.25, 1.0, -0.5], parabola);
        let expected = parabola([5.25, 5.5, 4.5]);
        assert!((moved[5 + 20 * (5 + 11 * 5)] - expected).abs() < 1e-4);
    }

    #[test]
    fn nearest_keeps_labels() {
        let out = run(Interpolation::Nearest, [0.4, 0.0, 0.0], |p| p[0]);
        assert_eq!(out[5], 5.0);
    }

    #[test]
    fn labels_of_the_most_weight() {
        // The nearest voxel, x = 5, is alone with its label; three others have 0.51 of the weight together.
        let run = |d: [f32; 3], label: fn([f32; 3]) -> f32| {
            run(Interpolation::MostWeight, d, label)[5 + 20 * (5 + 11 * 5)]
        };
        assert_eq!(run([0.3, 0.6, 0.0], |p| if p == [5.0, 5.0, 5.0] { 7.0 } else { 2.0 }), 2.0);
        assert_eq!(run([0.2, 0.2, 0.2], |p| if p == [5.0, 5.0, 5.0] { 7.0 } else { 2.0 }), 7.0);
        assert_eq!(run([0.4, 0.0, 0.0], |p| p[0]), 5.0, "the nearest one of two");
        // Both with a half: that of the nearest voxel, the upper one.
        assert_eq!(run([0.5, 0.0, 0.0], |p| f32::from(u8::from(p[0] > 5.5))), 1.0);
        assert_eq!(run([0.5, 0.0, 0.0], |p| f32::from(u8::from(p[0] < 5.5))), 0.0);
        // Three labels: 0.35 + 0.15 of 9, 0.35 of 3, 0.15 of 4.
        let three = |p: [f32; 3]| [[9.0, 4.0], [3.0, 9.0]][usize::from(p[0] > 5.5)][usize::from(p[1] > 5.5)];
        assert_eq!(run([0.3, 0.6, 0.0], three), 9.0);
    }

    #[test]
    fn outermost_voxels_end_half_a_voxel_from_their_centres() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [4, 1, 1], dimension: Dimension::Two };
        let moving = device.upload(vec![3.0, 4.0, 5.0, 6.0]).unwrap();
        let row = |border, displacement: f32| {
            let displacement = [displacement, 0.0].map(|v| device.upload(vec![v; 4]).unwrap());
            let mut out = device.zeros(4).unwrap();
            let warp = Warp {
                shape,
                moving_shape: shape,
                spacing_edges: [1.0; 3],
                interpolation: Interpolation::Linear,
                border,
                cut: None,
                moving_from_fixed: VoxelAffine::IDENTITY,
                moving: &moving,
                displacement: &displacement,
                out: &mut out,
            };
            warp.run(&device).unwrap();
            device.download(out).unwrap()
        };
        assert_eq!(row(Border::Voxels, 0.5), [3.5, 4.5, 5.5, 6.0]);
        assert_eq!(row(Border::Unbounded, 9.0), [6.0; 4]);
        assert!(row(Border::Centres, 0.5)[3].is_nan() && row(Border::Voxels, 0.75)[3].is_nan());
        assert!(row(Border::Unbounded, f32::NAN).iter().all(|v| v.is_nan()));
    }
}
