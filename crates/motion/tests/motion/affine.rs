//! Affine starts: known maps are found, and a flow on top of one is the total motion.

use crate::measure;

use measure::{cpu, mean_difference_vox, mean_error_vox, pair, register, run};
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_motion::AffineModel;
use veloxel_motion::steps::linear::affine_registration::invert;
use veloxel_motion::{ClgParams, ClgPreset, MotionError, Pair, Start, VoxelAffine};
use veloxel_phantoms::catalogue::isotropic_grid;
use veloxel_phantoms::{Affine, CentredFrame, Composed, Noise, Phantom, Sinusoid, SmoothTexture};

/// The map between voxel positions that a motion about the grid's centre is.
fn voxel_map(grid: &Grid, motion: &Affine) -> VoxelAffine {
    let frame = CentredFrame::new(grid);
    let centre = grid.size().map(|n| (n as f64 - 1.0) / 2.0);
    let gradient = motion.gradient;
    // Axis by axis: what the motion does to a step of one voxel.
    let mut matrix = [[0.0; 3]; 3];
    for c in 0..3 {
        let mut step = [0.0; 3];
        step[c] = 1.0;
        let mm = frame.vector_mm(step);
        let moved = frame.vector_vox([0, 1, 2].map(|r| (0..3).map(|k| gradient[r][k] * mm[k]).sum()));
        (0..3).for_each(|r| matrix[r][c] = moved[r]);
    }
    let linear = VoxelAffine { matrix, offset: [0.0; 3] };
    let (turned, shift) = (linear.apply(centre), frame.vector_vox(motion.shift_mm));
    VoxelAffine { matrix, offset: [0, 1, 2].map(|a| centre[a] - turned[a] + shift[a]) }
}

/// The field that a map is.
fn flow_of(grid: &Grid, map: &VoxelAffine) -> Flow {
    Flow::from_fn(grid.clone(), |x| {
        let y = map.apply(x);
        [0, 1, 2].map(|a| y[a] - x[a])
    })
}

/// A texture coarse enough for large motion: waves of 8 to 16 voxels of a grid four times coarser.
fn coarse_texture(grid: &Grid) -> SmoothTexture {
    let spacing = grid.spacing_mm().map(|h| 4.0 * h);
    let coarser = grid.clone().with_spacing_mm(spacing).expect("possible");
    SmoothTexture::new(&CentredFrame::new(&coarser), 3)
}

fn phantom(grid: &Grid, motion: &Affine) -> Phantom {
    Phantom::new(grid, motion, &coarse_texture(grid), Noise::None)
}

/// Motions of several voxels: a shift, a rotation with a shift, a general map.
fn motions(grid: &Grid) -> [Affine; 3] {
    let planar = grid.dimension() == Dimension::Two;
    let frame = CentredFrame::new(grid);
    let in_plane = |v: [f64; 3]| if planar { [v[0], v[1], 0.0] } else { v };
    let shift = Affine::shift_vox(&frame, in_plane([4.3, -2.6, 1.4]));
    let axis = if planar { [0.0, 0.0, 1.0] } else { [0.2, -0.3, 1.0] };
    let turned = Affine { shift_mm: shift.shift_mm, ..Affine::rotation(axis, 0.12) };
    let mut gradient = [[1.06, 0.05, -0.02], [-0.04, 0.95, 0.03], [0.02, 0.01, 1.04]];
    if planar {
        gradient = [[1.06, 0.05, 0.0], [-0.04, 0.95, 0.0], [0.0, 0.0, 1.0]];
    }
    [shift, turned, Affine { shift_mm: shift.shift_mm, ..Affine::linear(gradient) }]
}

fn grids() -> Vec<Grid> {
    let (s, c) = 0.3f64.sin_cos();
    let oblique = Grid::volume(48, 40, 24)
        .and_then(|g| g.with_spacing_mm([1.0, 1.2, 2.0]))
        .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        .map(|g| g.with_origin_mm([10.0, -4.0, 7.0]));
    vec![
        Grid::image(96, 80).expect("possible"),
        Grid::volume(48, 44, 40).expect("possible"),
        oblique.expect("possible"),
    ]
}

#[test]
fn known_maps_are_found() {
    for grid in grids() {
        for motion in motions(&grid) {
            let phantom = phantom(&grid, &motion);
            let pair = pair(&phantom.fixed, &phantom.moving);
            let found = register(&cpu(1), &pair, AffineModel::Affine).expect("content is there");
            let error = mean_error_vox(&flow_of(&grid, &found), &phantom);
            println!("{}: {error:.4} voxel", grid.size_text());
            // The finest level's steps end below 0.01 voxel; linear interpolation costs some hundredths.
            assert!(error < 0.05, "{}, {motion:?}: {error} voxel, {found:?}", grid.size_text());
        }
    }
}

#[test]
fn a_phantoms_map_is_its_truth() {
    // The tests' own arithmetic.
    for grid in grids() {
        for motion in motions(&grid) {
            let phantom = phantom(&grid, &motion);
            let error = mean_error_vox(&flow_of(&grid, &voxel_map(&grid, &motion)), &phantom);
            assert!(error < 1e-4, "{error}");
        }
    }
}

/// A blob in the dark: all of its mass is inside both images.
fn blob(grid: &Grid, centre: [f64; 3]) -> Volume<f32> {
    Volume::from_fn(grid.clone(), |p| {
        let r2: f64 = (0..3).map(|a| ((p[a] as f64 - centre[a]) / 4.0).powi(2)).sum();
        (-r2).exp() as f32
    })
}

#[test]
fn centres_of_mass_give_the_shift() {
    for (grid, planar) in [(Grid::image(60, 50), true), (Grid::volume(44, 40, 36), false)] {
        let grid = grid.expect("possible");
        let z = if planar { [0.0, 0.0] } else { [16.0, 18.5] };
        let (fixed, moving) = (blob(&grid, [22.0, 18.0, z[0]]), blob(&grid, [27.0, 15.5, z[1]]));
        let model = AffineModel::CentreOfMass;
        let found = register(&cpu(1), &pair(&fixed, &moving), model).expect("mass is there");
        assert_eq!(found.matrix, VoxelAffine::IDENTITY.matrix);
        for (got, expected) in found.offset.iter().zip([5.0, -2.5, z[1] - z[0]]) {
            // The mapping to percentiles cuts the tails of the blob, the same way in both.
            assert!((got - expected).abs() < 0.05, "{found:?}");
        }
    }
}

#[test]
fn a_flow_on_top_of_an_affine_map_is_the_total_motion() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let planar = dimension == Dimension::Two;
        let grid = isotropic_grid(dimension, if planar { 128 } else { 64 }).expect("possible");
        let frame = CentredFrame::new(&grid);
        let half_mm = frame.half_extent_mm();
        let amplitude_mm = if planar { [1.0, 1.0, 0.0] } else { [1.0; 3] };
        let wave = Sinusoid { amplitude_mm, wavelength_mm: 1.6 * half_mm };
        let affine = motions(&grid)[1];
        let motion = Composed { first: wave, second: affine };
        let phantom = Phantom::new(&grid, &motion, &SmoothTexture::new(&frame, 4), Noise::None);
        let map = voxel_map(&grid, &affine);
        let params = ClgParams::preset(ClgPreset::Accurate, dimension);
        let start = Start::Affine(map);
        let output = run(&Pair { start, ..pair(&phantom.fixed, &phantom.moving) }, &params, &cpu(1));
        let error = mean_error_vox(&output.flow, &phantom);
        println!("{dimension:?}: {error:.4} voxel");
        assert!(error < 0.03, "{dimension:?}: {error} voxel");
        // The same motion given as a field to start from.
        let start = flow_of(&grid, &map);
        let started = Pair { start: Start::Flow(&start), ..pair(&phantom.fixed, &phantom.moving) };
        let error = mean_error_vox(&run(&started, &params, &cpu(1)).flow, &phantom);
        println!("{dimension:?} from a field: {error:.4} voxel");
        // Smoothness is asked of the whole field now, turn and all: it flattens the turn of 0.12 a little.
        assert!(error < 0.08, "{dimension:?}, from a field: {error} voxel");
    }
}

#[test]
fn an_exact_start_is_kept() {
    let grid = Grid::volume(48, 44, 40).expect("possible");
    let texture = SmoothTexture::new(&CentredFrame::new(&grid), 3);
    let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Three);
    for motion in motions(&grid) {
        let phantom = Phantom::new(&grid, &motion, &texture, Noise::None);
        let start = Start::Affine(voxel_map(&grid, &motion));
        let output = run(&Pair { start, ..pair(&phantom.fixed, &phantom.moving) }, &params, &cpu(1));
        let moved = mean_error_vox(&output.flow, &phantom);
        println!("{moved:.4} voxel");
        // What splines and derivatives by differences cost on waves of 8 voxels.
        assert!(moved < 0.01, "{moved} voxel");
    }
}

#[test]
fn inverses_undo_maps_and_singular_ones_have_none() {
    let grid = Grid::volume(20, 20, 20).expect("possible");
    for motion in motions(&grid) {
        let map = voxel_map(&grid, &motion);
        let back = invert(&map).expect("an inverse should exist");
        for p in [[0.0; 3], [19.0, 3.0, 7.5]] {
            let home = back.apply(map.apply(p));
            assert!((0..3).all(|a| (home[a] - p[a]).abs() < 1e-9), "{home:?}");
        }
    }
    let singular =
        VoxelAffine { matrix: [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]], offset: [0.0; 3] };
    assert!(matches!(invert(&singular), Err(MotionError::Affine { .. })));
}

#[test]
fn constant_images_have_no_affine_map() {
    let grid = Grid::image(20, 20).expect("possible");
    let (flat, other) = (Volume::from_fn(grid.clone(), |_| 3.0), blob(&grid, [10.0, 10.0, 0.0]));
    for model in [AffineModel::CentreOfMass, AffineModel::Affine] {
        let found = register(&cpu(1), &pair(&flat, &other), model);
        assert!(matches!(found, Err(MotionError::Affine { .. })), "{found:?}");
    }
}

#[test]
fn a_mask_keeps_what_moves_otherwise_out_of_the_map() {
    // The left half follows the map; the right half is another picture altogether.
    let grid = Grid::image(96, 80).expect("possible");
    let motion = motions(&grid)[0];
    let phantom = phantom(&grid, &motion);
    let frame = CentredFrame::new(&grid);
    let other = Phantom::new(&grid, &motion, &SmoothTexture::new(&frame, 77), Noise::None);
    let left = |[x, _, _]: [usize; 3]| x < 48;
    let fixed =
        Volume::from_fn(grid.clone(), |p| *(if left(p) { &phantom.fixed } else { &other.moving }).at(p));
    let mask = Mask::from_fn(grid.clone(), left);
    let pair = Pair { mask: Some(&mask), ..pair(&fixed, &phantom.moving) };
    let found = register(&cpu(1), &pair, AffineModel::Affine).expect("content is there");
    let error = mean_difference_vox(&flow_of(&grid, &found), &phantom.truth, &mask);
    assert!(error < 0.1, "{error} voxel: {found:?}");
}
