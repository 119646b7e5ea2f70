//! A file that was parsed, once its elements were walked over.

use super::structure::{Fault, content_length};
use crate::asking::Asking;
use crate::error::{IoError, Result};
use crate::read::budget::Claim;
use crate::read::context::Context;
use dicom_object::{DefaultDicomObject, OpenFileOptions, Tag};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
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
