//! Pictures with a short side, along either axis: they move as far as others do.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use super::scene::{picture, processor, texture};
use veloxel_core::{Flow, Volume};
use veloxel_motion::phase::parameters::{FrameCount, StereoSmoothing};
use veloxel_motion::{
    ConfidenceChoice, FeatureScales, PhaseEngine, PhaseImage, PhaseParameters, PhaseWanted, phase_flow,
    phase_stereo,
};

const LONG_PX: usize = 160;
const SIDES_PX: [usize; 9] = [8, 12, 16, 24, 30, 32, 48, 64, 96];

/// A texture with little of the filters' own wavelength, four pixels, which moves so far.
fn moved(size: [usize; 2], [u, v]: [f32; 2]) -> Volume<f32> {
    picture(size, |x, y| texture(0.4 * (x - u), 0.4 * (y - v)).round())
}

fn sizes() -> impl Iterator<Item = [usize; 2]> {
    SIDES_PX.into_iter().flat_map(|side| [[LONG_PX, side], [side, LONG_PX]])
}

/// The median of the distances from a motion, and the share of known vectors that lie beyond half a pixel.
fn error_px(flow: &Flow, [u, v]: [f32; 2]) -> (f32, f32) {
    let vectors = flow.component_vox(0).iter().zip(flow.component_vox(1));
    let distance = |(x, y): (&f32, &f32)| (x - u).hypot(y - v);
    let mut errors: Vec<f32> = vectors.map(distance).filter(|error| !error.is_nan()).collect();
    errors.sort_by(f32::total_cmp);
    let far = errors.iter().filter(|&&error| error > 0.5).count() as f32 / errors.len() as f32;
    (errors[errors.len() / 2], far)
}

#[test]
fn the_motion_of_two_frames_is_found_whole() {
    for size in sizes() {
        for motion in [[1.5, -0.75], [-2.0, 1.0]] {
            let frames = [moved(size, [0.0; 2]), moved(size, motion)];
            let parameters = PhaseParameters { frames: FrameCount::Two, ..PhaseParameters::default() };
            let found = phase_flow(&frames.each_ref(), &parameters, &processor(2)).unwrap();
            let (median, far) = error_px(&found.flow, motion);
            let [most_px, most_far] = bounds(size[0].min(size[1]));
            assert!(
                median < most_px && far < most_far,
                "{size:?} {motion:?}: {median} px, {far} beyond half a pixel"
            );
        }
    }
}

/// Bounds of the median error, pixels, and of the share beyond half a pixel: a filter is eleven pixels wide, so that of a shorter side
/// every response knows both borders, which do not move.
fn bounds(side_px: usize) -> [f32; 2] {
    match side_px {
        ..=8 => [0.55, 0.55],
        9..=12 => [0.32, 0.32],
        _ => [0.2, 0.15],
    }
}

#[test]
fn a_stream_follows_as_a_window_does() {
    let wanted = PhaseWanted { flow: true, stereo: false, features: true };
    for size in [[LONG_PX, 16], [LONG_PX, 24], [30, LONG_PX], [LONG_PX, 64]] {
        let motion = [1.5, 0.0];
        let frames = (0..5).map(|t| moved(size, motion.map(|d| d * t as f32)));
        let mut engine = PhaseEngine::new(size, wanted, PhaseParameters::default(), &processor(2)).unwrap();
        let mut found = None;
        for frame in frames {
            let outputs = engine.push(PhaseImage::Samples(frame.data()), None).unwrap();
            let taken = outputs.map(|outputs| outputs.take(ConfidenceChoice::Taken).unwrap());
            found = taken.map(|taken| taken.fetch(FeatureScales::Finest).unwrap().flow).or(found);
        }
        let (median, far) = error_px(&found.flatten().unwrap(), motion);
        assert!(median < 0.2 && far < 0.15, "{size:?}: {median} px, {far} beyond half a pixel");
    }
}

#[test]
fn the_disparity_of_flat_pictures_is_found_whole() {
    for side in [8, 12, 16, 24, 40] {
        for smoothing in [StereoSmoothing::Off, StereoSmoothing::SemiGlobal] {
            let size = [LONG_PX, side];
            let parameters = PhaseParameters { stereo_smoothing: smoothing, ..PhaseParameters::default() };
            // Left (x, y) is found at right (x - d, y).
            let [left, right] = [0.0, -2.5].map(|shift| moved(size, [shift, 0.0]));
            let found = phase_stereo(&left, &right, &parameters, &processor(2)).unwrap();
            let known = found.disparity_px.data().iter().filter(|d| d.is_finite());
            let errors: Vec<f32> = known.map(|d| (d - 2.5).abs()).collect();
            let far = errors.iter().filter(|&&error| error > 0.5).count() as f32 / errors.len() as f32;
            assert!(far < 0.1 && errors.len() > LONG_PX * side / 2, "{side} px, {smoothing:?}: {far} wrong");
        }
    }
}

/// Pictures whose short side has three levels by itself keep their pyramid.
#[test]
fn wider_pictures_have_the_levels_that_they_had() {
    let levels = |side: usize| {
        let frames = [moved([LONG_PX, side], [0.0; 2]), moved([LONG_PX, side], [1.0, 0.0])];
        let parameters = PhaseParameters { frames: FrameCount::Two, ..PhaseParameters::default() };
        let found = phase_flow(&frames.each_ref(), &parameters, &processor(2)).unwrap();
        found.statistics.method.json["levels"].as_array().unwrap().len()
    };
    assert_eq!([8, 24, 60, 61, 96, 120, 121, 160].map(levels), [3, 3, 3, 3, 3, 3, 4, 4]);
}
