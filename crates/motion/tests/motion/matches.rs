//! Motion that no pyramid follows: any pair method, begun from matches.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure::{cpu, difference_vox};
use veloxel_core::{Flow, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, Matched, Pair, PairMethod};
use veloxel_phantoms::signed_noise;
use veloxel_testkit::on_every_device;

const SIZE: [usize; 2] = [176, 128];
/// How far everything moves.
const MOTION_PX: [usize; 2] = [41, 6];

/// Noise of a size that moves as a whole, to the right and down.
fn pair(size: [usize; 2]) -> [Volume<f32>; 2] {
    let [dx, dy] = MOTION_PX;
    let (nx, ny) = (size[0] + dx, size[1] + dy);
    let noise = signed_noise(nx * ny, 1);
    // Means of three by three: as much texture as a photograph has.
    let at = |x: usize, y: usize| noise[y.min(ny - 1) * nx + x.min(nx - 1)];
    let mean = |x: usize, y: usize| (0..9).map(|k| at(x + k % 3, y + k / 3)).sum::<f32>() / 9.0;
    let grid = Grid::image(size[0], size[1]).unwrap();
    let fixed = Volume::from_fn(grid.clone(), |[x, y, _]| mean(x + dx, y + dy));
    [fixed, Volume::from_fn(grid, |[x, y, _]| mean(x, y))]
}

fn leaves(x: usize, y: usize) -> bool {
    x + MOTION_PX[0] >= SIZE[0] || y + MOTION_PX[1] >= SIZE[1]
}

fn clg(grid: &Grid, device: &Device) -> Clg {
    Clg::new(grid, ClgParams::preset(ClgPreset::Fast, grid.dimension()), device).unwrap()
}

fn matched(device: &Device, size: [usize; 2]) -> DenseFlow {
    let [fixed, moving] = pair(size);
    Matched::new(clg(fixed.grid(), device)).run(&Pair::new(&fixed, &moving)).unwrap()
}

fn one_thread() -> Device {
    cpu(1)
}

/// Mean error of what stays in the picture.
fn error(flow: &Flow) -> f64 {
    let inside =
        (0..flow.grid().len()).filter(|&i| !leaves(flow.grid().position(i)[0], flow.grid().position(i)[1]));
    let [dx, dy] = MOTION_PX.map(|d| d as f64);
    let errors: Vec<f64> =
        inside.map(|i| flow.vector_vox(i).map(f64::from)).map(|[u, v, _]| (u - dx).hypot(v - dy)).collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[test]
fn motion_that_no_pyramid_follows_is_found_and_what_leaves_is_said() {
    let [fixed, moving] = pair(SIZE);
    let plain = clg(fixed.grid(), &cpu(2)).run(&Pair::new(&fixed, &moving)).unwrap();
    let plain = error(&plain.flow);
    assert!(plain > 10.0, "{plain}: a pyramid should not follow it");
    let found = matched(&cpu(2), SIZE);
    let error = error(&found.flow);
    assert!(error < 0.5, "{error}");
    let occlusion = found.occlusion.unwrap();
    let (mut both, mut said, mut gone) = (0.0, 0.0, 0.0);
    for (i, &o) in occlusion.data().iter().enumerate() {
        let [x, y, _] = occlusion.grid().position(i);
        let truth = f64::from(u8::from(leaves(x, y)));
        both += truth * f64::from(o);
        said += f64::from(o);
        gone += truth;
    }
    let score = 2.0 * both / (said + gone);
    assert!(score > 0.9, "F-score {score}");
}

on_every_device! {
    /// On lavapipe the fit of models differs by a unit in the last place, for a cause not found yet, and candidates of like
    /// energy then change places: nearly every vector is alike. A whole run on CUDA gave the same bits.
    fn alike_everywhere(device: &Device) {
        let [found, expected] = [device, &one_thread()].map(|device| matched(device, [112, 80]));
        let count = found.flow.grid().len();
        let apart = |i: &usize| difference_vox(&found.flow, &expected.flow, *i) > 0.01;
        let differ = (0..count).filter(apart).count();
        assert!(100 * differ < count, "{differ} of {count} vectors differ");
    }
}

#[test]
fn images_without_contrast_have_no_motion() {
    let grid = Grid::image(48, 40).unwrap();
    let flat = Volume::from_fn(grid.clone(), |_| 1.0);
    let found = Matched::new(clg(&grid, &cpu(1))).run(&Pair::new(&flat, &flat)).unwrap();
    assert!(found.flow.planar_vox().iter().all(|&v| v == 0.0) && found.occlusion.is_none());
}

/// Windows of a wall, all alike but for a texture that does not repeat, and noise of each image's own; the shift is of a voxel or
/// two.
fn facade(shift: [usize; 2]) -> [Volume<f32>; 2] {
    let ([nx, ny], [dx, dy]) = (SIZE, shift);
    let texture = signed_noise((nx + 4) * (ny + 4), 5);
    let wall = |x: usize, y: usize| {
        let mean = (0..9).map(|k| texture[(y + k / 3) * (nx + 4) + x + k % 3]).sum::<f32>() / 9.0;
        let is_window = (3..10).contains(&(x % 13)) && (4..13).contains(&(y % 17));
        0.2 + if is_window { 0.0 } else { 0.5 } + 0.15 * mean
    };
    let noise = [7, 8].map(|seed| signed_noise(nx * ny, seed));
    let grid = Grid::image(nx, ny).unwrap();
    let seen = |own: &[f32], [dx, dy]: [usize; 2]| {
        Volume::from_fn(grid.clone(), |[x, y, _]| wall(x + dx, y + dy) + 0.01 * own[y * nx + x])
    };
    [seen(&noise[0], [dx, dy]), seen(&noise[1], [0, 0])]
}

/// Matches of a texture that repeats agree in both directions, periods away from the truth: 12 to 27 voxels of error here, before
/// the images were asked.
#[test]
fn matches_of_what_repeats_do_no_harm() {
    let shift = [2, 1];
    let [fixed, moving] = facade(shift);
    let pair = Pair::new(&fixed, &moving);
    let alone = clg(fixed.grid(), &cpu(2)).run(&pair).unwrap();
    let joined = Matched::new(clg(fixed.grid(), &cpu(2))).run(&pair).unwrap();
    let error = |flow: &Flow| {
        let vectors = (0..flow.grid().len()).map(|i| flow.vector_vox(i));
        vectors.map(|[u, v, _]| (u - shift[0] as f32).hypot(v - shift[1] as f32)).sum::<f32>()
    };
    let (alone, joined) = (error(&alone.flow), error(&joined.flow));
    assert!(joined <= 1.02 * alone, "{joined} instead of {alone}");
}
