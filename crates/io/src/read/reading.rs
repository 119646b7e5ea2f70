//! How files are read: what is done with unusual headers, which files a header may name, how much memory counts, and who may stop
//! it.

use crate::files::Files;
use std::fmt;
use std::str::FromStr;

/// What to do with a header that other programs refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Read it and warn, saying what was assumed.
    #[default]
    Lenient,
    /// Refuse it with [`IoError::Strict`](crate::IoError::Strict).
    Strict,
}

/// Where the file may lie that a header names for its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataFiles {
    /// In the header's own folder, or in one below it, links followed.
    #[default]
    BesideHeader,
    /// Anywhere that this program may read.
    Anywhere,
}

/// What becomes of pixels that an alpha channel calls transparent, where it is not asked for as a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlphaUse {
    /// Their colour counts, with a warning.
    #[default]
    Dropped,
    /// They are NaN, no data, with a warning.
    NoData,
}

/// What is done with the files that are read; [`Files::reading`] makes a [`Reading`] of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// What to do with a header that other programs refuse.
    pub strictness: Strictness,
    /// Where the file may lie that a header names.
    pub data_files: DataFiles,
    /// Bytes that all readers of the same [`Files`] may take at a time: files held in memory, what decoders give out, and the
    /// samples as 32-bit floats. None: half of the memory that is free.
    pub max_decode_bytes: Option<u64>,
    /// Which series of DICOM files; none: the only one.
    pub series: Option<SeriesChoice>,
    /// Which of the parts of a series that lie at one place; none: the magnitude, or the only one.
    pub part: Option<PartChoice>,
    /// What becomes of transparent pixels.
    pub alpha: AlphaUse,
    /// Whether pictures of JPEG and PNG are turned as their EXIF data say; if not, these are told.
    pub orient: bool,
}

/// How files are read, and for whom. A [`Strictness`] alone is one: it has the defaults of the rest, a budget of memory of its
/// own, and cannot be stopped.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What is done with the files.
    pub options: ReadOptions,
    /// Whom readers ask whether to go on, and whose memory they take.
    pub files: Files,
}

impl Files {
    /// A way to read, for the functions that read.
    pub fn reading(&self, options: ReadOptions) -> Reading {
        Reading { options, files: self.clone() }
    }
}

impl Reading {
    /// A reading with a budget of memory of its own, which cannot be stopped.
    pub fn alone(options: ReadOptions) -> Self {
        Files::default().reading(options)
    }

    /// This reading, but that transparent pixels have no data: for what leaves samples out that are NaN.
    #[must_use]
    pub fn without_transparent(self) -> Self {
        Self { options: ReadOptions { alpha: AlphaUse::NoData, ..self.options }, ..self }
    }
}

/// A series of DICOM files: by its number, or by its UID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesChoice {
    /// Digits and dots, filled up with zeros: at most 64 by the standard.
    text: [u8; 64],
}

impl SeriesChoice {
    /// Whether a series with this UID and number is the one.
    #[cfg(feature = "dicom")]
    pub(crate) fn is(self, uid: &str, number: Option<i64>) -> bool {
        let text = self.to_string();
        text == uid || number.is_some_and(|number| text == number.to_string())
    }
}

/// A part of a DICOM series, or a channel of OME-Zarr: by its number in the list that a refusal shows, or by its label there (`magnitude`, `echo_ms=5`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartChoice {
    /// The text, filled up with zeros.
    text: [u8; 64],
}

impl PartChoice {
    /// Whether a part of this number and label is the one.
    #[cfg(any(feature = "dicom", feature = "zarr"))]
    pub(crate) fn is(self, number: usize, label: &str) -> bool {
        let text = self.to_string();
        text == label || text == number.to_string()
    }
}

impl FromStr for PartChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        if given.is_empty() || given.len() > 64 || given.contains(['@', '\0']) {
            return Err("expected the number of a part, or its label".to_owned());
        }
        let mut text = [0; 64];
        text[..given.len()].copy_from_slice(given.as_bytes());
        Ok(Self { text })
    }
}

impl fmt::Display for PartChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.text.iter().take_while(|b| **b != 0).count();
        f.write_str(&String::from_utf8_lossy(&self.text[..length]))
    }
}

impl FromStr for SeriesChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let is_plain = given.bytes().all(|b| b.is_ascii_digit() || b == b'.') && !given.is_empty();
        if !is_plain || given.len() > 64 {
            return Err("expected the number of a series, or its UID".to_owned());
        }
        let mut text = [0; 64];
        text[..given.len()].copy_from_slice(given.as_bytes());
        Ok(Self { text })
    }
}

impl fmt::Display for SeriesChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.text.iter().take_while(|b| **b != 0);
        digits.map(|&b| char::from(b)).try_for_each(|c| write!(f, "{c}"))
    }
}

impl From<&Self> for Reading {
    fn from(reading: &Self) -> Self {
        reading.clone()
    }
}

impl From<Strictness> for ReadOptions {
    fn from(strictness: Strictness) -> Self {
        Self { strictness, ..Self::default() }
    }
}

impl From<Strictness> for Reading {
    fn from(strictness: Strictness) -> Self {
        Self::alone(strictness.into())
    }
}
