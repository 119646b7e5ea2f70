//! A guard: work under it can open no file.

use std::sync::{Mutex, PoisonError};

/// One test at a time: the limit holds for the whole process.
static TESTS: Mutex<()> = Mutex::new(());

/// Runs a test while no other one does, so that the limit of another one stops none of its files.
pub fn alone<R>(test: impl FnOnce() -> R) -> R {
    let _alone = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    test()
}

/// Does work while this process can open nothing: no file, no folder, no socket. What is open stays open.
#[cfg(unix)]
pub fn without_files<R>(work: impl FnOnce() -> R) -> R {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Nofile);
    let set = |limit: Rlimit| setrlimit(Resource::Nofile, limit).expect("a soft limit should be ours to set");
    set(Rlimit { current: Some(0), ..before });
    let opened = std::fs::File::open(std::env::current_exe().unwrap_or_default()).is_ok();
    let result = work();
    set(before);
    assert!(!opened, "the guard should let no file be opened");
    result
}

/// Elsewhere nothing limits the work.
#[cfg(not(unix))]
pub fn without_files<R>(work: impl FnOnce() -> R) -> R {
    work()
}
