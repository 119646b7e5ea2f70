//! A file that was parsed, once its elements were walked over.

use super::structure::{Fault, content_length, mended_start};
use crate::asking::Asking;
use crate::error::{IoError, Result};
use crate::read::budget::Claim;
use crate::read::context::Context;
use dicom_object::{DefaultDicomObject, OpenFileOptions, Tag};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// The elements of a file, with the memory that they take.
pub(crate) struct Opened {
    pub object: DefaultDicomObject,
    /// Bytes of the file.
    pub length: u64,
    /// How many bytes behind them were left out.
    pub behind: u64,
    _claim: Claim,
}

impl Opened {
    /// Opens a file, up to an element where only those before it are wanted.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::ReplacesInput`]; else as [`Opened::new`].
    pub fn file(path: &Path, until: Option<Tag>, context: &Context) -> Result<Self> {
        let file = File::open(path).map_err(IoError::open(path))?;
        let metadata = file.metadata().map_err(IoError::open(path))?;
        context.files().opened().tell(path, &metadata)?;
        let length = metadata.len();
        Self::new(
            BufReader::new(Asking::new(file, context.control()).counted()),
            length,
            until,
            path,
            context,
        )
    }

    /// Parses the elements that `length` bytes hold.
    ///
    /// # Errors
    /// [`IoError::Malformed`]; [`IoError::Memory`] beyond the budget; [`IoError::Unsupported`] for a compression.
    pub fn new(
        mut reader: impl Read + Seek,
        length: u64,
        until: Option<Tag>,
        path: &Path,
        context: &Context,
    ) -> Result<Self> {
        let mut start = Vec::new();
        reader.by_ref().take(MOST_START_BYTES).read_to_end(&mut start).map_err(IoError::open(path))?;
        reader.rewind().map_err(IoError::open(path))?;
        let mended = (!has_group_length(&start)).then(|| mended_start(&start)).flatten();
        let Some((begin, instead_of)) = mended else {
            return Self::parse(reader, length, until, path, context);
        };
        let length = length - instead_of as u64 + begin.len() as u64;
        let reader = Mended { begin, instead_of: instead_of as u64, at: 0, reader };
        Self::parse(reader, length, until, path, context)
    }

    fn parse(
        mut reader: impl Read + Seek,
        length: u64,
        until: Option<Tag>,
        path: &Path,
        context: &Context,
    ) -> Result<Self> {
        let mut claim = context.no_claim();
        let walked = content_length(&mut reader, length, &mut |bytes| context.enlarge(&mut claim, bytes));
        let content = walked.map_err(|fault| match fault {
            Fault::Structure(text) => IoError::malformed(path, "DICOM", "a whole data set", text),
            Fault::Memory(error) => error,
        })?;
        reader.rewind().map_err(IoError::open(path))?;
        let mut options = OpenFileOptions::new();
        if let Some(tag) = until {
            options = options.read_until(tag);
        }
        let object = options.from_reader(reader.take(content)).map_err(|error| broken(path, &error))?;
        Ok(Self { object, length, behind: length - content, _claim: claim })
    }
}

/// The number of bytes that are looked at for the end of its first group.
const MOST_START_BYTES: u64 = 4096;

/// Whether the first group of a file begins with its length, or is no group that could be mended.
fn has_group_length(start: &[u8]) -> bool {
    let at = if start.get(128..132) == Some(b"DICM") { 132 } else { 4 };
    start.get(at..at + 2) != Some(&[2, 0]) || start.get(at + 2..at + 4) == Some(&[0, 0])
}

/// A file with another beginning.
struct Mended<R> {
    begin: Vec<u8>,
    /// The number of bytes of the file that the beginning stands for.
    instead_of: u64,
    at: u64,
    reader: R,
}

impl<R: Read + Seek> Read for Mended<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let own = self.begin.get(self.at as usize..).unwrap_or_default();
        let count = if own.is_empty() {
            self.reader.read(into)?
        } else {
            let count = own.len().min(into.len());
            into[..count].copy_from_slice(&own[..count]);
            count
        };
        self.at += count as u64;
        if !own.is_empty() && self.at == self.begin.len() as u64 {
            self.reader.seek(SeekFrom::Start(self.instead_of))?;
        }
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for Mended<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(_) => None,
        };
        self.at = at.ok_or(ErrorKind::InvalidInput)?;
        let own = self.begin.len() as u64;
        self.reader.seek(SeekFrom::Start(self.instead_of + self.at.saturating_sub(own)))?;
        Ok(self.at)
    }
}

/// A file that another library finds broken, or whose compression it lacks.
pub(super) fn broken(path: &Path, error: &dyn std::error::Error) -> IoError {
    // The reason is often two or three errors down.
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let text = format!("{error}: {deepest}");
    if text.contains("ransfer syntax") || text.contains("TransferSyntax") {
        let hint = "JPEG-LS needs a build with the feature `dicom-jpegls`, JPEG 2000 one with `dicom-jpeg2000`; or decompress with `gdcmconv --raw`";
        return IoError::unsupported(path, "its compression", hint);
    }
    IoError::malformed(path, "the pixels", "an image that can be decoded", text)
}
