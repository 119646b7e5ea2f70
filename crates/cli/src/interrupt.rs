//! Signals that stop the program: no incomplete file stays behind.

use crate::Outcome;
use crate::terminal::say;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use veloxel::io::{Ending, Files, PendingFiles, Resolved};
use veloxel::{Diagnosis, ErrorKind, VeloxelError};

/// Number of runs that listen for signals.
static LISTENING: AtomicUsize = AtomicUsize::new(0);
/// The first signal that came while a run listened; 0 before.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether a run ended with the results so far because of it.
static IS_ANSWERED: AtomicBool = AtomicBool::new(false);
/// Whether outputs appear row by row, and a run goes on where this one ends.
static GOES_ON: AtomicBool = AtomicBool::new(false);
/// Whether a thread ends the program, with its exit code and its last words.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// What is said when a signal came too late.
const ALL_WRITTEN: &str = "error: stopped after all outputs had been written; they stay";

/// The unfinished files of all sessions of this command: the thread that waits for signals removes them.
static PENDING: LazyLock<PendingFiles> = LazyLock::new(PendingFiles::default);

/// The list of this command's unfinished files, for its sessions.
pub fn pending() -> &'static PendingFiles {
    &PENDING
}

/// Files of this command that are written beside its sessions.
pub fn files() -> Files {
    Files::default().listed_in(pending().clone())
}

/// While this lives, the first signal is only recorded for [`signal`]; the second one ends the program.
pub struct Listening(());

impl Listening {
    /// Begins to listen.
    pub fn begin() -> Self {
        LISTENING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The recorded signal, if one came.
pub fn signal() -> Option<i32> {
    Some(SIGNAL.load(Ordering::SeqCst)).filter(|&signal| signal != 0)
}

/// Whether this thread is the one that ends the program: the first one that asks.
fn may_end() -> bool {
    !IS_ENDING.swap(true, Ordering::SeqCst)
}

/// Says that outputs appear row by row, and that the same line goes on with the rest.
pub fn goes_on() {
    GOES_ON.store(true, Ordering::SeqCst);
}

/// Says that a run answered the signal with the results so far: its end needs no other word.
pub fn answer() {
    IS_ANSWERED.store(true, Ordering::SeqCst);
}

/// Ends a program whose run was stopped by a signal, before its end or with the results so far, with the signal's exit code.
/// From here on signals come too late.
pub fn exit_if_stopped(outcome: &Outcome) {
    if !may_end() {
        // The thread that waits for signals is about to.
        loop {
            std::thread::park();
        }
    }
    let Some(signal) = signal() else { return };
    match outcome {
        Ok(()) => stop_at_end(signal),
        Err(error) => match error.downcast_ref::<VeloxelError>() {
            Some(stopped) if stopped.kind() == ErrorKind::Stopped => stop(signal, stopped.left_behind()),
            _ => {}
        },
    }
}

/// Ends the program after a run that a signal ended with the results so far, or that was done when it came.
fn stop_at_end(signal: i32) -> ! {
    let resolved = pending().take_resolved();
    match pending().remove_all() {
        _ if IS_ANSWERED.load(Ordering::SeqCst) => {}
        Ending::Published => tell(ALL_WRITTEN),
        Ending::Nothing => tell("error: stopped when all was done"),
    }
    exit(signal, &resolved)
}

/// Ends the program without incomplete files, except those that could not be removed.
fn stop(signal: i32, left_behind: &[PathBuf]) -> ! {
    let (resolved, kept) = (pending().take_resolved(), pending().kept());
    match (pending().remove_all(), left_behind) {
        _ if GOES_ON.load(Ordering::SeqCst) => {
            tell("error: stopped at once; the same line again does the rest")
        }
        // Some outputs may have their names: those of the rest follow.
        (_, []) if !kept.is_empty() => {
            let folders: Vec<_> = kept.iter().map(|folder| folder.display().to_string()).collect();
            tell(&format!(
                "error: stopped before the end; what was found is kept in {}: the same line again goes on with it",
                folders.join(", ")
            ))
        }
        (Ending::Published, _) => tell(ALL_WRITTEN),
        (Ending::Nothing, []) => tell("error: stopped before the end; nothing was left behind"),
        (Ending::Nothing, _) => tell("error: stopped before the end"),
    }
    for path in left_behind {
        say(&format!("warning: {} could not be taken back", path.display()));
    }
    exit(signal, &resolved)
}

/// Ends the program with a signal's exit code, and tells what was done with outputs of earlier runs.
fn exit(signal: i32, resolved: &[Resolved]) -> ! {
    for resolved in resolved {
        say(&format!("warning: {resolved}"));
    }
    std::process::exit(128 + signal)
}

/// Lets Ctrl-C, `kill` and a closed terminal end the program without a half-written file, its hidden name included; the
/// exit code is 128 and the signal's number, as shells expect. Signals that a parent has turned off (`nohup`) stay off.
#[cfg(unix)]
pub fn stop_cleanly() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    take_size_limits_as_errors();
    let left_on = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    // Where signals cannot be caught they end the program as they always do.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(left_on) else { return };
    let wait = move || {
        for signal in signals.forever() {
            let is_heard = LISTENING.load(Ordering::SeqCst) > 0
                && SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
            if !is_heard && may_end() {
                stop(signal, &[])
            }
        }
    };
    // Where no thread can be had, signals end the program as they always do, and it may still run on this one.
    let _ = std::thread::Builder::new().spawn(wait);
}

/// Makes a file that outgrows `ulimit -f` an error of writing, as a full disk is, instead of a signal.
#[cfg(unix)]
fn take_size_limits_as_errors() {
    // SAFETY: changes what one signal does, to the least that it can do; no other thread runs yet.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Whether a parent has turned a signal off, which `signal-hook` does not report.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: asks only, and writes to a value that lives here; `sigaction` is valid as zeros.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

/// Writes one line to standard error, after a progress bar, which does not end its line.
pub fn tell(line: &str) {
    use std::io::{IsTerminal, Write};
    if std::io::stderr().is_terminal() {
        let _ = std::io::stderr().write_all(b"\n");
    }
    say(line);
}

/// Does nothing: on other systems the system ends the program, and files under temporary names may stay.
#[cfg(not(unix))]
pub fn stop_cleanly() {}
