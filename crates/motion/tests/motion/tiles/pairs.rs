//! Runs in tiles: what they hold in memory, and how far they are from runs over the whole grid.

use crate::measure;

use measure::{cpu, difference_vox, pair, smooth};
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    AffineModel, Clg, ClgParams, ClgPreset, DenseFlow, DenseMethod, FiniteElements, FiniteElementsParams,
    FiniteElementsPreset, FlowExtras, Footprint, InverseConsistent, LucasKanade, LucasKanadeParams,
    LucasKanadePreset, MotionError, Pair, PairMethod, Start, TilePlan, Tiled,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};

fn footprint(grid: &Grid, params: &ClgParams) -> Footprint {
    let clg = Clg::new(grid, params.clone(), &cpu(1)).expect("the parameters should be possible");
    clg.footprint().expect("the method should know its memory")
}

/// In tiles of a budget of so much of what the whole grid takes.
fn tiled(pair: &Pair<'_>, params: &ClgParams, share: f64, device: &Device) -> (DenseFlow, TilePlan) {
    let grid = pair.fixed.grid();
    let footprint = footprint(grid, params);
    let budget = (share * footprint.bytes(grid.len()) as f64) as u64;
    let plan = TilePlan::new(grid, &footprint, budget).expect("tiles should fit");
    assert!(plan.count() > 1 && plan.device_bytes <= budget);
    let open = |grid: &Grid| -> Result<Box<dyn PairMethod>, MotionError> {
        Ok(Box::new(Clg::new(grid, params.clone(), device)?))
    };
    let run = Tiled { open: &open, open_coarse: None, device, plan: &plan };
    (run.run(pair, FlowExtras::ALL).expect("the run should succeed"), plan)
}

fn fast(dimension: Dimension) -> ClgParams {
    ClgParams::preset(ClgPreset::Fast, dimension)
}

/// Large enough for two tiles.
fn phantom(motion: MotionKind, dimension: Dimension) -> Phantom {
    let grid = match dimension {
        Dimension::Two => Grid::image(400, 160),
        Dimension::Three => Grid::volume(144, 40, 40),
    };
    Case { motion, texture: TextureKind::Smooth, noise: Noise::None }.build(&grid.expect("a possible size"))
}

#[test]
fn the_footprint_of_lucas_kanade_is_what_was_in_use() {
    let mut shares = Vec::new();
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom =
            smooth(MotionKind::Twist, dimension, if dimension == Dimension::Two { 192 } else { 40 });
        for preset in [LucasKanadePreset::Accurate, LucasKanadePreset::Fast] {
            let (device, params) = (cpu(2), LucasKanadeParams::preset(preset, dimension));
            let mut method = LucasKanade::new(phantom.fixed.grid(), params, &device).unwrap();
            let said = method.footprint().unwrap().bytes(phantom.fixed.grid().len());
            method.run(&pair(&phantom.fixed, &phantom.moving)).unwrap();
            shares.push(device.memory_stats().most_used_bytes as f64 / said as f64);
        }
    }
    assert!(shares.iter().all(|share| (0.95..1.05).contains(share)), "{shares:?}");
}

#[test]
fn the_footprint_of_finite_elements_is_what_was_in_use() {
    let mut shares = Vec::new();
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom =
            smooth(MotionKind::Twist, dimension, if dimension == Dimension::Two { 192 } else { 40 });
        for preset in [FiniteElementsPreset::Accurate, FiniteElementsPreset::Fast] {
            let (device, params) = (cpu(2), FiniteElementsParams::preset(preset, dimension));
            let mut method = FiniteElements::new(phantom.fixed.grid(), params, &device).unwrap();
            let said = method.footprint().unwrap().bytes(phantom.fixed.grid().len());
            method.run(&pair(&phantom.fixed, &phantom.moving)).unwrap();
            shares.push(device.memory_stats().most_used_bytes as f64 / said as f64);
        }
    }
    assert!(shares.iter().all(|share| (0.95..1.05).contains(share)), "{shares:?}");
}

/// Mean and largest length of a difference, voxels.
fn differences(a: &Flow, b: &Flow) -> [f64; 2] {
    let all: Vec<f64> = (0..a.grid().len()).map(|i| difference_vox(a, b, i)).collect();
    [all.iter().sum::<f64>() / all.len() as f64, all.into_iter().fold(0.0, f64::max)]
}

#[test]
fn a_footprint_is_what_was_in_use() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom =
            smooth(MotionKind::Twist, dimension, if dimension == Dimension::Two { 192 } else { 40 });
        for (preset, both) in
            [(ClgPreset::Accurate, false), (ClgPreset::Fast, false), (ClgPreset::Fast, true)]
        {
            let device = cpu(2);
            let params = ClgParams { warps: 1, finest_warps: 1, ..ClgParams::preset(preset, dimension) };
            let clg = Clg::new(phantom.fixed.grid(), params, &device).unwrap();
            let mut method: Box<dyn PairMethod> =
                if both { Box::new(InverseConsistent::new(clg)) } else { Box::new(clg) };
            let said = method.footprint().unwrap().bytes(phantom.fixed.grid().len());
            method.run(&pair(&phantom.fixed, &phantom.moving)).unwrap();
            let share = device.memory_stats().most_used_bytes as f64 / said as f64;
            assert!((0.95..1.05).contains(&share), "{preset:?} {dimension:?}, both {both}: {share}");
        }
    }
}

#[test]
fn tiles_find_what_the_whole_finds() {
    for (dimension, most_vox) in [(Dimension::Two, 0.005), (Dimension::Three, 0.002)] {
        let (phantom, params) = (phantom(MotionKind::BeatingShell, dimension), fast(dimension));
        let pair = pair(&phantom.fixed, &phantom.moving);
        let whole = measure::run(&pair, &params, &cpu(2));
        let (found, plan) = tiled(&pair, &params, 0.85, &cpu(2));
        let [mean, max] = differences(&found.flow, &whole.flow);
        let seams = &found.statistics.method.json["tiles"];
        assert!(mean < most_vox, "{dimension:?}, {:?}: {mean}, at most {max}; {seams}", plan.tiles);
        assert!(seams["seam_mean_vox"].as_f64().unwrap() < 0.02, "{seams}");
        // The determinant is measured in slabs, whose borders show nowhere.
        let own = measure::determinant(&found).data();
        assert!(own.iter().all(|v| v.is_finite()));
        let reports = [&found, &whole].map(|found| found.statistics.jacobian.mean_abs_minus_one);
        assert!((reports[0] - reports[1]).abs() < 0.002, "{reports:?}");
        let warped = [&found, &whole].map(|found| found.warped.as_ref().unwrap().data());
        let apart = warped[0].iter().zip(warped[1]).filter(|(a, b)| (*a - *b).abs() > 0.02).count();
        assert!(apart * 100 < warped[0].len(), "{apart}");
    }
}

/// In tiles of a budget of so much of what the whole grid takes, beside the whole grid at once.
fn elements_in_tiles(
    pair: &Pair<'_>,
    preset: FiniteElementsPreset,
    share: f64,
) -> ([DenseFlow; 2], TilePlan) {
    let (device, grid) = (cpu(2), pair.fixed.grid());
    let params = FiniteElementsParams::preset(preset, grid.dimension());
    let open = |grid: &Grid| -> Result<Box<dyn PairMethod>, MotionError> {
        Ok(Box::new(FiniteElements::new(grid, params.clone(), &device)?))
    };
    let mut method = open(grid).expect("the parameters should be possible");
    let footprint = method.footprint().expect("the method should know its memory");
    let budget = (share * footprint.bytes(grid.len()) as f64) as u64;
    let plan = TilePlan::new(grid, &footprint, budget).expect("tiles should fit");
    assert!(plan.count() > 1 && plan.device_bytes <= budget);
    let run = Tiled { open: &open, open_coarse: None, device: &device, plan: &plan };
    let tiled = run.run(pair, FlowExtras::ALL).expect("the run should succeed");
    let whole = method.run_with(pair, FlowExtras::ALL).expect("the run should succeed");
    ([tiled, whole], plan)
}

#[test]
fn tiles_of_finite_elements_find_what_the_whole_finds() {
    for (dimension, preset) in [
        (Dimension::Two, FiniteElementsPreset::Accurate),
        (Dimension::Two, FiniteElementsPreset::Fast),
        (Dimension::Three, FiniteElementsPreset::Accurate),
    ] {
        let grid = match dimension {
            Dimension::Two => Grid::image(400, 160),
            Dimension::Three => Grid::volume(208, 32, 24),
        };
        let (motion, texture, noise) = (MotionKind::BeatingShell, TextureKind::Smooth, Noise::None);
        let phantom = Case { motion, texture, noise }.build(&grid.expect("a possible size"));
        let pair = pair(&phantom.fixed, &phantom.moving);
        let ([tiled, whole], plan) = elements_in_tiles(&pair, preset, 0.85);
        let [mean, max] = differences(&tiled.flow, &whole.flow);
        let seams = &tiled.statistics.method.json["tiles"];
        assert!(mean < 0.001, "{dimension:?} {preset:?}, {:?}: {mean}, at most {max}; {seams}", plan.tiles);
        assert!(seams["seam_mean_vox"].as_f64().unwrap() < 0.002, "{seams}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let phantom = phantom(MotionKind::Twist, Dimension::Two);
    let pair = pair(&phantom.fixed, &phantom.moving);
    let found = |threads| tiled(&pair, &fast(Dimension::Two), 0.75, &cpu(threads)).0.flow;
    assert_eq!(found(1), found(3));
}

/// A shift far beyond what a tile overlaps by, the same everywhere but in the middle, where it changes at once.
#[test]
fn tiles_follow_motion_larger_than_their_overlap() {
    let grid = Grid::image(420, 320).unwrap();
    let wave = |x: f64, y: f64| (0.21 * x).sin() * (0.19 * y + 0.1 * x).cos() + (0.05 * x + 0.07 * y).sin();
    let params = fast(Dimension::Two);
    let shift = |x: f64| if x < 210.0 { 30.0 } else { -20.0 };
    let image = |d: &dyn Fn(f64) -> f64| {
        Volume::from_fn(grid.clone(), |[x, y, _]| wave(x as f64 + d(x as f64), y as f64) as f32)
    };
    let (fixed, moving) = (image(&shift), image(&|_| 0.0));
    let truth = Flow::from_fn(grid.clone(), |[x, ..]| [shift(x), 0.0, 0.0]);
    let pair = Pair { start: Start::Flow(&truth), ..pair(&fixed, &moving) };
    let (found, plan) = tiled(&pair, &params, 0.5, &cpu(2));
    let run = found.statistics.method.json["tiles"]["run"].as_u64().unwrap();
    assert!(run as usize >= plan.count(), "{run}");
    let inside = Mask::from_fn(grid, |[x, ..]| (61..360).contains(&x) && !(170..=250).contains(&x));
    let error = measure::mean_difference_vox(&found.flow, &truth, &inside);
    assert!(error < 0.2, "{error}");
}

#[test]
fn two_grids_and_masks_run_in_tiles() {
    let grid = Grid::volume(128, 96, 32).unwrap();
    let finer = Grid::volume(176, 126, 42).and_then(|g| g.with_spacing_mm([0.75, 0.8, 0.9])).unwrap();
    let finer = finer.with_origin_mm([-2.0, -1.0, -2.0]);
    let wave = |[x, y, z]: [f64; 3]| (0.5 * x + 0.2 * z).sin() * (0.45 * y).cos() + (0.4 * z + 0.2 * y).sin();
    let moved = |x: [f64; 3]| [x[0] + 0.8, x[1] - 0.5 * (0.05 * x[0]).sin(), x[2]];
    let image = |grid: &Grid, of: &dyn Fn([f64; 3]) -> f64| {
        Volume::from_fn(grid.clone(), |x| of(grid.world_from_voxel(x.map(|v| v as f64))) as f32)
    };
    let (mut fixed, moving) = (image(&grid, &|x| wave(moved(x))), image(&finer, &wave));
    let mask = Mask::from_fn(grid.clone(), |[x, y, _]| x + y > 30);
    fixed.data_mut()[0] = f32::NAN;
    let pair = Pair { mask: Some(&mask), ..pair(&fixed, &moving) };
    let whole = measure::run(&pair, &fast(Dimension::Three), &cpu(2));
    let (found, _) = tiled(&pair, &fast(Dimension::Three), 0.9, &cpu(2));
    let mean = measure::mean_difference_vox(&found.flow, &whole.flow, &mask);
    assert!(mean < 0.01, "{mean}");
}

#[test]
fn images_without_contrast_have_their_defined_result() {
    let grid = Grid::image(300, 300).unwrap();
    let (flat, image) =
        (Volume::from_fn(grid.clone(), |_| 3.0), Volume::from_fn(grid, |[x, y, _]| ((x * y) % 17) as f32));
    let (found, _) = tiled(&pair(&flat, &image), &fast(Dimension::Two), 0.8, &cpu(1));
    assert_eq!(found.statistics.status, veloxel_core::SolveStatus::NoContent);
    assert!(found.confidence.data().iter().all(|c| *c == 0.0));
}

#[test]
fn a_start_found_on_shrunk_images_is_told_on_the_whole_grid() {
    // Waves so long that shrunk images hold them.
    let wave = |[x, y]: [f64; 2]| {
        (0.11 * x + 0.04 * y).sin() + (0.13 * y - 0.05 * x).cos() + (0.05 * x + 0.06 * y).sin()
    };
    let moved = |[x, y]: [f64; 2]| [1.01 * x + 0.006 * y - 2.5, 0.99 * y - 0.005 * x + 2.0];
    let image = |of: &dyn Fn([f64; 2]) -> f64| {
        Volume::from_fn(Grid::image(400, 160).unwrap(), |[x, y, _]| of([x as f64, y as f64]) as f32)
    };
    let (fixed, moving, device) = (image(&|x| wave(moved(x))), image(&wave), cpu(2));
    let start = Start::Registration(AffineModel::Affine);
    let pair = Pair { start, ..pair(&fixed, &moving) };
    let params = fast(Dimension::Two);
    let mut method = Clg::new(fixed.grid(), params.clone(), &device).unwrap();
    let whole = method.run(&pair).unwrap().linear_start.expect("a start of the whole");
    let (found, plan) = tiled(&pair, &params, 0.6, &device);
    let found = found.linear_start.expect("a start of the tiles");
    // A tenth of a shrunk image's pixel.
    let shrinking = plan.coarse.expect("a coarse pass").shrinking;
    let most = 0.1 * shrinking.into_iter().max().unwrap_or(1) as f64;
    for corner in [[0.0; 3], [399.0, 0.0, 0.0], [0.0, 159.0, 0.0], [399.0, 159.0, 0.0]] {
        let (a, b) = (whole.apply(corner), found.apply(corner));
        let apart = (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(apart < most, "{apart} of {most} pixels apart at {corner:?}, shrunk by {shrinking:?}");
    }
    let given = Pair { start: Start::Affine(whole), ..pair };
    assert_eq!(tiled(&given, &params, 0.6, &device).0.linear_start, Some(whole));
    assert_eq!(tiled(&Pair { start: Start::Zero, ..pair }, &params, 0.6, &device).0.linear_start, None);
    // Tiles see the moving image in the brightness that the coarse pass has found.
    let bright = moving.map(|v| 1.06 * v + 0.03);
    let (other, _) = tiled(&Pair { moving: &bright, ..pair }, &params, 0.6, &device);
    let brightness = other.statistics.brightness.moving.expect("a difference");
    assert!((1.06 * brightness.gain - 1.0).abs() < 0.01, "{brightness:?}");
    let error = |found: &DenseFlow| {
        let truth = Flow::from_fn(fixed.grid().clone(), |[x, y, _]| {
            let there = moved([x, y]);
            [there[0] - x, there[1] - y, 0.0]
        });
        (0..fixed.grid().len()).map(|i| difference_vox(&found.flow, &truth, i)).sum::<f64>()
    };
    // As it is without a linear start, whose brightness is not looked at.
    let unmatched = Pair { moving: &bright, start: Start::Zero, ..pair };
    let (own, as_it_is) = (error(&other), error(&tiled(&unmatched, &params, 0.6, &device).0));
    assert!(own < 0.2 * as_it_is, "{own} for {as_it_is}");
}
