//! Tests of all failures that must end in one clear line and exit code 1, with no incomplete file.

use crate::workplace::{Workplace, run_in, small_volume};
use std::io::Write;
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::Strictness;

/// A place with `fixed.nii.gz` and `moving.nii.gz`.
fn with_pair() -> Workplace {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("fixed.nii.gz", &phantom.fixed);
    place.write_image("moving.nii.gz", &phantom.moving);
    place
}

/// Checks that `flow FIXED MOVING` fails with these words and leaves nothing new.
fn refused(place: &Workplace, [fixed, moving]: [&str; 2], words: &[&str]) {
    let before = place.names();
    let output = ["flow", fixed, moving, "-o", "flow.nii.gz", "--preset", "fast", "--report", "r.json"];
    place.run(&output).failed_with(words);
    assert_eq!(place.names(), before, "nothing may be left behind");
}

/// An uncompressed NIfTI-1 whose header says what the test wants.
fn nifti(dims: [i16; 4], samples: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; 352];
    bytes[..4].copy_from_slice(&348i32.to_le_bytes());
    for (i, d) in dims.iter().enumerate() {
        bytes[40 + 2 * i..42 + 2 * i].copy_from_slice(&d.to_le_bytes());
    }
    bytes[70..72].copy_from_slice(&16i16.to_le_bytes());
    bytes[72..74].copy_from_slice(&32i16.to_le_bytes());
    for i in 0..4 {
        bytes[76 + 4 * i..80 + 4 * i].copy_from_slice(&1f32.to_le_bytes());
    }
    bytes[108..112].copy_from_slice(&352f32.to_le_bytes());
    bytes[344..348].copy_from_slice(b"n+1\0");
    bytes.resize(352 + 4 * samples, 0);
    bytes
}

#[test]
fn a_missing_file() {
    refused(&with_pair(), ["nowhere.nii.gz", "moving.nii.gz"], &["nowhere.nii.gz", "cannot open"]);
}

#[test]
fn an_unknown_extension() {
    let place = with_pair();
    place.write("fixed.xyz", "x");
    refused(&place, ["fixed.xyz", "moving.nii.gz"], &["fixed.xyz", ".nii.gz"]);
    let run = place.run(&["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.xyz"]);
    run.failed_with(&["flow.xyz", ".nii.gz", ".flo"]);
    let run = place.run(&["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.flo"]);
    run.failed_with(&["flow.flo", ".nii.gz"]);
}

#[test]
fn a_truncated_gzip() {
    let place = with_pair();
    let whole = std::fs::read(place.path("moving.nii.gz")).unwrap();
    place.write("cut.nii.gz", &whole[..whole.len() / 2]);
    refused(&place, ["fixed.nii.gz", "cut.nii.gz"], &["cut.nii.gz"]);
}

#[test]
fn impossible_dimensions() {
    let place = with_pair();
    for (name, dims) in [
        ("zero.nii", [3, 4, 0, 4]),
        ("eight.nii", [8, 4, 4, 4]),
        ("negative.nii", [3, 4, -4, 4]),
        ("huge.nii", [3, 32767, 32767, 32767]),
    ] {
        place.write(name, nifti(dims, 64));
        refused(&place, ["fixed.nii.gz", name], &[name]);
    }
}

#[test]
fn more_than_memory() {
    let place = with_pair();
    let file = std::fs::File::create(place.path("vast.nii")).unwrap();
    let mut header = std::io::BufWriter::new(&file);
    header.write_all(&nifti([3, 30000, 30000, 1000], 0)).unwrap();
    drop(header);
    // The bytes are there, as a hole in the file: only memory is short.
    if file.set_len(352 + 4 * 30000 * 30000 * 1000).is_err() {
        return;
    }
    refused(&place, ["vast.nii", "moving.nii.gz"], &["vast.nii", "memory"]);
}

#[test]
fn voxels_that_are_not_numbers() {
    let place = with_pair();
    let mut phantom = small_volume();
    let index = phantom.fixed.grid().index([3, 2, 1]);
    phantom.fixed.data_mut()[index] = f32::NAN;
    place.write_image("nan.nii.gz", &phantom.fixed);
    let run =
        place.run(&["flow", "nan.nii.gz", "moving.nii.gz", "-o", "f.nii.gz", "--confidence", "c.nii.gz"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("nan.nii.gz: 1 of") && run.stderr.contains("[3, 2, 1]"), "{}", run.stderr);
    let path = place.path("c.nii.gz");
    let confidence =
        veloxel_io::read_image(&path, Strictness::Strict, &mut Warnings::new()).expect("written");
    assert_eq!(confidence.data()[index], 0.0);
    phantom.fixed.data_mut().fill(f32::NAN);
    place.write_image("empty.nii.gz", &phantom.fixed);
    refused(&place, ["empty.nii.gz", "moving.nii.gz"], &["empty.nii.gz has no data"]);
}

#[test]
fn images_that_cannot_be_compared() {
    let place = with_pair();
    let far = Grid::volume(20, 20, 20).unwrap().with_origin_mm([500.0, 0.0, 0.0]);
    place.write_image("far.nii.gz", &Volume::from_fn(far, |[x, y, z]| (x + y * z) as f32));
    refused(&place, ["fixed.nii.gz", "far.nii.gz"], &["do not overlap", "--init centre-of-mass"]);
    for (name, nx) in [("a.png", 20), ("b.png", 21)] {
        place.write_image(
            name,
            &Volume::from_fn(Grid::image(nx, 20).unwrap(), |[x, y, _]| (x * y % 97) as f32),
        );
    }
    let run = place.run(&["flow", "a.png", "b.png", "-o", "flow.flo"]);
    run.failed_with(&["20 × 20 pixels", "21 × 20 pixels", "crop or scale"]);
    place.write_image(
        "picture.tif",
        &Volume::from_fn(Grid::image(20, 20).unwrap(), |[x, y, _]| (x * y) as f32),
    );
    refused(&place, ["fixed.nii.gz", "picture.tif"], &["both be pictures or both be volumes"]);
}

#[test]
fn a_start_that_there_is_not_is_told_with_those_there_are() {
    let place = with_pair();
    let run = place.run(&["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "f.nii.gz", "--init", "afine"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains(
            "none, centre-of-mass, rigid, similarity, affine, matches, or the file of a transform or a field"
        ),
        "{}",
        run.stderr
    );
}

#[test]
fn constant_images_have_a_defined_result() {
    let place = with_pair();
    place.write_image("flat.nii.gz", &small_volume().fixed.map(|_| 7.0));
    for init in ["none", "affine", "centre-of-mass"] {
        let run = place.run(&[
            "flow",
            "flat.nii.gz",
            "moving.nii.gz",
            "-o",
            "flow.nii.gz",
            "--confidence",
            "c.nii.gz",
            "--init",
            init,
        ]);
        let run = run.succeeded();
        assert!(run.stderr.contains("constant"), "{}", run.stderr);
    }
    let read = |name: &str| {
        veloxel_io::read(&place.path(name), veloxel_io::Strictness::Lenient, &mut Default::default())
    };
    let veloxel_io::Content::Flow(flow) = read("flow.nii.gz").unwrap() else { panic!("a field") };
    assert!(flow.planar_vox().iter().all(|v| *v == 0.0));
    let veloxel_io::Content::Image(confidence) = read("c.nii.gz").unwrap() else { panic!("an image") };
    assert!(confidence.data().iter().all(|v| *v == 0.0));
}

#[test]
fn an_axis_of_one_voxel_works() {
    let place = Workplace::new();
    let plane = |shift: f32| {
        Volume::from_fn(Grid::volume(24, 20, 1).unwrap(), |[x, y, _]| {
            (0.4 * (x as f32 - shift)).sin() * (0.3 * y as f32 + 0.1 * x as f32).cos()
        })
    };
    place.write_image("a.nii.gz", &plane(0.0));
    place.write_image("b.nii.gz", &plane(0.6));
    for preset in ["fast", "accurate", "paper"] {
        place.run(&["flow", "a.nii.gz", "b.nii.gz", "-o", "f.nii.gz", "--preset", preset]).succeeded();
    }
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_work() {
    let place = with_pair();
    for (option, value, word) in [
        ("-o", "nowhere/flow.nii.gz", "nowhere"),
        ("--confidence", "c.jpg", "JPEG, which changes samples"),
        ("--warped", "w.y4m", "w.y4m"),
        ("--report", "nowhere/r.json", "nowhere"),
        ("--html", "nowhere/r.html", "nowhere"),
    ] {
        let mut arguments = vec!["flow", "fixed.nii.gz", "moving.nii.gz"];
        if option != "-o" {
            arguments.extend(["-o", "flow.nii.gz"]);
        }
        arguments.extend([option, value]);
        place.run(&arguments).failed_with(&[word]);
        assert_eq!(place.names(), ["fixed.nii.gz", "moving.nii.gz"]);
    }
}

#[test]
fn no_output_replaces_an_input_or_another_output() {
    let place = with_pair();
    let fixed = std::fs::read(place.path("fixed.nii.gz")).unwrap();
    for (arguments, word) in [
        (&["-o", "fixed.nii.gz"][..], "is an input"),
        (&["-o", "./moving.nii.gz"], "is an input"),
        (&["-o", "flow.nii.gz", "--warped", "flow.nii.gz"], "two outputs"),
        (&["-o", "flow.nii.gz", "--mask", "fixed.nii.gz", "--confidence", "fixed.nii.gz"], "is an input"),
    ] {
        let run = place.run(&[&["flow", "fixed.nii.gz", "moving.nii.gz"], arguments].concat());
        run.failed_with(&[word]);
        assert_eq!(place.names(), ["fixed.nii.gz", "moving.nii.gz"]);
    }
    assert_eq!(std::fs::read(place.path("fixed.nii.gz")).unwrap(), fixed);
    let run = place.run(&["warp", "image", "fixed.nii.gz", "moving.nii.gz", "-o", "moving.nii.gz"]);
    run.failed_with(&["is an input"]);
    let run = place.run(&["stereo", "fixed.nii.gz", "moving.nii.gz", "-o", "fixed.nii.gz"]);
    run.failed_with(&["is an input"]);
    place.run(&["engine", "film.y4m", "--video", "film.y4m"]).failed_with(&["is an input"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let place = with_pair();
    for arguments in [
        &["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "no/f.nii.gz"][..],
        &["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "f.nii.gz", "--report", "no/r.json"],
        &["flow", "fixed.nii.gz", "-o", "no/fields", "--sequence", "both"],
        &["engine", "film.y4m", "--video", "no/film.y4m"],
        &["demo", "-o", "no/demo"],
    ] {
        let words = if arguments[0] == "engine" || arguments.contains(&"--sequence") {
            &["error"][..]
        } else {
            &["no", "make it first"]
        };
        place.run(arguments).failed_with(words);
    }
    place.run(&["info", "nowhere.foo"]).failed_with(&["cannot open"]);
}

/// A program that is stopped in the middle of its work leaves no file, under any name.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let place = Workplace::new();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["demo", "-o", "demo", "--device", "cpu"])
        .current_dir(place.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The hidden folder is the first thing that the demo makes; the heart in it takes seconds.
    for _ in 0..3000 {
        std::thread::sleep(Duration::from_millis(10));
        if !place.names().is_empty() {
            break;
        }
    }
    assert_eq!(place.names().len(), 1, "the demo has begun");
    // The shell's own `kill`, since small machines have no other; not SIGINT, which stays off where a parent ignores it.
    let kill = format!("kill -TERM {}", demo.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(demo.wait().unwrap().code(), Some(143));
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn devices_that_are_not_there() {
    let place = with_pair();
    for device in ["cuda:99", "wgpu:99"] {
        let flow = ["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.nii.gz", "--device", device];
        place.run(&flow).failed_with(&[device, "--device cpu"]);
    }
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let place = with_pair();
    for arguments in [
        &["flow", "fixed.nii.gz", "-o", "f.nii.gz"][..],
        &["flow", "a", "b", "c", "-o", "f.nii.gz"],
        &["flow", "a", "b"],
        &["flow", "a", "b", "-o", "f.nii.gz", "--method", "magic"],
        &["flow", "a", "b", "-o", "f.nii.gz", "--preset", "best"],
        &["flow", "a", "b", "-o", "f.nii.gz", "--device", "toaster"],
        &["flow", "a", "b", "-o", "f.nii.gz", "--set", "alpha"],
        &["bench", "everything"],
        &["stereo", "a", "b"],
        &["engine", "frames", "-o", "out.gif"],
        &["engine", "frames", "--only", "flow,stereo"],
        &["flow", "--fixed", "a", "-o", "f.nii.gz"],
        &["flow", "a", "-m", "b", "-o", "f.nii.gz"],
        &[],
    ] {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
    }
    for (name, command) in
        [("registration", "register"), ("Optical_Flow", "flow"), ("depth", "stereo"), ("flwo", "flow")]
    {
        let text = place.run(&[name]).stderr;
        assert!(text.contains(&format!("similar subcommand exists: '{command}'")), "{text}");
    }
    let run = place.run(&["flow", "a", "b", "-o", "f.nii.gz", "--preset", "best"]);
    assert!(
        run.stderr.contains(
            "[possible values: accurate, fast, realtime, ultrafast, paper, paper-literal, cine, cine-apart, hardware]"
        ),
        "{}",
        run.stderr
    );
}

/// Breaks a write in its middle by a limit on the length of files, as a full disk does; this needs no rights.
#[cfg(unix)]
#[test]
fn a_full_disk() {
    let place = with_pair();
    let disk = place.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let (fixed, moving) = (place.path("fixed.nii.gz"), place.path("moving.nii.gz"));
    let mut limited = std::process::Command::new("sh");
    // 64 KiB.
    limited.args(["-c", "ulimit -f 128; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_veloxel")]);
    limited.arg("flow").args([fixed, moving]).args(["-o", "flow.mha", "--preset", "fast"]);
    let run = run_in(&disk, limited);
    let left = std::fs::read_dir(&disk).unwrap().count();
    run.failed_with(&["flow.mha", "nothing was left behind"]);
    assert_eq!(left, 0);
}
