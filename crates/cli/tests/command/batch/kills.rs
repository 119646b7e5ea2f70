//! Runs that are ended at any moment, and gone on with.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use super::{batch, jobs, ledger, summary};
use crate::workplace::Workplace;
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Rows of a test that runs in seconds.
const ROWS: usize = 24;

fn begin(place: &Workplace, folder: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
    command.args(["batch", "jobs.csv", "-o", folder, "--device", "cpu", "--threads", "1"]);
    command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn fields(place: &Workplace, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(place.path(folder).join("fields")).unwrap().flatten();
    files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), std::fs::read(file.path()).unwrap()))
        .collect()
}

#[test]
fn a_batch_that_is_killed_again_and_again_does_every_row_once() {
    let place = Workplace::new();
    jobs(&place, ROWS);
    assert!(begin(&place, "whole").wait().unwrap().success());
    let mut rows_before = 0;
    // Moments that differ by no round number.
    for kill in 0..6_u64 {
        let mut run = begin(&place, "out");
        std::thread::sleep(Duration::from_millis(40 + 61 * (kill * 7 % 5)));
        run.kill().unwrap();
        run.wait().unwrap();
        let rows = ledger(&place).len();
        assert!(rows >= rows_before, "rows were lost");
        rows_before = rows;
    }
    batch(&place, &[]).succeeded();
    let mut runs = BTreeMap::<u64, usize>::new();
    for record in ledger(&place) {
        assert_eq!(record["status"], "done");
        *runs.entry(record["row"].as_u64().unwrap()).or_default() += 1;
    }
    assert_eq!(runs, (1..=ROWS as u64).map(|row| (row, 1)).collect());
    assert_eq!(summary(&place)["done"].as_u64(), Some(ROWS as u64));
    assert!(fields(&place, "out") == fields(&place, "whole"), "the same bits");
    let hidden = |name: &String| name.ends_with(".part");
    let left: Vec<String> = std::fs::read_dir(place.path("out/fields"))
        .unwrap()
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .filter(hidden)
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_signal_stops_a_batch_between_rows_and_the_same_line_goes_on() {
    let place = Workplace::new();
    jobs(&place, ROWS);
    let run = begin(&place, "out");
    // At least one row is done, and not all.
    for _ in 0..3000 {
        if !ledger(&place).is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = run.id();
    assert!(Command::new("sh").args(["-c", &format!("kill -TERM {id}")]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{said}");
    let done = ledger(&place).len();
    assert!((1..ROWS).contains(&done), "{done} rows");
    let expected = format!("stopped after {done} of {ROWS} rows: the same line again does the rest\n");
    assert_eq!(said, expected);
    assert_eq!(summary(&place)["left"].as_u64(), Some((ROWS - done) as u64));
    batch(&place, &[]).succeeded();
    assert_eq!(ledger(&place).len(), ROWS);
}

#[test]
fn one_run_at_a_time_has_a_ledger() {
    let place = Workplace::new();
    jobs(&place, 2);
    std::fs::create_dir(place.path("out")).unwrap();
    let other = std::fs::File::create(place.path("out/ledger.jsonl")).unwrap();
    other.lock().unwrap();
    batch(&place, &[]).failed_with(&["out/ledger.jsonl is being written by another run"]);
    drop(other);
    batch(&place, &[]).succeeded();
}
