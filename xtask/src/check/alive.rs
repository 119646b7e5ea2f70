//! Shows that a long step still runs: its name at once, and a line again and again until it ends.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(20);

/// Prints the name without ending its line, runs the step, and meanwhile says how long it has run.
pub fn telling<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    show(&format!("{name:<12} "));
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(INTERVAL) {
                show(&format!("running {:5.0} s\n{name:<12} ", start.elapsed().as_secs_f64()));
            }
        });
        let outcome = run();
        drop(done);
        outcome
    })
}

fn show(text: &str) {
    print!("{text}");
    // Where a terminal cannot be written to now, the text comes with the next.
    let _ = std::io::stdout().flush();
}
