//! Bytes of a file, raw or compressed, with an upper bound on how many can still come.

use crate::asking::Asking;
use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::files::Files;
use crate::read::compressed::{DEFLATE_MAX_RATIO, GzipMembers, Inflated};
use crate::read::context::Context;
use crate::read::element::{Fit, Stored};
use crate::text::encoding;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veloxel_core::{Control, WarningKind};

/// Bytes of a buffer; up to three are held beside the samples of a file.
const CHUNK_BYTES: usize = 1 << 16;
/// Headers of pictures end before: comments, profiles and thumbnails may come first.
const MOST_HEAD_BYTES: u64 = 1 << 20;
/// Extensions of headers that are files of their own.
const OWN_HEADERS: [&str; 2] = ["mhd", "nhdr"];
/// Bytes of a pipe.
const ENDLESS: u64 = u64::MAX;

/// A reader that knows how much it can give at most, so that nothing is allocated on a header's word alone.
pub(crate) struct Source<'a> {
    /// Asked before every block of bytes, as they are in the file and expanded.
    control: Control,
    reader: Box<dyn BufRead + Send + 'a>,
    /// Exact for raw bytes, an upper bound for compressed ones.
    available: u64,
    compressed: Option<Compressed>,
    /// The last four bytes of a file, little-endian; none for a stream.
    last_word: Option<u32>,
    /// The file itself, and its bytes; none for what is no file, or is expanded.
    file: Option<(Arc<File>, u64)>,
    /// The file that the bytes are all of; none of a stream, of bytes in memory, and of what was expanded.
    path: Option<PathBuf>,
}

/// What is known of compressed bytes before they are expanded.
struct Compressed {
    /// The upper bound before the first byte was taken.
    at_most: u64,
    /// How many a gzip file says that there are, in its last four bytes and modulo 2^32.
    announced: Option<u32>,
}

impl<'a> Source<'a> {
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self::raw(bytes, bytes.len() as u64, &Control::default())
    }

    fn raw(reader: impl BufRead + Send + 'a, available: u64, control: &Control) -> Self {
        let (reader, control) = (Box::new(reader), control.clone());
        Self { control, reader, available, compressed: None, last_word: None, file: None, path: None }
    }

    /// The same bytes, asking before every block of what they expand to.
    pub fn under(self, control: &Control) -> Self {
        Self { control: control.clone(), ..self }
    }

    /// Bytes from a pipe: their number is unknown, so only bytes that have come count.
    pub(crate) fn from_stream(reader: impl Read + Send + 'a, control: &Control) -> Self {
        Self::raw(buffered(Asking::new(reader, control)), ENDLESS, control)
    }

    pub fn open(path: &Path, files: &Files) -> Result<Source<'static>> {
        let fail = IoError::open(path);
        // A pipe or a device has no size to check against, may never end, and may wait for ever when it is opened.
        let require_file = |metadata: Metadata| {
            if metadata.is_file() {
                return Ok(metadata);
            }
            let kind = if metadata.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
            Err(std::io::Error::new(kind, "not a regular file"))
        };
        std::fs::metadata(path).and_then(require_file).map_err(&fail)?;
        let mut file = File::open(path).map_err(&fail)?;
        let metadata = file.metadata().and_then(require_file).map_err(&fail)?;
        files.opened().tell(path, &metadata)?;
        if metadata.len() == 0 {
            return Err(IoError::Empty { path: path.to_owned() });
        }
        let (available, control) = (metadata.len(), files.control());
        let last_word = last_word(&mut file);
        let own = file.try_clone().ok().map(|file| (Arc::new(file), available));
        Ok(Source {
            last_word,
            file: own,
            path: Some(path.to_owned()),
            ..Source::raw(buffered(Asking::new(file, control).counted()), available, control)
        })
    }

    /// The file that the bytes are of, where they are all of one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Bytes that can still come: exact for raw bytes, an upper bound for compressed ones.
    pub fn available(&self) -> u64 {
        self.available
    }

    /// The file that the next bytes lie in, and where; none where they are compressed, or lie in no file.
    pub(crate) fn place(&self) -> Option<(Arc<File>, u64)> {
        let (file, bytes) = self.file.as_ref()?;
        Some((file.clone(), bytes.checked_sub(self.available)?))
    }

    fn starts_as_gzip(&mut self, context: &Context) -> Result<bool> {
        Ok(self.reader.fill_buf().map_err(|e| context.read(e))?.starts_with(&[0x1f, 0x8b]))
    }

    /// Bytes that still come, where their number is known: not of a pipe.
    pub(crate) fn bytes_known(&self) -> Option<u64> {
        (self.available < ENDLESS / 2).then_some(self.available)
    }

    /// The first of the bytes that are left, without taking it; none at the end. Waits for a pipe.
    pub(crate) fn first_byte(&mut self, context: &Context) -> Result<Option<u8>> {
        Ok(self.reader.fill_buf().map_err(|e| context.read(e))?.first().copied())
    }

    /// Whether no byte is left. Waits for a pipe.
    pub(crate) fn is_at_end(&mut self, context: &Context) -> Result<bool> {
        Ok(self.first_byte(context)?.is_none())
    }

    /// The same bytes, decompressed on the way if they begin as a gzip stream does.
    pub(crate) fn gunzip_if_compressed(mut self, context: &Context) -> Result<Source<'a>> {
        Ok(if self.starts_as_gzip(context)? { self.gunzip() } else { self })
    }

    /// Decompresses gzip, several members one after the other included.
    pub(crate) fn gunzip(self) -> Source<'a> {
        Self::expanded(GzipMembers::new(self.reader), self.available, self.last_word, &self.control)
    }

    /// Decompresses zlib (or gzip, which some writers put in its place).
    pub(crate) fn inflate(mut self, context: &Context) -> Result<Source<'a>> {
        if self.starts_as_gzip(context)? {
            return Ok(self.gunzip());
        }
        Ok(Self::expanded(Inflated::zlib(self.reader), self.available, None, &self.control))
    }

    fn expanded(
        stream: impl Read + Send + 'a,
        compressed_bytes: u64,
        announced: Option<u32>,
        control: &Control,
    ) -> Source<'a> {
        let at_most = compressed_bytes.saturating_mul(DEFLATE_MAX_RATIO);
        let raw = Self::raw(buffered(Asking::new(stream, control)), at_most, control);
        Source { compressed: Some(Compressed { at_most, announced }), ..raw }
    }

    /// Checks that so many bytes follow, without keeping them; compressed ones are expanded unless their end tells.
    pub(crate) fn require_bytes(
        mut self,
        what: &'static str,
        count: u64,
        context: &mut Context,
    ) -> Result<()> {
        context.require_bytes(what, count, self.available)?;
        let Some(Compressed { at_most, announced }) = &self.compressed else {
            if let Some(known) = self.bytes_known() {
                context.trailing(Some(known.saturating_sub(count)));
            }
            return Ok(());
        };
        if *announced == Some((at_most - self.available + count) as u32) {
            return Ok(());
        }
        self.skip(what, count, context)?;
        self.finish(context)
    }

    /// Exactly `count` bytes: a header, or a payload whose size the caller has bounded.
    pub(crate) fn take_bytes(
        &mut self,
        what: &'static str,
        count: u64,
        context: &Context,
    ) -> Result<Vec<u8>> {
        context.require_bytes(what, count, self.available)?;
        // Of a pipe only what has come is a reason to make room.
        let mut bytes = if self.available >= ENDLESS / 2 {
            context.claim(count)?;
            Vec::new()
        } else {
            context.room_for(usize::try_from(count).unwrap_or(usize::MAX))?
        };
        self.append(&mut bytes, count, &Part { what, expected: count, before: 0 }, context)?;
        Ok(bytes)
    }

    /// [`Self::take_bytes`] into memory that is used again: what it held before is gone.
    pub(crate) fn take_into(
        &mut self,
        bytes: &mut Vec<u8>,
        what: &'static str,
        count: u64,
        context: &Context,
    ) -> Result<()> {
        bytes.clear();
        context.require_bytes(what, count, self.available)?;
        if self.bytes_known().is_some() && bytes.capacity() == 0 {
            *bytes = context.room_for(usize::try_from(count).unwrap_or(usize::MAX))?;
        } else {
            // Of a pipe only what has come is a reason to make room.
            context.claim(count.saturating_sub(bytes.capacity() as u64))?;
        }
        self.append(bytes, count, &Part { what, expected: count, before: 0 }, context)
    }

    /// Appends exactly `count` bytes of a part.
    fn append(&mut self, bytes: &mut Vec<u8>, count: u64, part: &Part, context: &Context) -> Result<()> {
        let length_before = bytes.len();
        let outcome = (&mut self.reader).take(count).read_to_end(bytes);
        let got = (bytes.len() - length_before) as u64;
        self.available = self.available.saturating_sub(got);
        match outcome {
            Ok(_) if got == count => Ok(()),
            Ok(_) => Err(context.truncated(part.what, part.expected, part.before + got)),
            Err(e) => Err(part.failure(e, got, context)),
        }
    }

    /// Everything that is left of a raw source.
    pub(crate) fn take_rest(&mut self, context: &Context) -> Result<Vec<u8>> {
        self.take_bytes("the file", self.available, context)
    }

    /// Everything that is left, of a format that is a text: as UTF-8 with line feeds, without a mark.
    pub(crate) fn take_text(&mut self, context: &Context) -> Result<Vec<u8>> {
        encoding::plain(self.take_rest(context)?, context)
    }

    /// Everything that is left, of a format that is a text or begins with one: without a mark; UTF-16 as UTF-8.
    pub(crate) fn take_unmarked(&mut self, context: &Context) -> Result<Vec<u8>> {
        encoding::unmarked(self.take_rest(context)?, context)
    }

    /// Makes a header ready to be read line by line: one that is a file of its own is any text, and one that samples follow has no
    /// mark.
    ///
    /// # Errors
    /// [`IoError::Malformed`] for a header in UTF-16, or one whose lines end with carriage returns alone: where the samples begin
    /// cannot be told.
    pub(crate) fn begin_header(&mut self, context: &Context) -> Result<()> {
        let is_own = OWN_HEADERS.contains(&&*extension(context.path)) && self.available <= MOST_HEAD_BYTES;
        if is_own {
            let text = self.take_text(context)?;
            self.available = text.len() as u64;
            self.reader = Box::new(Cursor::new(text));
            return Ok(());
        }
        let head = self.reader.fill_buf().map_err(|e| context.read(e))?;
        let (is_wide, is_marked) = (encoding::is_wide(head), encoding::is_marked(head));
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_lone = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\r';
        let is_old = first.is_ascii() && first.windows(2).any(is_lone);
        context.require(!is_wide, "the header", "text of one byte a character", "UTF-16")?;
        context.require(
            !is_old,
            "the header",
            "lines that end with a line feed",
            "carriage returns alone",
        )?;
        if is_marked {
            self.reader.consume(encoding::MARK_BYTES);
            self.available = self.available.saturating_sub(encoding::MARK_BYTES as u64);
        }
        Ok(())
    }

    /// The first bytes, as many as a picture's header may have.
    pub(crate) fn take_head(&mut self, context: &Context) -> Result<Vec<u8>> {
        self.take_bytes("the header", self.available.min(MOST_HEAD_BYTES), context)
    }

    /// Leaves out `count` bytes.
    pub fn skip(&mut self, what: &'static str, count: u64, context: &Context) -> Result<()> {
        context.require_bytes(what, count, self.available)?;
        let skipped = std::io::copy(&mut (&mut self.reader).take(count), &mut std::io::sink())
            .map_err(|e| Part { what, expected: count, before: 0 }.failure(e, 0, context))?;
        self.available -= skipped;
        context.require_bytes(what, count, skipped)
    }

    /// One line without its end; `None` at the end of the bytes. A line longer than `limit` bytes is an error.
    pub fn line(&mut self, limit: usize, context: &Context) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        (&mut self.reader).take(limit as u64).read_until(b'\n', &mut bytes).map_err(|e| {
            Part { what: "the header", expected: limit as u64, before: 0 }.failure(e, 0, context)
        })?;
        self.available = self.available.saturating_sub(bytes.len() as u64);
        if bytes.is_empty() {
            return Ok(None);
        }
        let is_whole = bytes.len() < limit || bytes.ends_with(b"\n");
        let expected = format!("at most {limit} bytes");
        context.require(is_whole, "header line", expected, "a longer one (is this the right format?)")?;
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// `count` samples as `f32`, decoded on the way so that the raw bytes are never held.
    pub fn samples(&mut self, count: usize, stored: Stored, context: &mut Context) -> Result<Vec<f32>> {
        let Stored { element, order, scaling } = stored;
        let expected = (count as u64)
            .checked_mul(element.bytes() as u64)
            .ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))?;
        let mut part = Part { what: "the sample data", expected, before: 0 };
        context.require_bytes(part.what, expected, self.available)?;
        let mut samples = context.room_for(count)?;
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let mut fit = Fit::Exact;
        while part.before < expected {
            context.check()?;
            chunk.clear();
            self.append(&mut chunk, (expected - part.before).min(CHUNK_BYTES as u64), &part, context)?;
            part.before += chunk.len() as u64;
            if element.decode(&chunk, order, scaling, &mut samples) == Fit::Rounded {
                fit = Fit::Rounded;
            }
        }
        if fit == Fit::Rounded {
            let text = format!("{} samples were rounded to 32-bit floats", element.name());
            context.note(WarningKind::Samples, text);
        }
        Ok(samples)
    }

    /// Looks at what follows the content: a broken checksum is an error, further bytes are a warning.
    pub fn finish(mut self, context: &mut Context) -> Result<()> {
        let mut one = [0];
        let part = Part { what: "the end of the stream", expected: 1, before: 0 };
        if self.reader.read(&mut one).map_err(|e| part.failure(e, 0, context))? > 0 {
            context.trailing(None);
        }
        Ok(())
    }
}

/// A reader of blocks that asks before each of them.
fn buffered<R: Read>(reader: Asking<R>) -> BufReader<Asking<R>> {
    BufReader::with_capacity(CHUNK_BYTES, reader)
}

/// The last four bytes of a file, which is left at its beginning.
fn last_word(file: &mut File) -> Option<u32> {
    let mut word = [0; 4];
    let read = file.seek(SeekFrom::End(-4)).and_then(|_| file.read_exact(&mut word));
    file.rewind().ok()?;
    read.ok().map(|()| u32::from_le_bytes(word))
}

/// A part of a file that is being read.
struct Part {
    what: &'static str,
    /// Its bytes.
    expected: u64,
    /// How many of them were read already.
    before: u64,
}

impl Part {
    /// What a failure means `got` bytes further on.
    fn failure(&self, error: std::io::Error, got: u64, context: &Context) -> IoError {
        match error.kind() {
            ErrorKind::UnexpectedEof => context.truncated(self.what, self.expected, self.before + got),
            ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                context.malformed(self.what, "an intact compressed stream", error)
            }
            _ => context.read(error),
        }
    }
}
