//! Volumes and pictures one by one: from pipes of raw frames and folders that grow, and what is wrong with them.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod film;
mod late_signal;
pub(crate) mod stopped_stream;

use crate::phase::json;
use crate::workplace::Workplace;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::{Strictness, read_flow};

const HEAD: &str =
    r#"{"shape": [10, 18, 20], "dtype": "<f4", "spacing_mm": [0.75, 0.75, 1.0], "interval_ms": 20}"#;
const CLG: [&str; 8] = ["--method", "clg", "--preset", "fast", "--device", "cpu", "-o", "out"];

/// A volume at a time.
fn volume(t: usize) -> Volume<f32> {
    let grid = Grid::volume(20, 18, 10).and_then(|grid| grid.with_spacing_mm([0.75, 0.75, 1.0])).unwrap();
    Volume::from_fn(grid, |[x, y, z]| {
        let (x, y, z) = (x as f32 - 0.5 * t as f32, y as f32, z as f32);
        100.0 + 50.0 * ((0.5 * x).sin() + (0.4 * y + 0.2 * x).cos() * (0.3 * z).cos())
    })
}

/// The bytes of a pipe of so many volumes.
fn stream(head: &str, count: usize) -> Vec<u8> {
    let samples = (0..count).flat_map(|t| volume(t).into_data()).flat_map(f32::to_le_bytes);
    head.bytes().chain(*b"\n").chain(samples).collect()
}

/// Runs the engine over a pipe.
fn piped(place: &Workplace, bytes: &[u8], more: &[&str]) -> Output {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["engine", "-"])
        .args(CLG)
        .args(more)
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who refuses the stream does not read it to its end.
    let _ = engine.stdin.take().unwrap().write_all(bytes);
    engine.wait_with_output().unwrap()
}

/// The line of a run that failed.
#[track_caller]
fn refusal(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    error
}

/// How many fields were written.
fn fields(place: &Workplace, folder: &str) -> usize {
    std::fs::read_dir(place.path(folder)).map_or(0, |names| names.count())
}

/// Fails unless a folder holds the fields that `flow` finds, byte for byte.
#[track_caller]
fn assert_as_flow(place: &Workplace, folder: &str, count: usize) {
    assert_eq!(fields(place, folder), count, "{folder}");
    for t in 0..count {
        let names = [t, t + 1].map(|t| format!("w{t}.nii"));
        names.iter().zip([t, t + 1]).for_each(|(name, t)| place.write_image(name, &volume(t)));
        let arguments =
            ["flow", &names[0], &names[1], "-o", "w.nii", "--preset", "fast", "--device", "cpu", "-q"];
        place.run(&arguments).succeeded();
        let own = std::fs::read(place.path(&format!("{folder}/flow_{t:06}.nii"))).unwrap();
        assert!(own == std::fs::read(place.path("w.nii")).unwrap(), "{folder}, field {t}");
    }
}

#[test]
fn a_pipe_of_raw_volumes_gives_the_fields_of_flow() {
    let place = Workplace::new();
    let output = piped(&place, &stream(HEAD, 4), &["--report", "r.json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("4 of 20 × 18 × 10, flow") && said.contains("response"), "{said}");
    let report = json(&place, "r.json");
    assert_eq!(
        (&report["frames"], &report["results"], &report["method"]),
        (&4.into(), &3.into(), &"clg".into())
    );
    assert_eq!(report["size"], serde_json::json!([20, 18, 10]));
    for latency in ["latency", "response"] {
        assert!(report[latency]["p50_ms"].as_f64() <= report[latency]["p99_ms"].as_f64(), "{report}");
    }
    assert_as_flow(&place, "out", 3);
}

#[test]
fn a_pipe_that_is_wrong_is_told_in_one_line_and_keeps_what_was_found() {
    let place = Workplace::new();
    for (head, words) in [
        (r#"{"shape": [10, 18, 20]}"#, ["dtype", "standard input"]),
        (r#"{"shape": [10, 18], "dtype": "c8"}"#, ["dtype", "c8"]),
        (r#"{"shape": [10, 18, -20], "dtype": "f4"}"#, ["shape", "-20"]),
        (r#"{"shape": [10, 18, 20"#, ["head of raw frames", "JSON"]),
        ("hello", ["Y4M", "hello"]),
    ] {
        let error = refusal(&piped(&place, &stream(head, 1), &[]));
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(place.names().is_empty(), "{:?}", place.names());
    }
    let error = refusal(&piped(&place, &stream(HEAD, 1), &[]));
    assert!(error.contains("1 frame") && error.contains("needs 2") && !error.contains("--frames"), "{error}");
    let whole = stream(HEAD, 4);
    let error = refusal(&piped(&place, &whole[..whole.len() - 9], &[]));
    assert!(error.contains("cut short") && error.contains("3 frames before is written"), "{error}");
    assert_as_flow(&place, "out", 2);
}

#[test]
fn what_does_not_go_together_is_refused_in_one_line() {
    let place = Workplace::new();
    for t in 0..2 {
        place.write_image(&format!("v{t}.mha"), &volume(t));
    }
    let before = place.names();
    for (more, word) in [
        (&["--right", "v*.mha"][..], "phase"),
        (&["--only", "features"], "phase"),
        (&["--frames", "3"], "frames"),
        (&["--set", "tau_l=1"], "tau_l"),
        (&["--video", "v.y4m"], "volumes"),
        (&["--packed"], "volume"),
        (&["--watch"], "folder"),
    ] {
        let run = place.run(&[&["engine", "v*.mha"][..], &CLG, more].concat());
        assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{more:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{more:?}: {}", run.stderr);
        assert_eq!(place.names(), before, "{more:?}");
    }
    place.run(&["engine", "v*.mha", "-o", "out"]).failed_with(&["20 × 18 × 10", "--method"]);
    for more in [&["--idle", "3"][..], &["--watch", "--idle", "0"], &["--method", "magic"]] {
        assert_eq!(place.run(&[&["engine", ".", "-o", "out"], more].concat()).code, Some(2), "{more:?}");
    }
    place.write("v2.mha", "no volume");
    let run = place.run(&[&["engine", "v*.mha"][..], &CLG].concat());
    run.failed_with(&["v2.mha", "found for the 2 frames before is written"]);
    assert_eq!(fields(&place, "out"), 1);
}

#[test]
fn a_dry_run_says_what_would_run_and_writes_nothing() {
    let place = Workplace::new();
    for t in 0..3 {
        place.write_image(&format!("v{t}.mha"), &volume(t));
    }
    let before = place.names();
    let run = place.run(&[&["engine", "v*.mha"][..], &CLG, &["--dry-run"]].concat()).succeeded();
    for words in ["clg, preset fast: flow", "3 frames of 20 × 18 × 10", "found from 2", "method", "out"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert_eq!(place.names(), before);
    let grid = Grid::image(64, 48).unwrap();
    place.write_image("p0.png", &Volume::from_fn(grid, |[x, y, _]| ((x * y) % 256) as f32));
    let arguments =
        ["engine", "p*.png", "--right", "p*.png", "--dry-run", "--device", "cpu", "--report", "r.json"];
    place.run(&arguments).succeeded();
    let plan = json(&place, "r.json");
    assert_eq!((&plan["frames"], &plan["forecast"]["frames_needed"]), (&1.into(), &5.into()));
    assert!(plan["forecast"]["device_bytes"].as_u64().unwrap() > 64 * 48 * 4, "{plan}");
    place.run(&["engine", "-", "--dry-run"]).failed_with(&["standard input"]);
    place.run(&["engine", "v*.mha", "--dry-run"]).failed_with(&["20 × 18 × 10", "--method"]);
}

#[test]
fn packed_results_are_read_by_other_commands() {
    let place = Workplace::new();
    let grid = Grid::image(64, 48).unwrap();
    for t in 0..3 {
        let at = |[x, y, _]: [usize; 3]| {
            let (x, y) = (x as f32 - 0.5 * t as f32, y as f32);
            (128.0 + 60.0 * (0.7 * x + 0.3 * y).sin() + 50.0 * (0.4 * y - 0.3 * x).cos()).round()
        };
        place.write_image(&format!("f{t}.png"), &Volume::from_fn(grid.clone(), at));
    }
    let arguments = ["engine", "f*.png", "--frames", "2", "-o", "out", "--packed", "--device", "cpu", "-q"];
    place.run(&arguments).succeeded();
    let read = |name: &str| read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
    let [exact, packed] = [read("out/flow_000000.flo"), read("out/packed_000000.p63")];
    let near = |(a, b): (&f32, &f32)| (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1.0 / 32.0;
    assert!(exact.planar_vox().iter().zip(packed.planar_vox()).all(near));
    let info = place.run(&["info", "out/packed_000000.p63"]).succeeded();
    assert!(info.stdout.contains("64 × 48"), "{}", info.stdout);
    let evaluate = ["evaluate", "flow", "out/packed_000000.p63", "out/flow_000000.flo", "--json"];
    let errors: serde_json::Value = serde_json::from_str(&place.run(&evaluate).succeeded().stdout).unwrap();
    assert!(errors["end_point_vox"]["mean"].as_f64().unwrap() < 0.05, "{errors}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_folder_that_is_watched() {
    let place = Workplace::new();
    std::fs::create_dir(place.path("echo")).unwrap();
    let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["engine", "echo", "--watch", "--report", "r.json"])
        .args(CLG)
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    for t in 0..4 {
        place.write_image(&format!("echo/.v{t}.nii"), &volume(t));
        std::fs::rename(place.path(&format!("echo/.v{t}.nii")), place.path(&format!("echo/v{t}.nii")))
            .unwrap();
    }
    let staged = || {
        let hidden = place.names().into_iter().find(|name| name.starts_with(".veloxel-"));
        hidden.map_or(0, |name| fields(&place, &format!("{name}/new/out")))
    };
    let mut left = 3000;
    while staged() < 3 {
        assert!(engine.try_wait().unwrap().is_none() && left > 0, "{:?}", place.names());
        std::thread::sleep(std::time::Duration::from_millis(10));
        left -= 1;
    }
    // The third field may not be whole yet: a stop waits for it.
    assert!(
        Command::new("sh").args(["-c", &format!("kill -TERM {}", engine.id())]).status().unwrap().success()
    );
    let output = engine.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("stopped after 4 frames"), "{said}");
    assert_eq!(json(&place, "r.json")["results"], 3);
    assert_as_flow(&place, "out", 3);
}
