//! Symmetric registration: against exact motion, exchange of the images, its inverse, and motion that would fold.

use crate::measure::{cpu, determinant, mean_error_vox, require_sane, smooth};
use veloxel_core::{Control, Dimension, Flow, Grid, Volume};
use veloxel_measure::folding_certificate;
use veloxel_motion::{
    DenseFlow, FlowExtras, Pair, PairMethod, Symmetric, SymmetricParams, SymmetricPreset, compose_flows,
};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

fn register([fixed, moving]: [&Volume<f32>; 2]) -> DenseFlow {
    let grid = fixed.grid();
    let params = SymmetricParams::preset(SymmetricPreset::Accurate, grid.dimension());
    let mut method = Symmetric::new(grid, params, &cpu(2)).expect("the method should open");
    method.run_with(&Pair::new(fixed, moving), FlowExtras::ALL).expect("the estimate should succeed")
}

fn inverse(found: &DenseFlow) -> &Flow {
    found.inverse.as_ref().expect("a symmetric method should find the inverse")
}

/// Cells of a field that fold or may fold.
fn not_certified(flow: &Flow) -> usize {
    let found = folding_certificate(flow, None, &Control::default()).expect("nobody stops it").everywhere;
    found.folded + found.undecided
}

/// Mean length of the way there and back, voxels, of vectors at least so many voxels away from the border.
fn way_back_vox(there: &Flow, back: &Flow, margin: usize) -> f64 {
    let grid = there.grid();
    let composed = compose_flows(there, back, &cpu(1)).expect("fields of one grid");
    let inside = |index: &usize| {
        let at = grid.position(*index);
        (0..3).all(|a| grid.size()[a] == 1 || (at[a] >= margin && at[a] + margin < grid.size()[a]))
    };
    let length = |i| f64::from(composed.vector_vox(i).iter().map(|v| v * v).sum::<f32>().sqrt());
    let lengths: Vec<f64> =
        (0..grid.len()).filter(inside).map(length).filter(|length| length.is_finite()).collect();
    lengths.iter().sum::<f64>() / lengths.len() as f64
}

#[test]
fn smooth_motion_is_found_with_its_inverse_and_no_cell_folds() {
    for (dimension, size, bar_vox) in [(Dimension::Two, 96, 0.08), (Dimension::Three, 48, 0.08)] {
        let phantom = smooth(MotionKind::Rotation, dimension, size);
        let found = register([&phantom.fixed, &phantom.moving]);
        require_sane(&found, "symmetric");
        let error = mean_error_vox(&found.flow, &phantom);
        let back = way_back_vox(&found.flow, inverse(&found), 6);
        eprintln!("{dimension:?}: error {error}, way back {back}");
        assert!(error < bar_vox, "{dimension:?}: {error} voxels");
        assert!(determinant(&found).data().iter().all(|det| *det > 0.0));
        assert_eq!([not_certified(&found.flow), not_certified(inverse(&found))], [0, 0]);
        assert!(back < 0.02, "{dimension:?}: the way back ends {back} voxels beside its beginning");
    }
}

#[test]
fn exchange_of_the_images_gives_the_inverse_bit_by_bit() {
    for (dimension, size) in [(Dimension::Two, 64), (Dimension::Three, 32)] {
        let phantom = smooth(MotionKind::Rotation, dimension, size);
        let there = register([&phantom.fixed, &phantom.moving]);
        let back = register([&phantom.moving, &phantom.fixed]);
        assert_eq!(&there.flow, inverse(&back));
        assert_eq!(inverse(&there), &back.flow);
    }
}

#[test]
fn noise_is_averaged_and_not_followed() {
    let noise = Noise::Gaussian { sd: 0.05, seed: 7 };
    let case = Case { motion: MotionKind::Rotation, texture: TextureKind::Smooth, noise };
    let phantom = case.build(&Grid::volume(40, 40, 40).expect("a grid"));
    let params = SymmetricParams::preset(SymmetricPreset::Fast, Dimension::Three);
    let run = |params: &SymmetricParams, images: [&Volume<f32>; 2]| {
        let mut method =
            Symmetric::new(images[0].grid(), params.clone(), &cpu(2)).expect("the method should open");
        method
            .run_with(&Pair::new(images[0], images[1]), FlowExtras::ALL)
            .expect("the estimate should succeed")
    };
    let found = run(&params, [&phantom.fixed, &phantom.moving]);
    let exchanged = run(&params, [&phantom.moving, &phantom.fixed]);
    assert_eq!(&found.flow, inverse(&exchanged));
    let blind = run(&SymmetricParams { noise_mismatch: 0.0, ..params }, [&phantom.fixed, &phantom.moving]);
    let [error, before] = [&found, &blind].map(|found| mean_error_vox(&found.flow, &phantom));
    assert!(error < 0.6 * before, "{error} with the look at noise, {before} without");
}

#[test]
fn motion_that_changes_what_is_bright_is_no_change_of_brightness() {
    // A bright wall that moves inwards grows thicker: the percentiles of both images differ, their brightness does not.
    let case = Case { motion: MotionKind::BeatingShell, texture: TextureKind::Wall, noise: Noise::None };
    let phantom = case.build(&Grid::volume(40, 40, 40).expect("a grid"));
    let error = |moving: &Volume<f32>| {
        let found = register([&phantom.fixed, moving]);
        mean_error_vox(&found.flow, &phantom)
    };
    let alike = error(&phantom.moving);
    let brighter = error(&phantom.moving.map(|v| 1.1 * v + 0.05));
    assert!(alike < 0.1, "{alike}");
    assert!(brighter < 0.1, "{brighter} where the moving image is brighter");
}

#[test]
fn images_that_ask_for_a_fold_get_none() {
    // Two bars in front of a ground, of which one is gone: what was between them has nowhere to go.
    for dimension in [Dimension::Two, Dimension::Three] {
        let grid = match dimension {
            Dimension::Two => Grid::image(64, 48),
            Dimension::Three => Grid::volume(40, 32, 24),
        }
        .unwrap();
        let bar = |x: usize, first: usize| f32::from(u8::from((first..first + 4).contains(&x)));
        let waves = |y: usize| 0.1 * (0.7 * y as f32).sin();
        let fixed = Volume::from_fn(grid.clone(), |[x, y, _]| bar(x, 12) + bar(x, 22) + waves(y));
        let moving = Volume::from_fn(grid.clone(), |[x, y, _]| bar(x, 18) + waves(y));
        let found = register([&fixed, &moving]);
        assert_eq!([not_certified(&found.flow), not_certified(inverse(&found))], [0, 0], "{dimension:?}");
        let longest = (0..grid.len()).map(|i| found.flow.vector_vox(i)[0].abs()).fold(0.0, f32::max);
        assert!(longest > 2.0, "something moves: {longest}");
    }
}
