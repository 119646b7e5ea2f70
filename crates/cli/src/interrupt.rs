//! What happens when a user stops the program: nothing that is not whole stays behind.

#[cfg(unix)]
use crate::terminal::say;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether a stream takes the first signal as its end.
static STREAM_RUNS: AtomicBool = AtomicBool::new(false);
/// Whether such a signal came.
static STREAM_ENDS: AtomicBool = AtomicBool::new(false);
/// By which signal.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From now on the first signal sets what this returns, for a stream that knows how to end; the second one stops the program.
pub fn ends_the_stream() -> &'static AtomicBool {
    STREAM_RUNS.store(true, Ordering::SeqCst);
    &STREAM_ENDS
}

/// Ends a program whose stream was ended by a signal, with its exit code.
pub fn exit_if_stopped() {
    if STREAM_ENDS.load(Ordering::SeqCst) {
        std::process::exit(128 + SIGNAL.load(Ordering::SeqCst));
    }
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
            if STREAM_RUNS.load(Ordering::SeqCst) && !STREAM_ENDS.load(Ordering::SeqCst) {
                SIGNAL.store(signal, Ordering::SeqCst);
                STREAM_ENDS.store(true, Ordering::SeqCst);
                tell("writing what was found so far; once more stops at once");
                continue;
            }
            veloxel::io::remove_unfinished();
            tell("error: stopped before the end; nothing was left behind");
            std::process::exit(128 + signal);
        }
    };
    // Where no thread can be had, signals end the program as they always do, and it may still run on this one.
    let _ = std::thread::Builder::new().spawn(wait);
}

/// Lets a file that outgrows `ulimit -f` be an error of writing, as a full disk is, instead of a signal.
#[cfg(unix)]
fn take_size_limits_as_errors() {
    // SAFETY: changes what one signal does, to the least that it can do; no other thread runs yet.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Whether a parent has turned a signal off, which `signal-hook` does not tell.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: asks only, and writes to a value that lives here; `sigaction` is valid as zeros.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

/// One line on standard error, behind a progress bar, which has no end of line.
#[cfg(unix)]
fn tell(line: &str) {
    use std::io::{IsTerminal, Write};
    if std::io::stderr().is_terminal() {
        let _ = std::io::stderr().write_all(b"\n");
    }
    say(line);
}

/// Elsewhere the system ends the program; files without their names may stay then.
#[cfg(not(unix))]
pub fn stop_cleanly() {}
