//! Bytes of a file, raw or compressed, with an upper bound on how many can still come.

use crate::IoError;
use crate::context::Context;
use crate::element::{ByteOrder, Element, Fit, Scaling};
use crate::memory;
use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use veloxel_core::WarningKind;

/// Deflate cannot expand further: 258 bytes from two bits.
const DEFLATE_MAX_RATIO: u64 = 1032;
const CHUNK_BYTES: usize = 1 << 18;

/// A reader that knows how much it can give at most, so that nothing is allocated on a header's word alone.
pub(crate) struct Source<'a> {
    reader: Box<dyn BufRead + Send + 'a>,
    /// Exact for raw bytes, an upper bound for compressed ones.
    available: u64,
}

impl<'a> Source<'a> {
    /// A file that a header names, relative to the header's own folder.
    pub fn open_beside(name: &str, context: &Context) -> Result<Source<'static>, IoError> {
        const EXPECTED: &str = "the name of a file beside the header";
        if name.is_empty() {
            return Err(context.malformed("data file", EXPECTED, "none"));
        }
        Source::open(&context.path.with_file_name("").join(name)).map_err(|error| match error {
            IoError::Open { source, .. } => {
                context.malformed("data file", EXPECTED, format!("{name} ({source})"))
            }
            other => other,
        })
    }

    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { reader: Box::new(bytes), available: bytes.len() as u64 }
    }

    /// Bytes from a pipe: nobody knows how many, so that only what has come can be trusted.
    pub fn from_stream(reader: impl Read + Send + 'a) -> Self {
        Self { reader: Box::new(BufReader::with_capacity(CHUNK_BYTES, reader)), available: u64::MAX }
    }

    pub fn open(path: &Path) -> Result<Source<'static>, IoError> {
        let fail = |source| IoError::Open { path: path.to_owned(), source };
        let file = File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        // A pipe or a device has no size to check against and may never end.
        if !metadata.is_file() {
            let kind = if metadata.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
            return Err(fail(std::io::Error::new(kind, "not a regular file")));
        }
        Ok(Source {
            reader: Box::new(BufReader::with_capacity(CHUNK_BYTES, file)),
            available: metadata.len(),
        })
    }

    /// Bytes that can still come: exact for raw bytes, an upper bound for compressed ones.
    pub fn available(&self) -> u64 {
        self.available
    }

    /// The same bytes, decompressed on the way if they begin as a gzip stream does.
    pub fn gunzip_if_compressed(mut self, context: &Context) -> Result<Source<'a>, IoError> {
        let head = self.reader.fill_buf().map_err(|e| context.read(e))?;
        Ok(if head.starts_with(&[0x1f, 0x8b]) { self.gunzip() } else { self })
    }

    /// Decompresses gzip, several members one after the other included.
    pub fn gunzip(self) -> Source<'a> {
        let available = self.expanded();
        let members = GzipMembers { member: Some(GzDecoder::new(self.reader)) };
        Source { reader: Box::new(BufReader::with_capacity(CHUNK_BYTES, members)), available }
    }

    /// Decompresses zlib (or gzip, which some writers put in its place).
    pub fn inflate(mut self, context: &Context) -> Result<Source<'a>, IoError> {
        if self.reader.fill_buf().map_err(|e| context.read(e))?.starts_with(&[0x1f, 0x8b]) {
            return Ok(self.gunzip());
        }
        let available = self.expanded();
        let stream = ZlibStream { inner: self.reader, state: Some(Decompress::new(true)) };
        Ok(Source { reader: Box::new(BufReader::with_capacity(CHUNK_BYTES, stream)), available })
    }

    fn expanded(&self) -> u64 {
        self.available.saturating_mul(DEFLATE_MAX_RATIO)
    }

    /// Exactly `count` bytes: a header, or a payload whose size the caller has bounded.
    pub fn take_bytes(
        &mut self,
        what: &'static str,
        count: u64,
        context: &Context,
    ) -> Result<Vec<u8>, IoError> {
        if count > self.available {
            return Err(context.truncated(what, count, self.available));
        }
        memory::require(count, context)?;
        let mut bytes = Vec::new();
        let got = (&mut self.reader).take(count).read_to_end(&mut bytes);
        self.available -= bytes.len() as u64;
        match got {
            Ok(n) if n as u64 == count => Ok(bytes),
            Ok(n) => Err(context.truncated(what, count, n as u64)),
            Err(e) => Err(Self::failure(e, what, count, bytes.len() as u64, context)),
        }
    }

    /// Everything that is left of a raw source.
    pub fn take_rest(&mut self, context: &Context) -> Result<Vec<u8>, IoError> {
        self.take_bytes("the file", self.available, context)
    }

    /// Leaves out `count` bytes.
    pub fn skip(&mut self, what: &'static str, count: u64, context: &Context) -> Result<(), IoError> {
        if count > self.available {
            return Err(context.truncated(what, count, self.available));
        }
        let skipped = std::io::copy(&mut (&mut self.reader).take(count), &mut std::io::sink())
            .map_err(|e| Self::failure(e, what, count, 0, context))?;
        self.available -= skipped;
        if skipped == count { Ok(()) } else { Err(context.truncated(what, count, skipped)) }
    }

    /// One line without its end; `None` at the end of the bytes. A line longer than `limit` bytes is an error.
    pub fn line(&mut self, limit: usize, context: &Context) -> Result<Option<String>, IoError> {
        let mut bytes = Vec::new();
        (&mut self.reader)
            .take(limit as u64)
            .read_until(b'\n', &mut bytes)
            .map_err(|e| Self::failure(e, "the header", limit as u64, bytes.len() as u64, context))?;
        self.available = self.available.saturating_sub(bytes.len() as u64);
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() == limit && bytes.last() != Some(&b'\n') {
            return Err(context.malformed(
                "header line",
                format!("at most {limit} bytes"),
                "a longer one (is this the right format?)",
            ));
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// `count` samples as `f32`, decoded on the way so that the raw bytes are never held.
    pub fn samples(
        &mut self,
        count: usize,
        stored: Stored,
        context: &mut Context,
    ) -> Result<Vec<f32>, IoError> {
        const WHAT: &str = "the sample data";
        let Stored { element, order, scaling } = stored;
        let expected = (count as u64)
            .checked_mul(element.bytes() as u64)
            .ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))?;
        if expected > self.available {
            return Err(context.truncated(WHAT, expected, self.available));
        }
        let mut samples = memory::room_for(count, context)?;
        let mut chunk = vec![0u8; CHUNK_BYTES];
        let mut fit = Fit::Exact;
        let mut left = expected;
        while left > 0 {
            let want = usize::try_from(left).map_or(CHUNK_BYTES, |l| l.min(CHUNK_BYTES));
            let mut filled = 0;
            while filled < want {
                match self.reader.read(&mut chunk[filled..want]) {
                    Ok(0) => return Err(context.truncated(WHAT, expected, expected - left + filled as u64)),
                    Ok(n) => filled += n,
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    Err(e) => {
                        return Err(Self::failure(
                            e,
                            WHAT,
                            expected,
                            expected - left + filled as u64,
                            context,
                        ));
                    }
                }
            }
            if element.decode(&chunk[..want], order, scaling, &mut samples) == Fit::Rounded {
                fit = Fit::Rounded;
            }
            left -= want as u64;
        }
        self.available = self.available.saturating_sub(expected);
        if fit == Fit::Rounded {
            let text = format!("{} samples were rounded to 32-bit floats", element.name());
            context.note(WarningKind::Samples, text);
        }
        Ok(samples)
    }

    /// Looks at what follows the content: a broken checksum is an error, further bytes are a warning.
    pub fn finish(mut self, context: &mut Context) -> Result<(), IoError> {
        let mut one = [0];
        match self.reader.read(&mut one) {
            Ok(0) => Ok(()),
            Ok(_) => {
                context.trailing(None);
                Ok(())
            }
            Err(e) => Err(Self::failure(e, "the end of the stream", 1, 0, context)),
        }
    }

    fn failure(
        error: std::io::Error,
        what: &'static str,
        expected: u64,
        got: u64,
        context: &Context,
    ) -> IoError {
        match error.kind() {
            ErrorKind::UnexpectedEof => context.truncated(what, expected, got),
            ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                context.malformed(what, "an intact compressed stream", error)
            }
            _ => context.read(error),
        }
    }
}

/// How samples are stored: type, byte order and scaling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stored {
    pub element: Element,
    pub order: ByteOrder,
    pub scaling: Scaling,
}

/// Members of a gzip file in a row. Bytes after the last one that begin no member come out as they are, so that
/// [`Source::finish`] notices them.
struct GzipMembers<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut inner) = self.member.take().map(GzDecoder::into_inner) else { return Ok(0) };
            match inner.fill_buf()? {
                [] => return Ok(0),
                [0x1f, ..] => self.member = Some(GzDecoder::new(inner)),
                _ => return inner.read(buffer),
            }
        }
    }
}

/// One zlib stream. Bytes after it come out as they are, so that [`Source::finish`] notices them; a stream that stops
/// before its checksum is an error, which flate2's own reader does not tell from its end.
struct ZlibStream<R> {
    inner: R,
    state: Option<Decompress>,
}

impl<R: BufRead> Read for ZlibStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(state) = &mut self.state else { return self.inner.read(buffer) };
        loop {
            let input = self.inner.fill_buf()?;
            let at_end = input.is_empty();
            let (before_in, before_out) = (state.total_in(), state.total_out());
            let status = state.decompress(input, buffer, FlushDecompress::None)?;
            let consumed = (state.total_in() - before_in) as usize;
            let produced = (state.total_out() - before_out) as usize;
            self.inner.consume(consumed);
            if status == Status::StreamEnd {
                self.state = None;
                return if produced > 0 { Ok(produced) } else { self.inner.read(buffer) };
            }
            if produced > 0 || buffer.is_empty() {
                return Ok(produced);
            }
            if at_end {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if consumed == 0 {
                return Err(std::io::Error::new(ErrorKind::InvalidData, "the zlib stream does not go on"));
            }
        }
    }
}
