//! Estimates that end on a coarse level of the pyramid.

use crate::measure;

use measure::{cpu, mean_error_vox, require_sane, run, smooth};
use veloxel_core::{Dimension, Mask};
use veloxel_motion::{ClgParams, ClgPreset, Pair, Start};
use veloxel_phantoms::catalogue::MotionKind;

fn ending_on(finest_level: usize, dimension: Dimension) -> ClgParams {
    ClgParams { finest_level, ..ClgParams::preset(ClgPreset::Fast, dimension) }
}

#[test]
fn smooth_motion_is_found_on_a_coarse_level() {
    for (dimension, size, bounds_vox) in
        [(Dimension::Two, 128, [0.03, 0.05, 0.2]), (Dimension::Three, 48, [0.03, 0.08, 0.3])]
    {
        let phantom = smooth(MotionKind::Twist, dimension, size);
        for (finest_level, bound_vox) in bounds_vox.into_iter().enumerate() {
            let pair = Pair::new(&phantom.fixed, &phantom.moving);
            let found = run(&pair, &ending_on(finest_level, dimension), &cpu(2));
            require_sane(&found, "coarse end");
            let error = mean_error_vox(&found.flow, &phantom);
            assert!(error < bound_vox, "{dimension:?}, level {finest_level}: {error:.4} voxel");
            assert_eq!(found.flow.grid(), phantom.grid());
        }
    }
}

#[test]
fn a_level_beyond_the_pyramid_is_its_coarsest() {
    let phantom = smooth(MotionKind::Shift, Dimension::Two, 64);
    let pair = Pair::new(&phantom.fixed, &phantom.moving);
    // 64, 32 and 16 voxels: levels 0 to 2.
    let [last, beyond] = [2, 16].map(|level| run(&pair, &ending_on(level, Dimension::Two), &cpu(1)).flow);
    assert_eq!(last, beyond);
}

#[test]
fn starts_masks_and_grids_that_differ_reach_the_coarse_level() {
    let phantom = smooth(MotionKind::Rotation, Dimension::Two, 96);
    let params = ending_on(1, Dimension::Two);
    let mask = Mask::new(phantom.grid().clone(), vec![true; phantom.grid().len()]).expect("a full mask");
    let plain = run(&Pair::new(&phantom.fixed, &phantom.moving), &params, &cpu(1));
    let pair = Pair { mask: Some(&mask), ..Pair::new(&phantom.fixed, &phantom.moving) };
    assert!(mean_error_vox(&run(&pair, &params, &cpu(1)).flow, &phantom) < 0.05);
    let again = Pair { start: Start::Flow(&plain.flow), ..Pair::new(&phantom.fixed, &phantom.moving) };
    assert!(mean_error_vox(&run(&again, &params, &cpu(1)).flow, &phantom) < 0.05);
}
