//! Masks, broken and empty input, tiny and flat grids, folding, gain and offset.

use crate::measure;

use measure::{
    cpu, determinant, estimate, mean_difference_vox, mean_error_vox, pair, require_sane, run, smooth,
};
use veloxel_core::{Dimension, Flow, Grid, Mask, SolveStatus, Volume, WarningKind};
use veloxel_motion::clg::multigrid::Solver;
use veloxel_motion::steps::choices::IncrementUpdate;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, DenseFlow, FlowExtras, MotionError, Pair, PairMethod, Start,
};
use veloxel_phantoms::catalogue::{MotionKind, isotropic_grid};
use veloxel_phantoms::{CentredFrame, Noise, Phantom, Sinusoid, SmoothTexture, Texture};

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];
const PRESETS: [ClgPreset; 3] = [ClgPreset::Fast, ClgPreset::Accurate, ClgPreset::Paper];

fn small(dimension: Dimension) -> usize {
    if dimension == Dimension::Two { 64 } else { 28 }
}

fn try_run(pair: &Pair<'_>, params: &ClgParams) -> Result<DenseFlow, MotionError> {
    Clg::new(pair.fixed.grid(), params.clone(), &cpu(1))?.run_with(pair, FlowExtras::ALL)
}

/// Left of a plane at 60 % of the width.
pub fn left(grid: &Grid) -> Mask {
    let until = grid.size()[0] * 3 / 5;
    Mask::from_fn(grid.clone(), |[x, _, _]| x < until)
}

/// Well inside of [`left`]: no window and no median of the estimate reaches over the plane.
pub fn well_left(phantom: &Phantom) -> Mask {
    let until = phantom.grid().size()[0] * 3 / 5 - 8;
    Mask::from_fn(phantom.grid().clone(), |p| p[0] < until && *phantom.interior.at(p))
}

#[test]
fn a_mask_limits_the_data_term() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, if dimension == Dimension::Two { 64 } else { 40 });
        let mask = left(phantom.grid());
        // What is outside of the mask is another picture: with the mask it does not disturb.
        let frame = CentredFrame::new(phantom.grid());
        let other = SmoothTexture::new(&frame, 99);
        let mut index = 0;
        let fixed = Volume::from_fn(phantom.grid().clone(), |p| {
            index += 1;
            if *mask.at(p) {
                *phantom.fixed.at(p)
            } else {
                other.intensity(frame.position_mm(index - 1)) as f32
            }
        });
        let params = ClgParams::preset(ClgPreset::Accurate, dimension);
        let until = phantom.grid().size()[0] * 3 / 5;
        let beyond = Mask::from_fn(phantom.grid().clone(), |p| p[0] > until + 6 && *phantom.interior.at(p));
        // What disturbs may fold.
        let free = ClgParams { least_determinant: 0.0, ..params.clone() };
        let estimated = |mask: Option<&Mask>| {
            let params = if mask.is_some() { &params } else { &free };
            let output = run(&Pair { mask, ..pair(&fixed, &phantom.moving) }, params, &cpu(1));
            require_sane(&output, "masked");
            let error = |within| mean_difference_vox(&output.flow, &phantom.truth, within);
            (error(&well_left(&phantom)), error(&beyond), output.confidence)
        };
        let (masked, filled, confidence) = estimated(Some(&mask));
        let (_, disturbed, _) = estimated(None);
        println!(
            "{dimension:?}: {masked:.4} voxel inside, {filled:.4} beyond, {disturbed:.4} there without a mask"
        );
        assert!(masked < 0.05, "{dimension:?}: {masked} voxel inside");
        // A shift goes on where there are no data, but for what coarse levels see across the mask's rim.
        assert!(3.0 * filled < disturbed, "{dimension:?}: {filled} voxel beyond, {disturbed} without a mask");
        let peak = (0..beyond.data().len())
            .filter(|&i| beyond.data()[i])
            .map(|i| confidence.data()[i])
            .fold(0.0, f32::max);
        assert!(peak == 0.0, "{dimension:?}: no data, no confidence; got {peak}");
    }
}

#[test]
fn nan_under_the_mask_is_accepted() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, small(dimension));
        let mask = left(phantom.grid());
        let fixed = Volume::from_fn(phantom.grid().clone(), |p| {
            if *mask.at(p) { *phantom.fixed.at(p) } else { f32::NAN }
        });
        for preset in PRESETS {
            let params = ClgParams::preset(preset, dimension);
            let mask = Some(&mask);
            let output = run(&Pair { mask, ..pair(&fixed, &phantom.moving) }, &params, &cpu(1));
            let what = format!("{dimension:?} {preset:?}");
            require_sane(&output, &what);
            assert_ne!(output.statistics.status, SolveStatus::NoContent, "{what}: the mask holds a picture");
            if preset == ClgPreset::Accurate {
                let inside = well_left(&phantom);
                let error = mean_difference_vox(&output.flow, &phantom.truth, &inside);
                assert!(error < 0.1, "{what}: {error} voxel");
            }
        }
    }
}

#[test]
fn nan_elsewhere_is_an_error_that_names_the_place() {
    let phantom = smooth(MotionKind::Shift, Dimension::Three, 20);
    let mut broken = phantom.fixed.clone();
    let at = broken.grid().index([3, 17, 11]);
    for value in [f32::NAN, f32::INFINITY] {
        broken.data_mut()[at] = value;
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
        for (pair, image) in
            [(pair(&broken, &phantom.moving), "fixed"), (pair(&phantom.fixed, &broken), "moving")]
        {
            let text = try_run(&pair, &params).expect_err("broken samples should be refused").to_string();
            assert!(text.contains("[3, 17, 11]") && text.contains(image), "{text}");
        }
        // A mask that shows it does not help.
        let mask = Mask::everywhere(broken.grid().clone());
        let shown = Pair { mask: Some(&mask), ..pair(&broken, &phantom.moving) };
        assert!(matches!(try_run(&shown, &params), Err(MotionError::Input(_))));
    }
}

#[test]
fn masks_of_other_grids_are_refused() {
    let grid = Grid::volume(12, 13, 14).expect("possible");
    let on = |grid: &Grid| Volume::from_fn(grid.clone(), |[x, y, z]| (x * 7 + y * 3 + z) as f32);
    let others = [
        Grid::volume(12, 13, 15).expect("possible"),
        grid.clone().with_spacing_mm([1.0, 1.0, 1.5]).expect("possible"),
        grid.clone().with_origin_mm([0.0, 5.0, 0.0]),
    ];
    let image = on(&grid);
    for other in others {
        let mask = Mask::everywhere(other.clone());
        let with_mask = Pair { mask: Some(&mask), ..pair(&image, &image) };
        assert!(matches!(
            try_run(&with_mask, &ClgParams::preset(ClgPreset::Fast, Dimension::Three)),
            Err(MotionError::Input(_))
        ));
        let with_volume_mask = Pair { volume_mask: Some(&mask), ..pair(&image, &image) };
        assert!(matches!(
            try_run(&with_volume_mask, &ClgParams::preset(ClgPreset::Fast, Dimension::Three)),
            Err(MotionError::Input(_))
        ));
        let start = Flow::zeros(other.clone());
        let moved = Volume::from_fn(grid.clone(), |[x, y, z]| (x * 6 + y * 3 + z) as f32);
        let with_start = Pair { start: Start::Flow(&start), ..pair(&image, &moved) };
        assert!(matches!(
            try_run(&with_start, &ClgParams::preset(ClgPreset::Fast, Dimension::Three)),
            Err(MotionError::Input(_))
        ));
        let mut elsewhere = Clg::new(&other, ClgParams::preset(ClgPreset::Fast, Dimension::Three), &cpu(1))
            .expect("valid parameters");
        assert!(matches!(elsewhere.run(&pair(&image, &image)), Err(MotionError::Input(_))));
    }
}

#[test]
fn constant_images_have_a_defined_result() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Shift, dimension, 20);
        for level in [0.0, -3.5, 1e20] {
            let flat = Volume::from_fn(phantom.grid().clone(), |_| level);
            for preset in PRESETS {
                let params = ClgParams::preset(preset, dimension);
                for (fixed, moving) in [(&flat, &phantom.moving), (&phantom.fixed, &flat), (&flat, &flat)] {
                    let output = estimate(fixed, moving, &params);
                    assert_eq!(output.statistics.status, SolveStatus::NoContent, "{dimension:?} {preset:?}");
                    assert_eq!(output.flow, Flow::zeros(phantom.grid().clone()));
                    assert!(output.confidence.data().iter().all(|c| *c == 0.0));
                    let mut warnings = output.statistics.warnings.iter();
                    assert!(warnings.any(|w| w.kind == WarningKind::Content), "a user should be told");
                }
            }
        }
    }
}

#[test]
fn tiny_and_flat_images_give_a_field() {
    let image = |nx, ny| Grid::image(nx, ny).expect("possible");
    let volume = |nx, ny, nz| Grid::volume(nx, ny, nz).expect("possible");
    let grids = [
        image(1, 1),
        image(2, 2),
        image(3, 1),
        image(1, 4),
        image(1, 40),
        image(40, 1),
        volume(1, 1, 1),
        volume(2, 2, 2),
        volume(1, 17, 12),
        volume(17, 1, 12),
        volume(17, 12, 1),
        volume(1, 1, 30),
    ];
    for grid in grids {
        let fixed = Volume::from_fn(grid.clone(), |[x, y, z]| ((x * 5 + y * 3 + z * 7) as f32 * 0.3).sin());
        let moving =
            Volume::from_fn(grid.clone(), |[x, y, z]| ((x * 5 + y * 3 + z * 7) as f32 * 0.3 - 0.4).sin());
        for preset in PRESETS {
            for solver in [Solver::Jacobi, Solver::Sor, Solver::Multigrid] {
                for beta in [0.0, 0.2] {
                    let params = ClgParams { solver, beta, ..ClgParams::preset(preset, grid.dimension()) };
                    let params = ClgParams { iterations: params.iterations.min(4), ..params };
                    let output = estimate(&fixed, &moving, &params);
                    require_sane(&output, &format!("{} {preset:?} {solver:?}, β = {beta}", grid.size_text()));
                }
            }
        }
    }
}

#[test]
fn a_volume_of_one_plane_moves_as_the_image() {
    let phantom = smooth(MotionKind::Affine, Dimension::Two, 64);
    let [nx, ny, _] = phantom.grid().size();
    for axis in 0..3 {
        let size = [[1, nx, ny], [nx, 1, ny], [nx, ny, 1]][axis];
        let grid = Grid::volume(size[0], size[1], size[2]).expect("possible");
        let plane =
            |image: &Volume<f32>| Volume::new(grid.clone(), image.data().to_vec()).expect("same count");
        let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Three);
        let output = estimate(&plane(&phantom.fixed), &plane(&phantom.moving), &params);
        require_sane(&output, "one plane");
        let planar = (0..3).filter(|&a| a != axis).map(|a| output.flow.component_vox(a).to_vec()).collect();
        let flow = Flow::new(phantom.grid().clone(), planar).expect("same count");
        let error = mean_error_vox(&flow, &phantom);
        println!("plane across axis {axis}: {error:.4}");
        assert!(error < 0.05, "plane across axis {axis}: {error} voxel");
        assert!(
            output.flow.component_vox(axis).iter().all(|v| *v == 0.0),
            "nothing is known across the plane"
        );
    }
}

/// A wave of motion over a picture whose details are so many times longer than usual.
pub fn wave(dimension: Dimension, amplitude: f64, details: f64) -> Phantom {
    let planar = dimension == Dimension::Two;
    let grid = isotropic_grid(dimension, if planar { 96 } else { 40 }).expect("possible");
    let frame = CentredFrame::new(&grid);
    let coarser = grid.clone().with_spacing_mm([details; 3]).expect("possible");
    let amplitude_mm = [amplitude, amplitude, if planar { 0.0 } else { amplitude }];
    let motion = Sinusoid { amplitude_mm, wavelength_mm: 1.6 * frame.half_extent_mm() };
    Phantom::new(&grid, &motion, &SmoothTexture::new(&CentredFrame::new(&coarser), 6), Noise::None)
}

/// Voxels with det ≤ 0 of the estimate with composed increments, and with added ones.
fn folded(phantom: &Phantom) -> (usize, usize) {
    let params = ClgParams { least_determinant: 0.0, ..ClgParams::preset(ClgPreset::Fast, Dimension::Three) };
    assert_eq!(params.update, IncrementUpdate::Compose);
    let added = ClgParams { update: IncrementUpdate::Add, increment_limit: 1e6, ..params.clone() };
    let count = |params| {
        let output = estimate(&phantom.fixed, &phantom.moving, params);
        let own = determinant(&output).data().iter().filter(|v| **v <= 0.0).count();
        let share = own as f64 / phantom.grid().len() as f64;
        assert!((share - output.statistics.jacobian.share_folded).abs() < 1e-6, "the report counts the same");
        own
    };
    (count(&params), count(&added))
}

#[test]
fn composed_increments_do_not_fold() {
    // As large as the estimate can follow: the truth has determinants down to 0.4.
    for phantom in [wave(Dimension::Two, 9.0, 2.0), wave(Dimension::Three, 5.0, 1.0)] {
        let (composed, added) = folded(&phantom);
        println!("{}: {composed} folded composed, {added} added", phantom.grid().size_text());
        assert_eq!(composed, 0, "{}", phantom.grid().size_text());
        assert!(added > 0, "{}: the motion should fold an added field", phantom.grid().size_text());
    }
}

#[test]
fn composed_increments_hardly_fold_where_motion_is_lost() {
    // Motion as long as the details: neighbours take steps of 0.8 voxel towards different ones. A step whose gradient
    // exceeds 1 may fold, composed or not; few do.
    for phantom in [wave(Dimension::Two, 9.0, 1.0), wave(Dimension::Three, 9.0, 1.0)] {
        let (composed, added) = folded(&phantom);
        println!("{}: {composed} folded composed, {added} added", phantom.grid().size_text());
        assert!(composed * 200 < phantom.grid().len() && composed * 20 < added, "{composed}, {added} added");
    }
}

#[test]
fn local_normalisation_does_not_see_gain_and_offset() {
    for dimension in BOTH {
        let phantom = smooth(MotionKind::Affine, dimension, small(dimension));
        let params = ClgParams { lcc_sigma: 4.0, ..ClgParams::preset(ClgPreset::Fast, dimension) };
        let flow = estimate(&phantom.fixed, &phantom.moving, &params).flow;
        let same = mean_error_vox(&flow, &phantom);
        for (gain, offset) in [(1.0, 0.4), (1.5, 0.4)] {
            let brighter = phantom.moving.map(|v| gain * v + offset);
            let seen = estimate(&phantom.fixed, &brighter, &params).flow;
            if gain == 1.0 {
                let difference = mean_difference_vox(&flow, &seen, &phantom.interior);
                assert!(difference < 0.001, "{dimension:?}: offsets drop out, got {difference} voxel");
                continue;
            }
            let plain = ClgParams { lcc_sigma: 0.0, ..params.clone() };
            let unseen = mean_error_vox(&estimate(&phantom.fixed, &brighter, &plain).flow, &phantom);
            let error = mean_error_vox(&seen, &phantom);
            println!(
                "{dimension:?}: {same:.4} voxel, after a gain {error:.4}, without normalisation {unseen:.4}"
            );
            // The gain cancels; what is left is rounding in the spline and the solver.
            assert!(error < same + 0.005, "{dimension:?}: {same} voxel, after a gain {error}");
            assert!(error < 0.2 * unseen, "{dimension:?}: {error} voxel, {unseen} without normalisation");
        }
    }
}

#[test]
fn gain_and_offset_of_both_images_do_not_matter() {
    let phantom = smooth(MotionKind::Affine, Dimension::Two, 64);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let flow = estimate(&phantom.fixed, &phantom.moving, &params).flow;
    for (gain, offset) in [(1000.0, 0.0), (250.0, -1024.0), (1e-6, 0.0)] {
        let scaled = |image: &Volume<f32>| image.map(|v| gain * v + offset);
        let same = estimate(&scaled(&phantom.fixed), &scaled(&phantom.moving), &params).flow;
        let difference = mean_difference_vox(&flow, &same, &phantom.interior);
        println!("{gain} {offset}: {difference:.6}");
        assert!(difference < 0.01, "{gain}, {offset}: {difference} voxel");
    }
}
