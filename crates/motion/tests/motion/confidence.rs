//! The confidence: it ranks vectors by their errors, and falls at motion boundaries, under noise and where nothing is seen.

use crate::measure;

use measure::{cpu, difference_vox, estimate, pair, require_sane};
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, InverseConsistent, PairMethod};
use veloxel_phantoms::catalogue::{Case, MotionKind, NOISE, TextureKind, isotropic_grid};
use veloxel_phantoms::{Affine, CentredFrame, Noise, Phantom, SmoothTexture, Texture};

/// Mean error, voxels, of the most confident `kept` of the vectors within a mask.
fn error_of_confident(output: &DenseFlow, truth: &Flow, within: &Mask, kept: f64) -> f64 {
    let confidence = output.confidence.data();
    let mut order: Vec<usize> = (0..confidence.len()).filter(|&i| within.data()[i]).collect();
    order.sort_by(|&a, &b| confidence[b].total_cmp(&confidence[a]));
    let part = &order[..(kept * order.len() as f64) as usize];
    part.iter().map(|&i| difference_vox(&output.flow, truth, i)).sum::<f64>() / part.len() as f64
}

/// Mean error of the most confident `kept` of the vectors over that of all, within a mask.
fn error_share(output: &DenseFlow, truth: &Flow, within: &Mask, kept: f64) -> f64 {
    error_of_confident(output, truth, within, kept) / error_of_confident(output, truth, within, 1.0)
}

/// Motions under noise, and the share of the mean error that the more confident half of the vectors may have.
const UNDER_NOISE: [(TextureKind, MotionKind, f64); 4] = [
    (TextureKind::Smooth, MotionKind::Shift, 0.9),
    (TextureKind::Smooth, MotionKind::BeatingShell, 0.9),
    (TextureKind::Smooth, MotionKind::Sinusoid, 0.95),
    (TextureKind::Wall, MotionKind::TwistingShell, 0.85),
];

/// A noisy phantom for each, and its name's bar.
fn noisy_phantoms(dimension: Dimension, size: usize) -> impl Iterator<Item = (Phantom, f64)> {
    let grid = isotropic_grid(dimension, size).expect("possible");
    UNDER_NOISE
        .into_iter()
        .map(move |(texture, motion, most)| (Case { motion, texture, noise: NOISE }.build(&grid), most))
}

fn require_share(output: &DenseFlow, phantom: &Phantom, most: f64) {
    require_sane(output, &phantom.name);
    let share = error_share(output, &phantom.truth, &phantom.interior, 0.5);
    assert!(share <= most, "{}: {share}", phantom.name);
}

#[test]
fn under_noise_confident_vectors_of_volumes_are_better() {
    for (phantom, most) in noisy_phantoms(Dimension::Three, 32) {
        for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
            let params = ClgParams::preset(preset, Dimension::Three);
            require_share(&estimate(&phantom.fixed, &phantom.moving, &params), &phantom, most);
        }
    }
}

/// Wide windows leave an error that is much the same everywhere: the better half of narrow ones ranks further below its mean, and is
/// worse all the same.
#[test]
fn under_noise_confident_vectors_of_pictures_are_better_and_best_with_wide_windows() {
    for (phantom, most) in noisy_phantoms(Dimension::Two, 96) {
        for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
            let params = ClgParams::preset(preset, Dimension::Two);
            let narrow = ClgParams { noise_mismatch: 0.0, ..params.clone() };
            let [narrow, wide] =
                [narrow, params].map(|params| estimate(&phantom.fixed, &phantom.moving, &params));
            require_share(&narrow, &phantom, most);
            require_share(&wide, &phantom, 1.0);
            let better_half = [narrow, wide]
                .map(|found| error_of_confident(&found, &phantom.truth, &phantom.interior, 0.5));
            println!("{} {preset:?}: {better_half:.3?} voxel", phantom.name);
            assert!(better_half[1] < 0.7 * better_half[0], "{}: {better_half:?}", phantom.name);
        }
    }
}

/// A square in front of a background: it moves right by 4 pixels and hides what is there.
struct Occlusion {
    fixed: Volume<f32>,
    moving: Volume<f32>,
    truth: Flow,
    /// Background of the fixed image that the square covers in the moving one.
    hidden: Mask,
}

fn occlusion() -> Occlusion {
    let grid = Grid::image(80, 80).expect("possible");
    let frame = CentredFrame::new(&grid);
    let (front, back) = (SmoothTexture::new(&frame, 1), SmoothTexture::new(&frame, 2));
    let in_square = |x: f64, y: f64| (28.0..52.0).contains(&x) && (28.0..52.0).contains(&y);
    let picture = |shift: f64| {
        Volume::from_fn(grid.clone(), |[x, y, _]| {
            let (u, v) = (x as f64 - shift, y as f64);
            let position = |x: f64| [x - 39.5, v - 39.5, 0.0];
            let intensity = if in_square(u, v) {
                front.intensity(position(u))
            } else {
                back.intensity(position(x as f64))
            };
            intensity as f32
        })
    };
    Occlusion {
        fixed: picture(0.0),
        moving: picture(4.0),
        truth: Flow::from_fn(grid.clone(), |[x, y, _]| [if in_square(x, y) { 4.0 } else { 0.0 }, 0.0, 0.0]),
        hidden: Mask::from_fn(grid, |[x, y, _]| (52..56).contains(&x) && (30..50).contains(&y)),
    }
}

#[test]
fn without_its_least_confident_vectors_a_field_of_two_motions_is_better() {
    let Occlusion { fixed, moving, truth, hidden } = occlusion();
    let everywhere = Mask::everywhere(fixed.grid().clone());
    for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
        let output = estimate(&fixed, &moving, &ClgParams::preset(preset, Dimension::Two));
        let share = error_share(&output, &truth, &everywhere, 0.8);
        println!("{preset:?}: {share:.3} of the error left by 80 % of the vectors");
        assert!(share < 0.3, "{preset:?}: {share}");
        let mean = |within: &dyn Fn(usize) -> bool| mean_confidence(&output, within);
        let (at_hidden, at_all) = (mean(&|i| hidden.data()[i]), mean(&|_| true));
        assert!(at_hidden < 0.5 * at_all, "{preset:?}: {at_hidden} where hidden, {at_all} on average");
    }
}

fn mean_confidence(output: &DenseFlow, within: &dyn Fn(usize) -> bool) -> f64 {
    let inside: Vec<f32> = (0..output.confidence.data().len())
        .filter(|&i| within(i))
        .map(|i| output.confidence.data()[i])
        .collect();
    f64::from(inside.iter().sum::<f32>()) / inside.len() as f64
}

#[test]
fn inverse_consistency_lowers_the_confidence_where_things_are_hidden() {
    let Occlusion { fixed, moving, hidden, .. } = occlusion();
    let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Two);
    let one = estimate(&fixed, &moving, &params);
    let method = Clg::new(fixed.grid(), params, &cpu(1)).expect("valid parameters");
    let both = InverseConsistent::new(method).run(&pair(&fixed, &moving)).expect("both directions");
    assert_eq!(one.flow, both.flow, "the backward field is a check of the forward one");
    assert!(one.statistics.inverse_residual_vox.is_none());
    assert!(both.statistics.inverse_residual_vox.is_some_and(|r| r.is_finite() && r > 0.0));
    let at_hidden = |i: usize| hidden.data()[i];
    // Background that is seen in both images, away from the square and from the border.
    let at_seen = |i: usize| {
        let [x, y, _] = hidden.grid().position(i);
        (8..20).contains(&x) && (8..72).contains(&y)
    };
    let kept =
        |within: &dyn Fn(usize) -> bool| mean_confidence(&both, within) / mean_confidence(&one, within);
    let (hidden_share, seen_share) = (kept(&at_hidden), kept(&at_seen));
    println!("confidence kept: {hidden_share:.3} where hidden, {seen_share:.3} where seen");
    assert!(hidden_share < 0.5 && seen_share > 0.95, "{hidden_share} where hidden, {seen_share} where seen");
}

#[test]
fn motion_out_of_the_image_is_less_certain() {
    // A shift of 6 pixels: the last six columns have no counterpart.
    let grid = Grid::image(96, 64).expect("possible");
    let frame = CentredFrame::new(&grid);
    let motion = Affine::shift_vox(&frame, [6.0, 0.0, 0.0]);
    let phantom = Phantom::new(&grid, &motion, &SmoothTexture::new(&frame, 8), Noise::None);
    for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
        let output = estimate(&phantom.fixed, &phantom.moving, &ClgParams::preset(preset, Dimension::Two));
        require_sane(&output, "leaving");
        let mean = |columns: std::ops::Range<usize>| {
            mean_confidence(&output, &|i| columns.contains(&grid.position(i)[0]))
        };
        assert!(mean(92..96) < 0.2 * mean(20..70), "{preset:?}: {} against {}", mean(92..96), mean(20..70));
    }
}

#[test]
fn smooth_fields_over_a_blank_part_are_not_trusted() {
    // The right half of both images is blank: there the shift goes on, as smooth as can be, and nothing tells so.
    for dimension in [Dimension::Two, Dimension::Three] {
        let grid =
            isotropic_grid(dimension, if dimension == Dimension::Two { 64 } else { 32 }).expect("possible");
        let width = grid.size()[0];
        let phantom =
            Case { motion: MotionKind::Shift, texture: TextureKind::Smooth, noise: Noise::None }.build(&grid);
        let blank = |image: &Volume<f32>| {
            Volume::from_fn(grid.clone(), |p| if p[0] < width / 2 { *image.at(p) } else { 0.5 })
        };
        let (fixed, moving) = (blank(&phantom.fixed), blank(&phantom.moving));
        for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
            let output = estimate(&fixed, &moving, &ClgParams::preset(preset, dimension));
            let mean = |columns: std::ops::Range<usize>| {
                mean_confidence(&output, &|i| columns.contains(&grid.position(i)[0]))
            };
            let (seen, unseen) = (mean(6..width / 2 - 6), mean(width * 3 / 4..width));
            println!("{dimension:?} {preset:?}: {seen:.3} with, {unseen:.3} without texture");
            assert!(seen > 0.7 && unseen < 0.05, "{dimension:?} {preset:?}: {seen}, {unseen}");
        }
    }
}
