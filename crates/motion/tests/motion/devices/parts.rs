//! Launches that are divided, as several GPUs share them: every method finds the same bits.

use crate::measure::smooth;
use veloxel_core::Dimension;
use veloxel_gpu::Device;
use veloxel_motion::{
    AnyMethod, DenseDraft, DenseFlow, DenseMethodEntry, DimensionSupport, FlowExtras, METHODS, MethodOpening,
    Pair,
};
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::MotionKind;
use veloxel_testkit::every_device::here;

fn run(method: &'static DenseMethodEntry, preset: &str, phantom: &Phantom, device: &Device) -> DenseFlow {
    let mut draft = DenseDraft::new(method);
    draft.set_preset(preset).unwrap();
    let grid = phantom.grid();
    let opening = MethodOpening { grid, image: grid, frames: 2, white: 1.0, draft: &draft, device };
    let found = match opening.open().unwrap().method {
        AnyMethod::Pair(mut method) => method.run(&Pair::new(&phantom.fixed, &phantom.moving)),
        AnyMethod::Window(mut method) => {
            method.run(&[&phantom.fixed, &phantom.moving], None, FlowExtras::default())
        }
    };
    found.unwrap_or_else(|error| panic!("{}: {error}", method.name()))
}

/// Compares whole launches with divided ones, for the methods that take these dimensions and have the preset.
fn compare(dimension: Dimension, size: usize, preset: &str, parts: usize) {
    let whole = here("wgpu", Device::named("wgpu", 1));
    let divided = Device::in_parts(parts).unwrap();
    let phantom = smooth(MotionKind::Sinusoid, dimension, size);
    let takes = |method: &&DenseMethodEntry| {
        let has_preset = method.parameters.presets.iter().any(|own| own.name == preset);
        let all = method.uses.dimensions == DimensionSupport::PicturesAndVolumes;
        has_preset && (dimension == Dimension::Two || all)
    };
    for method in METHODS.iter().filter(takes) {
        let [expected, found] = [&whole, &divided].map(|device| run(method, preset, &phantom, device));
        let what = format!("{} {preset} in {parts} parts", method.name());
        assert!(found.flow == expected.flow, "{what}: the field");
        assert!(found.confidence == expected.confidence, "{what}: the confidence");
    }
}

// The shares of three and five parts end inside of planes and rows.

#[test]
fn volumes_are_the_same_in_two_parts_wgpu() {
    compare(Dimension::Three, 16, "fast", 2);
}

#[test]
fn volumes_are_the_same_in_three_parts_wgpu() {
    compare(Dimension::Three, 17, "fast", 3);
}

#[test]
fn images_are_the_same_in_five_parts_wgpu() {
    compare(Dimension::Two, 56, "fast", 5);
}
