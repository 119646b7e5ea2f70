//! Windows of pictures in tiles: the bits of a run over the whole pictures, within the memory that was told.

use crate::measure::cpu;
use crate::phase::scene::{picture, texture};
use veloxel_core::{Grid, Mask, Volume};
use veloxel_motion::phase::parameters::FrameCount;
use veloxel_motion::{
    DenseMethod, FlowExtras, PhaseFlow, PhaseParameters, PhasePreset, TilePlan, TiledWindows, WindowMethod,
};

const SIZE: [usize; 2] = [523, 411];

/// Frames of a texture that turns and grows by so many pixels a frame at the corners.
fn frames(count: usize, motion_px: f32) -> Vec<Volume<f32>> {
    let frame = |t: usize| {
        let (t, [cx, cy]) = (t as f32, SIZE.map(|n| 0.5 * n as f32));
        picture(SIZE, move |x, y| {
            let (dx, dy) = ((x - cx) / cx, (y - cy) / cy);
            texture(x - motion_px * t * (0.4 * dx - dy), y - motion_px * t * (0.7 * dx + 0.2 * dy))
        })
    };
    (0..count).map(frame).collect()
}

fn parameters(preset: PhasePreset, frames: FrameCount) -> PhaseParameters {
    PhaseParameters { frames, ..PhaseParameters::preset(preset, veloxel_core::Dimension::Two) }
}

fn plan(method: &PhaseFlow, grid: &Grid, share: f64) -> TilePlan {
    let footprint = method.footprint().expect("the method should know its memory");
    let budget = (share * footprint.bytes(grid.len()) as f64) as u64;
    let plan = TilePlan::new(grid, &footprint, budget).expect("tiles should fit");
    assert!(plan.exact && plan.count() > 1 && plan.device_bytes <= budget, "{plan:?}");
    plan
}

/// Compares every bit, in tiles of a budget of so much of what the whole pictures take.
fn same_bits(parameters: &PhaseParameters, motion_px: f32, share: f64, mask: Option<&Mask>) {
    let what = format!("{:?}, {motion_px} px", parameters.frames);
    let frames = frames(parameters.frames.count(), motion_px);
    let frames: Vec<_> = frames.iter().collect();
    let grid = frames[0].grid();
    let open = |threads| PhaseFlow::new(grid, parameters, &cpu(threads)).expect("a possible method");
    let whole = open(2).run(&frames, mask, FlowExtras::ALL).expect("the run should succeed");
    let mut method = open(2);
    let (device, plan) = (method.device().clone(), plan(&method, grid, share));
    let tiles = TiledWindows { device: &device, plan: &plan };
    let found = tiles.run(&mut method, &frames, mask, FlowExtras::ALL).expect("the run should succeed");
    let bits = |samples: &[f32]| samples.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for (a, (found, whole)) in found.flow.components_vox().zip(whole.flow.components_vox()).enumerate() {
        let differing = bits(found).iter().zip(bits(whole)).filter(|(f, w)| **f != *w).count();
        assert_eq!(differing, 0, "{what}: component {a}, {plan:?}");
    }
    assert_eq!(bits(found.confidence.data()), bits(whole.confidence.data()), "{what}: confidence");
    let [found, whole] = [&found, &whole].map(|found| &found.statistics);
    let [of_tiles, of_whole] = [found, whole].map(|s| s.brightness.mean_abs_after);
    assert!((of_tiles - of_whole).abs() < 1e-3 * of_whole, "{what}: {of_tiles} {of_whole}");
    let [of_tiles, of_whole] = [found, whole].map(|s| s.jacobian.mean_abs_minus_one);
    assert!((of_tiles - of_whole).abs() < 1e-3 * of_whole.max(1e-3), "{what}: {of_tiles} {of_whole}");
    let used = device.memory_stats().most_used_bytes as u64;
    assert!(used <= plan.device_bytes * 21 / 20, "{what}: {used} of {}", plan.device_bytes);
}

#[test]
fn tiles_of_five_three_and_two_frames_have_the_bits_of_the_whole() {
    for (preset, frames) in [
        (PhasePreset::Accurate, FrameCount::Five),
        (PhasePreset::Paper, FrameCount::Three),
        (PhasePreset::Accurate, FrameCount::Two),
        (PhasePreset::Hardware, FrameCount::Three),
    ] {
        same_bits(&parameters(preset, frames), 1.5, 0.6, None);
    }
}

/// Motion that tiles have no room for: they are done again with more, or contribute less.
#[test]
fn tiles_follow_motion_beyond_their_room() {
    same_bits(&parameters(PhasePreset::Accurate, FrameCount::Five), 14.0, 0.6, None);
}

#[test]
fn outside_of_a_mask_tiles_know_nothing_either() {
    let grid = Grid::image(SIZE[0], SIZE[1]).expect("a possible size");
    let mask = Mask::from_fn(grid, |[x, y, _]| x + 2 * y > 300);
    same_bits(&parameters(PhasePreset::Fast, FrameCount::Three), 1.0, 0.7, Some(&mask));
}

#[test]
fn the_footprint_of_phase_flow_is_what_was_in_use() {
    for (preset, count) in [
        (PhasePreset::Accurate, FrameCount::Five),
        (PhasePreset::Fast, FrameCount::Three),
        (PhasePreset::Accurate, FrameCount::Two),
        (PhasePreset::Paper, FrameCount::Two),
    ] {
        let (frames, parameters) = (frames(count.count(), 1.0), parameters(preset, count));
        let grid = frames[0].grid();
        let mut method = PhaseFlow::new(grid, &parameters, &cpu(2)).expect("a possible method");
        let said = method.footprint().expect("the method should know its memory").bytes(grid.len());
        let device = method.device().clone();
        let frames: Vec<_> = frames.iter().collect();
        method.run(&frames, None, FlowExtras::default()).expect("the run should succeed");
        let share = device.memory_stats().most_used_bytes as f64 / said as f64;
        assert!((0.95..1.05).contains(&share), "{preset:?} {count:?}: {share}");
    }
}
