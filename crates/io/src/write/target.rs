//! Where an output goes, and for whom it is written.

use crate::error::{IoError, Result};
use crate::files::Files;
use std::path::{Path, PathBuf};

/// A path to write to, with the [`Files`] that its writer asks and is listed in. A path alone is one, and its writer cannot be
/// stopped.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) path: PathBuf,
    pub(crate) files: Files,
}

impl Files {
    /// A place to write to, for the functions that write.
    pub fn target(&self, path: impl AsRef<Path>) -> Target {
        Target { path: path.as_ref().to_owned(), files: self.clone() }
    }
}

impl Target {
    /// Where the output goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// For whom it is written.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// A file in this folder.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        self.at(self.path.join(name))
    }

    /// Another path, for the same files.
    pub(crate) fn at(&self, path: PathBuf) -> Self {
        Self { path, files: self.files.clone() }
    }

    /// Asks whether to go on.
    ///
    /// # Errors
    /// [`IoError::Stopped`].
    pub(crate) fn check(&self) -> Result<()> {
        Ok(self.files.control().check()?)
    }

    /// What a failure of writing means: the stop that was asked for, or else [`IoError::Write`].
    pub(crate) fn fail(&self) -> impl Fn(std::io::Error) -> IoError + '_ {
        |error| self.files.stopped().unwrap_or_else(|| IoError::write(&self.path)(error))
    }
}

impl From<&Path> for Target {
    fn from(path: &Path) -> Self {
        Files::default().target(path)
    }
}

impl From<&PathBuf> for Target {
    fn from(path: &PathBuf) -> Self {
        Files::default().target(path)
    }
}

impl From<PathBuf> for Target {
    fn from(path: PathBuf) -> Self {
        Self { path, files: Files::default() }
    }
}

impl From<&str> for Target {
    fn from(path: &str) -> Self {
        Files::default().target(path)
    }
}

impl From<&String> for Target {
    fn from(path: &String) -> Self {
        Files::default().target(path)
    }
}

impl From<&Self> for Target {
    fn from(target: &Self) -> Self {
        target.clone()
    }
}
