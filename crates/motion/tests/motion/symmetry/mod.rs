//! What must not matter: flips, the order of axes, the unit of length, the number of threads, doing it twice.
//!
//! The method is run to convergence wherever the order of voxels enters (sweeps take colours one after the other, and that
//! order is not the flipped grid's): what is left then are the tolerances of the solves and of the warps.

mod registration;
mod unfolding;

use crate::measure;

use measure::{cpu, estimate, mean_difference_vox, pair, run, smooth};
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_motion::clg::multigrid::Solver;
use veloxel_motion::steps::choices::Interpolation;
use veloxel_motion::{ClgParams, ClgPreset, FlowExtras, PairMethod};
use veloxel_phantoms::catalogue::{Case, MotionKind, NOISE, TextureKind, isotropic_grid, oblique_grid};
use veloxel_phantoms::{CentredFrame, Noise, Phantom, SmoothTexture};

/// Mean difference, voxels, of two estimates that are one but for rounding and tolerances.
const SAME_VOX: f64 = 0.0005;

/// Every solve and every level run to convergence.
fn to_convergence(preset: ClgPreset, dimension: Dimension) -> ClgParams {
    let params = ClgParams::preset(preset, dimension);
    // Sweeps over images, V-cycles over volumes.
    let iterations = if dimension == Dimension::Two { 200 } else { 12 };
    ClgParams { iterations, rtol: 1e-4, warps: 8, finest_warps: 8, omega: 1.5, ..params }
}

/// A sampled permutation and mirroring of the axes: axis `a` of the new grid is axis `from[a]` of the old one, backwards
/// where `mirrored[a]`.
#[derive(Clone, Copy, Debug)]
struct Turn {
    from: [usize; 3],
    mirrored: [bool; 3],
}

impl Turn {
    const fn flip(axis: usize) -> Self {
        Self { from: [0, 1, 2], mirrored: [axis == 0, axis == 1, axis == 2] }
    }
    const fn swap(a: usize, b: usize) -> Self {
        let mut from = [0, 1, 2];
        (from[a], from[b]) = (b, a);
        Self { from, mirrored: [false; 3] }
    }

    fn grid(&self, grid: &Grid) -> Grid {
        let [nx, ny, nz] = self.from.map(|a| grid.size()[a]);
        let turned = match grid.dimension() {
            Dimension::Two => Grid::image(nx, ny),
            Dimension::Three => Grid::volume(nx, ny, nz),
        };
        let spacing = self.from.map(|a| grid.spacing_mm()[a]);
        turned.and_then(|g| g.with_spacing_mm(spacing)).expect("a turned grid should be possible")
    }

    /// The voxel of the old grid that a voxel of the new one shows.
    fn source(&self, old: &Grid, voxel: [usize; 3]) -> [usize; 3] {
        let mut source = [0; 3];
        for a in 0..3 {
            let n = old.size()[self.from[a]];
            source[self.from[a]] = if self.mirrored[a] { n - 1 - voxel[a] } else { voxel[a] };
        }
        source
    }

    fn image(&self, image: &Volume<f32>) -> Volume<f32> {
        Volume::from_fn(self.grid(image.grid()), |v| *image.at(self.source(image.grid(), v)))
    }

    fn flow(&self, flow: &Flow) -> Flow {
        let mut out = Flow::zeros(self.grid(flow.grid()));
        for i in 0..out.grid().len() {
            let source = flow.grid().index(self.source(flow.grid(), out.grid().position(i)));
            let d = flow.vector_vox(source);
            for (a, component) in out.components_vox_mut().enumerate() {
                component[i] = if self.mirrored[a] { -d[self.from[a]] } else { d[self.from[a]] };
            }
        }
        out
    }
}

fn image(nx: usize, ny: usize) -> Grid {
    Grid::image(nx, ny).expect("possible")
}

fn everywhere(grid: &Grid) -> Mask {
    Mask::everywhere(grid.clone())
}

/// Turning the images turns the flow, whichever turn it is.
fn commute(turns: &[Turn], phantom: &Phantom, params: &ClgParams, tolerance_vox: f64) {
    let straight = estimate(&phantom.fixed, &phantom.moving, params).flow;
    for turn in turns {
        let turned = estimate(&turn.image(&phantom.fixed), &turn.image(&phantom.moving), params).flow;
        let difference = mean_difference_vox(&turn.flow(&straight), &turned, &everywhere(turned.grid()));
        assert!(difference < tolerance_vox, "{turn:?} of {}: {difference} voxel", phantom.name);
    }
}

fn on(grid: &Grid, motion: MotionKind) -> Phantom {
    Case { motion, texture: TextureKind::Smooth, noise: Noise::None }.build(grid)
}

/// The turns of an image: they generate all eight.
const PLANAR: [Turn; 3] = [Turn::flip(0), Turn::flip(1), Turn::swap(0, 1)];

#[test]
fn flips_and_swaps_of_images_flip_and_swap_the_flow() {
    let phantom = on(&image(80, 65), MotionKind::Affine);
    for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
        let params = to_convergence(preset, Dimension::Two);
        commute(&PLANAR, &phantom, &params, SAME_VOX);
    }
}

#[test]
fn flips_of_bent_motion_differ_by_less_than_its_error() {
    // Near motion edges the median chooses between neighbours by thresholds: rounding errors decide ties. The estimates
    // of both stay within 0.035 voxel of the truth.
    let phantom = on(&image(128, 109), MotionKind::Sinusoid);
    let params = to_convergence(ClgPreset::Accurate, Dimension::Two);
    commute(&PLANAR, &phantom, &params, 0.02);
}

#[test]
fn swaps_swap_the_flow_of_the_paper() {
    // Forward differences look one way: flips change them by half a voxel of shift, swaps do not.
    let params = to_convergence(ClgPreset::Paper, Dimension::Two);
    commute(&[Turn::swap(0, 1)], &on(&image(48, 41), MotionKind::Sinusoid), &params, SAME_VOX);
}

#[test]
fn flips_and_swaps_of_volumes_flip_and_swap_the_flow() {
    let phantom = on(&Grid::volume(32, 24, 27).expect("possible"), MotionKind::Affine);
    let params = to_convergence(ClgPreset::Fast, Dimension::Three);
    let turns =
        [Turn::flip(0), Turn::flip(1), Turn::flip(2), Turn::swap(0, 1), Turn::swap(0, 2), Turn::swap(1, 2)];
    commute(&turns, &phantom, &params, SAME_VOX);
}

#[test]
fn flips_and_swaps_commute_with_volume_preservation_and_anisotropic_spacing() {
    let grid = Grid::volume(32, 24, 20).and_then(|g| g.with_spacing_mm([0.8, 1.2, 2.0])).expect("possible");
    let phantom = on(&grid, MotionKind::Twist);
    let params = ClgParams { beta: 0.1, ..to_convergence(ClgPreset::Fast, Dimension::Three) };
    let turns = [Turn::flip(0), Turn::flip(2), Turn::swap(0, 2), Turn::swap(0, 1)];
    commute(&turns, &phantom, &params, SAME_VOX);
}

/// Equal images give zeros to the last bit, with every solver, with and without a volume term.
fn nothing_moves(preset: ClgPreset, interpolation: Interpolation) {
    for (dimension, size) in [(Dimension::Two, 40), (Dimension::Three, 20)] {
        let grid = oblique_grid(dimension, size).expect("possible");
        let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Speckle, noise: NOISE };
        let image = case.build(&grid).fixed;
        for solver in [Solver::Jacobi, Solver::Sor, Solver::Multigrid] {
            for beta in [0.0, 0.5] {
                let params = ClgParams::preset(preset, dimension);
                let iterations = params.iterations.min(8);
                let params = ClgParams { solver, beta, interpolation, iterations, ..params };
                let flow = estimate(&image, &image, &params).flow;
                let moved = flow.planar_vox().iter().filter(|v| **v != 0.0).count();
                assert_eq!(moved, 0, "something moves: {dimension:?} {preset:?} {solver:?}, β = {beta}");
            }
        }
    }
}

#[test]
fn equal_images_have_exactly_no_motion() {
    for preset in [ClgPreset::Fast, ClgPreset::Accurate, ClgPreset::Paper] {
        nothing_moves(preset, Interpolation::CubicSpline);
    }
}

#[test]
fn equal_images_have_exactly_no_motion_with_linear_interpolation() {
    for preset in [ClgPreset::Fast, ClgPreset::Accurate, ClgPreset::Paper] {
        nothing_moves(preset, Interpolation::Linear);
    }
}

#[test]
fn equal_images_have_exactly_no_motion_with_other_interpolations() {
    for interpolation in [Interpolation::Nearest, Interpolation::CubicConvolution] {
        nothing_moves(ClgPreset::Paper, interpolation);
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    for (dimension, size) in [(Dimension::Two, 40), (Dimension::Three, 24)] {
        let grid = oblique_grid(dimension, size).expect("possible");
        let phantom = on(&grid, MotionKind::Rotation);
        let params = ClgParams { beta: 0.1, ..ClgParams::preset(ClgPreset::Fast, dimension) };
        let flow = estimate(&phantom.fixed, &phantom.moving, &params).flow;
        for factor in [1e-3, 0.37, 25.4] {
            let scaled =
                grid.clone().with_spacing_mm(grid.spacing_mm().map(|h| h * factor)).expect("possible");
            let on_scaled = |image: &Volume<f32>| {
                Volume::new(scaled.clone(), image.data().to_vec()).expect("same number of samples")
            };
            let other = estimate(&on_scaled(&phantom.fixed), &on_scaled(&phantom.moving), &params).flow;
            let difference = mean_difference_vox(&flow, &other, &everywhere(&grid));
            // Spacings relative to the smallest differ by rounding alone.
            assert!(difference < 1e-4, "{dimension:?}, {factor}: {difference}");
        }
    }
}

/// Voxels of a fine grid that share a voxel of one that is coarser by whole factors.
fn parts_of(fine: &Grid, [x, y, z]: [usize; 3], factor: [usize; 3]) -> Vec<usize> {
    let along = |at: usize, factor: usize| at * factor..(at + 1) * factor;
    let mut parts = Vec::new();
    for z in along(z, factor[2]) {
        for y in along(y, factor[1]) {
            parts.extend(along(x, factor[0]).map(|x| fine.index([x, y, z])));
        }
    }
    parts
}

/// Mean distance, mm, of the physical fields of a coarse and a fine grid, in the interior.
fn twin_difference_mm(
    fine: &[Vec<f32>; 3],
    fine_grid: &Grid,
    coarse: &[Vec<f32>; 3],
    phantom: &Phantom,
) -> f64 {
    let grid = phantom.grid();
    let factor = [0, 1, 2].map(|a| fine_grid.size()[a] / grid.size()[a]);
    let inside: Vec<usize> = (0..grid.len()).filter(|&i| phantom.interior.data()[i]).collect();
    let distance = |&i: &usize| {
        let parts = parts_of(fine_grid, grid.position(i), factor);
        let mean = |a: usize| parts.iter().map(|&p| f64::from(fine[a][p])).sum::<f64>() / parts.len() as f64;
        (0..3).map(|a| (mean(a) - f64::from(coarse[a][i])).powi(2)).sum::<f64>().sqrt()
    };
    inside.iter().map(distance).sum::<f64>() / inside.len() as f64
}

#[test]
fn an_anisotropic_volume_has_the_physical_field_of_its_isotropic_twin() {
    const SIZE: usize = 48;
    let fine = isotropic_grid(Dimension::Three, SIZE).expect("possible");
    // Waves of 8 voxels of the coarser axes, so that both grids see the same picture.
    let texture_grid = isotropic_grid(Dimension::Three, SIZE / 2).and_then(|g| g.with_spacing_mm([2.0; 3]));
    let texture = SmoothTexture::new(&CentredFrame::new(&texture_grid.expect("possible")), 5);
    let motion = veloxel_phantoms::catalogue::motion(MotionKind::Sinusoid, &CentredFrame::new(&fine));
    // So smooth that α decides about the field, and no window: its width is in voxels.
    let params = ClgParams { alpha: 1.0, rho: 0.0, ..to_convergence(ClgPreset::Fast, Dimension::Three) };
    let estimated = |grid: &Grid| {
        let phantom = Phantom::new(grid, motion.as_ref(), &texture, Noise::None);
        (estimate(&phantom.fixed, &phantom.moving, &params).flow, phantom)
    };
    let on_fine = estimated(&fine).0.displacement_mm();
    for spacing in [[1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]] {
        let [nx, ny, nz] = spacing.map(|h| SIZE / h as usize);
        let grid = Grid::volume(nx, ny, nz).and_then(|g| g.with_spacing_mm(spacing)).expect("possible");
        let (flow, phantom) = estimated(&grid);
        let difference = twin_difference_mm(&on_fine, &fine, &flow.displacement_mm(), &phantom);
        // Derivatives of a wave of 8 samples against one of 16 differ by a per cent; the motion is 1.4 mm.
        assert!(difference < 0.04, "{spacing:?}: {difference} mm");
        // The same samples taken for cubes: springs along the coarse axis four times too strong.
        let cubes = Grid::volume(nx, ny, nz).expect("possible");
        let taken =
            |image: &Volume<f32>| Volume::new(cubes.clone(), image.data().to_vec()).expect("same count");
        let wrong = estimate(&taken(&phantom.fixed), &taken(&phantom.moving), &params).flow;
        let wrong =
            Flow::from_planar_vox(grid, wrong.into_planar_vox()).expect("same count").displacement_mm();
        let without = twin_difference_mm(&on_fine, &fine, &wrong, &phantom);
        assert!(
            without > 2.0 * difference,
            "{spacing:?}: spacing must matter: {without} mm, {difference} mm"
        );
    }
}

/// Every bit of a field and its confidence.
fn bits(phantom: &Phantom, params: &ClgParams, threads: usize) -> Vec<u32> {
    let output = run(&pair(&phantom.fixed, &phantom.moving), params, &cpu(threads));
    let components = output.flow.planar_vox().iter();
    components.chain(output.confidence.data()).map(|v| v.to_bits()).collect()
}

#[test]
fn threads_do_not_change_a_bit() {
    // Large enough for several parts a thread: work below 8192 samples is not split.
    for (dimension, size) in [(Dimension::Two, 144), (Dimension::Three, 32)] {
        let grid = oblique_grid(dimension, size).expect("possible");
        let case = Case { motion: MotionKind::Twist, texture: TextureKind::Smooth, noise: NOISE };
        let phantom = case.build(&grid);
        for (preset, beta) in [(ClgPreset::Fast, 0.0), (ClgPreset::Fast, 0.2), (ClgPreset::Accurate, 0.0)] {
            let params = ClgParams { beta, ..ClgParams::preset(preset, dimension) };
            let one = bits(&phantom, &params, 1);
            for threads in [2, 3] {
                let many = bits(&phantom, &params, threads);
                let different = one.iter().zip(&many).filter(|(a, b)| a != b).count();
                assert_eq!(different, 0, "{dimension:?} {preset:?}, β = {beta}, {threads} threads");
            }
        }
    }
}

#[test]
fn doing_it_twice_gives_the_same_bits() {
    for (dimension, size) in [(Dimension::Two, 64), (Dimension::Three, 24)] {
        let phantom = smooth(MotionKind::Affine, dimension, size);
        let params = ClgParams { beta: 0.1, ..ClgParams::preset(ClgPreset::Accurate, dimension) };
        let device = cpu(2);
        let both = pair(&phantom.fixed, &phantom.moving);
        let mut method = veloxel_motion::Clg::new(phantom.grid(), params, &device).expect("valid parameters");
        // The report holds times: everything else is compared.
        let mut again = || {
            let output = method.run_with(&both, FlowExtras::ALL).expect("the estimate should succeed");
            (output.flow, output.confidence, output.jacobian)
        };
        assert_eq!(again(), again(), "{dimension:?}");
    }
}
