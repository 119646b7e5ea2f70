//! What is known to be wrong: each test says what should hold, and fails as long as it does not. Once one passes, its issue is
//! mended: it loses its `should_panic` and moves to the tests of its method.

use crate::masks_and_extremes::{left, well_left};
use crate::measure::{cpu, difference_vox, pair, run, smooth};
use crate::phase::scene::{picture, texture};
use veloxel_core::{Dimension, Flow, Mask, Volume};
use veloxel_motion::phase::parameters::FrameCount;
use veloxel_motion::{
    ClgParams, ClgPreset, FlowExtras, Pair, PhaseFlow, PhaseParameters, PhasePreset, WindowMethod,
};
use veloxel_phantoms::catalogue::MotionKind;

/// The largest difference of two fields within a mask, voxels; unknown vectors are left out.
fn largest_difference_vox(a: &Flow, b: &Flow, within: &Mask) -> f64 {
    let inside = (0..a.grid().len()).filter(|&i| within.data()[i]);
    inside.map(|i| difference_vox(a, b, i)).filter(|vox| !vox.is_nan()).fold(0.0, f64::max)
}

/// The image, with another one outside of the mask.
fn with_other_outside(image: &Volume<f32>, mask: &Mask) -> Volume<f32> {
    Volume::from_fn(image.grid().clone(), |p| {
        let [x, y, _] = p.map(|position| position as f32);
        if *mask.at(p) { *image.at(p) } else { texture(1.7 * y + 31.0, 1.3 * x) }
    })
}

/// docs/status/accuracy.md: masks limit the data of the finest level alone; images are smoothed and shrunk with what lies around.
#[test]
#[should_panic(expected = "what lies outside of the mask changes the field within")]
fn clg_sees_nothing_outside_of_a_mask() {
    let phantom = smooth(MotionKind::Shift, Dimension::Two, 64);
    let (mask, params) = (left(phantom.grid()), ClgParams::preset(ClgPreset::Fast, Dimension::Two));
    let found = |fixed: &Volume<f32>| {
        run(&Pair { mask: Some(&mask), ..pair(fixed, &phantom.moving) }, &params, &cpu(1)).flow
    };
    let [own, other] =
        [phantom.fixed.clone(), with_other_outside(&phantom.fixed, &mask)].each_ref().map(found);
    let vox = largest_difference_vox(&own, &other, &well_left(&phantom));
    assert!(vox == 0.0, "what lies outside of the mask changes the field within by up to {vox} voxel");
}

/// docs/algorithms/phase.md: a mask leaves results out, not filters, which still see across its border.
#[test]
#[should_panic(expected = "what lies outside of the mask changes the field within")]
fn phase_sees_nothing_outside_of_a_mask() {
    let frames: Vec<_> =
        (0..3).map(|t| picture([96, 80], move |x, y| texture(x - 0.5 * t as f32, y))).collect();
    let mask = left(frames[0].grid());
    let parameters = PhaseParameters {
        frames: FrameCount::Three,
        ..PhaseParameters::preset(PhasePreset::Fast, Dimension::Two)
    };
    let found = |frames: &[Volume<f32>]| {
        let frames: Vec<_> = frames.iter().collect();
        let mut method = PhaseFlow::new(frames[0].grid(), &parameters, &cpu(1)).expect("a possible method");
        method.run(&frames, Some(&mask), FlowExtras::default()).expect("the run should succeed").flow
    };
    let others: Vec<_> = frames.iter().map(|frame| with_other_outside(frame, &mask)).collect();
    let vox = largest_difference_vox(&found(&frames), &found(&others), &mask);
    assert!(vox == 0.0, "what lies outside of the mask changes the field within by up to {vox} px");
}
