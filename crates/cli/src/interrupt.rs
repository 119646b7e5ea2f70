//! What happens when a user stops the program: nothing that is not whole stays behind.

#[cfg(unix)]
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether a stream takes the first signal as its end.
static STREAM_RUNS: AtomicBool = AtomicBool::new(false);
/// Whether it was told to.
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
///
/// To be called before any thread starts: threads inherit which signals wait for the one that takes them.
#[cfg(unix)]
pub fn stop_cleanly() {
    // SAFETY: plain calls of the C library on values that live here; `sigset_t` and `sigaction` are valid as zeros.
    let signals = unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let mut now: libc::sigaction = std::mem::zeroed();
            let known = libc::sigaction(signal, std::ptr::null(), &mut now) == 0;
            if known && now.sa_sigaction == libc::SIG_DFL {
                libc::sigaddset(&mut signals, signal);
            }
        }
        if libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut()) != 0 {
            return;
        }
        signals
    };
    let wait = move || {
        let mut signal = 0;
        // SAFETY: both point to values of this closure.
        while unsafe { libc::sigwait(&signals, &mut signal) } == 0 {
            if STREAM_RUNS.load(Ordering::SeqCst) && !STREAM_ENDS.load(Ordering::SeqCst) {
                SIGNAL.store(signal, Ordering::SeqCst);
                STREAM_ENDS.store(true, Ordering::SeqCst);
                say("writing what was found so far; once more stops at once");
                continue;
            }
            veloxel::io::remove_unfinished();
            say("error: stopped before the end; nothing was left behind");
            std::process::exit(128 + signal);
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        // SAFETY: as above. With nobody to take them, signals end the program as they always do.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &signals, std::ptr::null_mut()) };
    }
}

/// One line for whoever still listens: a closed terminal is no reason not to end.
#[cfg(unix)]
fn say(line: &str) {
    let mut stderr = std::io::stderr();
    // A progress bar has no end of line.
    let line_end = if stderr.is_terminal() { "\n" } else { "" };
    let _ = writeln!(stderr, "{line_end}{line}");
}

/// Elsewhere the system ends the program; files without their names may stay then.
#[cfg(not(unix))]
pub fn stop_cleanly() {}
