//! Compressed films, which `ffmpeg` decodes ([`film`](crate::film)).
//!
//! *Specification*: that program's; a file counts as a film by its extension, and may be any container that it knows of films.
//! *Limits*: frames of one size; no sound; written as Y4M and GIF alone.

use crate::content::ContentKind;
use crate::film::{FilmReader, FilmSource};
use crate::format::{Format, FormatPrecision, Reader};

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Sequence],
    precision: FormatPrecision::Lossy,
    ..Format::picture(
        "film",
        "film",
        &[
            "mp4", "m4v", "mov", "webm", "mkv", "avi", "mpg", "mpeg", "ts", "mts", "m2ts", "wmv", "flv",
            "3gp", "ogv", "mxf",
        ],
        Reader::Frames(|source, context| {
            let film = FilmSource::file(&source, context.path)?;
            Ok(Box::new(FilmReader::open(&film, context)?))
        }),
    )
};
