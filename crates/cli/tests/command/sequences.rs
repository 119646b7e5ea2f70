//! Sequences: which frames, against which truth, and where their maps go.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::dicom_cine::{self, Slice};
use crate::phase::{json, texture};
use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Flow, Sequence, Warnings};
use veloxel_io::{Strictness, read_flow, read_image, read_sequence};

const SIZE: [usize; 2] = [72, 56];
const STEP: f32 = 0.4;

fn with_cine() -> Workplace {
    let (place, phantom) = (Workplace::new(), small_volume());
    let frames = vec![phantom.fixed.clone(), phantom.moving.clone(), phantom.fixed, phantom.moving];
    let cine = Sequence::new(frames, Some(40.0)).unwrap();
    veloxel_io::write_sequence(place.path("cine.nii.gz"), &cine).unwrap();
    place
}

fn with_frames(count: usize) -> Workplace {
    let place = Workplace::new();
    std::fs::create_dir(place.path("in")).unwrap();
    for t in 0..count {
        place.write_image(&format!("in/f{t}.png"), &texture(STEP * t as f32, SIZE));
    }
    place
}

fn names(place: &Workplace, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn maps_are_one_file_over_time_or_a_folder_as_their_name_says() {
    let place = with_cine();
    let run = |mode: &str, more: &[&str]| {
        let command = ["flow", "cine.nii.gz", "-o", "out", "--sequence", mode, "--preset", "fast"];
        place.run(&[&command[..], more].concat())
    };
    run("consecutive", &["--warped", "w.nii.gz", "--confidence", "c.nrrd"]).succeeded();
    for name in ["w.nii.gz", "c.nrrd"] {
        let maps = read_sequence(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(maps.frames().len(), 3, "{name}");
    }
    run("both", &["--warped", "warped", "--confidence", "sure"]).succeeded();
    assert_eq!(names(&place, "warped").len(), 7);
    assert_eq!(names(&place, "sure")[0], "confidence_consecutive_000_001.nii.gz");
    run("both", &["--warped", "w.nii.gz"]).failed_with(&["w.nii.gz", "one series", "folder"]);
    run("consecutive", &["--warped", "w.mha"]).failed_with(&["w.mha", ".nii"]);
    // The page may lie among the fields, in a folder that is not there yet.
    let command = ["flow", "cine.nii.gz", "-o", "new", "--sequence", "consecutive", "--preset", "fast"];
    place
        .run(&[&command[..], &["--html", "new/page.html", "--report", "new/again.json"]].concat())
        .succeeded();
    assert_eq!(names(&place, "new")[0], "again.json");
    assert!(place.path("new/page.html").is_file());
    let command = ["flow", "cine.nii.gz", "-o", "fields.nii.gz", "--sequence", "consecutive"];
    place.run(&command).failed_with(&["fields.nii.gz", "many fields", "folder"]);
}

#[test]
fn frames_are_chosen_and_keep_their_numbers() {
    let place = with_frames(6);
    let run = |more: &[&str]| {
        let command = ["flow", "in", "-o", "out", "--sequence", "reference", "--preset", "fast"];
        place.run(&[&command[..], more].concat())
    };
    run(&["--frames", "1:6:2", "--reference", "3", "--warped", "warped"]).succeeded();
    assert_eq!(names(&place, "out"), ["reference_003_001.flo", "reference_003_005.flo", "report.json"]);
    assert_eq!(names(&place, "warped")[1], "warped_reference_003_005.png");
    let (mut none, strict) = (Warnings::new(), Strictness::Strict);
    let warped = read_image(&place.path("warped/warped_reference_003_005.png"), strict, &mut none).unwrap();
    let fixed = read_image(&place.path("in/f3.png"), strict, &mut none).unwrap();
    let middle = fixed.grid().index([36, 28, 0]);
    assert!((warped.data()[middle] - fixed.data()[middle]).abs() < 25.0);
    let title = json(&place, "out/report.json")["pairs"][1]["title"].clone();
    assert_eq!(title, "reference 3 → 5 (f3.png → f5.png)");
    run(&["--frames", "1:6:2", "--reference", "2"]).failed_with(&["reference", "2"]);
    run(&["--frames", "2:5", "-q"]).succeeded();
    assert!(place.path("out/reference_002_004.flo").is_file(), "the first frame taken is the reference");
    run(&["--frames", "5:"]).failed_with(&["--frames", "1 of 6"]);
    assert_eq!(run(&["--frames", "x"]).code, Some(2));
}

#[test]
fn fields_of_a_one_slice_cine_have_any_format_and_keep_its_place() {
    let place = Workplace::new();
    std::fs::create_dir(place.path("cine")).unwrap();
    for nth in 1..=3 {
        let slice = Slice {
            position: "10\\-20\\33",
            orientation: "0.8\\0.6\\0\\0\\0\\-1",
            ..dicom_cine::slice(nth, 30 * nth)
        };
        place.write(&format!("cine/IM{nth}"), dicom_cine::image(&slice));
    }
    let mut none = Warnings::new();
    let plane = read_image(&place.path("cine/IM1"), Strictness::Lenient, &mut none).unwrap();
    let run = |format: &str| {
        let command = ["flow", "cine", "-o", "out", "--sequence", "consecutive", "--preset", "fast"];
        place.run(&[&command[..], &["--field-format", format, "--device", "cpu"]].concat())
    };
    for format in ["nii.gz", "mha", "nrrd", ".NII"] {
        run(format).succeeded();
        let name = format!("out/consecutive_001_002.{}", format.trim_start_matches('.').to_lowercase());
        let field = read_flow(&place.path(&name), Strictness::Strict, &mut none).unwrap();
        field.grid().require_same(plane.grid(), format).unwrap();
    }
    for format in ["flo", "npy"] {
        run(format).succeeded();
        assert!(place.path(&format!("out/consecutive_000_001.{format}")).is_file());
    }
    let wrong = run("jpg");
    assert_eq!((wrong.code, wrong.stderr.contains("nii.gz")), (Some(2), true), "{}", wrong.stderr);
    let cine = with_cine();
    let volume = ["flow", "cine.nii.gz", "-o", "out", "--sequence", "consecutive", "--field-format", "flo"];
    cine.run(&volume).failed_with(&[".flo", "volume"]);
}

#[test]
fn a_dry_run_of_a_sequence_tells_frames_fields_and_memory() {
    let place = with_cine();
    let run = |more: &[&str]| {
        let command =
            ["flow", "cine.nii.gz", "-o", "out", "--sequence", "both", "--dry-run", "--device", "cpu"];
        place.run(&[&command[..], more].concat())
    };
    let told = run(&["--report", "plan.json"]).succeeded().stdout;
    for words in ["4 frames, 7 fields", "20 × 20 × 20", "other frames", "about", "out"] {
        assert!(told.contains(words), "{words} is missing: {told}");
    }
    assert_eq!((json(&place, "plan.json")["fields"].as_u64(), place.path("out").exists()), (Some(7), false));
    assert!(run(&["--frames", "0:3"]).succeeded().stdout.contains("3 frames, 5 fields"));
    run(&["--frames", "3:"]).failed_with(&["--frames", "1 of 4"]);
    let frames = with_frames(3);
    let told =
        frames.run(&["flow", "in", "-o", "out", "--sequence", "reference", "--dry-run", "--device", "cpu"]);
    assert!(told.succeeded().stdout.contains("3 frames, 2 fields"));
    assert_eq!(frames.names(), ["in"]);
}

#[test]
fn warped_frames_go_on_beyond_the_border_if_asked() {
    let place = Workplace::new();
    for t in 0..3 {
        place.write_image(&format!("f{t}.png"), &texture(-3.0 * t as f32, SIZE).map(|v| v.max(20.0)));
    }
    let black = |outside: &str| {
        let command = ["flow", "f0.png", "f1.png", "f2.png", "-o", "out", "--sequence", "reference"];
        place.run(&[&command[..], &["--warped", "warped", "--outside", outside]].concat()).succeeded();
        let path = place.path("warped/warped_reference_000_002.png");
        let warped = read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        warped.data().iter().filter(|v| **v == 0.0).count()
    };
    assert!(black("0") > SIZE[1]);
    assert_eq!(black("edge"), 0);
    assert!(black("nan") > SIZE[1]);
    // The folder was hidden while it was written: the report knows it by its own name.
    let warnings = json(&place, "out/report.json")["warnings"].to_string();
    assert!(warnings.contains("warped/warped_reference_000_002.png: "), "{warnings}");
    assert!(!warnings.contains(".part"), "{warnings}");
}

#[test]
fn every_field_is_measured_against_its_own_truth() {
    let place = with_frames(4);
    let grid = texture(0.0, SIZE).grid().clone();
    for folder in ["named", "ordered", "few"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    let shift = |frames: f32| Flow::from_fn(grid.clone(), |_| [f64::from(STEP * frames), 0.0, 0.0]);
    let write = |name: &str, frames: f32| veloxel_io::write_flow(place.path(name), &shift(frames)).unwrap();
    for n in 1..4 {
        write(&format!("named/reference_000_00{n}.flo"), n as f32);
        write(&format!("ordered/t{}.flo", n + 8), 1.0);
    }
    write("few/t1.flo", 1.0);
    let errors = |mode: &str, truth: &str| {
        let command = ["flow", "in", "-o", "out", "--sequence", mode, "--truth", truth, "--preset", "fast"];
        place.run(&command).succeeded();
        let pairs = json(&place, "out/report.json")["pairs"].clone();
        let error = |pair: &serde_json::Value| pair["error"]["end_point_vox"]["mean"].as_f64();
        pairs.as_array().unwrap().iter().map(error).collect::<Vec<_>>()
    };
    for (mode, truth, measured) in
        [("consecutive", "ordered", 3), ("reference", "named", 3), ("both", "named", 3)]
    {
        let found: Vec<f64> = errors(mode, truth).into_iter().flatten().collect();
        assert!(found.len() == measured && found.iter().all(|e| *e < 0.2), "{mode}: {found:?}");
    }
    let run =
        |truth: &str| place.run(&["flow", "in", "-o", "out", "--sequence", "consecutive", "--truth", truth]);
    run("few").failed_with(&["few", "1 field", "3"]);
    run("in/f0.png").failed_with(&["--truth", "folder"]);
}
