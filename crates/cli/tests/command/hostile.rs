//! Tests of hostile or accidental input and of crowded machines: no panic, no file lost, no command to the terminal.

use crate::workplace::{Run, Workplace, run_in};
use std::fs;
use std::process::Command;
use veloxel_core::{Grid, Volume};

const FAST: [&str; 4] = ["--preset", "fast", "--device", "cpu"];

/// A place with two pictures and two small volumes of a moving wave.
fn place() -> Workplace {
    let place = Workplace::new();
    let wave = |at: [usize; 3], shift: f32| {
        let [x, y, z] = at.map(|v| v as f32);
        (100.0 + 40.0 * ((x - shift) / 2.0).sin() + 30.0 * (y / 2.5).cos() + z).round()
    };
    for (name, shift) in [("a", 0.0), ("b", 0.6)] {
        let picture = Volume::from_fn(Grid::image(32, 24).expect("a small grid"), |at| wave(at, shift));
        place.write_image(&format!("{name}.pgm"), &picture);
        let volume = Volume::from_fn(Grid::volume(14, 12, 10).expect("a small grid"), |at| wave(at, shift));
        place.write_image(&format!("{name}.mha"), &volume);
    }
    place
}

fn flow(place: &Workplace, arguments: &[&str]) -> Run {
    place.run(&[&["flow"], arguments, &FAST].concat())
}

/// Checks that a command fails with these words, leaves nothing new, and changes nothing.
fn refused(place: &Workplace, arguments: &[&str], words: &[&str]) {
    let contents = || -> Vec<_> {
        let files = place.names().into_iter().filter(|name| place.path(name).is_file());
        files.map(|name| (name.clone(), fs::read(place.path(&name)).expect("a file"))).collect()
    };
    let (names, before) = (place.names(), contents());
    place.run(arguments).failed_with(words);
    assert_eq!(place.names(), names, "{arguments:?}");
    assert!(contents() == before, "{arguments:?} changed a file");
}

/// A PNG of one pixel whose palette is no list of colours.
const BROKEN_PALETTE: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x03\0\0\0\x28\xcb\x34\xbb\
    \0\0\0\x04PLTE\0\0\0\0\0\0\0\0\0\0\0\0IEND\xae\x42\x60\x82";

#[test]
fn a_stream_with_a_broken_frame_keeps_what_was_found_before_it() {
    let place = Workplace::new();
    fs::create_dir(place.path("frames")).unwrap();
    let frame = Volume::from_fn(Grid::image(32, 24).unwrap(), |[x, y, _]| ((x * x + 3 * y) % 200) as f32);
    (0..7).for_each(|i| place.write_image(&format!("frames/f{i}.png"), &frame));
    place.write("frames/f5.png", BROKEN_PALETTE);
    let engine = ["engine", "frames", "-o", "fields", "--video", "film.gif", "--device", "cpu", "-q"];
    place.run(&engine).failed_with(&["f5.png", "palette", "found for the 5 frames before is written"]);
    assert_eq!(place.names(), ["fields", "film.gif", "frames"]);
}

#[test]
fn memory_is_budgeted() {
    let place = place();
    refused(&place, &["info", "a.pgm", "--max-decode", "1K"], &["a.pgm", "--max-decode"]);
    place.run(&["info", "a.pgm", "--max-decode", "1M"]).succeeded();
    for wrong in ["much", "0", "-1", "8X"] {
        assert_eq!(place.run(&["info", "a.pgm", &format!("--max-decode={wrong}")]).code, Some(2), "{wrong}");
    }
}

const HEADER: &str =
    "NDims = 3\nDimSize = 14 12 10\nElementSpacing = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = ";

#[test]
fn a_header_names_files_of_its_own_folder_alone() {
    let place = place();
    fs::create_dir(place.path("in")).unwrap();
    place.write("secret", [7; 14 * 12 * 10]);
    place.write("in/a.mhd", format!("{HEADER}../secret\n"));
    refused(&place, &["info", "in/a.mhd"], &["--allow-outside", "secret"]);
    place.run(&["info", "in/a.mhd", "--allow-outside"]).succeeded();
}

#[cfg(unix)]
#[test]
fn pipes_are_refused_and_not_waited_for() {
    let place = place();
    assert!(Command::new("mkfifo").arg(place.path("pipe.mha")).status().unwrap().success());
    place.write("a.mhd", format!("{HEADER}pipe.mha\n"));
    for arguments in [
        &["info", "pipe.mha"][..],
        &["info", "a.mhd"],
        &["flow", "a.mha", "b.mha", "-o", "f.mha", "--params", "pipe.mha"],
        &["warp", "points", "b.mha", "pipe.mha", "-o", "p.csv"],
    ] {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn no_file_that_is_read_is_replaced() {
    let place = place();
    place.write("p.toml", "alpha = 0.3\n");
    let pair = ["flow", "a.pgm", "b.pgm", "-o", "f.flo"];
    refused(
        &place,
        &[&pair[..], &["--params", "p.toml", "--report", "p.toml"]].concat(),
        &["p.toml", "input"],
    );
    // Samples beside a header, whatever they are called.
    place.write("scan.mhd", format!("{HEADER}samples.raw\n"));
    place.write("samples.raw", [7; 14 * 12 * 10]);
    let volumes = ["flow", "scan.mhd", "b.mha"];
    refused(&place, &[&volumes[..], &["-o", "samples.nhdr"]].concat(), &["samples.nhdr", "input"]);
    refused(
        &place,
        &[&volumes[..], &["-o", "x.mhd", "--warped", "x.nhdr"]].concat(),
        &["x.nhdr", "two outputs"],
    );
    // Frames of a pattern, and members of a list, by the names that a folder would get.
    fs::create_dir(place.path("frames")).unwrap();
    let frame = Volume::from_fn(Grid::image(32, 24).unwrap(), |[x, y, _]| ((x * x + 3 * y) % 200) as f32);
    (0..6).for_each(|i| place.write_image(&format!("frames/frame_{i:06}.png"), &frame));
    let film = ["engine", "frames/frame*.png", "--video", "frames", "--device", "cpu", "-q"];
    refused(&place, &film, &["frames", "input"]);
    fs::rename(place.path("a.mha"), place.path("frames/consecutive_000_001.mha")).unwrap();
    let list =
        ["flow", "frames/consecutive_000_001.mha", "b.mha", "--sequence", "consecutive", "-o", "frames"];
    refused(&place, &list, &["frames", "input"]);
    assert_eq!(fs::read_dir(place.path("frames")).unwrap().count(), 7);
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_to_standard_output_stays_one() {
    let place = place();
    std::os::unix::fs::symlink("/proc/self/fd/1", place.path("link.json")).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$@\" > log", "sh", env!("CARGO_BIN_EXE_veloxel")]);
    command.args(["flow", "a.pgm", "b.pgm", "-o", "f.flo", "--report", "link.json"]).args(FAST);
    run_in(&place.path(""), command).failed_with(&["link.json", "standard stream"]);
    assert!(place.path("link.json").is_symlink());
}

/// Runs through a shell that sets limits or redirections first.
#[cfg(unix)]
fn limited(place: &Workplace, setup: &str, arguments: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command
        .args(["-c", &setup.replace("RUN", "\"$@\""), "sh", env!("CARGO_BIN_EXE_veloxel")])
        .args(arguments);
    run_in(&place.path(""), command)
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_takes_nothing_changes_nothing() {
    let place = place();
    assert_eq!(limited(&place, "RUN 2>/dev/full", &["info", "nothing.png"]).code, Some(1));
    let pair = ["flow", "a.pgm", "b.pgm", "-o", "f.flo", "--confidence", "c.png", "--device", "cpu"];
    for setup in ["RUN 2>/dev/full", "RUN 2>&-"] {
        assert_eq!(limited(&place, setup, &pair).code, Some(0), "{setup}");
        fs::remove_file(place.path("f.flo")).unwrap();
    }
}

/// The small field is written; the page outgrows what files may have, and takes the field with it.
#[cfg(unix)]
#[test]
fn what_was_published_is_withdrawn_when_a_later_output_fails() {
    let place = place();
    place.write("f.flo", "earlier");
    let before = place.names();
    let pair = ["flow", "a.pgm", "b.pgm", "-o", "f.flo", "--html", "page.html", "--device", "cpu"];
    limited(&place, "ulimit -f 32; exec RUN", &pair).failed_with(&["page.html", "nothing was left behind"]);
    assert_eq!((place.names(), fs::read(place.path("f.flo")).unwrap()), (before, b"earlier".to_vec()));
}

/// Where memory is short a run ends with one line, and leaves nothing; at which of the limits it does is the system's to say.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn too_little_memory_is_a_sentence() {
    let place = place();
    crate::segment::stacked_boxes(&place, "tower.obj");
    let before = place.names();
    let segment = ["segment", "tower.obj", "-o", "t.ply", "--device", "cpu", "--threads", "2", "-q"];
    let flow = ["flow", "a.pgm", "b.pgm", "-o", "f.flo", "--device", "cpu", "--threads", "2", "-q"];
    let least_kb = (20..200).map(|mb| 1000 * mb);
    let starts =
        |kb: &usize| limited(&place, &format!("ulimit -v {kb}; exec RUN"), &["--version"]).code == Some(0);
    let least_kb = least_kb.step_by(2).find(starts).unwrap();
    let mut refused = 0;
    for kb in (0..6).map(|step| least_kb + 5000 * step) {
        for arguments in [&segment[..], &flow] {
            let run = limited(&place, &format!("ulimit -v {kb}; exec RUN"), arguments);
            if run.code != Some(0) {
                refused += 1;
                run.failed_with(&[]);
                assert_eq!(place.names(), before, "{kb} kB");
            }
            let _ = ["t.ply", "f.flo"].map(|name| fs::remove_file(place.path(name)));
        }
    }
    assert!(refused > 0);
}

/// Users without rights over processes alone have a limit on them.
#[cfg(unix)]
#[test]
fn too_few_threads_are_a_sentence() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let place = place();
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    let as_user = |arguments: &[&str], setup: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{setup}exec \"$@\""), "sh", env!("CARGO_BIN_EXE_veloxel")])
            .args(arguments);
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.uid(65534).gid(65534);
        }
        run_in(&place.path(""), command)
    };
    // Another user may not reach the program.
    if as_user(&["--version"], "").code != Some(0) {
        return;
    }
    let engine = ["engine", "a.pgm", "--only", "features", "--device", "cpu", "-o", "out", "-q"];
    for arguments in
        [&["flow", "a.pgm", "b.pgm", "-o", "f.flo", "--threads", "4", "--device", "cpu"][..], &engine]
    {
        let run = as_user(arguments, "ulimit -u 1; ");
        assert!(matches!(run.code, Some(0 | 1)), "{:?}: {}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}

#[test]
fn files_cannot_command_the_terminal_or_forge_a_line() {
    let place = place();
    let escapes =
        HEADER.replace("ElementSpacing = 1 1 1", "CompressedData = \u{1b}]0;pwned\u{7}\u{1b}[31mRED");
    place.write("a.mhd", format!("{escapes}LOCAL\n"));
    let run = place.run(&["info", "a.mhd"]).failed_with(&["a.mhd", "CompressedData", r"\u{1b}"]);
    assert!(!run.stderr.trim_end().contains(char::is_control), "{:?}", run.stderr);
    if cfg!(unix) {
        let name = "e\u{1b}[31mX\nerror: forged.pgm";
        fs::copy(place.path("a.pgm"), place.path(name)).unwrap();
        fs::write(place.path(name), &fs::read(place.path("a.pgm")).unwrap()[..40]).unwrap();
        place.run(&["info", name]).failed_with(&[r"\nerror: forged.pgm"]);
    }
}

#[test]
fn names_that_a_header_cannot_give_are_refused_before_the_work() {
    let place = place();
    for name in ["a%d.mhd", " lead.mhd", "LIST.nhdr", "line\nbreak.nhdr"] {
        refused(&place, &["flow", "a.mha", "b.mha", "-o", name, "--preset", "fast"], &["name"]);
    }
    flow(&place, &["a.mha", "b.mha", "-o", "in between.mhd"]).succeeded();
    place.run(&["info", "in between.mhd"]).succeeded();
}

#[cfg(unix)]
#[test]
fn names_may_be_as_long_as_the_system_allows() {
    let place = place();
    let name = format!("{}.flo", "a".repeat(251));
    flow(&place, &["a.pgm", "b.pgm", "-o", &name]).succeeded();
    let name = format!("{}.flo", "a".repeat(252));
    refused(&place, &["flow", "a.pgm", "b.pgm", "-o", &name], &["too long"]);
}

#[test]
fn numbers_and_parameters_out_of_bounds_are_refused() {
    let place = place();
    let image = Volume::from_fn(Grid::volume(4, 4, 4).unwrap(), |[x, y, z]| (x + y * z) as f32);
    place.write_image("far.mha", &image);
    let text = fs::read(place.path("far.mha")).unwrap();
    let at = text.windows(22).position(|w| w == b"ElementSpacing = 1 1 1").unwrap();
    let far = [&text[..at], b"ElementSpacing = 1e39 1e39 1e39", &text[at + 22..]].concat();
    place.write("far.mha", far);
    refused(&place, &["info", "far.mha"], &["far.mha", "spacing", "1e39"]);
    place.write("long.toml", format!("{} = 1\n", "a".repeat(2 << 20)));
    let pair = ["flow", "a.pgm", "b.pgm", "-o", "f.flo"];
    refused(&place, &[&pair[..], &["--params", "long.toml"]].concat(), &["long.toml", "1048576"]);
    refused(&place, &[&pair[..], &["--set", "alpha=1\nbeta=2"]].concat(), &["alpha", "one line"]);
}

#[test]
fn empty_cells_of_points_stay() {
    let place = place();
    flow(&place, &["a.pgm", "a.pgm", "-o", "zero.flo"]).succeeded();
    place.write("p.csv", "x,y,name,group,note\n4,5,apex,,late\n");
    place.run(&["warp", "points", "zero.flo", "p.csv", "-o", "q.csv"]).succeeded();
    let moved = fs::read_to_string(place.path("q.csv")).unwrap();
    assert!(moved.lines().nth(1).unwrap().ends_with(",apex,,late"), "{moved}");
    place.write("p.csv", "x,y,name\n4,5,a\n1,,2\n");
    refused(&place, &["warp", "points", "zero.flo", "p.csv", "-o", "r.csv"], &["p.csv", "line 3"]);
}

#[test]
fn broken_dicom_and_folders_are_told_the_way() {
    let place = place();
    fs::create_dir(place.path("series")).unwrap();
    place.write("series/IM0001", [&[0; 128][..], b"DICM"].concat());
    refused(&place, &["info", "series"], &["IM0001", "DICOM", "broken"]);
    refused(&place, &["info", "series/IM0001"], &["IM0001", "DICOM", "broken"]);
    let listed = place.run(&["info", "."]).stdout;
    assert!(listed.contains("a.mha") && listed.contains("14 × 12 × 10"), "{listed}");
}
