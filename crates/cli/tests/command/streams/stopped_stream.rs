//! A stream that goes on for ever, and the signal that ends it.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use crate::phase::{json, write_y4m};
use crate::workplace::Workplace;
use std::io::Write;
use std::process::{Command, Stdio};
use veloxel_core::Warnings;
use veloxel_io::Strictness;

/// Waits for something in the folder; lists the folder if it does not come.
pub(super) fn wait_for(place: &Workplace, what: &str, there: impl Fn() -> bool) {
    for _ in 0..3000 {
        if there() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no {what}: {:?}", place.names());
}

/// Sends TERM by the shell's own `kill`; SIGINT stays off where a parent ignores it.
pub(crate) fn terminate(id: u32) {
    assert!(Command::new("sh").args(["-c", &format!("kill -TERM {id}")]).status().unwrap().success());
}

#[test]
fn a_signal_ends_a_stream_and_a_second_one_stops_at_once() {
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", 8, 0.5);
    let bytes = std::fs::read(place.path("in.y4m")).unwrap();
    std::fs::remove_file(place.path("in.y4m")).unwrap();
    let start = |more: &[&str]| {
        let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"))
            .args(["engine", "-", "--only", "flow", "--device", "cpu", "-o", "out"])
            .args(more)
            .current_dir(place.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Half a frame more than what was asked for, and no end: the stream goes on.
        let mut pipe = engine.stdin.take().unwrap();
        pipe.write_all(&bytes).and_then(|()| pipe.write_all(b"FRAME\nhalf of it")).unwrap();
        (engine, pipe)
    };
    let fields = |hidden: bool| {
        let staged = place.names().into_iter().filter(|n| n.starts_with(".veloxel-")).map(|n| n + "/new/out");
        let folders = if hidden { staged.collect() } else { vec!["out".to_owned()] };
        let files = folders.iter().filter_map(|n| std::fs::read_dir(place.path(n)).ok()).flatten().flatten();
        let names = files.map(|f| f.file_name().to_string_lossy().into_owned());
        names.filter(|n| n.starts_with("flow_")).collect::<Vec<_>>()
    };

    // Frames 2 to 5 have a field; then no stage can go on before the stream does.
    let (engine, pipe) = start(&["--video", "v.y4m", "--report", "r.json"]);
    wait_for(&place, "fourth field", || fields(true).iter().any(|n| n == "flow_000005.flo"));
    terminate(engine.id());
    let output = engine.wait_with_output().unwrap();
    drop(pipe);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("stopped after 8 frames"), "{said}");
    assert_eq!(place.names(), ["out", "r.json", "v.y4m"]);
    assert_eq!(fields(false).len(), 4);
    let video =
        veloxel_io::read_sequence(&place.path("v.y4m"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(video.frames().len(), 4);
    assert_eq!(json(&place, "r.json")["results"], 4);

    // The video has no reader, and the pipe does not hold it: this one cannot finish.
    for name in ["r.json", "v.y4m"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    std::fs::remove_dir_all(place.path("out")).unwrap();
    let (mut engine, pipe) = start(&["--video", "-"]);
    wait_for(&place, "third field", || fields(true).len() >= 3);
    terminate(engine.id());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(engine.try_wait().unwrap().is_none(), "it waits for its reader");
    terminate(engine.id());
    assert_eq!(engine.wait().unwrap().code(), Some(143));
    drop(pipe);
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn a_signal_ends_a_stream_of_points_and_its_tracks_are_written() {
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", 6, 0.5);
    let bytes = std::fs::read(place.path("in.y4m")).unwrap();
    let mut follow = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["track-points", "-", "--device", "cpu", "-o", "tracks.csv", "--overlay", "seen"])
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = follow.stdin.take().unwrap();
    pipe.write_all(&bytes).and_then(|()| pipe.write_all(b"FRAME\nhalf of it")).unwrap();
    let has_sixth = || {
        let staged = place.names().into_iter().filter(|name| name.starts_with(".veloxel-"));
        staged.map(|name| place.path(&name)).any(|folder| folder.join("new/seen/frame_000005.png").exists())
    };
    wait_for(&place, "sixth picture", has_sixth);
    terminate(follow.id());
    let output = follow.wait_with_output().unwrap();
    drop(pipe);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("stopped after 6 frames"), "{said}");
    let table = std::fs::read_to_string(place.path("tracks.csv")).unwrap();
    assert!(table.lines().any(|row| row.starts_with("5,")), "{table}");
    assert!(place.path("seen/frame_000005.png").exists());
}

#[test]
fn a_player_that_closes_the_pipe_takes_no_other_output_along() {
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", 9, 0.5);
    let start = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
        command.args(arguments).args(["--device", "cpu"]).current_dir(place.path(""));
        let mut run =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A player that sees nothing at all.
        drop(run.stdout.take());
        run
    };
    let ended = |run: std::process::Child| {
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("the reader of the video"), "{said}");
    };
    let engine = ["engine", "in.y4m", "--only", "flow", "--video", "-"];
    ended(start(&[&engine[..], &["-o", "out", "--report", "r.json"]].concat()));
    assert_eq!(json(&place, "r.json")["frames"], 9);
    assert!(place.path("out/flow_000006.flo").exists());
    ended(start(&["track-points", "in.y4m", "-o", "tracks.csv", "--overlay", "-"]));
    let table = std::fs::read_to_string(place.path("tracks.csv")).unwrap();
    assert!(table.lines().any(|row| row.starts_with("8,")), "{table}");
    // Nobody wants anything any more: a stream without an end is not waited for.
    let mut run = start(&["engine", "-", "--only", "flow", "--video", "-", "--report", "live.json"]);
    let bytes = std::fs::read(place.path("in.y4m")).unwrap();
    let frame = &bytes[bytes.len() - 6 - bytes_of_a_frame(&bytes)..];
    let mut pipe = run.stdin.take().unwrap();
    let mut sent = pipe.write_all(&bytes);
    while sent.is_ok() && run.try_wait().unwrap().is_none() {
        sent = pipe.write_all(frame);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(pipe);
    ended(run);
    assert!(json(&place, "live.json")["frames"].as_u64().unwrap() >= 5);
}

/// Bytes of the samples of one of the nine frames of a file.
fn bytes_of_a_frame(file: &[u8]) -> usize {
    let header = file.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    (file.len() - header) / 9 - 6
}
