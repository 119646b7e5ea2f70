//! Files and folders that are not whole yet: known in one place, so that a program told to stop leaves none of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Everything that is being written. A signal asks for it from a thread that knows no one else, hence for all.
static PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The temporary name of a file or folder on its way; what is still there under it goes when this is dropped.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// To be called before anything is made there.
    pub fn new(path: PathBuf) -> Self {
        paths().insert(path.clone());
        Self { path }
    }

    /// The temporary name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Gone already once it has its real name; after a failure nobody wants it, and the first failure is the one to tell.
        remove(&self.path);
        paths().remove(&self.path);
    }
}

/// Removes everything that is not whole. For the moment before a program ends that was told to stop: whoever begins or
/// finishes a file afterwards waits for ever.
pub fn remove_unfinished() {
    let paths = paths();
    paths.iter().for_each(|path| remove(path));
    std::mem::forget(paths);
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
