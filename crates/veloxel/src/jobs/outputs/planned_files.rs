//! The files that the outputs of a job will replace.

use std::path::{Path, PathBuf};
use veloxel_io::{self as io, FileIdentity, FileSet};

/// The files behind a name: itself, and the one that holds its samples where that is another; none of a stream.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let own = (!is_stream(path)).then(|| path.to_owned());
    own.into_iter().chain(io::data_file(path)).collect()
}

/// Standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Everything that reading a path opens, as far as names and headers tell beforehand.
pub(crate) fn identities_read(path: &Path) -> Vec<FileIdentity> {
    let files = io::files_read(path).into_iter().chain(io::data_file(path));
    files.map(|file| FileIdentity::of(&file)).collect()
}

/// The files that standard output and standard error of this program are redirected to.
pub(crate) fn of_streams() -> Vec<FileIdentity> {
    let streams = [FileIdentity::of_stream(&std::io::stdout()), FileIdentity::of_stream(&std::io::stderr())];
    streams.into_iter().flatten().collect()
}

/// A folder that gets files whose names begin with one of these.
#[derive(Debug)]
pub(crate) struct PlannedFolder {
    pub folder: FileIdentity,
    pub members: Vec<String>,
}

impl PlannedFolder {
    /// Whether a file lies in this folder under a name that the folder will get.
    pub fn will_replace(&self, file: &FileIdentity) -> bool {
        file.path.parent() == Some(&self.folder.path) && self.is_member(&file.path)
    }

    /// Files of this folder that have such names now.
    pub fn names_there(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.folder.path).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| self.is_member(path) && (path.is_file() || io::is_store(path))).collect()
    }

    /// The files behind these names.
    pub fn members_there(&self) -> Vec<FileIdentity> {
        self.names_there().iter().map(|path| FileIdentity::of(path)).collect()
    }

    fn is_member(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.members.iter().any(|member| name.starts_with(&**member))
    }
}

/// All files and folders that the outputs of a job are.
#[derive(Debug, Default)]
pub(crate) struct PlannedFiles {
    pub files: Vec<FileIdentity>,
    pub folders: Vec<PlannedFolder>,
    /// Files behind the names of members that are there: links lead out of their folder.
    pub members_there: FileSet,
}

impl PlannedFiles {
    /// Whether a file is one of the outputs, or has the name that a folder's member will get.
    pub fn will_replace(&self, file: &FileIdentity) -> bool {
        self.files.iter().any(|own| own.is(file))
            || self.members_there.contains(file)
            || self.folders.iter().any(|folder| folder.will_replace(file))
    }
}
