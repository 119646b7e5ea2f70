//! Whether two names mean one file.

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// One file or folder, there already or not, however its name is written and whatever links lead there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileIdentity {
    /// The path without links, as far as it is there; empty for a stream.
    pub path: PathBuf,
    /// Device and number, where the file is there and the system tells: files with two names.
    pub number: Option<(u64, u64)>,
}

impl FileIdentity {
    /// The file or folder that a path means.
    pub fn of(path: &Path) -> Self {
        let number = path.metadata().ok().and_then(|metadata| number_of(&metadata));
        Self { path: without_links(path), number }
    }

    /// The file that was opened by a path.
    pub(crate) fn of_opened(path: &Path, metadata: &Metadata) -> Self {
        Self { path: without_links(path), number: number_of(metadata) }
    }

    /// The file behind a stream, if it is one.
    #[cfg(unix)]
    pub fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = std::fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let number = number_of(&file.metadata().ok()?)?;
        Some(Self { path: PathBuf::new(), number: Some(number) })
    }

    /// The file behind a stream, which this system does not tell.
    #[cfg(not(unix))]
    pub fn of_stream<S>(_: &S) -> Option<Self> {
        None
    }

    /// Whether both are one file.
    pub fn is(&self, other: &Self) -> bool {
        self.path == other.path && self.path != Path::new("")
            || self.number.is_some() && self.number == other.number
    }
}

/// A set of files, each by all of its names.
#[derive(Debug, Default)]
pub struct FileSet {
    paths: HashSet<PathBuf>,
    numbers: HashSet<(u64, u64)>,
}

impl FileSet {
    /// Whether a file is one of these.
    pub fn contains(&self, file: &FileIdentity) -> bool {
        self.paths.contains(&file.path) || file.number.is_some_and(|number| self.numbers.contains(&number))
    }
}

impl Extend<FileIdentity> for FileSet {
    fn extend<I: IntoIterator<Item = FileIdentity>>(&mut self, files: I) {
        for FileIdentity { path, number } in files {
            self.numbers.extend(number);
            // A stream has no path.
            if path != Path::new("") {
                self.paths.insert(path);
            }
        }
    }
}

impl FromIterator<FileIdentity> for FileSet {
    fn from_iter<I: IntoIterator<Item = FileIdentity>>(files: I) -> Self {
        let mut set = Self::default();
        set.extend(files);
        set
    }
}

#[cfg(unix)]
fn number_of(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
}

/// What this system does not tell.
#[cfg(not(unix))]
fn number_of(_: &Metadata) -> Option<(u64, u64)> {
    None
}

fn without_links(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.canonicalize().unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(name),
        _ => absolute,
    })
}
