//! FIXED and MOVING on grids of their own: what is found is the motion in the world.

use crate::measure;

use measure::{cpu, estimate, mean_difference_vox, register};
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_motion::AffineModel;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, InverseConsistent, Matched, MotionError, Pair, PairMethod, Start,
};

/// Waves of 9 to 14 mm.
fn texture([x, y, z]: [f64; 3]) -> f64 {
    (0.55 * x + 0.2 * z).sin() * (0.6 * y - 0.15 * x).cos()
        + 0.7 * (0.5 * z + 0.3 * y).sin()
        + 0.3 * (0.45 * x - 0.4 * y).cos()
}

/// What happens to a point, mm: small, smooth, and different everywhere.
fn motion_mm([x, y, z]: [f64; 3]) -> [f64; 3] {
    [0.8 * (0.08 * y).sin() + 0.3, 0.7 * (0.07 * z).cos() - 0.5, 0.6 * (0.06 * x).sin()]
}

fn rendered(grid: &Grid, intensity: impl Fn([f64; 3]) -> f64) -> Volume<f32> {
    Volume::from_fn(grid.clone(), |x| intensity(grid.world_from_voxel(x.map(|v| v as f64))) as f32)
}

/// `fixed(x) = moving(x + d(x))`: the fixed image shows at each point what the moving one shows where the point went.
fn pair_on(fixed: &Grid, moving: &Grid) -> [Volume<f32>; 2] {
    let moved = |p: [f64; 3]| {
        let d = motion_mm(p);
        texture([0, 1, 2].map(|a| p[a] + d[a]))
    };
    [rendered(fixed, moved), rendered(moving, texture)]
}

fn fixed_grid() -> Grid {
    Grid::volume(40, 36, 32).expect("possible").with_origin_mm([-20.0, -18.0, -16.0])
}

fn truth(grid: &Grid) -> Flow {
    // The grid's axes are the world's and its voxels 1 mm wide.
    Flow::from_fn(grid.clone(), |x| motion_mm(grid.world_from_voxel(x)))
}

/// Four voxels from the border.
fn interior(grid: &Grid) -> Mask {
    let size = grid.size();
    Mask::from_fn(grid.clone(), |x| (0..3).all(|a| x[a] >= 4 && x[a] + 4 < size[a]))
}

/// A finer, turned and shifted grid; a coarser one with other axes; one that covers a part.
fn moving_grids() -> [(&'static str, Grid); 3] {
    let (s, c) = 0.35f64.sin_cos();
    let turned = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    let finer = Grid::volume(100, 100, 80)
        .and_then(|g| g.with_spacing_mm([0.6, 0.6, 0.5]))
        .and_then(|g| g.with_direction(turned))
        .expect("possible")
        .with_origin_mm([-19.0, -39.0, -20.0]);
    // Axes: y, −x, z.
    let other_axes = Grid::volume(34, 36, 30)
        .and_then(|g| g.with_spacing_mm([1.3, 1.3, 1.4]))
        .and_then(|g| g.with_direction([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        .expect("possible")
        .with_origin_mm([23.0, -22.0, -20.0]);
    let part = Grid::volume(40, 36, 20).expect("possible").with_origin_mm([-20.0, -18.0, -10.0]);
    [("finer and turned", finer), ("coarser, other axes", other_axes), ("a part", part)]
}

#[test]
fn motion_is_found_between_any_two_grids() {
    let grid = fixed_grid();
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let error = |moving: &Grid| {
        let [fixed, moving] = pair_on(&grid, moving);
        let found = estimate(&fixed, &moving, &params);
        (mean_difference_vox(&found.flow, &truth(&grid), &interior(&grid)), found)
    };
    let (on_one, _) = error(&grid);
    assert!(on_one < 0.05, "{on_one} on one grid");
    for (name, moving) in moving_grids() {
        let (mean, found) = error(&moving);
        assert!(mean < 0.08, "{name}: {mean} voxel, {on_one} on one grid");
        let brightness = found.statistics.brightness;
        assert!(brightness.mean_abs_after < 0.2 * brightness.mean_abs_before, "{name}: {brightness:?}");
        let warped = found.warped.expect("the warped image should have been asked for");
        assert_eq!(warped.grid(), &grid);
        let [fixed, _] = pair_on(&grid, &moving);
        let within = interior(&grid);
        let differs = |i: &usize| within.data()[*i] && (warped.data()[*i] - fixed.data()[*i]).abs() > 0.2;
        let far = (0..grid.len()).filter(differs).count();
        assert!(far < grid.len() / 100, "{name}: {far} voxels of the warped image differ");
    }
}

#[test]
fn both_directions_and_masks_go_with_two_grids() {
    let grid = fixed_grid();
    let (_, moving_grid) = &moving_grids()[2];
    let [fixed, moving] = pair_on(&grid, moving_grid);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let method = Clg::new(&grid, params, &cpu(1)).unwrap();
    let mask = Mask::from_fn(grid.clone(), |[x, ..]| x > 6);
    let pair = Pair { mask: Some(&mask), ..Pair::new(&fixed, &moving) };
    let found = InverseConsistent::new(method).run(&pair).unwrap();
    let mean = mean_difference_vox(&found.flow, &truth(&grid), &interior(&grid));
    assert!(mean < 0.1, "{mean}");
    assert!(found.statistics.inverse_residual_vox.is_some_and(|r| r < 0.5));
}

/// Pictures of which one has no place in the world are compared pixel by pixel, in both directions.
#[test]
fn both_directions_go_with_a_picture_without_a_place() {
    let [known, unknown] = [[1.1, 1.1, 1.0], [1.0; 3]]
        .map(|spacing_mm| Grid::image(48, 40).and_then(|g| g.with_spacing_mm(spacing_mm)).expect("possible"));
    let shown = |grid: &Grid, shift: f64| {
        Volume::from_fn(grid.clone(), |[x, y, _]| texture([x as f64 + shift, y as f64, 0.0]) as f32)
    };
    for [fixed, moving] in [[&known, &unknown], [&unknown, &known]] {
        let (fixed, moving) = (shown(fixed, 0.7), shown(moving, 0.0));
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
        let clg = || Clg::new(fixed.grid(), params.clone(), &cpu(1)).unwrap();
        let pair = Pair::new(&fixed, &moving);
        let found =
            [InverseConsistent::new(clg()).run(&pair).unwrap(), Matched::new(clg()).run(&pair).unwrap()];
        for found in found {
            let [u, v, _] = found.flow.vector_vox(20 * 48 + 24);
            assert!((u - 0.7).abs() < 0.1 && v.abs() < 0.1, "{u} {v}");
        }
    }
}

#[test]
fn affine_starts_align_in_the_world() {
    let grid = fixed_grid();
    let blob = |c: [f64; 3], width: f64| {
        move |p: [f64; 3]| (-(0..3).map(|a| ((p[a] - c[a]) / width).powi(2)).sum::<f64>()).exp()
    };
    let (first, second, third) =
        (blob([0.0; 3], 9.0), blob([7.0, 4.0, 3.0], 4.0), blob([-5.0, 6.0, -4.0], 5.0));
    let scene = |p: [f64; 3]| first(p) + 0.8 * second(p) - 0.6 * third(p);
    // Every point goes 5 mm along x and 1 along z.
    let fixed = rendered(&grid, |p| scene([p[0] + 5.0, p[1], p[2] + 1.0]));
    for (name, moving_grid) in &moving_grids()[..2] {
        let moving = rendered(moving_grid, scene);
        let map = register(&cpu(1), &Pair::new(&fixed, &moving), AffineModel::Affine).unwrap();
        for p in [[10.0, 9.0, 8.0], [30.0, 28.0, 22.0], [20.0, 10.0, 20.0]] {
            let found = map.apply(p);
            let expected = [p[0] + 5.0, p[1], p[2] + 1.0];
            let off: f64 = (0..3).map(|a| (found[a] - expected[a]).powi(2)).sum::<f64>().sqrt();
            assert!(off < 0.25, "{name}: {p:?} to {found:?}, {off}");
        }
    }
}

#[test]
fn images_apart_and_pictures_of_two_sizes_are_refused() {
    let grid = fixed_grid();
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let far = grid.clone().with_origin_mm([500.0, 0.0, 0.0]);
    let [fixed, moving] = [rendered(&grid, texture), rendered(&far, texture)];
    let mut method = Clg::new(&grid, params, &cpu(1)).unwrap();
    assert!(matches!(method.run(&Pair::new(&fixed, &moving)), Err(MotionError::Apart)));
    let start = Start::Registration(AffineModel::CentreOfMass);
    assert!(method.run(&Pair { start, ..Pair::new(&fixed, &moving) }).is_ok());

    let pictures =
        [(30, 20), (30, 21)].map(|(nx, ny)| Volume::from_fn(Grid::image(nx, ny).unwrap(), |_| 1.0));
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let mut method = Clg::new(pictures[0].grid(), params, &cpu(1)).unwrap();
    let error = method.run(&Pair::new(&pictures[0], &pictures[1])).unwrap_err().to_string();
    assert!(error.contains("one size"), "{error}");
}
