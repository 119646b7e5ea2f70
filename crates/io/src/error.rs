//! Errors of readers and writers.

use crate::text::quotation::quoted;
use std::path::{Path, PathBuf};
use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped, memory_size};

/// What may fail with an [`IoError`].
pub type Result<T, E = IoError> = std::result::Result<T, E>;

/// One clear line: what, where, expected and got, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The file could not be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Reading failed on the way.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system or the decoder says.
        source: std::io::Error,
    },
    /// Writing failed; nothing was left behind.
    #[error("cannot write {}: {source} (nothing was left behind)", path.display())]
    Write {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A log that another process appends to.
    #[error("{} is being written by another run: wait for its end, or name another folder", path.display())]
    Busy {
        /// The log.
        path: PathBuf,
    },
    /// A file that is read and that an output of the same run would replace.
    #[error("{} is an input, which the output would replace: give the output another name", path.display())]
    ReplacesInput {
        /// The input.
        path: PathBuf,
    },
    /// The folder to write into is not there.
    #[error("cannot write {}: the folder {} does not exist: make it first", path.display(), folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// The file that was asked for.
        path: PathBuf,
    },
    /// No format has this extension, or none that can hold this content.
    #[error("{}: no known format for {what}: use one of {known}", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// What should be read or written.
        what: &'static str,
        /// The extensions that would do.
        known: String,
    },
    /// A file without a byte.
    #[error("{}: {}", path.display(), nothing_came(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file ends before its content does.
    #[error(
        "{}: {what} is cut short: expected {expected_bytes} bytes, got {got_bytes}: {}",
        path.display(),
        what_helps(path)
    )]
    Truncated {
        /// The part that is missing.
        what: &'static str,
        /// Bytes that its header promises.
        expected_bytes: u64,
        /// Bytes that are there (for compressed parts: at most).
        got_bytes: u64,
        /// The file.
        path: PathBuf,
    },
    /// A value that the format does not allow.
    #[error("{}: {what}: expected {expected}, got {got}", path.display())]
    Malformed {
        /// The field or part.
        what: String,
        /// What would be right.
        expected: String,
        /// What the file says.
        got: String,
        /// The file.
        path: PathBuf,
    },
    /// A film that the program which decodes it cannot read, or not to its end.
    #[error("{}: ffmpeg fails on it: {said}", path.display())]
    Film {
        /// What that program says.
        said: String,
        /// The film, the camera or the address.
        path: PathBuf,
    },
    /// A program that decodes a kind of file, and that is not installed.
    #[error(
        "{}: {program}, the program that decodes films and cameras, was not found: install it (Debian, Ubuntu: apt-get install {program}; \
         macOS: brew install {program}; Windows: winget install {program})",
        path.display()
    )]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// The film, the camera or the address.
        path: PathBuf,
    },
    /// Allowed by the format, but not read or written here.
    #[error("{}: {what} is not supported: {hint}", path.display())]
    Unsupported {
        /// What was found or asked for.
        what: String,
        /// The way out.
        hint: &'static str,
        /// The option of reading that decides it, where there is one.
        option: Option<Hint>,
        /// The file.
        path: PathBuf,
    },
    /// A header that needs an assumption, read with [`Strictness::Strict`](crate::Strictness::Strict).
    #[error("{}: {assumption} (refused by strict reading: mend the header, or allow assumptions)", path.display())]
    Strict {
        /// What lenient reading would have assumed.
        assumption: String,
        /// The file.
        path: PathBuf,
    },
    /// Samples in a file outside of the folder of the header that names it.
    #[error(
        "{}: its header names {} for the samples, outside of its own folder: put them beside it, or allow samples elsewhere",
        path.display(),
        data.display()
    )]
    Outside {
        /// The file with the samples.
        data: PathBuf,
        /// The header.
        path: PathBuf,
    },
    /// More memory than the budget of [`Reading`](crate::Reading).
    #[error(
        "{}: reading it takes {} of memory, and {} are allowed: crop or shrink it first, or allow more",
        path.display(),
        memory_size(*needed_bytes),
        memory_size(*budget_bytes)
    )]
    Memory {
        /// Bytes that all files that are being read need, this one included.
        needed_bytes: u64,
        /// Bytes that they may have.
        budget_bytes: u64,
        /// The file.
        path: PathBuf,
    },
    /// An output larger than what its folder's file system has left.
    #[error(
        "{}: it takes {}, and {} are free in its folder: free some, name another folder, or ask for less",
        path.display(),
        memory_size(*needed_bytes),
        memory_size(*free_bytes)
    )]
    DiskFull {
        /// Bytes of the output.
        needed_bytes: u64,
        /// Bytes that are free.
        free_bytes: u64,
        /// The output.
        path: PathBuf,
    },
    /// A file of a format that is not read here, with the way to one that is.
    #[error("{}: {what} is not read: {way}", path.display())]
    Foreign {
        /// The format.
        what: &'static str,
        /// What to do.
        way: String,
        /// The file.
        path: PathBuf,
    },
    /// A file of another kind than asked for.
    #[error("{}: expected {expected}, got {got}: {hint}", path.display())]
    Kind {
        /// What was asked for.
        expected: &'static str,
        /// What the file holds.
        got: String,
        /// The way out.
        hint: &'static str,
        /// The option of reading that decides it, where there is one.
        option: Option<Hint>,
        /// The file.
        path: PathBuf,
    },
    /// A label image with a value that is no label.
    #[error("{}: {value} at voxel (x, y, z) = {position:?} is no label: expected whole numbers up to ±{limit}", path.display())]
    NotLabel {
        /// The value found.
        value: f32,
        /// Where: `(x, y, z)`.
        position: [usize; 3],
        /// The largest label that is read exactly.
        limit: i32,
        /// The file.
        path: PathBuf,
    },
    /// Several things where one is needed, and nothing says which.
    #[error("{}: {what}, and one is needed: {choices}: {hint}", path.display())]
    Ambiguous {
        /// How many of what.
        what: String,
        /// What can be chosen.
        choices: String,
        /// How to choose.
        hint: &'static str,
        /// The option of reading that decides it, where there is one.
        option: Option<Hint>,
        /// The file or folder.
        path: PathBuf,
    },
    /// A folder or list without a single frame.
    #[error("{}: no file to read there: expected files ending in {known}", path.display())]
    NoFrames {
        /// The folder.
        path: PathBuf,
        /// The extensions that count.
        known: String,
    },
    /// Frames that a name asks for and that are not there.
    #[error("{}: there is no frame {asked}: {}", path.display(), frames_there(*count))]
    NoSuchFrame {
        /// The frame, or the range.
        asked: String,
        /// How many frames there are.
        count: usize,
        /// The file, folder or pattern.
        path: PathBuf,
    },
    /// A grid, field or sequence that the content cannot form.
    #[error("{}: {source}", path.display())]
    Core {
        /// The file.
        path: PathBuf,
        /// The promise that would be broken.
        source: CoreError,
    },
    /// The run was stopped by its observer; nothing was left behind.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The numbers of so many frames, in words.
fn frames_there(count: usize) -> String {
    match count {
        0 => "it has none".to_owned(),
        1 => "its only frame is 0".to_owned(),
        _ => format!("its {count} frames are 0 to {}", count - 1),
    }
}

/// What standard input is called where a path stands.
pub(crate) const STANDARD_INPUT_NAME: &str = "standard input";

/// What helps where a file ends too early; a pipe cannot be copied again.
fn what_helps(path: &Path) -> &'static str {
    if path == Path::new(STANDARD_INPUT_NAME) {
        "what sends it ended within it"
    } else {
        "copy or download it again"
    }
}

/// What is said of a source without a byte.
fn nothing_came(path: &Path) -> &'static str {
    if path == Path::new(STANDARD_INPUT_NAME) {
        "nothing came: what should send it ended before"
    } else {
        "the file is empty: copy or download it again"
    }
}

impl Diagnosis for IoError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Open { .. } | Self::Read { .. } | Self::Write { .. } | Self::DiskFull { .. } => {
                ErrorKind::Io
            }
            Self::NoFolder { .. } | Self::ReplacesInput { .. } | Self::Busy { .. } => ErrorKind::Io,
            Self::Memory { .. } => ErrorKind::Memory,
            Self::UnknownExtension { .. }
            | Self::Unsupported { .. }
            | Self::Foreign { .. }
            | Self::NoProgram { .. } => ErrorKind::Unsupported,
            Self::Stopped(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Strict { .. } => Some(Hint::Strictness),
            Self::Outside { .. } => Some(Hint::DataFiles),
            Self::Memory { .. } => Some(Hint::MaxDecode),
            Self::Unsupported { option, .. } | Self::Kind { option, .. } | Self::Ambiguous { option, .. } => {
                *option
            }
            Self::Core { source, .. } => source.hint(),
            _ => None,
        }
    }
}

impl IoError {
    /// The same failure, which an option of reading decides.
    #[must_use]
    pub fn about(mut self, hint: Hint) -> Self {
        if let Self::Unsupported { option, .. } | Self::Kind { option, .. } | Self::Ambiguous { option, .. } =
            &mut self
        {
            *option = Some(hint);
        }
        self
    }

    pub(crate) fn open(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |source| Self::stopped(&source).unwrap_or_else(|| Self::Open { path: path.to_owned(), source })
    }

    /// A failure of writing; nothing must be left behind.
    pub fn write(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |source| Self::stopped(&source).unwrap_or_else(|| Self::Write { path: path.to_owned(), source })
    }

    pub(crate) fn read(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |source| Self::stopped(&source).unwrap_or_else(|| Self::Read { path: path.to_owned(), source })
    }

    /// The stop that ended the passing of bytes, if that is the reason of an error.
    fn stopped(error: &std::io::Error) -> Option<Self> {
        let is_stop = error.get_ref().is_some_and(|reason| reason.is::<Stopped>());
        is_stop.then_some(Self::Stopped(Stopped))
    }

    /// Something that cannot be read or written here, with the way out.
    pub fn unsupported(path: &Path, what: impl Into<String>, hint: &'static str) -> Self {
        Self::Unsupported { what: quoted(&what.into()), hint, option: None, path: path.to_owned() }
    }

    pub(crate) fn malformed(
        path: &Path,
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl ToString,
    ) -> Self {
        let (what, expected, got) = (quoted(&what.into()), expected.into(), quoted(&got.to_string()));
        Self::Malformed { what, expected, got, path: path.to_owned() }
    }

    pub(crate) fn truncated(path: &Path, what: &'static str, expected_bytes: u64, got_bytes: u64) -> Self {
        Self::Truncated { what, expected_bytes, got_bytes, path: path.to_owned() }
    }

    pub(crate) fn kind(
        path: &Path,
        expected: &'static str,
        got: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self::Kind { expected, got: quoted(&got.into()), hint, option: None, path: path.to_owned() }
    }

    /// A promise of this library's types that the content would break.
    pub(crate) fn core(path: &Path) -> impl Fn(CoreError) -> Self + '_ {
        |source| Self::Core { path: path.to_owned(), source }
    }
}
