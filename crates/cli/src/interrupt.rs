//! What happens when a user stops the program: nothing that is not whole stays behind.

use std::io::IsTerminal;

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
        if unsafe { libc::sigwait(&signals, &mut signal) } == 0 {
            veloxel_io::remove_unfinished();
            // A progress bar has no end of line.
            let line_end = if std::io::stderr().is_terminal() { "\n" } else { "" };
            eprintln!("{line_end}error: stopped before the end; nothing was left behind");
            std::process::exit(128 + signal);
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        // SAFETY: as above. With nobody to take them, signals end the program as they always do.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &signals, std::ptr::null_mut()) };
    }
}

/// Elsewhere the system ends the program; files without their names may stay then.
#[cfg(not(unix))]
pub fn stop_cleanly() {}
