//! Tests of flows whose images and field do not fit into the budget of memory: boxes are read and written.

#[cfg(unix)]
use super::ended_runs::{killed_once, lines};
use super::peak::run_within;
use super::stores::{store, whole_store};
use crate::streams::stopped_stream::terminate;
use crate::workplace::{Run, Workplace, pair};
use std::time::Duration;
use veloxel_core::{Flow, Grid, Mask, Warnings};
use veloxel_io::Strictness;

const IMAGES: [&str; 2] = ["f.ome.zarr", "m.ome.zarr"];
/// The solver matters to one test alone; this preset ends a level earlier than the one there.
const RUN: [&str; 12] = [
    "flow",
    "f.ome.zarr",
    "m.ome.zarr",
    "--preset",
    "realtime",
    "--set",
    "warps=1",
    "--device",
    "cpu",
    "--threads",
    "2",
    "-o",
];
fn volumes() -> Workplace {
    volumes_of([192, 80, 72])
}

fn volumes_of([nx, ny, nz]: [usize; 3]) -> Workplace {
    let place = Workplace::new();
    let grid = Grid::volume(nx, ny, nz).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 1.25]));
    let phantom = pair(&grid.expect("a grid of constants"));
    place.write_image(IMAGES[0], &phantom.fixed.map(|v| 255.0 * v));
    // Other tones, which preparation brings back.
    place.write_image(IMAGES[1], &phantom.moving.map(|v| 400.0 * v + 20.0));
    place
}

fn with<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    RUN.into_iter().chain([output]).chain(more.iter().copied()).collect()
}

/// A run as those of [`with`], which goes on to the finest level.
fn fast<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    with(output, more).into_iter().map(|word| if word == "realtime" { "fast" } else { word }).collect()
}

/// A budget that is too small for the images and their field in memory, and large enough in parts: the one that a refusal names.
fn budget(place: &Workplace) -> String {
    format!("{}M", needed_mib(place, with).ceil() + 1.0)
}

/// What a refusal says that a run needs in parts, MiB.
fn needed_mib(place: &Workplace, line: for<'a> fn(&'a str, &[&'a str]) -> Vec<&'a str>) -> f64 {
    let run = place.run(&line("d.ome.zarr", &["--max-memory", "60M", "--dry-run"]));
    let refusal = run.failed_with(&["60.0 MiB of memory are allowed", "are needed even in parts"]).stderr;
    let needed = refusal.split(" allowed, and ").nth(1).and_then(|rest| rest.split(' ').next());
    needed.and_then(|number| number.parse().ok()).expect("a number")
}

fn in_parts<'a>(output: &'a str, budget: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    with(output, &[&["--max-memory", budget], more].concat())
}

fn flow(place: &Workplace, name: &str) -> Flow {
    veloxel_io::read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new())
        .expect("a field is read")
}

fn report(place: &Workplace) -> serde_json::Value {
    let text = std::fs::read_to_string(place.path("r.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_field_in_parts_is_near_that_of_the_whole_and_measured_as_such() {
    let place = volumes();
    let needed = needed_mib(&place, fast);
    let less = format!("{:.0}M", needed.floor() - 1.0);
    place
        .run(&fast("d.ome.zarr", &["--max-memory", &less, "--dry-run"]))
        .failed_with(&["are needed even in parts"]);
    let mib = needed.ceil() as usize + 1;
    let budget = &format!("{mib}M");
    let dry = ["--max-memory", budget, "--dry-run", "--report", "r.json"];
    let told = place.run(&fast("d.ome.zarr", &dry)).succeeded().stdout;
    assert!(told.contains("images are read and the field is written in boxes"), "{told}");
    let plan = report(&place);
    let bytes = |name: &str| plan["memory"][name].as_u64().unwrap();
    assert!(bytes("peak_bytes") <= bytes("budget_bytes") && bytes("disk_bytes") > 0, "{plan}");
    assert!(!place.path("d.ome.zarr").exists());

    let more = ["--confidence", "c.ome.zarr", "--report", "r.json"];
    run_within(&place, &fast("d.ome.zarr", &more), mib).succeeded();
    let own = report(&place);
    place.run(&fast("whole.ome.zarr", &["--confidence", "w.ome.zarr", "--report", "r.json"])).succeeded();
    let whole = report(&place);
    let (found, expected) = (flow(&place, "d.ome.zarr"), flow(&place, "whole.ome.zarr"));
    let count = expected.grid().len();
    let apart = |i: usize| {
        let (a, b) = (found.vector_vox(i), expected.vector_vox(i));
        (0..3).map(|axis| f64::from(a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
    };
    let mean = (0..count).map(apart).sum::<f64>() / count as f64;
    assert!(mean < 0.01, "{mean}");
    let pairs = [&own, &whole].map(|report| &report["pairs"][0]);
    let [a, b] = pairs.map(|pair| pair["motion"]["mean_vox"].as_f64().unwrap());
    assert!((a - b).abs() < 0.005, "{a} {b}");
    let cells = |pair: &serde_json::Value| {
        ["certified", "undecided", "folded", "unknown"]
            .map(|name| pair["cells"]["everywhere"][name].as_u64().unwrap())
            .iter()
            .sum::<u64>()
    };
    assert_eq!(cells(pairs[0]), cells(pairs[1]), "every cell is counted once");
    let tiles = &pairs[0]["statistics"]["tiles"];
    assert!(tiles["run"].as_u64().is_some_and(|run| run > 1), "{tiles}");
    // What preparation finds is told alike.
    let told = |report: &serde_json::Value| report["warnings"].to_string();
    assert!(told(&own).contains("brings their ranks together") && told(&whole).contains("ranks together"));
    let images = ["c.ome.zarr", "w.ome.zarr"].map(|name| {
        veloxel_io::read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).expect("an image")
    });
    let apart = images[0].data().iter().zip(images[1].data()).map(|(a, b)| f64::from((a - b).abs()));
    assert!(apart.sum::<f64>() / (count as f64) < 0.02);
    let names = place.names();
    assert!(names.iter().all(|name| !name.starts_with('.')), "nothing is left: {names:?}");
}

#[test]
fn files_without_compression_give_the_bytes_that_stores_give() {
    let place = volumes();
    let budget = &budget(&place);
    place.run(&in_parts("d.ome.zarr", budget, &[])).succeeded();
    for (name, format) in [("f", "nii"), ("m", "nrrd")] {
        let path = place.path(&format!("{name}.ome.zarr"));
        let image = veloxel_io::read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        place.write_image(&format!("{name}.{format}"), &image);
    }
    let mut run = in_parts("other.ome.zarr", budget, &[]);
    (run[1], run[2]) = ("f.nii", "m.nrrd");
    place.run(&run).succeeded();
    assert!(store(&place, "d.ome.zarr") == store(&place, "other.ome.zarr"));
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_goes_on_and_refuses_other_runs() {
    use super::ended_runs::killed;
    let place = volumes();
    let budget = &budget(&place);
    place.run(&in_parts("d.ome.zarr", budget, &[])).succeeded();
    let undisturbed = whole_store(&place, "d.ome.zarr");
    std::fs::remove_dir_all(place.path("d.ome.zarr")).unwrap();
    let ledger = &place.path(".d.ome.zarr.tiles/ledger");
    // The first line says what the tiles are of, and the second what they begin from.
    killed(&place, &in_parts("d.ome.zarr", budget, &[]), ledger, 3);
    assert!(!place.path("d.ome.zarr").exists());

    let refused = |run: &[&str], word: &str| {
        place.run(run).failed_with(&[".d.ome.zarr.tiles", word, "remove the folder"]);
    };
    refused(&in_parts("d.ome.zarr", budget, &["--set", "alpha=0.5"]), "its method is another");
    let mut other = in_parts("d.ome.zarr", budget, &[]);
    (other[1], other[2]) = (other[2], other[1]);
    refused(&other, "its fixed image is another");

    let kept = lines(ledger) - 2;
    place.run(&in_parts("d.ome.zarr", budget, &["--report", "r.json"])).succeeded();
    let told = report(&place)["warnings"].to_string();
    assert!(told.contains(&format!("{kept} of its tiles are kept")), "{told}");
    assert!(whole_store(&place, "d.ome.zarr") == undisturbed, "the same bytes");
    assert!(!ledger.exists());
}

/// Whether a chunk of an output that has no name yet is written.
#[cfg(unix)]
fn has_chunk(place: &Workplace, output: &str) -> bool {
    let staged = place.names().into_iter().filter(|name| name.starts_with(".veloxel-"));
    let mut chunks = staged.map(|name| place.path(&name).join("new").join(output).join("0/c"));
    chunks.any(|chunks| std::fs::read_dir(chunks).is_ok_and(|mut entries| entries.next().is_some()))
}

#[cfg(unix)]
#[test]
fn boxes_are_written_before_the_last_tile_is_found_and_again_by_the_run_that_goes_on() {
    let place = volumes_of([192, 128, 128]);
    // There is room for a box beside tiles.
    let more = ["--confidence", "c.ome.zarr", "--report", "r.json"];
    let run = &in_parts("d.ome.zarr", "108M", &more);
    let told = place.run(&[&run[..], &["--dry-run"]].concat()).succeeded().stdout;
    assert!(told.contains("a box of the field"), "{told}");
    run_within(&place, &with("d.ome.zarr", &more), 108).succeeded();
    let stores = || ["d.ome.zarr", "c.ome.zarr"].map(|name| whole_store(&place, name));
    let (undisturbed, whole) = (stores(), report(&place));
    ["d.ome.zarr", "c.ome.zarr"].iter().for_each(|name| std::fs::remove_dir_all(place.path(name)).unwrap());
    killed_once(&place, run, || has_chunk(&place, "c.ome.zarr"));
    // The first two lines are no tiles.
    let kept = lines(&place.path(".d.ome.zarr.tiles/ledger")) - 2;
    let of_whole = &whole["pairs"][0];
    let tiles = of_whole["statistics"]["tiles"]["run"].as_u64().unwrap();
    assert!((kept as u64) < tiles, "{kept} of {tiles}");
    assert!(!place.path("d.ome.zarr").exists() && !place.path("c.ome.zarr").exists());
    place.run(run).succeeded();
    let again = report(&place);
    let told = again["warnings"].to_string();
    assert!(told.contains(&format!("{kept} of its tiles are kept")), "{told}");
    assert!(stores() == undisturbed, "the same bytes");
    assert_eq!(&again["pairs"][0], of_whole, "and numbers");
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_before_its_first_tile_leaves_nothing_and_says_so() {
    let place = volumes();
    let budget = &budget(&place);
    let mut stopped = std::process::Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(in_parts("d.ome.zarr", budget, &[]))
        .current_dir(place.path("."))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let ledger = place.path(".d.ome.zarr.tiles/ledger");
    while !ledger.exists() && stopped.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    terminate(stopped.id());
    let output = stopped.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{said}");
    let is_left = place.names().iter().any(|name| name.starts_with('.'));
    let words = if is_left { "what was found is kept in" } else { "nothing was left behind" };
    assert!(said.contains(words), "{said} {:?}", place.names());
    let kept = std::fs::read_to_string(&ledger).map_or(0, |text| text.lines().count());
    assert!(kept == 0 || kept > 1, "a ledger is left that keeps nothing");
}

#[test]
fn what_is_not_done_in_parts_is_refused_by_name() {
    let place = volumes();
    let budget = &budget(&place);
    let grid = Grid::volume(192, 80, 72).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 1.25])).unwrap();
    let mask = Mask::from_fn(grid, |[x, ..]| x > 20).map(|inside| i32::from(*inside));
    veloxel_io::write_labels(place.path("mask.nii.gz"), &mask).unwrap();
    let refused = |more: &[&str], word: &str| -> Run {
        let run = place.run(&in_parts("d.ome.zarr", budget, more));
        run.failed_with(&["do not fit into", word, "allow more", "--max-memory"])
    };
    refused(&["--mask", "mask.nii.gz"], "take a mask");
    refused(&["--warped", "w.ome.zarr"], "give the warped image");
    refused(&["--html", "p.html"], "draw a page");
    refused(&["--init", "affine", "--transform", "t.tfm"], "give its linear start");
    refused(&["--confidence", "c.nii.gz"], "write the confidence but to a folder named .ome.zarr");
    refused(&["--init", "matches", "--dry-run"], "begin from matches");
    let image =
        veloxel_io::read_image(&place.path(IMAGES[0]), Strictness::Strict, &mut Warnings::new()).unwrap();
    place.write_image("f.nii.gz", &image);
    let mut run = in_parts("d.ome.zarr", budget, &[]);
    run[1] = "f.nii.gz";
    place.run(&run).failed_with(&["f.nii.gz", "convert it to .ome.zarr"]);
    let mut holes = image;
    holes.data_mut()[12345] = f32::NAN;
    place.write_image("f.nii", &holes);
    run[1] = "f.nii";
    place.run(&run).failed_with(&["f.nii has NaN at voxel (x, y, z) = [57, 64, 0]", "numbers"]);
    // Another format holds the field as a whole.
    place.run(&in_parts("d.nii", budget, &[])).failed_with(&["of memory are allowed", "are needed"]);
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
}
