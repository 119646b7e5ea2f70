//! Where an output goes, and for whom it is written.

use crate::error::{IoError, Result};
use crate::files::Files;
use std::path::{Path, PathBuf};

/// A path to write to, with the [`Files`] that its writer asks and is listed in. A path alone is one, and its writer cannot be
/// stopped.
#[derive(Debug, Clone)]
pub struct Target {
    path: PathBuf,
    /// Where it is written until it gets its name with others; none: there.
    staged: Option<PathBuf>,
    files: Files,
}

impl Files {
    /// A place to write to, for the functions that write.
    pub fn target(&self, path: impl AsRef<Path>) -> Target {
        Target { path: path.as_ref().to_owned(), staged: None, files: self.clone() }
    }
}

impl Target {
    /// The name of the output, which formats and messages go by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the output is written: its path, or a hidden place until all outputs of a [`Publication`](crate::Publication) get
    /// their names.
    pub fn place(&self) -> &Path {
        self.staged.as_deref().unwrap_or(&self.path)
    }

    /// The same output, written under the channel of other files.
    #[must_use]
    pub fn under(&self, files: &Files) -> Self {
        Self { files: files.clone(), ..self.clone() }
    }

    pub(crate) fn is_staged(&self) -> bool {
        self.staged.is_some()
    }

    /// The same output, written at this place first.
    pub(crate) fn staged_at(self, place: PathBuf) -> Self {
        Self { staged: Some(place), ..self }
    }

    /// For whom it is written.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// A file in this folder.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        self.with(|path| path.join(&name))
    }

    /// A file of this name beside it.
    pub(crate) fn beside(&self, name: impl AsRef<Path>) -> Self {
        self.with(|path| path.with_file_name(name.as_ref()))
    }

    fn with(&self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let staged = self.staged.as_deref().map(&change);
        Self { path: change(&self.path), staged, files: self.files.clone() }
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
        Self { path, staged: None, files: Files::default() }
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
