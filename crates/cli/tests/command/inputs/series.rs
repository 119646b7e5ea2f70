//! Series of DICOM files: chosen for each input, listed, and one after the other as a sequence.

use crate::dicom_cine::{self, Slice};
use crate::workplace::Workplace;
use std::fs;

const QUICK: [&str; 5] = ["--preset", "fast", "--device", "cpu", "-q"];

/// `export` with the series 1, 2 and 3 in one folder, and `phase1` to `phase3` with one of them each; two slices each.
fn with_series() -> Workplace {
    let place = Workplace::new();
    fs::create_dir(place.path("export")).unwrap();
    for series in 1..=3 {
        fs::create_dir(place.path(&format!("phase{series}"))).unwrap();
        for (nth, position) in ["0\\0\\0", "0\\0\\8"].into_iter().enumerate() {
            let slice = Slice { series, position, ..dicom_cine::slice(series, 0) };
            let file = dicom_cine::image(&slice);
            place.write(&format!("export/IM{series}{nth}"), &file);
            place.write(&format!("phase{series}/IM{nth}"), &file);
        }
    }
    place
}

fn flow(place: &Workplace, arguments: &[&str]) -> crate::workplace::Run {
    place.run(&[&["flow"], arguments, &QUICK[..]].concat())
}

#[test]
fn every_input_has_a_series_of_its_own() {
    let place = with_series();
    let field = |arguments: &[&str], name: &str| {
        flow(&place, &[arguments, &["-o", name]].concat()).succeeded();
        fs::read(place.path(name)).unwrap()
    };
    let expected = field(&["phase1", "phase3"], "a.nii");
    assert_eq!(field(&["export@series:1", "export@series:3"], "b.nii"), expected);
    assert_eq!(field(&["export@series:1.2.3.5.1", "export/@series:1.2.3.5.3"], "c.nii"), expected);
    assert_eq!(field(&["export", "--series", "1,3"], "d.nii"), expected);
    assert_eq!(field(&["export", "export", "--series", "1,3"], "e.nii"), expected);
    let run = flow(&place, &["export", "export", "-o", "f.nii", "--series", "1,2,3"]);
    assert_eq!((run.code, run.stderr.contains("3 series for 2 inputs")), (Some(2), true), "{}", run.stderr);
    let run = place.run(&["info", "export", "--series", "1,2"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    flow(&place, &["export@series:4", "phase1", "-o", "f.nii"])
        .failed_with(&["series asked for", "number 1"]);
}

#[test]
fn several_series_are_frames_over_time() {
    let place = with_series();
    let fields = |inputs: &[&str], folder: &str| {
        let options = ["-o", folder, "--sequence", "consecutive"];
        flow(&place, &[inputs, &options].concat()).succeeded();
        ["consecutive_000_001.nii.gz", "consecutive_001_002.nii.gz"]
            .map(|name| fs::read(place.path(folder).join(name)).unwrap())
    };
    let expected = fields(&["phase1", "phase2", "phase3"], "folders");
    assert_eq!(fields(&["export", "--series", "1-3"], "numbers"), expected);
    assert_eq!(fields(&["export@series:1", "phase2", "export@series:3"], "mixed"), expected);
    // A folder that lies elsewhere is told.
    fs::create_dir(place.path("away")).unwrap();
    let away = Slice { series: 4, position: "90\\0\\0", ..dicom_cine::slice(4, 0) };
    place.write("away/IM0", dicom_cine::image(&away));
    let both = flow(&place, &["phase1", "away", "-o", "out", "--sequence", "consecutive"]);
    both.failed_with(&["away", "size"]);
}

#[test]
fn frames_of_a_series_are_chosen_as_of_a_file() {
    let place = Workplace::new();
    dicom_cine::write_cine(&place, "cine");
    let field = |arguments: &[&str], name: &str| {
        flow(&place, &[arguments, &["-o", name]].concat()).succeeded();
        fs::read(place.path(name)).unwrap()
    };
    let expected = field(&["cine/IM0001", "cine/IM0003"], "a.nii");
    assert_eq!(field(&["cine@0", "cine@2"], "b.nii"), expected);
    assert_eq!(field(&["cine@series:1@0", "cine@series:1@2"], "c.nii"), expected);
    assert_eq!(field(&["cine", "--frames", "0,2"], "d.nii"), expected);
    flow(&place, &["cine@4", "cine@0", "-o", "e.nii"]).failed_with(&["no frame 4", "0 to 3"]);
    let before = fs::read(place.path("cine/IM0002")).unwrap();
    flow(&place, &["cine@0", "cine@2", "-o", "e.nii", "--report", "cine/IM0002"])
        .failed_with(&["is an input"]);
    assert_eq!(fs::read(place.path("cine/IM0002")).unwrap(), before);
}

#[test]
fn series_are_listed_with_what_tells_them_apart() {
    let place = with_series();
    let run = place.run(&["info", "export"]).succeeded();
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert!(rows[0].starts_with("series") && rows[0].contains("description"), "{rows:?}");
    for series in 1..=3 {
        let row = rows.iter().find(|row| row.starts_with(&series.to_string())).expect("a row of a series");
        for word in [&format!("short axis {series}"), "MR", "32 × 24", &format!("1.2.3.5.{series}")] {
            assert!(row.contains(word), "{word} is missing: {row}");
        }
    }
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["info", "export", "--json"]).succeeded().stdout).unwrap();
    assert_eq!((json[1]["number"].as_i64(), json[1]["files"].as_i64()), (Some(2), Some(2)), "{json}");
    let one = place.run(&["info", "export@series:2"]).succeeded().stdout;
    assert!(one.contains("32 × 24 × 2 voxels"), "{one}");
    let several = flow(&place, &["export", "phase1", "-o", "a.nii"]);
    several.failed_with(&["3 series", "short axis 2", "in 2 files", "--series"]);
    // The description of a series goes into no file of a run.
    flow(&place, &["export@series:1", "phase2", "-o", "a.nii", "--report", "r.json"]).succeeded();
    assert!(!fs::read_to_string(place.path("r.json")).unwrap().contains("short axis"));
}
