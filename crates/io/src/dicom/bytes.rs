//! Bytes that are walked over, from a file or out of a deflated stream.

use flate2::{Decompress, FlushDecompress, Status};
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

/// Deflated bytes held at a time.
const HELD: usize = 1 << 13;

/// What a deflated stream holds; nobody knows how much that is. A stream that does not end is cut short.
pub(super) struct Inflated<R> {
    reader: R,
    held: Vec<u8>,
    /// The first of them that was not inflated yet.
    next: usize,
    decompress: Decompress,
    has_ended: bool,
    at: u64,
}

impl<R: Read> Inflated<R> {
    pub(super) fn new(deflated: R) -> Self {
        let (held, decompress) = (Vec::with_capacity(HELD), Decompress::new(false));
        Self { reader: deflated, held, next: 0, decompress, has_ended: false, at: 0 }
    }
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !into.is_empty() {
            if self.next == self.held.len() {
                self.held.resize(HELD, 0);
                let found = fill(&mut self.reader, &mut self.held)?;
                self.held.truncate(found);
                self.next = 0;
            }
            let is_all = self.held.is_empty();
            let before = [self.decompress.total_in(), self.decompress.total_out()];
            let flush = if is_all { FlushDecompress::Finish } else { FlushDecompress::None };
            let status = self.decompress.decompress(&self.held[self.next..], into, flush)?;
            self.next += (self.decompress.total_in() - before[0]) as usize;
            self.has_ended = status == Status::StreamEnd;
            let count = (self.decompress.total_out() - before[1]) as usize;
            if count > 0 {
                return Ok(count);
            }
            if is_all && !self.has_ended {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

impl<R: Read> Bytes for Inflated<R> {
    fn at(&self) -> u64 {
        self.at
    }

    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = fill(self, into)?;
        self.at += found as u64;
        Ok(found)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.by_ref().take(count), &mut io::sink())?;
        self.at += skipped;
        if skipped == count { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    fn require(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}
