//! The context of a reader: the file's name, the strictness, and the warnings.

use crate::error::IoError;
use std::path::Path;
use veloxel_core::{CoreError, Grid, Volume, WarningKind, Warnings};

/// What to do with a header that other programs refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Read it and warn, saying what was assumed.
    #[default]
    Lenient,
    /// Refuse it with [`IoError::Strict`].
    Strict,
}

/// The file's name, how strict to be, and where warnings go.
pub(crate) struct Context<'a> {
    pub path: &'a Path,
    strictness: Strictness,
    warnings: &'a mut Warnings,
}

impl<'a> Context<'a> {
    pub fn new(path: &'a Path, strictness: Strictness, warnings: &'a mut Warnings) -> Self {
        Self { path, strictness, warnings }
    }

    /// A header that cannot be taken as it stands: a warning with what is assumed, or the end if strict.
    pub fn assume(&mut self, assumption: impl Into<String>) -> Result<(), IoError> {
        let assumption = assumption.into();
        match self.strictness {
            Strictness::Lenient => {
                self.note(WarningKind::Header, assumption);
                Ok(())
            }
            Strictness::Strict => Err(IoError::Strict { assumption, path: self.path.to_owned() }),
        }
    }

    /// Something to know that is no fault of the header.
    pub fn note(&mut self, kind: WarningKind, message: impl AsRef<str>) {
        self.warnings.push(kind, format!("{}: {}", self.path.display(), message.as_ref()));
    }

    /// Bytes after the content: kept out, and said.
    pub fn trailing(&mut self, bytes: Option<u64>) {
        let count = bytes.map_or_else(|| "bytes".to_owned(), |n| format!("{n} bytes"));
        self.note(WarningKind::Header, format!("{count} after the last sample were ignored"));
    }

    pub fn malformed(
        &self,
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl ToString,
    ) -> IoError {
        IoError::malformed(self.path, what, expected, got)
    }

    pub fn truncated(&self, what: &'static str, expected_bytes: u64, got_bytes: u64) -> IoError {
        IoError::Truncated { what, expected_bytes, got_bytes, path: self.path.to_owned() }
    }

    pub fn unsupported(&self, what: impl Into<String>, hint: &'static str) -> IoError {
        IoError::unsupported(self.path, what, hint)
    }

    pub fn core(&self, source: CoreError) -> IoError {
        IoError::core(self.path)(source)
    }

    /// The grid of a picture, spacing 1.
    pub fn picture_grid(&self, nx: usize, ny: usize) -> Result<Grid, IoError> {
        Grid::image(nx, ny).map_err(IoError::core(self.path))
    }

    pub fn volume(&self, grid: Grid, samples: Vec<f32>) -> Result<Volume<f32>, IoError> {
        Volume::new(grid, samples).map_err(IoError::core(self.path))
    }

    pub fn read(&self, source: std::io::Error) -> IoError {
        IoError::Read { path: self.path.to_owned(), source }
    }
}
