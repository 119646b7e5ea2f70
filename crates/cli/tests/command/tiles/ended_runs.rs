//! Runs that are killed in the middle, and go on when they are started again.
#![cfg(unix)]

use super::stores::whole_store;
use crate::workplace::{Run, Workplace};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whole lines of a ledger.
pub(super) fn lines(ledger: &Path) -> usize {
    std::fs::read_to_string(ledger).unwrap_or_default().matches('\n').count()
}

/// Runs a command, and kills it once its ledger has so many lines.
pub(super) fn killed(place: &Workplace, line: &[&str], ledger: &Path, least: usize) {
    killed_once(place, line, || lines(ledger) >= least);
}

/// Runs a command, and kills it once something is so.
pub(super) fn killed_once(place: &Workplace, line: &[&str], is_time: impl Fn() -> bool) {
    let mut run = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(line)
        .current_dir(place.path("."))
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the command starts");
    let begin = Instant::now();
    while !is_time() && begin.elapsed() < Duration::from_secs(120) {
        assert!(run.try_wait().expect("a state").is_none(), "it ended before it was killed");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().expect("it is killed");
    run.wait().expect("it ends");
    assert!(is_time());
}

/// Kills a run that writes a store once its ledger has so many lines, and starts it again: it says that it goes on, and the store has
/// the bytes of an undisturbed run. Between both, another run is refused for what differs.
pub(super) fn goes_on(place: &Workplace, line: &[&str], other: &[&str], word: &str, least: usize) -> Run {
    let line = &[line, &["-o", "w.ome.zarr"]].concat();
    place.run(line).succeeded();
    let undisturbed = whole_store(place, "w.ome.zarr");
    std::fs::remove_dir_all(place.path("w.ome.zarr")).expect("a store");
    let folder = place.path(".w.ome.zarr.tiles");
    killed(place, line, &folder.join("ledger"), least);
    assert!(!place.path("w.ome.zarr").exists());
    let refused = [other, &["-o", "w.ome.zarr"]].concat();
    let run = place.run(&refused);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    // What the killed run had staged is removed with a warning before.
    let error = run.stderr.lines().last().unwrap_or_default();
    let words = ["error: ", ".w.ome.zarr.tiles", word, "remove the folder"];
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
    let run = place.run(line).succeeded();
    assert!(run.stderr.contains("goes on with a run that was ended"), "{}", run.stderr);
    assert!(whole_store(place, "w.ome.zarr") == undisturbed, "the same bytes");
    assert!(!folder.exists());
    run
}
