//! How files are read: what is done with unusual headers, which files a header may name, and how much memory counts.

/// What to do with a header that other programs refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Read it and warn, saying what was assumed.
    #[default]
    Lenient,
    /// Refuse it with [`IoError::Strict`](crate::IoError::Strict).
    Strict,
}

/// Where the file may lie that a header names for its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataFiles {
    /// In the header's own folder, or in one below it, links followed.
    #[default]
    BesideHeader,
    /// Anywhere that this program may read.
    Anywhere,
}

/// How files are read. A [`Strictness`] alone is one, with the defaults of the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// What to do with a header that other programs refuse.
    pub strictness: Strictness,
    /// Where the file may lie that a header names.
    pub data_files: DataFiles,
    /// Bytes that all readers of this process may take at a time: files held in memory, what decoders give out, and the
    /// samples as 32-bit floats. None: half of the memory that is free.
    pub max_decode_bytes: Option<u64>,
}

impl From<Strictness> for Reading {
    fn from(strictness: Strictness) -> Self {
        Self { strictness, ..Self::default() }
    }
}
