//! Tests of budgets of memory: dry runs, and runs in tiles.

mod ended_runs;
mod in_parts;
mod labels_in_parts;
mod maps_in_parts;
mod peak;
mod sequence_in_parts;
mod stores;
mod warp_in_parts;

use crate::workplace::{Workplace, pair};
use veloxel_core::{Flow, Grid, Mask, Warnings};
use veloxel_io::Strictness;

const RUN: [&str; 8] = ["flow", "f.png", "m.png", "-o", "flow.flo", "--preset", "fast", "--device"];

fn pictures() -> Workplace {
    let place = Workplace::new();
    let phantom = pair(&Grid::image(400, 360).expect("a grid of constants"));
    place.write_image("f.png", &phantom.fixed.map(|v| 255.0 * v));
    place.write_image("m.png", &phantom.moving.map(|v| 255.0 * v));
    place
}

fn flow(place: &Workplace) -> Flow {
    veloxel_io::read_flow(&place.path("flow.flo"), Strictness::Lenient, &mut Warnings::new())
        .expect("a field is read")
}

fn report(place: &Workplace) -> serde_json::Value {
    let text = std::fs::read_to_string(place.path("r.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RUN.into_iter().chain(["cpu"]).chain(more.iter().copied()).collect()
}

#[test]
fn a_dry_run_reads_headers_alone() {
    let place = pictures();
    for name in ["f.png", "m.png"] {
        let whole = std::fs::read(place.path(name)).unwrap();
        place.write(name, &whole[..64]);
    }
    let told = place.run(&with(&["--dry-run"])).succeeded().stdout;
    for word in ["clg, preset fast", "400 × 360", "images 1.10 MiB", "none: 400 × 360 at once", "flow.flo"]
    {
        assert!(told.contains(word), "{word:?} is missing from {told}");
    }
    let told =
        place.run(&with(&["--dry-run", "--max-memory", "36M", "--report", "r.json"])).succeeded().stdout;
    assert!(told.contains("of 36.0 MiB allowed") && told.contains("start"), "{told}");
    let plan = report(&place);
    let bytes = |name: &str| plan["memory"][name].as_u64().unwrap();
    assert!(bytes("peak_bytes") <= bytes("budget_bytes"), "{plan}");
    assert!(plan["memory"]["tiles"]["coarse"]["plan"]["grid_size"].is_array(), "{plan}");
    assert!(plan["time"]["solve_ms"].as_f64().unwrap() > 0.0, "{plan}");
    assert_eq!(place.names(), ["f.png", "m.png", "r.json"]);
    let volume = "NDims = 3\nDimSize = 64 64 64\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
    place.write("v.mha", volume);
    let told = place.run(&["flow", "v.mha", "v.mha", "-o", "d.nii", "--dry-run", "--device", "cpu"]);
    assert!(told.succeeded().stdout.contains("64 × 64 × 64"));
    place.write("m.png", "short");
    place.run(&with(&["--dry-run"])).failed_with(&["m.png", "header"]);
}

#[test]
fn tiles_find_what_the_whole_finds() {
    let place = pictures();
    place.run(&with(&[])).succeeded();
    let whole = flow(&place);
    place.run(&with(&["--max-memory", "36M", "--report", "r.json"])).succeeded();
    let found = flow(&place);
    let told = report(&place);
    let tiles = &told["pairs"][0]["statistics"]["tiles"];
    assert!(tiles["count"].as_u64().is_some_and(|count| count > 1), "{told}");
    assert!(tiles["seam_mean_vox"].as_f64().is_some_and(|mean| mean < 0.01), "{tiles}");
    let apart = |i: usize| {
        let (a, b) = (whole.vector_vox(i), found.vector_vox(i));
        f64::from((a[0] - b[0]).hypot(a[1] - b[1]))
    };
    let count = whole.grid().len();
    let mean = (0..count).map(apart).sum::<f64>() / count as f64;
    assert!(mean < 0.01, "{mean}");
}

#[test]
fn whatever_a_run_takes_it_takes_in_tiles() {
    let place = pictures();
    let grid = Grid::image(400, 360).unwrap();
    let mask = Mask::from_fn(grid.clone(), |[x, y, _]| x > 20 && y < 300).map(|inside| i32::from(*inside));
    veloxel_io::write_labels(place.path("mask.png"), &mask).unwrap();
    veloxel_io::write_flow(place.path("start.flo"), &Flow::zeros(grid)).unwrap();
    let small = |more: &[&'static str]| with(&[&["--max-memory", "36M", "--set", "warps=1"], more].concat());
    let inputs = ["--mask", "mask.png", "--init", "affine", "--confidence", "c.png"];
    let outputs = ["--warped", "w.png", "--report", "r.json"];
    place.run(&small(&[&inputs[..], &outputs].concat())).succeeded();
    assert!(place.path("w.png").exists() && place.path("c.png").exists());
    place.run(&small(&["--init", "start.flo", "--warped", "w.png", "--outside", "edge"])).succeeded();
    place
        .run(&small(&[
            "--inverse-consistency",
            "--truth",
            "start.flo",
            "--html",
            "p.html",
            "--report",
            "r.json",
        ]))
        .succeeded();
    let told = report(&place);
    assert!(told["pairs"][0]["statistics"]["inverse_residual_vox"].as_f64().is_some(), "{told}");
}

#[test]
fn frames_of_phase_flow_run_in_tiles_with_the_same_bits() {
    let place = pictures();
    let phase = |more: &[&'static str]| with(&[&["--method", "phase", "--report", "r.json"], more].concat());
    place.run(&phase(&["--dry-run"])).succeeded();
    let whole_bytes = report(&place)["memory"]["peak_bytes"].as_u64().unwrap();
    place.run(&phase(&["--confidence", "whole.png"])).succeeded();
    let whole = flow(&place);
    let budget = (whole_bytes - (6 << 20)).to_string();
    let budgeted = |more: &[&str]| {
        let mut all = phase(&["--max-memory"]).into_iter().map(str::to_owned).collect::<Vec<_>>();
        all.push(budget.clone());
        all.extend(more.iter().map(|&word| word.to_owned()));
        place.run(&all.iter().map(String::as_str).collect::<Vec<_>>()).succeeded()
    };
    budgeted(&["--dry-run"]);
    let plan = &report(&place)["memory"];
    assert_eq!(plan["tiles"]["exact"], true, "{plan}");
    assert!(plan["peak_bytes"].as_u64() <= plan["budget_bytes"].as_u64(), "{plan}");
    budgeted(&["--confidence", "tiles.png"]);
    let told = report(&place);
    let tiles = &told["pairs"][0]["statistics"]["tiles"];
    assert!(tiles["run"].as_u64().is_some_and(|run| run > 1), "{told}");
    let bits = |flow: &Flow| flow.planar_vox().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(bits(&flow(&place)) == bits(&whole), "{tiles}");
    let file = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(file("tiles.png"), file("whole.png"));
    std::fs::create_dir(place.path("folder")).unwrap();
    let run = ["flow", "folder", "-o", "a.flo", "--method", "phase", "--dry-run"];
    place.run(&run).failed_with(&["folder", "name the frames one by one"]);
}

#[test]
fn budgets_that_cannot_be_kept_are_refused() {
    let place = pictures();
    place.run(&with(&["--max-memory", "25M"])).failed_with(&["25.0 MiB", "are needed", "--max-memory"]);
    place.run(&with(&["--max-memory", "25M", "--dry-run"])).failed_with(&["are needed"]);
    let wrong = |arguments: &[&str], words: &[&str]| {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{}", run.stderr);
    };
    wrong(&with(&["--max-memory", "much"]), &["expected a size"]);
}
