//! Presets on small, thin and odd pictures: the motion is found.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure::cpu;
use veloxel_core::{Flow, Grid, Volume};
use veloxel_motion::{AnyMethod, DenseDraft, MethodOpening, Pair};
use veloxel_phantoms::{CentredFrame, SmoothTexture, Texture};

/// How far everything moves, pixels.
const MOTION_PX: [f64; 2] = [1.5, -0.8];

fn pair(grid: &Grid) -> [Volume<f32>; 2] {
    let (frame, [dx, dy]) = (CentredFrame::new(grid), MOTION_PX);
    let texture = SmoothTexture::new(&frame, 3);
    let at = |voxel: [usize; 3], shift: [f64; 2]| {
        let [x, y, z] = frame.position_mm(grid.index(voxel));
        texture.intensity([x + shift[0], y + shift[1], z]) as f32
    };
    let fixed = Volume::from_fn(grid.clone(), |voxel| at(voxel, [0.0; 2]));
    [fixed, Volume::from_fn(grid.clone(), |voxel| at(voxel, [-dx, -dy]))]
}

fn flow(preset: &str, settings: &[(&str, f64)], grid: &Grid) -> Flow {
    let mut draft = DenseDraft::named("clg").unwrap();
    draft.set_preset(preset).unwrap();
    settings.iter().for_each(|&(name, value)| draft.set(name, (value as u64).into(), "").unwrap());
    let opening = MethodOpening { grid, image: grid, frames: 2, white: 1.0, draft: &draft, device: &cpu(1) };
    let AnyMethod::Pair(mut method) = opening.open().unwrap().method else { panic!("a method of pairs") };
    let [fixed, moving] = pair(grid);
    method.run(&Pair::new(&fixed, &moving)).unwrap().flow
}

/// Mean error, pixels.
fn error(flow: &Flow) -> f64 {
    let [dx, dy] = MOTION_PX;
    let errors = (0..flow.grid().len()).map(|i| {
        let [u, v, _] = flow.vector_vox(i).map(f64::from);
        (u - dx).hypot(v - dy)
    });
    errors.sum::<f64>() / flow.grid().len() as f64
}

#[test]
fn quick_presets_find_the_motion_of_small_and_thin_pictures() {
    for size in [[32, 32], [48, 48], [64, 64], [96, 96], [400, 24], [23, 131], [200, 200]] {
        for preset in ["fast", "realtime", "ultrafast"] {
            let found = error(&flow(preset, &[], &Grid::image(size[0], size[1]).unwrap()));
            assert!(found < 0.17, "{preset} on {size:?}: {found} of 1.7 px");
        }
    }
}

#[test]
fn a_level_that_is_asked_for_is_the_one_that_it_ends_on() {
    let grid = Grid::image(96, 96).unwrap();
    let own = ("finest_level", 2.0);
    let found = error(&flow("realtime", &[own], &grid));
    assert!(found > error(&flow("realtime", &[], &grid)), "{found}");
}
