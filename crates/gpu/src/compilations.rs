//! How many kernels a device's driver has compiled, and which took longest: nothing can stop such a call.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Kernels that were compiled, or loaded from a cache on disk, since a device was opened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compilations {
    /// How many there were.
    pub count: usize,
    /// The name of the kernel that took longest, with its entry.
    pub slowest: String,
    /// Milliseconds that it took.
    pub slowest_ms: f64,
}

/// Takes the times of compilations.
#[derive(Debug, Default)]
pub(crate) struct CompilationClock(Mutex<Compilations>);

impl CompilationClock {
    /// Compiles a kernel, and counts it.
    pub fn time<R>(&self, [name, entry]: [&str; 2], compile: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = compile();
        let time_ms = begin.elapsed().as_secs_f64() * 1e3;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.count += 1;
        if time_ms > all.slowest_ms {
            (all.slowest, all.slowest_ms) = (format!("{name}, {entry}"), time_ms);
        }
        result
    }

    /// What was compiled until now.
    pub fn compilations(&self) -> Compilations {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_slowest_is_named() {
        let clock = CompilationClock::default();
        assert_eq!(clock.time(["sweep", "red"], || 1), 1);
        clock.time(["warp", "cubic"], || std::thread::sleep(Duration::from_millis(3)));
        clock.time(["sweep", "black"], || ());
        let all = clock.compilations();
        assert_eq!((all.count, all.slowest.as_str()), (3, "warp, cubic"));
        assert!(all.slowest_ms >= 3.0);
    }
}
