//! Matrices as NumPy's `.npy`, written row by row in any order and from any thread; the file appears when it is whole.
//!
//! *Specification*: NumPy enhancement proposal 1, version 1.0 of the format; little-endian, rows first.

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::formats::npy::header;
use crate::write::pending::Unfinished;
use crate::write::target::Target;
use std::fs::File;
use std::io::{Error, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number that matrices hold.
pub trait NpySample: bytemuck::Pod {
    /// Its type as NumPy writes it.
    const DESCRIPTION: &'static str;
}

impl NpySample for f32 {
    const DESCRIPTION: &'static str = "<f4";
}

impl NpySample for u16 {
    const DESCRIPTION: &'static str = "<u2";
}

/// A matrix on its way to a file.
#[derive(Debug)]
pub struct NpyWriter<T: NpySample = f32> {
    file: Unfinished,
    handle: File,
    written: AtomicUsize,
    failed: Mutex<Option<Error>>,
    rows: usize,
    columns: usize,
    header: u64,
    target: Target,
    samples: PhantomData<T>,
}

impl<T: NpySample> NpyWriter<T> {
    /// Begins a matrix under a temporary name beside `path`, with its whole length.
    ///
    /// # Errors
    /// [`IoError::DiskFull`] before anything is written; [`IoError::Write`].
    pub fn create(target: impl Into<Target>, rows: usize, columns: usize) -> Result<Self> {
        let target = target.into();
        let (path, fail) = (target.path(), target.fail());
        let header = header::text(T::DESCRIPTION, &[rows, columns]);
        let samples = (rows as u64).saturating_mul(columns as u64).saturating_mul(size_of::<T>() as u64);
        let bytes = samples.saturating_add(header.len() as u64);
        require_free(path, bytes)?;
        let file = Unfinished::file(target.place(), target.files().pending()).map_err(&fail)?;
        let mut handle = File::options().write(true).open(file.path()).map_err(&fail)?;
        handle.write_all(&header).map_err(&fail)?;
        let header = header.len() as u64;
        handle.set_len(bytes).map_err(&fail)?;
        let (written, failed) = (AtomicUsize::new(0), Mutex::default());
        drop(fail);
        Ok(Self { file, handle, written, failed, rows, columns, header, target, samples: PhantomData })
    }

    /// Writes rows that follow one another from `first` on, beside other threads. The first failure is kept for
    /// [`Self::finish`].
    ///
    /// # Panics
    /// If the samples are no whole rows, or there are no such rows.
    pub fn rows(&self, first: usize, samples: &[T]) {
        let count = samples.len() / self.columns.max(1);
        assert!(
            count * self.columns == samples.len() && first + count <= self.rows,
            "rows should be of the matrix"
        );
        let bytes: &[u8] = bytemuck::cast_slice(samples);
        let begin = self.header + (size_of::<T>() * first * self.columns) as u64;
        let outcome = if cfg!(target_endian = "little") {
            write_at(&self.handle, bytes, begin)
        } else {
            let turned = bytes.chunks_exact(size_of::<T>()).flat_map(|sample| sample.iter().rev());
            write_at(&self.handle, &turned.copied().collect::<Vec<u8>>(), begin)
        };
        self.written.fetch_add(count, Ordering::Relaxed);
        if let Err(error) = outcome {
            self.failed.lock().expect("no writer should have failed").get_or_insert(error);
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`IoError::Write`] for the first failure; nothing is left behind.
    ///
    /// # Panics
    /// If rows are missing.
    pub fn finish(self) -> Result<()> {
        let fail = self.target.fail();
        self.target.check()?;
        if let Some(error) = self.failed.into_inner().expect("no writer should have failed") {
            return Err(fail(error));
        }
        assert_eq!(self.written.into_inner(), self.rows, "every row should have been written");
        drop(self.handle);
        self.file.publish(self.target.place(), self.target.files().control()).map_err(fail)
    }
}

/// Checks, before any work is done for it, that [`NpyWriter`]'s matrix would have the name of one: `.npy`.
///
/// # Errors
/// [`IoError::UnknownExtension`].
pub fn check_npy_output(path: &Path) -> Result<()> {
    if extension(path) == "npy" {
        return Ok(());
    }
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "a matrix", known: ".npy".to_owned() })
}

/// Refuses an output of `needed_bytes` where less is free, before hours of work end in a full disk; where the system does not
/// tell, nothing is refused.
///
/// # Errors
/// [`IoError::DiskFull`].
fn require_free(path: &Path, needed_bytes: u64) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match free_bytes(folder) {
        Some(free_bytes) if free_bytes < needed_bytes => {
            Err(IoError::DiskFull { needed_bytes, free_bytes, path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], begin: u64) -> Result<(), Error> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, begin)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut begin: u64) -> Result<(), Error> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, begin)?;
        if count == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        (bytes, begin) = (&bytes[count..], begin + count as u64);
    }
    Ok(())
}

/// Browsers have no files, and other systems no way to write at a place of one beside other threads.
#[cfg(not(any(unix, windows)))]
fn write_at(_: &File, _: &[u8], _: u64) -> Result<(), Error> {
    Err(std::io::ErrorKind::Unsupported.into())
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
        drop(NpyWriter::<f32>::create(folder.path().join("a.npy"), 3, 2).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(NpyWriter::<u16>::create(folder.path(), 1, 1).is_err());
        let vast = NpyWriter::<f32>::create(folder.path().join("b.npy"), 1 << 31, 1 << 31);
        assert!(matches!(vast, Err(IoError::DiskFull { .. })), "{vast:?}");
    }
}
