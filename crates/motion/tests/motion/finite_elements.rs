//! Finite elements: exact motion, stacks of slices, starts, folds, both optimisers, and every device against the processor.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use crate::measure;

use measure::{cpu, difference_vox, mean_error_vox, pair, smooth};
use veloxel_core::{Dimension, Grid, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_motion::finite_elements::parameters::{ElementCover, ImageMeasure, Optimiser};
use veloxel_motion::{
    DataRegion, DenseFlow, FiniteElements, FiniteElementsParams, FiniteElementsPreset, FlowExtras, Frame,
    ImagePair, Pair, PairMethod, ResidentFlow, ResidentMask, ResidentStart, Start,
};
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::MotionKind;
use veloxel_testkit::on_every_device;
use veloxel_testkit::tolerances::FIELD_PARITY_VOX;

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];

fn run(pair: &Pair<'_>, params: &FiniteElementsParams, device: &Device) -> DenseFlow {
    let mut method = FiniteElements::new(pair.fixed.grid(), params.clone(), device).unwrap();
    method.run_with(pair, FlowExtras::ALL).unwrap()
}

fn phantom(motion: MotionKind, dimension: Dimension) -> Phantom {
    smooth(motion, dimension, if dimension == Dimension::Two { 96 } else { 36 })
}

fn accurate(dimension: Dimension) -> FiniteElementsParams {
    FiniteElementsParams::preset(FiniteElementsPreset::Accurate, dimension)
}

#[test]
fn smooth_motion_is_found() {
    let motions = [MotionKind::Shift, MotionKind::Rotation, MotionKind::Affine, MotionKind::Sinusoid];
    let mut failed = Vec::new();
    let all = BOTH.into_iter().flat_map(|d| motions.map(|motion| (d, motion)));
    // What bends within few voxels has a test of its own.
    for (dimension, motion) in all.filter(|one| *one != (Dimension::Three, MotionKind::Sinusoid)) {
        let phantom = phantom(motion, dimension);
        // Small phantoms bend more than hearts.
        let params = FiniteElementsParams { element: 4.0, ..accurate(dimension) };
        let found = run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2));
        let error = mean_error_vox(&found.flow, &phantom);
        println!("{}: {error:.4} voxel", phantom.name);
        if error > 0.02 {
            failed.push(format!("{}: {error:.4} voxel", phantom.name));
        }
        assert_eq!(found.statistics.jacobian.share_folded, 0.0);
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn what_bends_within_few_voxels_is_found_with_less_smoothness() {
    let phantom = phantom(MotionKind::Sinusoid, Dimension::Three);
    let error = |beta: f32| {
        let params = FiniteElementsParams { element: 4.0, beta, ..accurate(Dimension::Three) };
        mean_error_vox(&run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2)).flow, &phantom)
    };
    let [smooth, bent] = [0.1, 0.001].map(error);
    assert!(bent < 0.06 && smooth > 4.0 * bent, "{smooth} and {bent} voxel");
}

/// Mean squared difference of a field between neighbours along x, and along y.
fn stretching(found: &DenseFlow) -> [f64; 2] {
    let [nx, ny, _] = found.flow.grid().size();
    let mut sums = [0.0; 2];
    for u in [0, 1].map(|c| found.flow.component_vox(c)) {
        for (at, value) in u.iter().enumerate().filter(|(at, _)| at % nx + 1 < nx && at / nx + 1 < ny) {
            let along = [u[at + 1], u[at + nx]].map(|next| f64::from(next - value).powi(2));
            sums = [sums[0] + along[0], sums[1] + along[1]];
        }
    }
    sums
}

#[test]
fn smoothness_may_differ_by_direction() {
    let phantom = phantom(MotionKind::Sinusoid, Dimension::Two);
    let pair = pair(&phantom.fixed, &phantom.moving);
    let of = |params: FiniteElementsParams| run(&pair, &params, &cpu(2));
    let base = FiniteElementsParams { alpha: 10.0, ..accurate(Dimension::Two) };
    let across = stretching(&of(FiniteElementsParams { alpha_y: 0.0, ..base.clone() }));
    let down = stretching(&of(FiniteElementsParams { alpha_x: 0.0, ..base.clone() }));
    println!("weight along x: {across:?}; along y: {down:?}");
    assert!(across[0] < 0.2 * across[1] && down[1] < 0.2 * down[0], "{across:?} {down:?}");
    // The scalars are the products: the same weights by either name are the same bits.
    let halves = FiniteElementsParams { alpha: 20.0, alpha_x: 0.5, alpha_y: 0.5, ..base.clone() };
    let bent = FiniteElementsParams { beta: 0.2, beta_x: 0.5, beta_y: 0.5, mixed: 1.0, ..base.clone() };
    let expected = of(base);
    for other in [halves, bent] {
        assert_eq!(of(other).flow.planar_vox(), expected.flow.planar_vox());
    }
}

#[test]
fn images_that_agree_do_not_move() {
    for dimension in BOTH {
        let image = phantom(MotionKind::Shift, dimension).fixed;
        let found = run(&pair(&image, &image), &accurate(dimension), &cpu(2));
        let longest = found.flow.planar_vox().iter().fold(0.0f32, |m, v| m.max(v.abs()));
        assert!(longest < 1e-3, "{dimension:?}: {longest}");
    }
}

/// Pictures above each other.
fn stack(pictures: &[&Volume<f32>]) -> Volume<f32> {
    let [nx, ny, _] = pictures[0].grid().size();
    let grid = Grid::volume(nx, ny, pictures.len()).unwrap();
    Volume::new(grid, pictures.iter().flat_map(|picture| picture.data().to_vec()).collect()).unwrap()
}

#[test]
fn slices_of_a_stack_are_pictures() {
    let phantoms = [MotionKind::Shift, MotionKind::Rotation].map(|motion| phantom(motion, Dimension::Two));
    let raw = |cover| FiniteElementsParams {
        cover,
        intensity: veloxel_motion::steps::choices::IntensityMapping::Raw,
        ..accurate(Dimension::Two)
    };
    let (fixed, moving) =
        (stack(&phantoms.each_ref().map(|p| &p.fixed)), stack(&phantoms.each_ref().map(|p| &p.moving)));
    let found = run(&pair(&fixed, &moving), &raw(ElementCover::Slices), &cpu(2));
    assert!(found.flow.component_vox(2).iter().all(|v| *v == 0.0));
    for (z, phantom) in phantoms.iter().enumerate() {
        let alone = run(&pair(&phantom.fixed, &phantom.moving), &raw(ElementCover::Volume), &cpu(1));
        for c in 0..2 {
            let (whole, own) = (found.flow.component_vox(c), alone.flow.component_vox(c));
            let pairs = whole[z * own.len()..(z + 1) * own.len()].iter().zip(own);
            let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert_eq!(most, 0.0, "slice {z}, component {c}: {most} pixel");
        }
    }
}

#[test]
fn a_start_is_kept_where_it_is_right() {
    let phantom = phantom(MotionKind::Rotation, Dimension::Two);
    let from = Pair { start: Start::Flow(&phantom.truth), ..Pair::new(&phantom.fixed, &phantom.moving) };
    let params = FiniteElementsParams { steps: 2, ..accurate(Dimension::Two) };
    let error = mean_error_vox(&run(&from, &params, &cpu(2)).flow, &phantom);
    assert!(error < 0.05, "{error}");
}

#[test]
fn what_lies_outside_of_a_mask_says_nothing() {
    let phantom = phantom(MotionKind::Shift, Dimension::Two);
    let grid = phantom.fixed.grid().clone();
    let mask = Mask::from_fn(grid, |[x, ..]| x < 70);
    let mut spoiled = phantom.fixed.clone();
    let [nx, ..] = spoiled.grid().size();
    for (i, v) in spoiled.data_mut().iter_mut().enumerate().filter(|(i, _)| i % nx >= 70) {
        *v = (i % 7) as f32;
    }
    let with = |image| {
        let pair = Pair { mask: Some(&mask), ..Pair::new(image, &phantom.moving) };
        run(&pair, &FiniteElementsParams { presmooth: 0.0, lattices: 1, ..accurate(Dimension::Two) }, &cpu(2))
    };
    let (clean, spoiled) = (with(&phantom.fixed), with(&spoiled));
    assert_eq!(clean.flow, spoiled.flow);
    let at = |x: usize| clean.confidence.data()[48 * nx + x];
    assert!(at(30) > 0.8 && at(90) < at(30), "{} and {}", at(30), at(90));
}

#[test]
fn weights_say_how_much_data_count() {
    let phantom = phantom(MotionKind::Shift, Dimension::Two);
    let grid = phantom.fixed.grid().clone();
    let (ones, mask) =
        (Volume::from_fn(grid.clone(), |_| 1.0f32), Mask::from_fn(grid.clone(), |[x, ..]| x < 70));
    let of_mask = mask.map(|&inside| f32::from(u8::from(inside)));
    let with = |weight: Option<&Volume<f32>>, mask: Option<&Mask>| {
        let pair = Pair { mask, weight, ..Pair::new(&phantom.fixed, &phantom.moving) };
        // Intensities are mapped within a mask, and a weight is none.
        let intensity = veloxel_motion::steps::choices::IntensityMapping::Raw;
        run(&pair, &FiniteElementsParams { intensity, ..accurate(Dimension::Two) }, &cpu(2))
    };
    let everywhere = Mask::everywhere(grid.clone());
    assert_eq!(with(Some(&ones), None).flow, with(None, Some(&everywhere)).flow);
    assert_eq!(with(Some(&of_mask), None).flow, with(None, Some(&mask)).flow);
    assert_eq!(with(Some(&ones), Some(&mask)).flow, with(None, Some(&mask)).flow);
    // Where one half of a picture moves left and the other right, a smooth field follows the half that counts more.
    let pull = |weight: f32| {
        let shifted = Volume::from_fn(grid.clone(), |[x, y, _]| {
            let x = if x < 48 { x + 1 } else { x - 1 };
            *phantom.fixed.at([x, y, 0])
        });
        let weights = Volume::from_fn(grid.clone(), |[x, ..]| if x < 48 { 1.0 } else { weight });
        let pair = Pair { weight: Some(&weights), ..Pair::new(&phantom.fixed, &shifted) };
        let params =
            FiniteElementsParams { element: 64.0, lattices: 1, beta: 100.0, ..accurate(Dimension::Two) };
        let flow = run(&pair, &params, &cpu(2)).flow;
        let own = flow.component_vox(0);
        f64::from(own.iter().sum::<f32>() / own.len() as f32)
    };
    let pulls = [1.0, 0.5, 0.1].map(pull);
    println!("{pulls:?}");
    assert!(pulls[0] > pulls[1] + 0.05 && pulls[1] > pulls[2] + 0.05, "{pulls:?}");
}

#[test]
fn normalised_cross_correlation_sees_no_gain_and_no_offset() {
    let phantom = phantom(MotionKind::Rotation, Dimension::Two);
    let moving = phantom.moving.map(|v| 0.2 + 0.4 * v);
    let error = |measure, moving: &Volume<f32>| {
        let intensity = veloxel_motion::steps::choices::IntensityMapping::Raw;
        let params = FiniteElementsParams { measure, intensity, ..accurate(Dimension::Two) };
        mean_error_vox(&run(&pair(&phantom.fixed, moving), &params, &cpu(2)).flow, &phantom)
    };
    let bright = error(ImageMeasure::Correlation, &phantom.moving);
    let [dark, difference] =
        [ImageMeasure::Correlation, ImageMeasure::SquaredDifference].map(|m| error(m, &moving));
    println!("{bright}, darker {dark}, by differences {difference} pixel");
    assert!(
        bright < 0.02 && (dark - bright).abs() < 0.01 && difference > 0.5,
        "{bright} {dark} {difference}"
    );
}

#[test]
fn nothing_folds_where_images_would_have_it() {
    // Noise has no motion: what fits best folds.
    let grid = Grid::image(64, 64).unwrap();
    let image = |seed: u64| {
        let noise = veloxel_phantoms::signed_noise(64 * 64, seed);
        Volume::new(grid.clone(), noise).unwrap()
    };
    let params = FiniteElementsParams { beta: 0.001, steps: 20, ..accurate(Dimension::Two) };
    let found = run(&pair(&image(1), &image(2)), &params, &cpu(2));
    assert_eq!(found.statistics.jacobian.share_folded, 0.0);
    let least = found.jacobian.unwrap().data().iter().copied().fold(f32::INFINITY, f32::min);
    assert!(least > 0.0, "{least}");
}

/// Energy at the end, and steps that were taken, on the only lattice.
fn energy(found: &DenseFlow) -> (f64, f64) {
    let level = &found.statistics.method.json["levels"][0];
    (level["energy"][1].as_f64().unwrap(), level["taken"].as_f64().unwrap())
}

#[test]
fn levenberg_marquardt_takes_a_tenth_of_the_steps() {
    let phantom = phantom(MotionKind::Sinusoid, Dimension::Two);
    let params = FiniteElementsParams {
        lattices: 1,
        element: 8.0,
        alpha: 0.001,
        tolerance: 0.0,
        steps: 8,
        ..accurate(Dimension::Two)
    };
    let (marquardt, steps) = energy(&run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2)));
    let descent = FiniteElementsParams {
        optimiser: Optimiser::GradientDescent,
        damping: 1.0,
        steps: 10 * steps as usize,
        ..params
    };
    let (reached, taken) = energy(&run(&pair(&phantom.fixed, &phantom.moving), &descent, &cpu(2)));
    println!("{marquardt} after {steps} steps, {reached} after {taken}");
    assert!(
        reached > marquardt,
        "gradient descent: {reached} after {taken} steps, {marquardt} after {steps}"
    );
}

on_every_device! {
    fn pairs_that_are_worked_on_together_are_pairs_one_by_one(device: &Device) {
        let phantoms = [MotionKind::Shift, MotionKind::Rotation, MotionKind::Sinusoid]
            .map(|motion| smooth(motion, Dimension::Two, 48));
        let grid = phantoms[0].grid().clone();
        let params = FiniteElementsParams { steps: 4, inner_iterations: 4, ..accurate(Dimension::Two) };
        let mut method = FiniteElements::new(&grid, params, device).unwrap();
        let constant = Volume::from_fn(grid.clone(), |_| 1.0f32);
        // Brightness of its own for each, and one without content between them.
        let mut images: Vec<[Volume<f32>; 2]> = phantoms
            .iter()
            .zip([1.0, 40.0, 0.3])
            .map(|(p, gain)| [&p.fixed, &p.moving].map(|image| image.map(|v| gain * v)))
            .collect();
        images.insert(1, [constant.clone(), constant]);
        let weights: Vec<Volume<f32>> =
            (0..4).map(|k| Volume::from_fn(grid.clone(), |[x, y, _]| ((x * (k + 1) + y) % 5) as f32 / 4.0)).collect();
        let frames: Vec<[Frame; 2]> =
            images.iter().map(|pair| pair.each_ref().map(|i| Frame::upload(device, i).unwrap())).collect();
        let weights: Vec<ResidentMask> =
            weights.iter().map(|w| ResidentMask::upload_weight(device, w).unwrap()).collect();
        let start = ResidentFlow::upload(device, &phantoms[1].truth).unwrap();
        for (is_weighted, is_started) in [(false, false), (true, true)] {
            let pair = |nth: usize| ImagePair {
                region: DataRegion { weight: is_weighted.then(|| &weights[nth]), ..DataRegion::default() },
                start: if is_started { ResidentStart::Flow(&start) } else { ResidentStart::Zero },
                ..ImagePair::new(&frames[nth][0], &frames[nth][1])
            };
            let together = method.estimate_many((0..4).map(pair).collect()).unwrap();
            for (nth, found) in together.into_iter().enumerate() {
                let found = found.finish(FlowExtras::default()).unwrap();
                let alone = method.estimate(pair(nth)).unwrap().finish(FlowExtras::default()).unwrap();
                assert_eq!(found.flow, alone.flow, "pair {nth}");
                assert_eq!(found.confidence, alone.confidence, "pair {nth}");
                assert_eq!(found.statistics.status, alone.statistics.status);
            }
        }
    }

    fn fields_are_the_same(device: &Device) {
        for (dimension, measure) in [
            (Dimension::Two, ImageMeasure::SquaredDifference),
            (Dimension::Two, ImageMeasure::Correlation),
            (Dimension::Three, ImageMeasure::SquaredDifference),
        ] {
            let phantom = smooth(MotionKind::Sinusoid, dimension, if dimension == Dimension::Two { 48 } else { 20 });
            let params = FiniteElementsParams { steps: 4, inner_iterations: 4, measure, ..accurate(dimension) };
            let [got, expected] = [device, &Device::cpu(1).unwrap()]
                .map(|device| run(&pair(&phantom.fixed, &phantom.moving), &params, device));
            let most = (0..phantom.grid().len())
                .map(|i| difference_vox(&got.flow, &expected.flow, i))
                .fold(0.0, f64::max);
            assert!(most <= FIELD_PARITY_VOX, "{dimension:?}: {most} voxel");
        }
    }
}
