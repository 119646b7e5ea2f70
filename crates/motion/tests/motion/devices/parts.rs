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

/// Numbers of parts; the shares of most of them end inside of planes and rows.
const PARTS: [usize; 3] = [2, 3, 5];

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

/// Compares whole launches with divided ones, for the methods and presets that take these dimensions.
fn compare(dimension: Dimension, size: usize, presets: &[&str]) {
    let whole = here("wgpu", Device::named("wgpu", 1));
    let divided = PARTS.map(|parts| (parts, Device::in_parts(parts).unwrap()));
    let phantom = smooth(MotionKind::Sinusoid, dimension, size);
    let takes = |method: &&DenseMethodEntry| {
        dimension == Dimension::Two || matches!(method.uses.dimensions, DimensionSupport::PicturesAndVolumes)
    };
    for method in METHODS.iter().filter(takes) {
        let named = method.parameters.presets.iter().map(|preset| preset.name);
        for preset in named.filter(|name| presets.contains(name)) {
            let expected = run(method, preset, &phantom, &whole);
            for (parts, device) in &divided {
                let found = run(method, preset, &phantom, device);
                let what = format!("{} {preset} in {parts} parts", method.name());
                assert!(found.flow == expected.flow, "{what}: the field");
                assert!(found.confidence == expected.confidence, "{what}: the confidence");
            }
        }
    }
}

#[test]
fn volumes_are_the_same_in_parts_wgpu() {
    compare(Dimension::Three, 24, &["fast", "accurate"]);
}

#[test]
fn images_are_the_same_in_parts_wgpu() {
    compare(Dimension::Two, 72, &["fast"]);
}
