//! Whether two names mean one file.

use std::path::{Path, PathBuf};
use veloxel_io as io;

/// The files behind a name: itself, and the one that holds its samples where that is another; none of a stream.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let own = (!is_stream(path)).then(|| path.to_owned());
    own.into_iter().chain(io::data_file(path)).collect()
}

/// Standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// One file or folder, there already or not, however its name is written and whatever links lead there.
pub(crate) struct Identity {
    pub path: PathBuf,
    /// Device and number, where the file is there and the system tells: files with two names.
    file: Option<(u64, u64)>,
}

impl Identity {
    /// Everything that reading a path opens.
    pub fn read(path: &Path) -> Vec<Self> {
        let files = io::files_read(path).into_iter().chain(io::data_file(path));
        files.map(|file| Self::of(&file)).collect()
    }

    /// The files that standard output and standard error of this program are redirected to.
    pub fn of_streams() -> Vec<Self> {
        Self::of_stream(&std::io::stdout()).into_iter().chain(Self::of_stream(&std::io::stderr())).collect()
    }

    /// The file behind a stream, if it is one.
    #[cfg(unix)]
    pub fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Self { path: PathBuf::new(), file: Some((metadata.dev(), metadata.ino())) })
    }

    /// The file behind a stream, which this system does not tell.
    #[cfg(not(unix))]
    pub fn of_stream<S>(_: &S) -> Option<Self> {
        None
    }

    pub fn of(path: &Path) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            path.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| (m.dev(), m.ino()))
        };
        #[cfg(not(unix))]
        let file = None;
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path =
            absolute.canonicalize().unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
                (Some(folder), Some(name)) => {
                    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(name)
                }
                _ => absolute,
            });
        Self { path, file }
    }

    pub fn is(&self, other: &Self) -> bool {
        self.path == other.path && self.path != Path::new("")
            || self.file.is_some() && self.file == other.file
    }
}
