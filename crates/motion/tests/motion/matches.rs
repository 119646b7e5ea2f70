//! Motion that no pyramid follows: any pair method, begun from matches.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure::cpu;
use veloxel_core::{Flow, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{Clg, ClgParams, DenseFlow, Matched, Pair, PairMethod, Preset, Silent};
use veloxel_phantoms::signed_noise;
use veloxel_testkit::on_every_device;

const SIZE: [usize; 2] = [176, 128];
/// The square's place in the fixed picture: columns and rows.
const SQUARE: [std::ops::Range<usize>; 2] = [30..78, 36..84];
/// How far the square moves; what is behind it stays.
const MOTION_PX: [i32; 2] = [50, -6];

fn noise_picture(seed: u64) -> Volume<f32> {
    let grid = Grid::image(SIZE[0], SIZE[1]).unwrap();
    let noise = signed_noise(grid.len(), seed);
    // Means of three by three: as much texture as a photograph has.
    let at = |x: usize, y: usize| noise[y.min(SIZE[1] - 1) * SIZE[0] + x.min(SIZE[0] - 1)];
    Volume::from_fn(grid, |[x, y, _]| (0..9).map(|k| at(x + k % 3, y + k / 3)).sum::<f32>() / 9.0)
}

/// A square of noise, as wide as its motion, before noise that stays.
fn pair() -> [Volume<f32>; 2] {
    let (behind, square) = (noise_picture(1), noise_picture(2));
    let grid = behind.grid().clone();
    let drawn = |[dx, dy]: [i32; 2]| {
        Volume::from_fn(grid.clone(), |[x, y, _]| {
            let (from_x, from_y) = (x as i32 - dx, y as i32 - dy);
            let inside = SQUARE[0].contains(&(from_x.max(0) as usize))
                && SQUARE[1].contains(&(from_y.max(0) as usize));
            match inside {
                true => square.data()[from_y as usize * SIZE[0] + from_x as usize],
                false => behind.data()[y * SIZE[0] + x],
            }
        })
    };
    [drawn([0, 0]), drawn(MOTION_PX)]
}

/// 1 where the moved square hides what stays.
fn is_hidden(x: usize, y: usize) -> bool {
    let (from_x, from_y) = (x as i32 - MOTION_PX[0], y as i32 - MOTION_PX[1]);
    let covers = |x: i32, y: i32| {
        x >= 0 && y >= 0 && SQUARE[0].contains(&(x as usize)) && SQUARE[1].contains(&(y as usize))
    };
    covers(from_x, from_y) && !covers(x as i32, y as i32)
}

fn run(device: &Device, is_matched: bool) -> DenseFlow {
    let [fixed, moving] = pair();
    let method =
        Clg::new(fixed.grid(), ClgParams::preset(Preset::Fast, fixed.grid().dimension()), device).unwrap();
    let pair = Pair::new(&fixed, &moving);
    match is_matched {
        true => Matched::new(method).run(&pair, &Silent).unwrap(),
        false => {
            let mut method = method;
            method.run(&pair, &Silent).unwrap()
        }
    }
}

fn on_one_thread() -> DenseFlow {
    run(&cpu(1), true)
}

/// Mean error where nothing is hidden, on the square and behind it.
fn errors(flow: &Flow) -> [f64; 2] {
    let (mut sums, mut counts) = ([0.0; 2], [0.0f64; 2]);
    for i in 0..flow.grid().len() {
        let [x, y, _] = flow.grid().position(i);
        if is_hidden(x, y) {
            continue;
        }
        let on_square = SQUARE[0].contains(&x) && SQUARE[1].contains(&y);
        let truth = if on_square { MOTION_PX.map(f64::from) } else { [0.0; 2] };
        let [u, v, _] = flow.vector_vox(i).map(f64::from);
        let side = usize::from(!on_square);
        sums[side] += (u - truth[0]).hypot(v - truth[1]);
        counts[side] += 1.0;
    }
    [sums[0] / counts[0], sums[1] / counts[1]]
}

#[test]
fn a_square_that_moves_by_its_own_width_is_followed_and_hides_what_is_behind_it() {
    let [square, _] = errors(&run(&cpu(2), false).flow);
    assert!(square > 10.0, "{square}: a pyramid should not follow it");
    let found = run(&cpu(2), true);
    let [square, behind] = errors(&found.flow);
    assert!(square < 0.5 && behind < 0.5, "{square} on the square, {behind} behind it");
    let occlusion = found.occlusion.unwrap();
    let (mut both, mut said, mut hidden) = (0.0, 0.0, 0.0);
    for (i, &o) in occlusion.data().iter().enumerate() {
        let [x, y, _] = occlusion.grid().position(i);
        let truth = f64::from(u8::from(is_hidden(x, y)));
        both += truth * f64::from(o);
        said += f64::from(o);
        hidden += truth;
    }
    let score = 2.0 * both / (said + hidden);
    assert!(score > 0.7, "F-score {score}");
}

on_every_device! {
    fn the_same_bits_everywhere(device: &Device) {
        let (found, expected) = (run(device, true), on_one_thread());
        assert!(found.flow == expected.flow && found.occlusion == expected.occlusion);
    }
}

#[test]
fn images_without_contrast_have_no_motion() {
    let grid = Grid::image(48, 40).unwrap();
    let flat = Volume::from_fn(grid.clone(), |_| 1.0);
    let method = Clg::new(&grid, ClgParams::preset(Preset::Fast, grid.dimension()), &cpu(1)).unwrap();
    let found = Matched::new(method).run(&Pair::new(&flat, &flat), &Silent).unwrap();
    assert!(found.flow.components_vox().iter().flatten().all(|&v| v == 0.0) && found.occlusion.is_none());
}
