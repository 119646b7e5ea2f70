//! Bytes that are walked over, from a file or out of a deflated stream.

use flate2::read::DeflateDecoder;
use std::io::{self, ErrorKind, Read, Seek};

/// Bytes with a position.
pub(super) trait Bytes {
    /// How many lie behind.
    fn at(&self) -> u64;
    /// As many as there are, until the buffer is full; how many that is.
    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize>;
    /// Goes over so many; [`ErrorKind::UnexpectedEof`] if there are fewer.
    fn skip(&mut self, count: u64) -> io::Result<()>;
    /// That so many may be there, as far as is known; [`ErrorKind::UnexpectedEof`] if not.
    fn require(&self, count: u64) -> io::Result<()>;

    /// So many; [`ErrorKind::UnexpectedEof`] if there are fewer.
    fn exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        let wanted = into.len();
        if self.fill(into)? == wanted { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

fn fill(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut found = 0;
    while found < into.len() {
        match reader.read(&mut into[found..]) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The bytes of a file whose length is known.
pub(super) struct Plain<'a, R> {
    reader: &'a mut R,
    at: u64,
    length: u64,
}

impl<'a, R: Read + Seek> Plain<'a, R> {
    pub(super) fn new(reader: &'a mut R, length: u64) -> Self {
        Self { reader, at: 0, length }
    }

    /// Goes back by so many bytes.
    pub(super) fn back(&mut self, count: u64) -> io::Result<()> {
        self.reader.seek_relative(-(count as i64))?;
        self.at -= count;
        Ok(())
    }
}

impl<R: Read + Seek> Bytes for Plain<'_, R> {
    fn at(&self) -> u64 {
        self.at
    }

    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = fill(self.reader, into)?;
        self.at += found as u64;
        Ok(found)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        self.require(count)?;
        self.reader.seek_relative(count as i64)?;
        self.at += count;
        Ok(())
    }

    fn require(&self, count: u64) -> io::Result<()> {
        if count <= self.length.saturating_sub(self.at) {
            Ok(())
        } else {
            Err(ErrorKind::UnexpectedEof.into())
        }
    }
}

impl<R: Read + Seek> Read for Plain<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reader.read(into)
    }
}

/// What a deflated stream holds; nobody knows how much that is.
pub(super) struct Inflated<R> {
    reader: DeflateDecoder<R>,
    at: u64,
}

impl<R: Read> Inflated<R> {
    pub(super) fn new(deflated: R) -> Self {
        Self { reader: DeflateDecoder::new(deflated), at: 0 }
    }
}

impl<R: Read> Bytes for Inflated<R> {
    fn at(&self) -> u64 {
        self.at
    }

    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = fill(&mut self.reader, into)?;
        self.at += found as u64;
        Ok(found)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.reader).take(count), &mut io::sink())?;
        self.at += skipped;
        if skipped == count { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    fn require(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}
