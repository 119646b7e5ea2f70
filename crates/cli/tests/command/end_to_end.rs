//! Small runs from file to file.

use crate::workplace::{Workplace, pair, small_volume, volume};
use veloxel_core::{Dimension, Sequence, Warnings};
use veloxel_io::Strictness;
use veloxel_phantoms::catalogue::{isotropic_grid, oblique_grid};

#[test]
fn a_volume_from_files_to_field_report_and_page() {
    let place = Workplace::new();
    let phantom = pair(&isotropic_grid(Dimension::Three, 32).unwrap());
    place.write_image("fixed.nii.gz", &phantom.fixed);
    place.write_image("moving.mha", &phantom.moving);
    veloxel_io::write_flow(place.path("truth.nrrd"), &phantom.truth).unwrap();
    place.write_image("interior.nii.gz", &phantom.interior.map(|&i| f32::from(u8::from(i))));
    let run = place.run(&[
        "flow",
        "fixed.nii.gz",
        "moving.mha",
        "-o",
        "flow.nii.gz",
        "--confidence",
        "c.nii.gz",
        "--warped",
        "w.nii.gz",
        "--report",
        "r.json",
        "--html",
        "r.html",
        "--threads",
        "2",
    ]);
    let run = run.succeeded();
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (1, ""));

    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
    assert_eq!(json["method"], "clg");
    assert_eq!(json["preset"], "accurate");
    assert_eq!(json["device"]["threads"], 2);
    assert!(json["command_line"].as_str().unwrap().starts_with("veloxel flow fixed.nii.gz moving.mha"));
    assert!(std::fs::read_to_string(place.path("r.html")).unwrap().contains("<svg"));

    let run =
        place.run(&["evaluate", "flow", "flow.nii.gz", "truth.nrrd", "--mask", "interior.nii.gz", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&run.succeeded().stdout).unwrap();
    let mean = error["end_point_vox"]["mean"].as_f64().unwrap();
    assert!(mean < 0.05, "mean error {mean} voxels");
}

#[test]
fn warping_by_the_field_gives_the_warped_image() {
    let place = Workplace::new();
    let phantom = pair(&oblique_grid(Dimension::Three, 24).unwrap());
    place.write_image("a.nii.gz", &phantom.fixed);
    place.write_image("b.nii.gz", &phantom.moving);
    for (interpolation, preset) in [("linear", "fast"), ("cubic", "accurate")] {
        let set =
            if interpolation == "cubic" { "interpolation=cubic-spline" } else { "interpolation=linear" };
        place
            .run(&[
                "flow",
                "a.nii.gz",
                "b.nii.gz",
                "-o",
                "f.mha",
                "--warped",
                "w.mha",
                "--preset",
                preset,
                "--set",
                set,
                "--outside",
                "nan",
            ])
            .succeeded();
        place
            .run(&[
                "warp",
                "image",
                "f.mha",
                "b.nii.gz",
                "-o",
                "again.mha",
                "--interpolation",
                interpolation,
                "--outside",
                "nan",
            ])
            .succeeded();
        let read = |name: &str| {
            veloxel_io::read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap()
        };
        let (warped, again) = (read("w.mha"), read("again.mha"));
        let mut compared = 0;
        for (a, b) in warped.data().iter().zip(again.data()) {
            // Millimetres in the file round the field: the border may fall on either side.
            if a.is_finite() && b.is_finite() {
                assert!((a - b).abs() < 1e-4, "{a} against {b}");
                compared += 1;
            }
        }
        assert!(2 * compared > warped.data().len(), "{compared} voxels compared");
    }
}

#[test]
fn labels_and_points_follow_the_field() {
    let place = Workplace::new();
    let phantom = small_volume();
    let labels = phantom.fixed.map(|v| if *v > 0.5 { 3 } else { 0 });
    veloxel_io::write_labels(place.path("labels.nii.gz"), &labels).unwrap();
    let still = veloxel_core::Flow::zeros(labels.grid().clone());
    veloxel_io::write_flow(place.path("still.nii.gz"), &still).unwrap();
    place.run(&["warp", "labels", "still.nii.gz", "labels.nii.gz", "-o", "same.nii.gz"]).succeeded();
    let run = place.run(&["evaluate", "labels", "same.nii.gz", "labels.nii.gz", "--json"]).succeeded();
    let overlap: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(overlap["mean_dice"], 1.0);
    place.write("points.csv", "x,y,z,name\n1,2,3,apex\n99,0,0,far\n");
    place.run(&["warp", "points", "still.nii.gz", "points.csv", "-o", "moved.csv"]).succeeded();
    let moved = std::fs::read_to_string(place.path("moved.csv")).unwrap();
    assert_eq!(moved, "x,y,z,name\n1.000000,2.000000,3.000000,apex\nNaN,NaN,NaN,far\n");
}

#[test]
fn a_sequence_becomes_a_folder() {
    let place = Workplace::new();
    let phantom = small_volume();
    let frames = vec![phantom.fixed.clone(), phantom.moving.clone(), phantom.fixed];
    let sequence = Sequence::new(frames, Some(40.0)).unwrap();
    veloxel_io::write_sequence(place.path("cine.nii.gz"), &sequence).unwrap();
    place
        .run(&[
            "flow",
            "cine.nii.gz",
            "-o",
            "out",
            "--sequence",
            "both",
            "--preset",
            "fast",
            "--html",
            "cine.html",
        ])
        .succeeded();
    let mut names: Vec<String> = std::fs::read_dir(place.path("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "consecutive_000_001.nii.gz",
            "consecutive_001_002.nii.gz",
            "consecutive_002_000.nii.gz",
            "reference_000_001.nii.gz",
            "reference_000_002.nii.gz",
            "report.json"
        ]
    );
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("out/report.json")).unwrap()).unwrap();
    assert!(json["cycle_closure_vox"].as_f64().unwrap() < 0.2);
    assert_eq!(place.names(), ["cine.html", "cine.nii.gz", "out"]);
    let run =
        place.run(&["flow", "cine.nii.gz", "-o", "out2", "--sequence", "reference", "--reference", "9"]);
    run.failed_with(&["reference frame from 0 to 2", "9"]);
    assert!(!place.path("out2").exists());
    place.run(&["flow", "nowhere", "-o", "out2", "--sequence", "both"]).failed_with(&["nowhere"]);
    let run = place.run(&["info", "cine.nii.gz"]).succeeded();
    assert!(run.stdout.contains("3 frames, 40 ms apart"), "{}", run.stdout);
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let place = Workplace::new();
    place.write_image("a.nii.gz", &small_volume().fixed);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["info", "--json"])
        .arg(place.path("a.nii.gz"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_say_how_much_memory_they_have() {
    let place = Workplace::new();
    let listed: serde_json::Value =
        serde_json::from_str(&place.run(&["devices", "--json"]).succeeded().stdout).unwrap();
    let devices = listed.as_array().unwrap();
    assert_eq!(devices[0]["name"], "cpu");
    let bytes = |key: &str| devices[0][key].as_u64().unwrap();
    assert!(bytes("memory_bytes") > bytes("available_bytes") && bytes("available_bytes") > 1 << 20);
    for device in devices.iter().filter(|d| d["reason_absent"].is_null()) {
        assert!(device["memory_bytes"].as_u64().unwrap() > 1 << 26, "{device}");
    }
    let text = place.run(&["devices"]).succeeded().stdout;
    assert!(text.lines().next().unwrap().ends_with("of it free"), "{text}");
}

#[test]
fn expected_errors_are_lengths_in_voxels_or_refused() {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("a.nii.gz", &phantom.fixed);
    place.write_image("b.nii.gz", &phantom.moving);
    let flow = |more: &[&str]| {
        let arguments = ["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii.gz", "--expected-error", "e.nii.gz"];
        place.run(&[&arguments, more].concat())
    };
    flow(&["--confidence", "c.nii.gz", "--preset", "fast"]).succeeded();
    let read = |name: &str| {
        veloxel_io::read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap()
    };
    let (errors, confidence) = (read("e.nii.gz"), read("c.nii.gz"));
    assert!(errors.data().iter().all(|error| (0.0..=5.0).contains(error)));
    let mean = errors.data().iter().sum::<f32>() / errors.data().len() as f32;
    assert!((0.001..0.5).contains(&mean), "{mean} voxel expected of a smooth motion without noise");
    let at_extreme = |most: bool| {
        let indices = 0..errors.data().len();
        let of = |i: &usize| if most { confidence.data()[*i] } else { -confidence.data()[*i] };
        errors.data()[indices.max_by(|a, b| of(a).total_cmp(&of(b))).unwrap()]
    };
    assert!(at_extreme(true) < at_extreme(false), "the surest vector has the least error");
    std::fs::remove_file(place.path("e.nii.gz")).unwrap();
    flow(&["--method", "fe"]).failed_with(&["method fe", "in volumes", "--method"]);
    assert!(!place.path("e.nii.gz").exists());
}

#[test]
fn what_a_run_says_of_its_errors_is_held_against_the_truth() {
    let place = Workplace::new();
    let phantom = volume(40);
    place.write_image("a.nii.gz", &phantom.fixed);
    place.write_image("b.nii.gz", &phantom.moving);
    veloxel_io::write_flow(place.path("t.nii.gz"), &phantom.truth).unwrap();
    let flow = |more: &[&str]| {
        place.run(&[&["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii.gz", "--preset", "fast"], more].concat())
    };
    let maps = ["--confidence", "c.nii.gz", "--expected-error", "e.nii.gz", "--covariance", "s.npy"];
    let more =
        ["--probability", "p.nii.gz", "--within", "0.25", "--truth", "t.nii.gz", "--html", "page.html"];
    flow(&[&maps[..], &more].concat()).succeeded();
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("Reliability of the probability"));
    let covariance =
        veloxel_io::read_covariance(&place.path("s.npy"), Strictness::Strict, &mut Warnings::new());
    assert_eq!(covariance.unwrap().grid().size(), phantom.fixed.grid().size());
    let evaluate =
        ["evaluate", "flow", "f.nii.gz", "t.nii.gz", "--probability", "p.nii.gz", "--within", "0.25"];
    let json = place.run(&[&evaluate[..], &maps, &["--json"]].concat()).succeeded().stdout;
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let certainty = &found["certainty"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert_eq!(number(&certainty["probability"]["within_vox"]), 0.25);
    assert!(
        (0.0..0.5).contains(&number(&certainty["probability"]["expected_calibration_error"])),
        "{certainty}"
    );
    let ellipses = certainty["ellipses"].as_array().unwrap();
    let covered: Vec<f64> = ellipses.iter().map(|own| number(&own["covered"])).collect();
    assert!(covered.len() == 3 && covered.is_sorted() && covered[1] > 0.7, "{covered:?}");
    let text = place.run(&[&evaluate[..], &maps].concat()).succeeded().stdout;
    assert!(
        ["AUSE", "ellipse of", "90 %", "expected calibration error"].iter().all(|word| text.contains(word)),
        "{text}"
    );
    flow(&["--covariance", "s.nii.gz"]).failed_with(&["covariances", ".npy"]);
    flow(&["--probability", "p.nii.gz", "--within", "9"]).failed_with(&["threshold", "0.125", "9"]);
    place
        .run(&["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii.gz", "--method", "fe", "--covariance", "s.npy"])
        .failed_with(&["method fe", "--method"]);
}
