//! Bytes on their way from or to a file, whose reader or writer asks whether to go on.

use std::io::{BufRead, Error, Read, Result, Seek, SeekFrom, Write};
use veloxel_core::Control;

/// Bytes that pass between two questions at most: a memory copy of some tenths of a millisecond.
const MOST_BYTES: usize = 1 << 20;

/// A reader or a writer that asks before every block of bytes. After a stop it fails with
/// [`Stopped`](veloxel_core::Stopped) as the reason.
#[derive(Debug)]
pub(crate) struct Asking<T> {
    inner: T,
    control: Control,
    /// Bytes that are read between two questions; 0: it asks at every call.
    every_bytes: usize,
    /// Bytes that were read since the last question.
    passed_bytes: usize,
    /// Whether the bytes are those of a file, which count for the progress of reading.
    is_counted: bool,
}

impl<T> Asking<T> {
    pub fn new(inner: T, control: &Control) -> Self {
        Self { inner, control: control.clone(), every_bytes: 0, passed_bytes: 0, is_counted: false }
    }

    /// For a decoder that reads byte by byte: asks once in so many bytes.
    #[cfg(feature = "jpeg")]
    pub fn every(self, bytes: usize) -> Self {
        Self { every_bytes: bytes, ..self }
    }

    /// For the bytes of a file as they are in it: they count for the progress of reading.
    pub fn counted(self) -> Self {
        Self { is_counted: true, ..self }
    }

    /// The reader or writer itself, which asks nothing.
    #[cfg(feature = "tiff")]
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    pub fn into_inner(self) -> T {
        self.inner
    }

    fn ask(&mut self) -> Result<()> {
        if self.passed_bytes >= self.every_bytes {
            self.control.check().map_err(Error::other)?;
            self.passed_bytes = 0;
        }
        Ok(())
    }
}

impl<T: Read> Read for Asking<T> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.ask()?;
        let most = buffer.len().min(MOST_BYTES);
        self.passed_bytes += most;
        let count = self.inner.read(&mut buffer[..most])?;
        if self.is_counted {
            self.control.count_bytes(count as u64);
        }
        Ok(count)
    }
}

impl<T: BufRead> BufRead for Asking<T> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        self.ask()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
    }
}

impl<T: Seek> Seek for Asking<T> {
    fn seek(&mut self, place: SeekFrom) -> Result<u64> {
        self.inner.seek(place)
    }

    fn stream_position(&mut self) -> Result<u64> {
        self.inner.stream_position()
    }
}

impl<T: Write> Write for Asking<T> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.ask()?;
        self.inner.write(&bytes[..bytes.len().min(MOST_BYTES)])
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}
