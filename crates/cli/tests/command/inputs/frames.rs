//! Frames of an input by its name, `cine@5` and `cine@2:8`, wherever an image or a sequence is read.

use crate::workplace::Workplace;
use std::fs;
use veloxel_core::{Grid, Sequence, Volume, Warnings};
use veloxel_io::{Strictness, read_flow};

/// Frame t of a pattern that moves by half a pixel a frame.
fn frame(t: usize) -> Volume<f32> {
    let grid = Grid::image(40, 32).and_then(|grid| grid.with_spacing_mm([1.5, 1.5, 1.0])).unwrap();
    Volume::from_fn(grid, |[x, y, _]| {
        let x = x as f32 - 0.5 * t as f32;
        128.0 + 60.0 * (x / 2.5).sin() + 50.0 * (y as f32 / 3.0 + x / 9.0).cos()
    })
}

/// `cine.nii.gz` of six frames, the same frames as files in `frames`, and as `video.y4m`.
fn with_cine() -> Workplace {
    let place = Workplace::new();
    let frames: Vec<_> = (0..6).map(frame).collect();
    fs::create_dir(place.path("frames")).unwrap();
    for (t, frame) in frames.iter().enumerate() {
        place.write_image(&format!("frames/f{t}.png"), &frame.map(|v| v.round()));
        place.write_image(&format!("f{t}.nii"), frame);
    }
    let cine = Sequence::new(frames, Some(40.0)).unwrap();
    veloxel_io::write_sequence(place.path("cine.nii.gz"), &cine).unwrap();
    place
}

const QUICK: [&str; 5] = ["--preset", "fast", "--device", "cpu", "-q"];

fn flow(place: &Workplace, arguments: &[&str]) -> crate::workplace::Run {
    place.run(&[&["flow"], arguments, &QUICK[..]].concat())
}

fn field(place: &Workplace, name: &str) -> Vec<f32> {
    read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap().planar_vox().to_vec()
}

#[test]
fn a_frame_of_a_file_or_a_folder_is_an_image() {
    let place = with_cine();
    flow(&place, &["f1.nii", "f4.nii", "-o", "files.flo"]).succeeded();
    flow(&place, &["cine.nii.gz@1", "cine.nii.gz@4", "-o", "named.flo"]).succeeded();
    flow(&place, &["cine.nii.gz", "--frames", "1,4", "-o", "chosen.flo"]).succeeded();
    flow(&place, &["cine.nii.gz", "--frames", "1:5:3", "-o", "range.flo"]).succeeded();
    let expected = field(&place, "files.flo");
    for name in ["named.flo", "chosen.flo", "range.flo"] {
        assert_eq!(field(&place, name), expected, "{name}");
    }
    flow(&place, &["frames/f1.png", "frames/f4.png", "-o", "pictures.flo"]).succeeded();
    flow(&place, &["frames@1", "frames/@4", "-o", "folder.flo"]).succeeded();
    flow(&place, &["frames/f*.png@1", "frames/f?.png@4", "-o", "pattern.flo"]).succeeded();
    for name in ["folder.flo", "pattern.flo"] {
        assert_eq!(field(&place, name), field(&place, "pictures.flo"), "{name}");
    }
    // Masks, warps, filters and information take frames as well.
    place
        .run(&["warp", "image", "named.flo", "cine.nii.gz@4", "-o", "warped.nii", "--device", "cpu"])
        .succeeded();
    let told = place.run(&["info", "cine.nii.gz@2"]).succeeded().stdout;
    assert!(told.contains("picture (NIfTI)") && !told.contains("frames"), "{told}");
    let told = place.run(&["info", "cine.nii.gz@0:6:2"]).succeeded().stdout;
    assert!(told.contains("3 frames, 80 ms apart"), "{told}");
    let dry = flow(&place, &["cine.nii.gz@1", "cine.nii.gz@4", "-o", "dry.flo", "--dry-run"]).succeeded();
    assert!(dry.stdout.contains("40 × 32"), "{}", dry.stdout);
}

#[test]
fn a_file_of_that_very_name_comes_first() {
    let place = with_cine();
    fs::copy(place.path("f0.nii"), place.path("f0@1.nii")).unwrap();
    fs::copy(place.path("cine.nii.gz"), place.path("x@3")).unwrap();
    flow(&place, &["f0@1.nii", "f1.nii", "-o", "a.flo"]).succeeded();
    flow(&place, &["f0.nii", "f1.nii", "-o", "b.flo"]).succeeded();
    assert_eq!(field(&place, "a.flo"), field(&place, "b.flo"));
    flow(&place, &["x@3", "f1.nii", "-o", "c.flo"]).failed_with(&["x@3", "no known format"]);
}

#[test]
fn frames_beyond_the_last_are_one_line_that_names_those_there_are() {
    let place = with_cine();
    for (name, words) in [
        ("cine.nii.gz@6", ["cine.nii.gz: there is no frame 6", "6 frames are 0 to 5"]),
        ("frames@9", ["frames: there is no frame 9", "6 frames are 0 to 5"]),
        ("f0.nii@1", ["f0.nii: there is no frame 1", "its only frame is 0"]),
        ("none.nii@1", ["none.nii", "cannot open"]),
    ] {
        flow(&place, &[name, "f1.nii", "-o", "a.flo"]).failed_with(&words);
        flow(&place, &[name, "f1.nii", "-o", "a.flo", "--dry-run"]).failed_with(&words);
        place.run(&["info", name]).failed_with(&words);
    }
    let all = ["cine.nii.gz@2:8", "-o", "out", "--sequence", "consecutive"];
    flow(&place, &all).failed_with(&["there is no frame 2:8", "0 to 5"]);
    flow(&place, &["cine.nii.gz", "f1.nii", "-o", "a.flo"]).failed_with(&["cine.nii.gz@5"]);
    for wrong in [&["--frames", "0,1,2"][..], &["--frames", "2:"], &["--frames", "x,1"]] {
        let run = flow(&place, &[&["cine.nii.gz", "-o", "a.flo"], wrong].concat());
        assert_eq!(run.code, Some(2), "{wrong:?}: {}", run.stderr);
    }
}

#[test]
fn ranges_are_sequences() {
    let place = with_cine();
    let sequence = |inputs: &[&str], folder: &str| {
        flow(&place, &[inputs, &["-o", folder, "--sequence", "consecutive"]].concat()).succeeded();
        fs::read(place.path(folder).join("consecutive_001_002.flo")).unwrap()
    };
    let expected = sequence(&["f2.nii", "f3.nii", "f4.nii"], "files");
    assert_eq!(sequence(&["cine.nii.gz@2:5"], "range"), expected);
    assert_eq!(sequence(&["cine.nii.gz@2:4", "f4.nii"], "both"), expected);
    assert_eq!(sequence(&["cine.nii.gz@2", "cine.nii.gz@3", "cine.nii.gz@4"], "each"), expected);
    let pictures = sequence(&["frames@2:5"], "folder");
    assert_eq!(sequence(&["frames/f2.png", "frames/f3.png", "frames/f4.png"], "pictures"), pictures);
    // A window of the phase-based method, and a stream of a video.
    let phase = ["--method", "phase", "--preset", "fast", "--device", "cpu", "-q"];
    place.run(&[&["flow", "frames@0:5", "-o", "phase.flo"], &phase[..]].concat()).succeeded();
}

#[test]
fn an_input_of_which_frames_are_taken_is_not_replaced() {
    let place = with_cine();
    let kept = [("cine.nii.gz", "cine.nii.gz@0"), ("frames/f1.png", "frames@1")];
    for (file, name) in kept {
        let before = fs::read(place.path(file)).unwrap();
        for output in ["--report", "--warped"] {
            let options = [name, "f1.nii", "-o", "a.nii", output, file];
            flow(&place, &options).failed_with(&["is an input"]);
        }
        assert_eq!(fs::read(place.path(file)).unwrap(), before);
    }
}
