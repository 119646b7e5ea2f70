//! The commands of docs/papers.md that work, one after the other in one folder.

use super::merge::printed;
use super::{Item, borrowed, items, preparations};
use crate::dicom_cine::write_cine;
use crate::phase::write_y4m;
use crate::segment::stacked_boxes;
use crate::workplace::{Run, Workplace};
use std::fs::File;
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
    write_cine(place, "dicom");
    write_y4m(place, CAMERA, 6, 0.5);
    for (file, processor, ms) in [("a.json", "Alpha", 100.0), ("b.json", "Beta", 200.0)] {
        place.write(file, printed(processor, ms));
    }
    place.write("graph.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 2.5\n");
}

/// What a camera sends: a command that reads `-` gets it by a pipe.
const CAMERA: &str = "camera.y4m";

/// Runs a command of the page.
fn run(place: &Workplace, command: &[String]) -> Run {
    match command.iter().any(|word| word == "-") {
        true => place.run_with(&borrowed(command), File::open(place.path(CAMERA)).expect("a video")),
        false => place.run(&borrowed(command)),
    }
}

#[test]
#[ignore = "slow: a minute of small runs"]
fn every_command_that_works_runs() {
    let place = Workplace::new();
    prepare(&place);
    // What measures takes minutes, and has tests of its own.
    let measures =
        |command: &[String]| command[0] == "bench" && !command.iter().any(|word| word == "--merge");
    let works = |item: &Item<'_>| item.how.starts_with("works") && !measures(&item.command);
    let mut failed = Vec::new();
    for Item { paper, name, command, .. } in items().into_iter().filter(works) {
        let run = run(&place, &command);
        if run.code != Some(0) {
            failed.push(format!("{paper}, {name}: veloxel {}: {}", command.join(" "), run.stderr));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
