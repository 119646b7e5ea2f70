//! Block matching against exact motion, and what it promises of gain, offset, flat blocks, masks and borders.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use crate::measure;

use measure::{cpu, difference_vox, mean_error_vox, pair, require_sane, smooth};
use veloxel_core::{Dimension, Grid, Mask, SolveStatus, Volume};
use veloxel_gpu::Device;
use veloxel_motion::block_matching::parameters::{MatchMeasure, MatchQuality};
use veloxel_motion::{
    BlockMatching, BlockMatchingParams, BlockMatchingPreset, DenseFlow, FlowExtras, Pair, PairMethod, Refined,
};
use veloxel_phantoms::catalogue::{MotionKind, isotropic_grid};
use veloxel_phantoms::{CentredFrame, Noise, Phantom, Sinusoid, SpeckleTexture};
use veloxel_testkit::on_every_device;

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];
const PRESETS: [BlockMatchingPreset; 3] =
    [BlockMatchingPreset::Accurate, BlockMatchingPreset::Fast, BlockMatchingPreset::Paper];

fn preset(preset: BlockMatchingPreset, dimension: Dimension) -> BlockMatchingParams {
    BlockMatchingParams::preset(preset, dimension)
}

fn run(pair: &Pair<'_>, params: &BlockMatchingParams, device: &Device) -> DenseFlow {
    let method = BlockMatching::new(pair.fixed.grid(), params.clone(), device);
    method.unwrap().run_with(pair, FlowExtras::ALL).unwrap()
}

fn small(dimension: Dimension) -> usize {
    if dimension == Dimension::Two { 64 } else { 28 }
}

/// Speckle that moves by up to 2.5 voxels, at 20 dB, and correlates with itself as told.
fn speckle(size: usize, correlation: f64) -> Phantom {
    let grid = isotropic_grid(Dimension::Three, size).unwrap();
    let frame = CentredFrame::new(&grid);
    let motion = Sinusoid { amplitude_mm: [1.5; 3], wavelength_mm: 1.2 * size as f64 };
    let texture = SpeckleTexture::new(&frame, 5);
    let later = texture.decorrelated(correlation, 77);
    // The deviation of the speckle is 0.16.
    let noise = Noise::Gaussian { sd: 0.016, seed: 3 };
    Phantom::of_textures(&grid, &motion, [&texture, &later], noise).named("speckle")
}

#[test]
fn speckle_is_tracked_through_noise_and_change() {
    for (correlation, most) in [(1.0, 0.1), (0.8, 0.25)] {
        let phantom = speckle(40, correlation);
        let params = preset(BlockMatchingPreset::Accurate, Dimension::Three);
        let found = run(&pair(&phantom.fixed, &phantom.moving), &params, &cpu(2));
        let error = mean_error_vox(&found.flow, &phantom);
        println!("correlation {correlation}: {error:.4} voxel");
        assert!(error <= most, "correlation {correlation}: {error} voxel");
    }
}

#[test]
fn smooth_motion_is_found() {
    use MotionKind::{Rotation, Shift, Sinusoid};
    // In small volumes of smooth texture neighbours flatten bends.
    for (dimension, size, motions) in
        [(Dimension::Two, 128, &[Shift, Rotation, Sinusoid][..]), (Dimension::Three, 40, &[Shift, Rotation])]
    {
        for &motion in motions {
            let phantom = smooth(motion, dimension, size);
            for (name, most) in [(BlockMatchingPreset::Accurate, 0.1), (BlockMatchingPreset::Fast, 0.15)] {
                let found = run(&pair(&phantom.fixed, &phantom.moving), &preset(name, dimension), &cpu(2));
                require_sane(&found, &phantom.name);
                let error = mean_error_vox(&found.flow, &phantom);
                println!("{name:?}, {}: {error:.4} voxel", phantom.name);
                assert!(error <= most, "{name:?}, {}: {error} voxel", phantom.name);
            }
        }
    }
}

/// To whole pixels, from block to block.
#[test]
fn blocks_beside_each_other_find_the_motion_as_well() {
    let phantom = smooth(MotionKind::Shift, Dimension::Two, 128);
    let found = run(
        &pair(&phantom.fixed, &phantom.moving),
        &preset(BlockMatchingPreset::Paper, Dimension::Two),
        &cpu(2),
    );
    require_sane(&found, "blocks");
    let error = mean_error_vox(&found.flow, &phantom);
    assert!(error <= 0.75, "{error} pixel");
}

#[test]
fn equal_images_do_not_move_at_all() {
    for dimension in BOTH {
        let image = smooth(MotionKind::Shift, dimension, small(dimension)).fixed;
        for name in PRESETS {
            for measure in [MatchMeasure::Ncc, MatchMeasure::Ssd, MatchMeasure::Sad] {
                let params = BlockMatchingParams { measure, ..preset(name, dimension) };
                let found = run(&pair(&image, &image), &params, &cpu(2));
                let moved = found.flow.planar_vox().iter().filter(|v| **v != 0.0).count();
                assert!(moved == 0, "{dimension:?} {name:?} {measure:?}: {moved} components are not 0");
            }
        }
    }
}

/// Powers of two change no bit of a mantissa; any other gain is seen through rounding alone.
#[test]
fn correlation_does_not_see_gain_and_offset() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Sinusoid, dimension, small(dimension));
        let params = preset(BlockMatchingPreset::Accurate, dimension);
        let lit = |gain: f32, offset: f32| {
            let moving = phantom.moving.map(|v| gain * v + offset);
            run(&pair(&phantom.fixed, &moving), &params, &cpu(2)).flow
        };
        let (plain, louder, brighter) = (lit(1.0, 0.0), lit(4.0, 0.0), lit(0.3, 7.0));
        assert!(plain == louder, "{dimension:?}: a gain of 4 changes the flow");
        let apart: Vec<f64> = (0..plain.grid().len()).map(|i| difference_vox(&plain, &brighter, i)).collect();
        let mean = apart.iter().sum::<f64>() / apart.len() as f64;
        assert!(mean < 2e-3, "{dimension:?}: gain and offset move the flow by {mean} voxel");
    }
}

#[test]
fn flat_blocks_have_no_confidence_and_harm_nobody() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, small(dimension));
        let half = phantom.grid().size()[0] / 2;
        let flat = |image: &Volume<f32>| {
            Volume::from_fn(image.grid().clone(), |p| if p[0] < half { 0.4 } else { *image.at(p) })
        };
        for name in PRESETS {
            let params = preset(name, dimension);
            let found = run(&pair(&flat(&phantom.fixed), &flat(&phantom.moving)), &params, &cpu(2));
            require_sane(&found, "half of it flat");
            let reach = 2 * params.radius + 4;
            for i in 0..phantom.grid().len() {
                if phantom.grid().position(i)[0] + reach < half {
                    let confidence = found.confidence.data()[i];
                    assert!(confidence == 0.0, "{dimension:?} {name:?}, voxel {i}: {confidence}");
                }
            }
        }
        let constant = phantom.fixed.map(|_| 3.0);
        let found = run(&pair(&constant, &constant), &preset(BlockMatchingPreset::Fast, dimension), &cpu(1));
        assert_eq!(found.statistics.status, SolveStatus::NoContent);
    }
}

#[test]
fn the_map_can_hold_the_correlation_of_the_matched_blocks() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, small(dimension));
        let images = pair(&phantom.fixed, &phantom.moving);
        for name in PRESETS {
            let errors = run(&images, &preset(name, dimension), &cpu(2));
            let params = BlockMatchingParams { confidence: MatchQuality::Ncc, ..preset(name, dimension) };
            let found = run(&images, &params, &cpu(2));
            assert!(found.flow == errors.flow, "{dimension:?} {name:?}: the map changes no vector");
            let correlation = found.confidence.data();
            assert!(correlation.iter().all(|q| (-1.0001..=1.0001).contains(q)), "{dimension:?} {name:?}");
            let mean = correlation.iter().sum::<f32>() / correlation.len() as f32;
            assert!(mean > 0.9, "{dimension:?} {name:?}: blocks of a shifted image correlate, {mean}");
        }
        let inverted = phantom.moving.map(|v| 1.0 - v);
        let params = BlockMatchingParams {
            confidence: MatchQuality::Ncc,
            max_levels: 1,
            reach: 1,
            ..preset(BlockMatchingPreset::Paper, dimension)
        };
        let found = run(&pair(&phantom.fixed, &inverted), &params, &cpu(1));
        let least = found.confidence.data().iter().copied().fold(1.0, f32::min);
        assert!(least < -0.2, "{dimension:?}: what does not match at all is below 0: {least}");
    }
}

/// Whatever lies outside of the mask, NaN included, changes nothing; where a block has no voxel inside there is no vector.
#[test]
fn a_mask_weighs_voxels() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, if dimension == Dimension::Two { 64 } else { 36 });
        let until = phantom.grid().size()[0] * 3 / 5;
        let mask = Mask::from_fn(phantom.grid().clone(), |[x, _, _]| x < until);
        let params = preset(BlockMatchingPreset::Accurate, dimension);
        let fixed = Volume::from_fn(phantom.grid().clone(), |p| {
            if *mask.at(p) { *phantom.fixed.at(p) } else { f32::NAN }
        });
        let found = run(&Pair { mask: Some(&mask), ..pair(&fixed, &phantom.moving) }, &params, &cpu(2));
        let (mut sum, mut count) = (0.0, 0);
        for i in 0..phantom.grid().len() {
            let x = phantom.grid().position(i)[0];
            let (unknown, confidence) = (found.flow.vector_vox(i)[0].is_nan(), found.confidence.data()[i]);
            assert_eq!(unknown, x >= until + params.radius, "{dimension:?}: column {x}");
            assert!(!unknown || confidence == 0.0);
            if x + 6 < until && phantom.interior.data()[i] {
                sum += difference_vox(&found.flow, &phantom.truth, i);
                count += 1;
            }
        }
        let mean = sum / f64::from(count);
        assert!(mean < 0.1, "{dimension:?}: {mean} voxel inside");
    }
}

#[test]
fn axes_of_one_voxel_are_no_axes() {
    for (nx, ny, nz) in [(40, 1, 1), (1, 30, 20), (24, 20, 1), (1, 1, 1)] {
        let grid = Grid::volume(nx, ny, nz).unwrap();
        let image = |shift: f32| {
            Volume::from_fn(grid.clone(), |[x, y, z]| {
                (0.7 * x as f32 + 0.5 * y as f32 + 0.9 * z as f32 + shift).sin()
            })
        };
        for name in PRESETS {
            let params = preset(name, Dimension::Three);
            let found = run(&pair(&image(0.0), &image(0.3)), &params, &cpu(1));
            let flow = found.flow.components_vox();
            for (component, _) in flow.zip([nx, ny, nz]).filter(|(_, n)| *n == 1) {
                assert!(component.iter().all(|v| *v == 0.0), "{nx} × {ny} × {nz} {name:?}");
            }
        }
    }
}

/// Single wrong vectors of noisy images go.
#[test]
fn refinement_brings_a_noisy_flow_nearer_to_the_truth() {
    let phantom = speckle(32, 0.8);
    let pair = pair(&phantom.fixed, &phantom.moving);
    let params = BlockMatchingParams {
        smoothness: 0.0,
        median: 0,
        ..preset(BlockMatchingPreset::Fast, Dimension::Three)
    };
    let method = || BlockMatching::new(phantom.grid(), params.clone(), &cpu(2)).unwrap();
    let plain = method().run_with(&pair, FlowExtras::ALL).unwrap();
    let refined = Refined::new(method()).run_with(&pair, FlowExtras::ALL).unwrap();
    require_sane(&refined, "refined");
    let [before, after] = [&plain, &refined].map(|found| mean_error_vox(&found.flow, &phantom));
    println!("{before:.4} voxel before, {after:.4} after");
    assert!(after < 0.9 * before, "{before} voxel before, {after} after");
    assert_ne!(plain.jacobian, refined.jacobian);
}

on_every_device! {
    fn every_device_finds_the_same_bits(device: &Device) {
        for dimension in BOTH {
            // Large volumes and wide windows take a software GPU long, and have no code of their own.
            let size = if dimension == Dimension::Two { 64 } else { 20 };
            let phantom = smooth(MotionKind::Sinusoid, dimension, size);
            let mask = Mask::from_fn(phantom.grid().clone(), |[x, y, _]| x + y > 9);
            for name in PRESETS {
                let preset = preset(name, dimension);
                let params = BlockMatchingParams { radius: preset.radius.min(2), ..preset };
                let pair = Pair { mask: Some(&mask), ..pair(&phantom.fixed, &phantom.moving) };
                let found = [device, &measure::cpu(1)].map(|device| {
                    let method = BlockMatching::new(phantom.grid(), params.clone(), device).unwrap();
                    Refined::new(method).run(&pair).unwrap()
                });
                let samples = |found: &DenseFlow| -> Vec<u32> {
                    let flow = found.flow.planar_vox().iter();
                    flow.chain(found.confidence.data()).map(|v| (v + 0.0).to_bits()).collect()
                };
                assert!(samples(&found[0]) == samples(&found[1]), "{dimension:?} {name:?}");
            }
        }
    }
}
