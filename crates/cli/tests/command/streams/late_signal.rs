//! Signals that come while outputs get their names.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use super::stopped_stream::{terminate, wait_for};
use crate::phase::write_y4m;
use crate::workplace::Workplace;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Begins to find the features of a film, which become files of a folder that is there.
fn features(place: &Workplace) -> Child {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"));
    engine.args(["engine", "in.y4m", "--only", "features", "--device", "cpu", "-o", "out", "-q"]);
    engine.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Names in the folder of outputs, hidden ones or not.
fn names(place: &Workplace, hidden: bool) -> usize {
    let names = std::fs::read_dir(place.path("out")).unwrap().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().starts_with('.') == hidden).count()
}

/// Whether a run has decided on its outputs, so that nothing asks it to stop any more.
fn has_journal(place: &Workplace) -> bool {
    let hidden = std::fs::read_dir(place.path("out")).unwrap().flatten();
    let mut folders = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    folders.any(|entry| ["journal.writing", "journal"].iter().any(|name| entry.path().join(name).exists()))
}

#[test]
fn a_signal_while_outputs_get_their_names_is_told_of_once_all_have_them() {
    const FRAMES: usize = 60;
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", FRAMES, 0.5);
    // A run may be over before the signal comes.
    for _ in 0..5 {
        std::fs::create_dir(place.path("out")).unwrap();
        let mut engine = features(&place);
        while engine.try_wait().unwrap().is_none() && !has_journal(&place) {
            std::thread::sleep(Duration::from_micros(100));
        }
        terminate(engine.id());
        let output = engine.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(names(&place, false) >= FRAMES && names(&place, true) == 0, "{said}");
        std::fs::remove_dir_all(place.path("out")).unwrap();
        if output.status.code() == Some(143) {
            assert!(
                said.ends_with("error: stopped after all outputs had been written; they stay\n"),
                "{said}"
            );
            return;
        }
    }
    panic!("no signal came in time");
}

#[test]
fn a_run_that_waits_for_its_turn_stops_at_the_first_signal() {
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", 2, 0.5);
    std::fs::create_dir(place.path("out")).unwrap();
    // As a run does that gives its outputs their names there.
    let turn = File::open(place.path("out")).unwrap();
    turn.lock().unwrap();
    let mut engine = features(&place);
    wait_for(&place, "staged output", || names(&place, true) > 0);
    std::thread::sleep(Duration::from_millis(300));
    assert!(engine.try_wait().unwrap().is_none(), "it waits for its turn");
    let begin = Instant::now();
    terminate(engine.id());
    let output = engine.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(begin.elapsed() < Duration::from_secs(20), "{said}");
    assert_eq!(
        (output.status.code(), names(&place, false), names(&place, true)),
        (Some(143), 0, 0),
        "{said}"
    );
    assert!(said.ends_with("error: stopped before the end; nothing was left behind\n"), "{said}");
}
