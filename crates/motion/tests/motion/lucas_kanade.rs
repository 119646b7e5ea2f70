//! Dense Lucas-Kanade: exact motion, masks, symmetry, thin grids, and every device against the processor.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use crate::measure;

use measure::{cpu, difference_vox, mean_difference_vox, mean_error_vox, pair, smooth};
use veloxel_core::{Dimension, Grid, Mask, SolveStatus, Volume};
use veloxel_gpu::Device;
use veloxel_motion::lucas_kanade::parameters::WindowShape;
use veloxel_motion::{
    DenseFlow, FlowExtras, LucasKanade, LucasKanadeParams, LucasKanadePreset, MotionError, Pair, PairMethod,
};
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::MotionKind;
use veloxel_testkit::on_every_device;
use veloxel_testkit::tolerances::FIELD_PARITY_VOX;

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];
const PRESETS: [LucasKanadePreset; 3] =
    [LucasKanadePreset::Accurate, LucasKanadePreset::Fast, LucasKanadePreset::Paper];

fn try_run(pair: &Pair<'_>, params: &LucasKanadeParams, device: &Device) -> Result<DenseFlow, MotionError> {
    LucasKanade::new(pair.fixed.grid(), params.clone(), device)?.run_with(pair, FlowExtras::ALL)
}

fn run(pair: &Pair<'_>, params: &LucasKanadeParams, device: &Device) -> DenseFlow {
    try_run(pair, params, device).unwrap()
}

fn phantom(motion: MotionKind, dimension: Dimension) -> Phantom {
    smooth(motion, dimension, if dimension == Dimension::Two { 96 } else { 40 })
}

#[test]
fn smooth_motion_is_found() {
    let straight = [MotionKind::Shift, MotionKind::Rotation, MotionKind::Affine];
    let mut failed = Vec::new();
    for (dimension, preset) in BOTH.into_iter().flat_map(|d| PRESETS.map(|preset| (d, preset))) {
        for motion in straight.into_iter().chain([MotionKind::Sinusoid]) {
            let phantom = phantom(motion, dimension);
            let params = LucasKanadeParams::preset(preset, dimension);
            let found = run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2));
            let error = mean_error_vox(&found.flow, &phantom);
            println!("{preset:?}, {}: {error:.4} voxel", phantom.name);
            // Windows and medians flatten what bends; linear interpolation, few iterations and contrast as it is cost more.
            let bent = motion == MotionKind::Sinusoid;
            let most_vox = match preset {
                LucasKanadePreset::Accurate => {
                    if bent {
                        0.15
                    } else {
                        0.05
                    }
                }
                LucasKanadePreset::Fast => {
                    if bent {
                        0.2
                    } else {
                        0.13
                    }
                }
                LucasKanadePreset::Paper => 0.6,
            };
            if error.is_nan() || error > most_vox {
                failed.push(format!("{preset:?}, {}: {error} voxel", phantom.name));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn equal_images_do_not_move() {
    for dimension in BOTH {
        for preset in PRESETS {
            let phantom = phantom(MotionKind::Shift, dimension);
            let params = LucasKanadeParams::preset(preset, dimension);
            let found = run(&pair(&phantom.fixed, &phantom.fixed), &params, &cpu(2));
            let most = found.flow.planar_vox().iter().fold(0.0f32, |m, v| m.max(v.abs()));
            assert!(most < 1e-4, "{preset:?}, {dimension:?}: {most}");
        }
    }
}

/// The last voxel first: a flip along every axis.
fn flipped(image: &Volume<f32>) -> Volume<f32> {
    Volume::new(image.grid().clone(), image.data().iter().rev().copied().collect()).unwrap()
}

#[test]
fn flips_commute() {
    for dimension in BOTH {
        let phantom = phantom(MotionKind::Twist, dimension);
        let params = LucasKanadeParams::preset(LucasKanadePreset::Accurate, dimension);
        let plain = run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2));
        let mirrored = run(&pair(&flipped(&phantom.fixed), &flipped(&phantom.moving)), &params, &cpu(2));
        let n = phantom.grid().len();
        let apart = |i: usize| {
            let (a, b) = (plain.flow.vector_vox(i), mirrored.flow.vector_vox(n - 1 - i));
            (0..3).map(|c| (a[c] + b[c]).abs()).fold(0.0f32, f32::max)
        };
        let mean = (0..n).map(|i| f64::from(apart(i))).sum::<f64>() / n as f64;
        assert!(mean < 1e-3, "{dimension:?}: {mean} voxel");
    }
}

#[test]
fn what_a_mask_hides_counts_nothing_and_has_no_vector() {
    for dimension in BOTH {
        let phantom = phantom(MotionKind::Shift, dimension);
        let nx = phantom.grid().size()[0];
        let mask = Mask::from_fn(phantom.grid().clone(), |[x, _, _]| x < nx / 2);
        // Outside of the mask the fixed image is another picture, with holes.
        let fixed = Volume::from_fn(phantom.grid().clone(), |p @ [x, y, z]| match *mask.at(p) {
            true => *phantom.fixed.at(p),
            false if (x + y + z) % 5 == 0 => f32::NAN,
            false => (x * 7 + y * 3 + z) as f32 % 11.0,
        });
        for window in [WindowShape::Box { radius: 2 }, WindowShape::Gaussian { sigma: 1.0 }] {
            let preset = LucasKanadeParams::preset(LucasKanadePreset::Fast, dimension);
            let params = LucasKanadeParams { window, ..preset };
            let found = run(&Pair { mask: Some(&mask), ..pair(&fixed, &phantom.moving) }, &params, &cpu(2));
            let (grid, reach) = (phantom.grid(), 4);
            for i in 0..grid.len() {
                let p = grid.position(i);
                let is_known = found.flow.vector_vox(i)[0].is_finite();
                assert!(is_known || p[0] >= nx / 2, "{window:?}: {p:?} lies in the mask");
                assert!(!is_known || p[0] < nx / 2 + reach, "{window:?}: {p:?} sees nothing of the mask");
                assert!(is_known || found.confidence.data()[i] == 0.0, "{window:?}: {p:?}");
            }
            let well_left = Mask::from_fn(grid.clone(), |p| p[0] + 16 < nx / 2 && *phantom.interior.at(p));
            if well_left.data().contains(&true) {
                let error = mean_difference_vox(&found.flow, &phantom.truth, &well_left);
                assert!(error < 0.2, "{window:?}, {dimension:?}: {error} voxel");
            }
        }
    }
}

/// The less what moves otherwise counts, the less it misleads; a weight of one is none, and where no weight is there is no vector.
#[test]
fn an_alpha_weighs_what_a_voxel_says() {
    for dimension in BOTH {
        let phantom = phantom(MotionKind::Shift, dimension);
        let grid = phantom.grid();
        let half = grid.size()[0] / 2;
        // Stripes of the fixed image show what does not move.
        let is_other = |x: usize| x % 8 < 3;
        let fixed = Volume::from_fn(grid.clone(), |p| match is_other(p[0]) {
            true => *phantom.moving.at(p),
            false => *phantom.fixed.at(p),
        });
        let params = LucasKanadeParams::preset(LucasKanadePreset::Fast, dimension);
        let found = |weight: Option<&Volume<f32>>, mask: Option<&Mask>| {
            run(&Pair { weight, mask, ..pair(&fixed, &phantom.moving) }, &params, &cpu(2))
        };
        let of_stripes = |alpha: f32| {
            let weight = Volume::from_fn(grid.clone(), |[x, ..]| if is_other(x) { alpha } else { 1.0 });
            mean_error_vox(&found(Some(&weight), None).flow, &phantom)
        };
        let errors = [1.0, 0.3, 0.03].map(of_stripes);
        println!("{dimension:?}: {errors:?} voxel");
        assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{dimension:?}: {errors:?} voxel");
        let mask = Mask::from_fn(grid.clone(), |[x, ..]| x < half);
        let ones = Volume::from_fn(grid.clone(), |_| 1.0);
        let (masked, both) = (found(None, Some(&mask)), found(Some(&ones), Some(&mask)));
        let bits = |samples: &[f32]| samples.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(masked.flow.planar_vox()), bits(both.flow.planar_vox()), "{dimension:?}");
        assert_eq!(bits(masked.confidence.data()), bits(both.confidence.data()), "{dimension:?}");
        let of_half = Volume::from_fn(grid.clone(), |[x, ..]| f32::from(u8::from(x < half)));
        let weighted = found(Some(&of_half), None);
        let is_known = |i: usize| weighted.flow.vector_vox(i)[0].is_finite();
        assert!(is_known(0) && !is_known(grid.size()[0] - 1), "{dimension:?}");
    }
}

#[test]
fn thin_and_empty_images_have_a_result() {
    let sizes = [
        Grid::image(1, 1),
        Grid::image(1, 40),
        Grid::image(33, 2),
        Grid::volume(20, 1, 9),
        Grid::volume(1, 1, 1),
    ];
    for grid in sizes.map(Result::unwrap) {
        let wave = |p: [usize; 3]| (p[0] as f32 * 0.7 + p[1] as f32 * 0.4 + p[2] as f32 * 0.9).sin();
        let fixed = Volume::from_fn(grid.clone(), wave);
        for preset in PRESETS {
            let params = LucasKanadeParams::preset(preset, grid.dimension());
            let found = run(&pair(&fixed, &fixed), &params, &cpu(1));
            assert!(found.flow.planar_vox().iter().all(|v| v.is_finite()), "{:?}", grid.size());
        }
        let constant = Volume::from_fn(grid.clone(), |_| 3.0);
        let params = LucasKanadeParams::preset(LucasKanadePreset::Fast, grid.dimension());
        let found = run(&pair(&constant, &constant), &params, &cpu(1));
        assert_eq!(found.statistics.status, SolveStatus::NoContent);
        assert!(found.confidence.data().iter().all(|&c| c == 0.0));
    }
}

#[test]
fn unknown_samples_outside_of_a_mask_alone_are_taken() {
    let phantom = phantom(MotionKind::Shift, Dimension::Two);
    let mut fixed = phantom.fixed.clone();
    fixed.data_mut()[77] = f32::NAN;
    let params = LucasKanadeParams::preset(LucasKanadePreset::Fast, Dimension::Two);
    let failed = try_run(&pair(&fixed, &phantom.moving), &params, &cpu(1)).unwrap_err();
    assert!(failed.to_string().contains("NaN") || failed.to_string().contains("finite"), "{failed}");
}

#[test]
fn threads_change_no_bit() {
    for dimension in BOTH {
        let phantom = phantom(MotionKind::Sinusoid, dimension);
        let params = LucasKanadeParams::preset(LucasKanadePreset::Accurate, dimension);
        let [one, three] =
            [1, 3].map(|threads| run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(threads)));
        assert!(one.flow == three.flow && one.confidence == three.confidence);
    }
}

on_every_device! {
    fn fields_are_the_processors(device: &Device) {
        for dimension in BOTH {
            for preset in PRESETS {
                let phantom = smooth(MotionKind::Twist, dimension, if dimension == Dimension::Two { 64 } else { 28 });
                let params = LucasKanadeParams::preset(preset, dimension);
                let images = pair(&phantom.fixed, &phantom.moving);
                let [got, expected] = [device, &Device::cpu(2).unwrap()].map(|device| run(&images, &params, device));
                let n = phantom.grid().len();
                let most = (0..n).map(|i| difference_vox(&got.flow, &expected.flow, i)).fold(0.0, f64::max);
                assert!(most <= FIELD_PARITY_VOX, "{preset:?}, {dimension:?}: {most} voxel");
                let apart = got.confidence.data().iter().zip(expected.confidence.data());
                let most = apart.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(f64::from(most) <= FIELD_PARITY_VOX, "{preset:?}, {dimension:?}: confidence {most}");
            }
        }
    }
}
