//! Tests of the summary of a run, on a terminal or in a log, and of what only the report holds.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::phase::{json, texture};
use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Volume, Warnings};
use veloxel_io::{Strictness, inspect, read_flow, read_image};

const SIZE: [usize; 2] = [72, 56];

fn with_pictures() -> Workplace {
    let place = Workplace::new();
    place.write_image("a.png", &texture(0.0, SIZE));
    place.write_image("b.png", &texture(0.6, SIZE));
    place
}

fn with_volumes() -> Workplace {
    let (place, phantom) = (Workplace::new(), small_volume());
    place.write_image("a.nii.gz", &phantom.fixed);
    place.write_image("b.nii.gz", &phantom.moving);
    place
}

#[test]
fn a_log_gets_one_line_and_quiet_none() {
    let place = with_pictures();
    for (arguments, words) in [
        (
            &["flow", "a.png", "b.png", "-o", "f.flo"][..],
            &["f.flo: mean motion 0.", " px", "outside", "folded", " on ", "2 threads"][..],
        ),
        (&["stereo", "b.png", "a.png", "-o", "d.pfm"], &["d.pfm: median disparity", "px", "matched"]),
        (&["features", "a.png", "-o", "maps"], &["maps: ", "scales", "with a phase"]),
    ] {
        let threads = [arguments, &["--threads", "2", "--device", "cpu"]].concat();
        let run = place.run(&threads).succeeded();
        assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (1, ""), "{}", run.stdout);
        for word in words {
            assert!(run.stdout.contains(word), "{word:?} is missing from {:?}", run.stdout);
        }
        let run = place.run(&[&threads[..], &["--quiet"]].concat()).succeeded();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
    let sequence = ["flow", "a.png", "b.png", "-o", "fields", "--sequence", "reference"];
    assert!(place.run(&sequence).succeeded().stdout.starts_with("fields: mean motion 0."));
}

#[test]
fn a_schedule_that_ran_is_a_success_and_a_tolerance_that_was_missed_is_none() {
    let place = with_volumes();
    let pair = ["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii", "--report", "r.json", "--html", "p.html"];
    let status = |more: &[&str]| {
        let run = place.run(&[&pair[..], more].concat()).succeeded();
        let page = std::fs::read_to_string(place.path("p.html")).unwrap();
        let status = json(&place, "r.json")["pairs"][0]["statistics"]["status"].clone();
        (status, page.contains(r#"class="status done""#), run.stdout + &run.stderr)
    };
    for more in [&[][..], &["--preset", "fast"], &["--warps", "2"], &["--set", "warp_tol=0"]] {
        let (status, is_green, text) = status(more);
        assert!(status == "done" && is_green && !text.contains("tolerance"), "{more:?}: {status}, {text}");
    }
    for (setting, words) in [("warp_tol=1e-9", "did not reach warp_tol 1e-9: raise"), ("rtol=1e-9", "rtol")] {
        let (status, is_green, text) = status(&["--set", setting]);
        assert!(status == "limit-reached" && !is_green, "{setting}: {status}");
        assert!(text.contains(words) && text.contains("tolerance not reached"), "{text}");
    }
}

#[test]
fn an_eight_bit_image_is_warped_to_eight_bits_and_a_field_is_drawn() {
    let place = with_pictures();
    let arguments = ["flow", "a.png", "b.png", "-o", "f.png", "--warped", "w.png"];
    let run = place.run(&arguments);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("note: f.png") && run.stderr.contains("KITTI"), "{}", run.stderr);
    assert_eq!(inspect(&place.path("w.png"), veloxel_io::Strictness::Lenient).unwrap().sample_type, "u8 × 1");
    assert!(read_flow(&place.path("f.png"), Strictness::Strict, &mut Warnings::new()).is_ok());
    for name in ["c.png", "c.jpg"] {
        let run = place.run(&[&arguments[..], &["--picture", name]].concat()).succeeded();
        assert_eq!(run.stderr, "");
        let picture = read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(picture.grid().size()[..2], SIZE);
    }
    place.run(&[&arguments[..5], &["--picture", "c.tif"]].concat()).failed_with(&["c.tif", ".png"]);
}

#[test]
fn labels_are_masks() {
    let place = with_volumes();
    let grid = small_volume().fixed.grid().clone();
    let labels = Volume::from_fn(grid, |[x, ..]| [0, 1, 2, 3][x / 5]);
    veloxel_io::write_labels(place.path("labels.nii.gz"), &labels).unwrap();
    let pair = ["flow", "a.nii.gz", "b.nii.gz", "--preset", "fast", "-o"];
    let masked = |name: &str, more: &[&str]| place.run(&[&pair[..], &[name], more].concat());
    let mask = labels.map(|&l| f32::from(u8::from(l == 2 || l == 3)));
    place.write_image("mask.nii.gz", &mask);
    masked("f1.nii", &["--mask", "labels.nii.gz=2,3"]).succeeded();
    masked("f2.nii", &["--mask", "mask.nii.gz"]).succeeded();
    assert_eq!(std::fs::read(place.path("f1.nii")).unwrap(), std::fs::read(place.path("f2.nii")).unwrap());
    masked("f.nii", &["--mask", "labels.nii.gz=7"]).failed_with(&["label 7", "0, 1, 2, 3"]);
    assert_eq!(masked("f.nii", &["--mask", "labels.nii.gz=x"]).code, Some(2));
    let run = masked("f.nii", &["--volume-mask", "mask.nii.gz"]).succeeded();
    assert!(run.stderr.contains("mask.nii.gz has no effect while beta is 0"), "{}", run.stderr);
    let run = masked("f.nii", &["--volume-mask", "labels.nii.gz=1", "--set", "beta=1"]).succeeded();
    assert_eq!(run.stderr, "");
    for method in ["lucas-kanade", "block-matching", "fe"] {
        let run = masked("refused.nii", &["--method", method, "--volume-mask", "mask.nii.gz"]);
        run.failed_with(&[&format!("error: {method} does not use a volume mask: clg does")]);
        assert!(!place.names().contains(&"refused.nii".to_owned()));
    }
    let evaluated = ["evaluate", "flow", "f1.nii", "f2.nii", "--mask", "labels.nii.gz=2", "--json"];
    assert!(place.run(&evaluated).succeeded().stdout.contains(r#""measured_voxels": 2000"#));
}

#[test]
fn images_have_names_beside_positions() {
    let place = with_pictures();
    place.run(&["flow", "a.png", "b.png", "-o", "f1.flo", "--preset", "fast"]).succeeded();
    place.run(&["flow", "-m", "b.png", "--fixed", "a.png", "-o", "f2.flo", "--preset", "fast"]).succeeded();
    assert_eq!(std::fs::read(place.path("f1.flo")).unwrap(), std::fs::read(place.path("f2.flo")).unwrap());
    let evaluated = place.run(&["evaluate", "flow", "f1.flo", "f2.flo"]).succeeded().stdout;
    for words in ["end point, px", "Fl ", "KITTI", "pixels"] {
        assert!(evaluated.contains(words), "{evaluated}");
    }
    let grey = place.run(&["evaluate", "labels", "a.png", "b.png"]);
    grey.failed_with(&["a.png", "grey image", "not labels"]);
    place.run(&["stereo", "b.png", "a.png", "-o", "d.pfm", "--preset", "fast"]).succeeded();
}

#[test]
fn views_that_are_swapped_are_told() {
    let place = with_pictures();
    place.write_image("right.png", &texture(-3.0, SIZE));
    let stereo = |left: &str, right: &str| {
        place.run(&["stereo", left, right, "-o", "d.pfm", "--set", "min_orientations=3"]).succeeded().stderr
    };
    assert_eq!(stereo("a.png", "right.png"), "");
    assert!(stereo("right.png", "a.png").contains("LEFT and RIGHT seem to be swapped"));
}

#[test]
fn what_is_always_so_is_a_note_in_the_report() {
    let place = Workplace::new();
    let grey = texture(0.0, SIZE);
    let rgb: Vec<u8> = grey.data().iter().flat_map(|&v| [v as u8, 20, 30]).collect();
    for name in ["a.png", "b.png"] {
        veloxel_io::write_rgb(place.path(name), SIZE, &rgb).unwrap();
    }
    let run = place.run(&["flow", "a.png", "b.png", "-o", "f.flo", "--report", "r.json", "--html", "p.html"]);
    assert_eq!(run.succeeded().stderr, "");
    let warning = &json(&place, "r.json")["warnings"][0];
    assert_eq!(warning["kind"], "note");
    assert!(warning["message"].as_str().unwrap().contains("luminance"));
    let page = std::fs::read_to_string(place.path("p.html")).unwrap();
    assert!(page.contains("<h3>Notes</h3>") && !page.contains(r#"class="warnings""#));
}

#[test]
fn volume_that_is_not_preserved_is_told_with_its_figure() {
    let place = Workplace::new();
    let grid = small_volume().fixed.grid().clone();
    let image = |scale: f32| {
        Volume::from_fn(grid.clone(), |at| {
            let [x, y, z] = at.map(|v| scale * (v as f32 - 9.5));
            100.0 + 40.0 * (0.7 * x).sin() + 30.0 * (0.6 * y).cos() + 20.0 * (0.5 * z + 0.3 * x).sin()
        })
    };
    place.write_image("a.nii.gz", &image(1.0));
    place.write_image("b.nii.gz", &image(1.2));
    let mask =
        Volume::from_fn(grid.clone(), |at| f32::from(u8::from(at.iter().all(|v| (4..15).contains(v)))));
    place.write_image("mask.nii.gz", &mask);
    let flow =
        ["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii", "--preset", "cine", "--volume-mask", "mask.nii.gz"];
    // Too weak to preserve anything.
    let run = place.run(&[&flow[..], &["--set", "beta=1e-9", "-q"]].concat()).succeeded();
    assert!(run.stderr.contains("mask.nii.gz: volume there changes by 0."), "{}", run.stderr);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let place = Workplace::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = place.run(&["completions", shell]).succeeded().stdout;
        assert!(text.contains("veloxel") && text.contains("volume-mask"), "{shell}");
    }
    place.run(&["manual", "share/man"]).succeeded();
    let page = std::fs::read_to_string(place.path("share/man/veloxel-flow.1")).unwrap();
    assert!(page.contains("--volume") || page.contains(r"\-\-volume\-mask"), "{page}");
    place.run(&["manual", "share/man/veloxel.1"]).failed_with(&["veloxel.1"]);
    // A link to a file of the user's is replaced, and the file is not.
    #[cfg(unix)]
    {
        place.write("notes", "mine");
        std::fs::remove_file(place.path("share/man/veloxel.1")).expect("a page");
        std::os::unix::fs::symlink("../../notes", place.path("share/man/veloxel.1")).expect("a link");
        place.run(&["manual", "share/man"]).succeeded();
        assert_eq!(std::fs::read_to_string(place.path("notes")).expect("a file"), "mine");
        assert!(!place.path("share/man/veloxel.1").is_symlink());
    }
    // What cannot be written leaves no page behind.
    std::fs::create_dir(place.path("other")).expect("a folder");
    std::fs::create_dir(place.path("other/veloxel-flow.1")).expect("a folder");
    place.run(&["manual", "other"]).failed_with(&["veloxel-flow.1"]);
    assert_eq!(std::fs::read_dir(place.path("other")).expect("a folder").count(), 1);
}
