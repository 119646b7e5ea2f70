//! Bytes that are walked over, from a file or out of a deflated stream.

use crate::read::compressed::Inflated;
use std::io::{self, BufReader, ErrorKind, Read, Seek};

/// Deflated bytes held at a time.
const HELD: usize = 1 << 13;

/// Bytes with a position.
pub(super) struct Bytes<R> {
    reader: R,
    at: u64,
    /// How many there are at most, as far as is known.
    length: u64,
    /// Goes over so many; how many that were.
    skip: fn(&mut R, u64) -> io::Result<u64>,
}

impl<R: Read + Seek> Bytes<R> {
    /// The bytes of a file whose length is known, from `at` on.
    pub fn of_file(reader: R, at: u64, length: u64) -> Self {
        let skip = |reader: &mut R, count: u64| reader.seek_relative(count as i64).map(|()| count);
        Self { reader, at, length, skip }
    }
}

impl<R: Read> Bytes<Inflated<BufReader<R>>> {
    /// The content of a deflated stream, whose length is unknown. A stream that does not end is cut short.
    pub(crate) fn inflated(deflated: R) -> Self {
        let reader = Inflated::deflate(BufReader::with_capacity(HELD, deflated));
        let skip = |reader: &mut _, count: u64| io::copy(&mut Read::take(reader, count), &mut io::sink());
        Self { reader, at: 0, length: u64::MAX, skip }
    }
}

impl<R> Bytes<R> {
    /// How many lie behind.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Goes over so many; [`ErrorKind::UnexpectedEof`] if there are fewer.
    pub fn skip(&mut self, count: u64) -> io::Result<()> {
        self.require(count)?;
        let skipped = (self.skip)(&mut self.reader, count)?;
        self.at += skipped;
        if skipped == count { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// That so many may be there, as far as is known; [`ErrorKind::UnexpectedEof`] if not.
    pub fn require(&self, count: u64) -> io::Result<()> {
        let is_there = count <= self.length.saturating_sub(self.at);
        if is_there { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

impl<R: Read> Read for Bytes<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(into)?;
        self.at += count as u64;
        Ok(count)
    }
}
