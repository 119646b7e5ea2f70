//! The commands of docs/papers.md that work, one after the other in one folder.

use super::{Item, borrowed, items, preparations};
use crate::segment::stacked_boxes;
use crate::workplace::Workplace;
use veloxel_core::{Grid, Volume};

/// What the page's commands read besides phantoms.
fn prepare(place: &Workplace) {
    for command in preparations() {
        place.run(&borrowed(&command)).succeeded();
    }
    let grid = Grid::image(96, 80).expect("a grid of constants");
    let wave = |x: f32, y: f32| 128.0 + 60.0 * (0.5 * x + 0.2 * y).sin() + 40.0 * (0.3 * x - 0.6 * y).sin();
    let picture =
        |shift: f32| Volume::from_fn(grid.clone(), |[x, y, _]| wave(x as f32 - shift, y as f32).round());
    for folder in ["frames", "left_frames", "right_frames", "a", "b", "c", "d"] {
        std::fs::create_dir(place.path(folder)).expect("a folder");
    }
    for t in 0..6u8 {
        for (folder, eye) in [("frames", 0.0), ("left_frames", 0.0), ("right_frames", -1.0)] {
            place.write_image(&format!("{folder}/frame{t}.png"), &picture(0.5 * f32::from(t) + eye));
        }
    }
    place.write_image("left.png", &picture(0.0));
    place.write_image("right.png", &picture(-1.0));
    let [nx, ny, _] = grid.size();
    let inside = |v: usize, n: usize| v > 8 && v + 8 < n;
    let mask = Volume::from_fn(grid.clone(), |[x, y, _]| f32::from(u8::from(inside(x, nx) && inside(y, ny))));
    place.write_image("pictures/mask.png", &mask);
    stacked_boxes(place, "mesh.obj");
    place.write("graph.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 2.5\n");
}

#[test]
#[ignore = "slow: a minute of small runs"]
fn every_command_that_works_runs() {
    let place = Workplace::new();
    prepare(&place);
    let works = |item: &Item<'_>| item.how.starts_with("works") || item.how.starts_with("in part");
    // Benches take minutes, a camera has no end, and there is no DICOM here.
    let runs = |item: &Item<'_>| {
        !item.command.is_empty()
            && item.command[0] != "bench"
            && !item.command.iter().any(|w| w == "-" || w == "dicom")
    };
    let mut failed = Vec::new();
    for Item { paper, name, command, .. } in items().into_iter().filter(|item| works(item) && runs(item)) {
        let run = place.run(&borrowed(&command));
        if run.code != Some(0) {
            failed.push(format!("{paper}, {name}: veloxel {}: {}", command.join(" "), run.stderr));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
