//! Matrices as NumPy's `.npy`, written row by row in any order and from any thread; the file appears when it is whole.
//!
//! *Specification*: NumPy enhancement proposal 1, version 1.0 of the format; 32-bit floats, little-endian, rows first.

use crate::error::IoError;
use crate::unfinished::Unfinished;
use std::fs::File;
use std::io::{Error, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// A matrix on its way to a file.
#[derive(Debug)]
pub struct NpyWriter {
    file: Unfinished<NamedTempFile>,
    state: Mutex<State>,
    rows: usize,
    columns: usize,
    header: u64,
    path: PathBuf,
}

#[derive(Debug)]
struct State {
    handle: File,
    written: usize,
    failed: Option<Error>,
}

impl NpyWriter {
    /// Begins a matrix under a temporary name beside `path`.
    ///
    /// # Errors
    /// [`IoError::Write`].
    pub fn create(path: &Path, rows: usize, columns: usize) -> Result<Self, IoError> {
        let fail = IoError::write(path);
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(fail(Error::new(ErrorKind::InvalidInput, "it exists and is not a regular file")));
        }
        let header = header(rows, columns);
        let file = Unfinished::file(path).map_err(&fail)?;
        let mut handle = File::options().write(true).open(file.path()).map_err(&fail)?;
        handle.write_all(&header).map_err(&fail)?;
        let state = Mutex::new(State { handle, written: 0, failed: None });
        Ok(Self { file, state, rows, columns, header: header.len() as u64, path: path.to_owned() })
    }

    /// Writes rows that follow one another from `first` on. The first failure is kept for [`Self::finish`].
    ///
    /// # Panics
    /// If the samples are no whole rows, or there are no such rows.
    pub fn rows(&self, first: usize, samples: &[f32]) {
        let count = samples.len() / self.columns.max(1);
        assert!(
            count * self.columns == samples.len() && first + count <= self.rows,
            "rows should be of the matrix"
        );
        let bytes: std::borrow::Cow<'_, [u8]> = if cfg!(target_endian = "little") {
            bytemuck::cast_slice(samples).into()
        } else {
            samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>().into()
        };
        let begin = self.header + 4 * (first * self.columns) as u64;
        let mut state = self.state.lock().expect("no writer should have failed");
        if state.failed.is_none() {
            let sought = state.handle.seek(SeekFrom::Start(begin));
            state.failed = sought.and_then(|_| state.handle.write_all(&bytes)).err();
            state.written += count;
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`IoError::Write`] for the first failure; nothing is left behind.
    ///
    /// # Panics
    /// If rows are missing.
    pub fn finish(self) -> Result<(), IoError> {
        let fail = IoError::write(&self.path);
        let state = self.state.into_inner().expect("no writer should have failed");
        if let Some(error) = state.failed {
            return Err(fail(error));
        }
        assert_eq!(state.written, self.rows, "every row should have been written");
        drop(state.handle);
        self.file.publish(&self.path).map_err(fail)
    }
}

/// A matrix is written as `.npy` alone.
///
/// # Errors
/// [`IoError::UnknownExtension`].
pub fn check_matrix_output(path: &Path) -> Result<(), IoError> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy")) {
        return Ok(());
    }
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "a matrix", known: ".npy".to_owned() })
}

fn header(rows: usize, columns: usize) -> Vec<u8> {
    const ALIGNMENT: usize = 64;
    const FIXED: usize = 10;
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let padded = (FIXED + text.len() + 1).next_multiple_of(ALIGNMENT) - FIXED;
    text.extend(std::iter::repeat_n(' ', padded - text.len() - 1));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_any_order_make_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let writer = NpyWriter::create(&path, 3, 2).unwrap();
        writer.rows(1, &[3.0, 4.0, 5.0, f32::INFINITY]);
        assert!(!path.exists());
        writer.rows(0, &[1.0, 2.0]);
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((bytes.len(), &bytes[..8]), (128 + 24, &b"\x93NUMPY\x01\x00"[..]));
        assert_eq!(bytes[127], b'\n');
        let text = String::from_utf8_lossy(&bytes[10..128]).into_owned();
        assert!(text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"), "{text}");
        let samples: Vec<f32> =
            bytes[128..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(samples, [1.0, 2.0, 3.0, 4.0, 5.0, f32::INFINITY]);
    }

    #[test]
    fn a_matrix_that_is_not_whole_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(NpyWriter::create(&folder.path().join("a.npy"), 3, 2).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(NpyWriter::create(folder.path(), 1, 1).is_err());
    }
}
