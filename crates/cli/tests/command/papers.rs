//! The commands of docs/papers.md: all of them parse, and those that work run.

use crate::segment::stacked_boxes;
use crate::workplace::Workplace;
use veloxel_core::{Grid, Volume};

/// The page, as it was when this test was built.
const PAGE: &str = include_str!("../../../../docs/papers.md");
/// Number of items that each paper has.
const ITEMS: [(&str, usize); 4] = [("A", 31), ("B", 31), ("C", 26), ("D", 26)];

/// A row of the page.
struct Item<'a> {
    paper: &'a str,
    name: &'a str,
    /// The words of the command after `veloxel`; empty where there is none.
    command: Vec<String>,
    how: &'a str,
}

fn items() -> Vec<Item<'static>> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let item = |row: &'static str| {
        let [paper, _, name, command, how] = row.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        let command = command.strip_prefix("`veloxel ").and_then(|c| c.strip_suffix('`')).map(words);
        Some(Item { paper, name, command: command.unwrap_or_default(), how })
    };
    rows.filter_map(item).filter(|item| ITEMS.iter().any(|(paper, _)| *paper == item.paper)).collect()
}

/// The words of a command line; what stands in quotation marks is one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let of = |(nth, part): (usize, &str)| match nth % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    };
    parts.flat_map(of).collect()
}

/// The lines of the page's block of commands.
fn preparations() -> impl Iterator<Item = Vec<String>> {
    PAGE.lines().filter_map(|line| line.strip_prefix("veloxel ")).map(words)
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn every_item_has_a_row_that_says_how_it_stands() {
    let items = items();
    for (paper, count) in ITEMS {
        assert_eq!(items.iter().filter(|item| item.paper == paper).count(), count, "paper {paper}");
    }
    for Item { paper, name, command, how } in &items {
        let stands = ["works", "in part: ", "not yet", "cannot be had, because "];
        assert!(stands.iter().any(|begin| how.starts_with(begin)), "{paper}, {name}: {how}");
        let needs_none = how.starts_with("not yet") || how.starts_with("cannot be had");
        assert!(needs_none || !command.is_empty(), "{paper}, {name}: {how}, by which command?");
    }
}

#[test]
fn every_command_of_the_page_parses() {
    let place = Workplace::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    let all = items().into_iter().map(|item| item.command).chain(preparations());
    for command in all.filter(|command| !command.is_empty()) {
        if seen.contains(&command) {
            continue;
        }
        let help: Vec<&str> = borrowed(&command).into_iter().chain(["--help"]).collect();
        let run = place.run(&help);
        assert_eq!(run.code, Some(0), "veloxel {}: {}", command.join(" "), run.stderr);
        seen.push(command);
    }
    assert!(seen.len() > 50);
}

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
