//! Brightness where a linear start has aligned the images: a gain and an offset are found there, and are not taken for motion.

use crate::measure;

use measure::{cpu, mean_error_vox, pair, run};
use veloxel_core::{Dimension, FlowStatistics, Volume};
use veloxel_motion::steps::choices::IntensityMapping;
use veloxel_motion::{
    AffineModel, ClgParams, ClgPreset, LucasKanade, LucasKanadeParams, LucasKanadePreset, Pair, PairMethod,
    Start, Symmetric, SymmetricParams, SymmetricPreset,
};
use veloxel_phantoms::catalogue::isotropic_grid;
use veloxel_phantoms::{Affine, CentredFrame, Composed, Noise, Phantom, Sinusoid, SmoothTexture};

/// A wave on top of a turn.
fn turned_wave(dimension: Dimension) -> Phantom {
    let planar = dimension == Dimension::Two;
    let grid = isotropic_grid(dimension, if planar { 96 } else { 40 }).expect("possible");
    let frame = CentredFrame::new(&grid);
    let amplitude_mm = if planar { [1.0, 1.0, 0.0] } else { [1.0; 3] };
    let wave = Sinusoid { amplitude_mm, wavelength_mm: 1.6 * frame.half_extent_mm() };
    let shift = Affine::shift_vox(&frame, if planar { [2.0, -1.0, 0.0] } else { [2.0, -1.0, 1.0] });
    let turn = Affine { shift_mm: shift.shift_mm, ..Affine::rotation([0.0, 0.0, 1.0], 0.1) };
    let motion = Composed { first: wave, second: turn };
    Phantom::new(&grid, &motion, &SmoothTexture::new(&frame, 4), Noise::None)
}

/// The moving image of a phantom, by so much brighter.
fn brighter(phantom: &Phantom, gain: f32, offset: f32) -> Volume<f32> {
    phantom.moving.map(|v| gain * v + offset)
}

fn aligned<'a>(phantom: &'a Phantom, moving: &'a Volume<f32>) -> Pair<'a> {
    Pair { start: Start::Registration(AffineModel::Affine), ..pair(&phantom.fixed, moving) }
}

#[test]
fn a_few_per_cent_of_brightness_are_no_motion() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom = turned_wave(dimension);
        let params = ClgParams::preset(ClgPreset::Fast, dimension);
        let found = |moving: &Volume<f32>| run(&aligned(&phantom, moving), &params, &cpu(1));
        let alike = found(&phantom.moving);
        assert_eq!(alike.statistics.brightness.moving, None, "{dimension:?}");
        let error = mean_error_vox(&alike.flow, &phantom);
        for (gain, offset) in [(1.06, 0.0), (0.95, 0.02), (1.0, -0.08)] {
            let other = found(&brighter(&phantom, gain, offset));
            let own = mean_error_vox(&other.flow, &phantom);
            assert!(
                own < 1.1 * error,
                "{dimension:?}, gain {gain}, offset {offset}: {own} voxel for {error}"
            );
            let moving = other.statistics.brightness.moving.expect("a difference should be found");
            assert!(
                (moving.gain * gain - 1.0).abs() < 4e-3,
                "{dimension:?}: {moving:?} for a gain of {gain}"
            );
            assert!((moving.of(gain * 0.5 + offset) - 0.5).abs() < 4e-3, "{dimension:?}: {moving:?}");
            assert!(note(&other.statistics).contains("as bright as the fixed one"));
        }
    }
}

/// Most of the images is a background of one value, as around a head: what differs there by rounding says nothing.
#[test]
fn a_dark_background_does_not_hide_it() {
    let phantom = turned_wave(Dimension::Three);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let object = |image: &Volume<f32>, gain: f32| image.map(|v| gain * (v - 0.3).max(0.0));
    let (fixed, moving) = (object(&phantom.fixed, 1.0), object(&phantom.moving, 1.05));
    let start = Start::Registration(AffineModel::Affine);
    let found = run(&Pair { start, ..pair(&fixed, &moving) }, &params, &cpu(1));
    let brightness = found.statistics.brightness.moving.expect("a difference should be found");
    assert!((brightness.gain * 1.05 - 1.0).abs() < 0.01, "{brightness:?}");
}

fn note(statistics: &FlowStatistics) -> String {
    statistics.warnings.iter().map(|warning| warning.message.clone()).collect()
}

#[test]
fn methods_that_take_brightness_as_it_is_are_given_it() {
    let phantom = turned_wave(Dimension::Two);
    let moving = brighter(&phantom, 1.06, 0.0);
    let raw =
        ClgParams { intensity: IntensityMapping::Raw, ..ClgParams::preset(ClgPreset::Fast, Dimension::Two) };
    assert_eq!(run(&aligned(&phantom, &moving), &raw, &cpu(1)).statistics.brightness.moving, None);
    let grid = phantom.fixed.grid();
    let symmetric = SymmetricParams::preset(SymmetricPreset::Fast, Dimension::Two);
    let found = Symmetric::new(grid, symmetric, &cpu(1)).unwrap().run(&aligned(&phantom, &moving)).unwrap();
    assert_eq!(found.statistics.brightness.moving, None);
    let local = LucasKanadeParams::preset(LucasKanadePreset::Fast, Dimension::Two);
    let found = LucasKanade::new(grid, local, &cpu(1)).unwrap().run(&aligned(&phantom, &moving)).unwrap();
    assert!(found.statistics.brightness.moving.is_some());
}

/// Without a start nothing says which places belong together, and images much unlike each other have no gain.
#[test]
fn what_cannot_be_told_stays() {
    let phantom = turned_wave(Dimension::Two);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let moving = brighter(&phantom, 1.06, 0.0);
    let found = run(&pair(&phantom.fixed, &moving), &params, &cpu(1));
    assert_eq!(found.statistics.brightness.moving, None);
    let dark = brighter(&phantom, 0.5, 0.0);
    let found = run(&aligned(&phantom, &dark), &params, &cpu(1));
    assert_eq!(found.statistics.brightness.moving, None);
}
