//! The memory of runs under a budget.

#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use crate::workplace::{Run, Workplace};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a run may take over its budget.
const SHARE: f64 = 1.05;

/// Runs a command whose memory at its fullest moment is at most 1.05 of so many MiB, where the system tells.
pub(super) fn run_within(place: &Workplace, line: &[&str], budget_mib: usize) -> Run {
    let mut run = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(line)
        .args(["--max-memory", &format!("{budget_mib}M")])
        .current_dir(place.path("."))
        .env_remove("VELOXEL_DATA")
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let status = format!("/proc/{}/status", run.id());
    let mut peak_kib = 0;
    while run.try_wait().expect("a state").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
        peak_kib = peak_kib.max(now.unwrap_or_default());
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = run.wait_with_output().expect("it ended");
    let share = peak_kib as f64 / 1024.0 / budget_mib as f64;
    println!("{} MiB of {budget_mib} MiB: {share:.3} {line:?}", peak_kib >> 10);
    assert!(share <= SHARE, "{line:?} took {} MiB of {budget_mib} MiB", peak_kib >> 10);
    assert!(peak_kib > 0 || !cfg!(target_os = "linux"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
