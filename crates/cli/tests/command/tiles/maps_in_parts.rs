//! Tests of fields that are composed, inverted and measured although they do not fit into the budget of memory: the bytes of those in
//! memory.

use super::peak::run_within;
use super::stores::store;
use crate::workplace::{Run, Workplace};
use veloxel_core::{Flow, Grid, Volume};

/// One field and the result take more in memory, and boxes of them less, MiB.
const BUDGET: usize = 50;
/// Pages of two fields take more, MiB.
const OF_TWO: usize = 57;
/// Less than boxes take, MiB.
const TOO_LITTLE: &str = "42M";

fn grid() -> Grid {
    // Thin, so that pages are small; rows of boxes that are not finished, and two of them.
    let grid = Grid::volume(640, 72, 18).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 1.25]));
    grid.expect("a grid of constants").with_origin_mm([-20.0, 5.0, 3.0])
}

/// A field without folds, which leads a few voxels far, and is known in a part of it, so that little has to be found.
fn field(phase: f64) -> Flow {
    Flow::from_fn(grid(), |[x, y, z]| {
        if !(180.0..280.0).contains(&x) {
            return [f64::NAN; 3];
        }
        [3.0 * (0.06 * y + phase).sin(), 2.5 * (0.05 * z).cos() + phase, -2.0 * (0.07 * x).sin() - 0.3]
    })
}

fn place() -> Workplace {
    let place = Workplace::new();
    veloxel_io::write_flow(place.path("a.ome.zarr"), &field(0.0)).expect("a field is written");
    veloxel_io::write_flow(place.path("b.mha"), &field(0.7)).expect("a field is written");
    place.write("t.txt", "# LPS\n1.01 0.02 0 1.5\n-0.02 0.99 0.01 -2\n0 0 1 0.25\n0 0 0 1\n");
    let other = Grid::volume(600, 70, 17).and_then(|grid| grid.with_spacing_mm([1.1, 1.05, 1.3]));
    let other = other.expect("a grid of constants").with_origin_mm([-15.0, 8.0, 6.0]);
    place.write_image("other.nii", &Volume::from_fn(other, |_| 0.0));
    place
}

/// Runs in memory and in parts: both give the same bytes, and the same words.
fn same(place: &Workplace, line: &[&str], budget_mib: usize) -> Run {
    for output in ["whole.ome.zarr", "parts.ome.zarr"] {
        let _ = std::fs::remove_dir_all(place.path(output));
    }
    let told = place.run(&[line, &["-o", "whole.ome.zarr"]].concat()).succeeded();
    let in_parts = run_within(place, &[line, &["-o", "parts.ome.zarr"]].concat(), budget_mib).succeeded();
    assert_eq!(told.stderr, in_parts.stderr, "{line:?}");
    assert!(store(place, "whole.ome.zarr") == store(place, "parts.ome.zarr"), "{line:?}");
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
    // It would not fit: another format is refused.
    place
        .run(&[line, &["-o", "w.nii", "--max-memory", TOO_LITTLE]].concat())
        .failed_with(&["are needed unless"]);
    in_parts
}

#[test]
fn fields_composed_in_parts_have_the_bytes_of_those_in_memory() {
    let place = place();
    let told = same(&place, &["compose", "a.ome.zarr", "b.mha"], OF_TWO).stderr;
    assert!(told.contains("lead out of a field's grid or meet unknown vectors"), "{told}");
    same(&place, &["compose", "t.txt", "a.ome.zarr", "t.txt", "--grid", "other.nii"], BUDGET);
}

#[test]
fn a_field_inverted_in_parts_has_the_bytes_of_one_in_memory() {
    let place = place();
    let told = same(&place, &["invert", "a.ome.zarr"], BUDGET).stderr;
    assert!(told.contains("voxels"), "{told}");
}

#[test]
fn what_cannot_be_composed_or_inverted_in_parts_is_refused_as_in_memory() {
    let place = place();
    let both = |line: &[&str], budget_mib: usize, words: &[&str]| {
        for budget in [&[][..], &["--max-memory", &format!("{budget_mib}M")]] {
            place.run(&[line, &["-o", "w.ome.zarr"], budget].concat()).failed_with(words);
            assert!(place.names().iter().all(|name| !name.starts_with('.') && !name.starts_with("w.")));
        }
    };
    let folding = Flow::from_fn(grid(), |[x, y, z]| {
        let turned = if (60.0..70.0).contains(&x) && y > 60.0 && z > 12.0 { -1.5 * (x - 60.0) } else { 0.0 };
        [turned, 0.1 * z, 0.0]
    });
    veloxel_io::write_flow(place.path("folds.mha"), &folding).expect("a field is written");
    both(&["invert", "folds.mha"], BUDGET, &["the field folds in", "it has no inverse"]);
    let far = Flow::from_fn(grid(), |_| [1000.0, 0.0, 0.0]);
    veloxel_io::write_flow(place.path("far.mha"), &far).expect("a field is written");
    both(&["compose", "far.mha", "a.ome.zarr"], OF_TWO, &["no voxel has a way through all maps"]);
    veloxel_io::write_flow(place.path("a.nii.gz"), &field(0.0)).expect("a field is written");
    let line = ["invert", "a.nii.gz", "-o", "w.ome.zarr", "--max-memory", &format!("{BUDGET}M")];
    place.run(&line).failed_with(&["a.nii.gz", "convert it to .ome.zarr"]);
    let line = ["invert", "b.mha", "-o", "w.ome.zarr", "--max-memory", TOO_LITTLE];
    place.run(&line).failed_with(&["are needed even in parts"]);
}

#[test]
fn a_field_measured_in_parts_has_the_numbers_of_one_in_memory() {
    let place = place();
    // It folds in many cells.
    let rough = Flow::from_fn(grid(), |[x, y, z]| {
        if !(180.0..280.0).contains(&x) {
            return [f64::NAN; 3];
        }
        let seed = (7.0 * x + 13.0 * y + 29.0 * z).sin() * 91.7;
        [seed - seed.floor(), 0.4 * (0.3 * z).sin(), 2.0 * (0.1 * x).cos()]
    });
    veloxel_io::write_flow(place.path("rough.mha"), &rough).expect("a field is written");
    let line = ["evaluate", "flow", "rough.mha", "a.ome.zarr", "--json"];
    let (whole, in_parts) = (place.run(&line).succeeded(), run_within(&place, &line, BUDGET).succeeded());
    assert_eq!(whole.stdout, in_parts.stdout);
    assert!(!whole.stdout.contains("\"folded\": 0,"), "{}", whole.stdout);
    let labels = Volume::from_fn(grid(), |[x, y, z]| ((x / 40 + y / 20 + z / 5) % 4) as f32);
    place.write_image("labels.nii", &labels);
    for mask in ["labels.nii", "labels.nii=2,3"] {
        let line = [&line[..], &["--mask", mask]].concat();
        let masked = place.run(&line).succeeded();
        assert_eq!(masked.stdout, run_within(&place, &line, BUDGET).succeeded().stdout, "{mask}");
        assert!(
            masked.stdout != whole.stdout && masked.stdout.contains("\"inside\": {"),
            "{}",
            masked.stdout
        );
    }
    let line = ["evaluate", "flow", "a.ome.zarr", "b.mha", "--mask", "labels.nii=7", "--max-memory", "50M"];
    place.run(&line).failed_with(&["labels.nii", "7", "0, 1, 2, 3"]);
    let line = ["evaluate", "flow", "a.ome.zarr", "b.mha", "--max-memory", TOO_LITTLE];
    place.run(&line).failed_with(&["are needed even in parts"]);
}

#[test]
fn a_dry_run_of_fields_tells_memory_boxes_time_and_files_and_writes_nothing() {
    let place = place();
    let told = |line: &[&str], budget_mib: usize| {
        let budget = format!("{budget_mib}M");
        let told = place.run(&[line, &["--dry-run", "--max-memory", &budget]].concat()).succeeded().stdout;
        for word in ["memory", "time", "about", "output"] {
            assert!(told.contains(word), "{word} {told}");
        }
        assert!(place.names().iter().all(|name| !name.starts_with('.') && !name.starts_with("w.")));
        told
    };
    let invert = ["invert", "a.ome.zarr", "-o", "w.ome.zarr"];
    let in_parts = told(&invert, BUDGET);
    assert!(
        in_parts.contains("20 boxes of 64 × 64 × 18") && in_parts.contains("50.0 MiB allowed"),
        "{in_parts}"
    );
    assert!(told(&invert, 2000).contains("none: files and the result are held in memory"));
    assert!(told(&["compose", "a.ome.zarr", "b.mha", "-o", "w.ome.zarr"], OF_TWO).contains("20 boxes"));
    let warp = ["warp", "image", "a.ome.zarr", "other.nii", "-o", "w.ome.zarr", "--device", "cpu"];
    assert!(told(&warp, 56).contains("boxes of"));
    assert!(told(&["warp", "labels", "a.ome.zarr", "other.nii", "-o", "w.nii"], 2000).contains("none"));
    let line = ["invert", "a.ome.zarr", "-o", "w.nii", "--dry-run", "--max-memory", TOO_LITTLE];
    place.run(&line).failed_with(&["are needed unless"]);
}

#[cfg(unix)]
#[test]
fn chains_and_inverses_that_were_killed_go_on_and_refuse_other_runs() {
    use super::ended_runs::goes_on;
    let place = place();
    let budget = &format!("{BUDGET}M");
    let line = ["compose", "t.txt", "a.ome.zarr", "--grid", "other.nii", "--max-memory", budget];
    let other = ["compose", "a.ome.zarr", "t.txt", "--grid", "other.nii", "--max-memory", budget];
    let told = goes_on(&place, &line, &other, "its map 1 is another", 4).stderr;
    assert!(told.contains("lead out of a field's grid or meet unknown vectors"), "{told}");
    let line = ["invert", "a.ome.zarr", "--max-memory", budget];
    let other = ["invert", "b.mha", "--max-memory", budget];
    // A row has ten boxes: the second one begins again.
    let told = goes_on(&place, &line, &other, "its map 1 is another", 13).stderr;
    assert!(told.contains("10 of its boxes are kept"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_measurement_that_was_killed_goes_on_to_the_same_numbers() {
    use super::ended_runs::killed;
    let place = place();
    let line = ["evaluate", "flow", "b.mha", "a.ome.zarr", "--json", "--max-memory", "44M"];
    let undisturbed = place.run(&line).succeeded();
    let folder = place.path(".b.mha.measured.tiles");
    assert!(!folder.exists());
    killed(&place, &line, &folder.join("ledger"), 2);
    // The same result against another truth is another measurement, which begins anew.
    let other = ["evaluate", "flow", "b.mha", "b.mha", "--json", "--max-memory", "44M"];
    assert!(!place.run(&other).succeeded().stderr.contains("goes on"));
    killed(&place, &line, &folder.join("ledger"), 2);
    let told = place.run(&line).succeeded();
    assert!(told.stderr.contains("goes on with a run that was ended"), "{}", told.stderr);
    assert_eq!(told.stdout, undisturbed.stdout);
    assert!(!folder.exists());
}
