//! Compressed bytes as a stream: gzip with all its members, zlib with its checksum, and deflate alone.

use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{BufRead, ErrorKind, Read};

/// Deflate cannot expand further: 258 bytes from two bits.
pub(crate) const DEFLATE_MAX_RATIO: u64 = 1032;

/// Members of a gzip file in a row. Bytes after the last one that begin no member come out as they are, so that
/// [`Source::finish`](crate::read::source::Source::finish) notices them.
pub(crate) struct GzipMembers<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipMembers<R> {
    pub fn new(inner: R) -> Self {
        Self { member: Some(GzDecoder::new(inner)) }
    }
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

/// What one deflated stream holds; a stream that stops before its end is an error, which flate2's own reader does not
/// tell from its end.
pub(crate) struct Inflated<R> {
    inner: R,
    state: Option<Decompress>,
    gives_what_follows: bool,
}

impl<R: BufRead> Inflated<R> {
    /// With zlib's header and checksum. Bytes after it come out as they are, so that
    /// [`Source::finish`](crate::read::source::Source::finish) notices them.
    pub fn zlib(inner: R) -> Self {
        Self { inner, state: Some(Decompress::new(true)), gives_what_follows: true }
    }

    /// By itself. Bytes after it are left alone.
    #[cfg(feature = "dicom")]
    pub(crate) fn deflate(inner: R) -> Self {
        Self { inner, state: Some(Decompress::new(false)), gives_what_follows: false }
    }

    fn what_follows(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.gives_what_follows { self.inner.read(buffer) } else { Ok(0) }
    }
}

impl<R: BufRead> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(state) = &mut self.state else { return self.what_follows(buffer) };
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
                return if produced > 0 { Ok(produced) } else { self.what_follows(buffer) };
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
