//! What the name of an input means: a file, a folder or a pattern, and of it one frame, some of them, or one series.
//!
//! | name | means |
//! |---|---|
//! | `cine.nii.gz@5` | frame 5, from 0 on, as an image |
//! | `frames@0:10:2` | frames 0, 2, 4, 6 and 8: of a file, of a folder's files in natural order, or of a pattern's |
//! | `export@series:3` | of DICOM files the series with this number, or with this UID |
//! | `export@series:3@5` | a frame of that series |
//! | `export@part:magnitude` | of a series with several images at one place those of this label, or of this number in their list |
//!
//! A file or folder of that very name comes first. Frames beyond the last are an error that names those that there are.

pub(crate) mod files;
pub(crate) mod frame_selection;
pub(crate) mod frames_apart;
pub(crate) mod series_info;
pub(crate) mod some_frames;

use crate::content::Content;
use crate::error::{IoError, Result};
use crate::film::is_live;
use crate::read::context::Context;
use crate::read::input::frame_selection::FrameSelection;
use crate::read::reading::{PartChoice, Reading, SeriesChoice};
use std::path::{Path, PathBuf};
use veloxel_core::Sequence;

/// A file, folder or pattern, and what of it is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The file, folder or pattern.
    pub path: PathBuf,
    /// Which series of DICOM files, if the name says it.
    pub series: Option<SeriesChoice>,
    /// Which part of a series, if the name says it.
    pub part: Option<PartChoice>,
    /// Which frames, if the name says it.
    pub frames: Option<FrameSelection>,
}

/// What follows an `@`.
enum Part {
    Frames(FrameSelection),
    Series(SeriesChoice),
    OfSeries(PartChoice),
}

impl Input {
    /// What a name means.
    pub fn of(name: &Path) -> Self {
        let mut input = Self { path: name.to_owned(), series: None, part: None, frames: None };
        while !input.path.exists()
            && let Some((path, part)) = split(&input.path)
            // What stands before a host is no frame.
            && is_live(&path) == is_live(&input.path)
        {
            match part {
                // Frames are of a series: they come last.
                Part::Frames(frames)
                    if input.frames.is_none() && input.series.is_none() && input.part.is_none() =>
                {
                    input.frames = Some(frames);
                }
                Part::Series(series) if input.series.is_none() => input.series = Some(series),
                Part::OfSeries(part) if input.part.is_none() && input.series.is_none() => {
                    input.part = Some(part)
                }
                _ => break,
            }
            input.path = path;
        }
        input
    }

    /// How it is read: its own series, or else the one that is asked for.
    pub fn reading(&self, mut reading: Reading) -> Reading {
        reading.options.series = self.series.or(reading.options.series);
        reading.options.part = self.part.or(reading.options.part);
        reading
    }

    /// The frames that are asked for, of all that there are.
    ///
    /// # Errors
    /// [`IoError::NoSuchFrame`].
    pub fn taken<T>(&self, all: Vec<T>) -> Result<Vec<T>> {
        let Some(selection) = self.frames else { return Ok(all) };
        self.require(all.len())?;
        let all = all.into_iter().enumerate();
        Ok(all.filter(|(n, _)| selection.holds(*n)).map(|(_, frame)| frame).collect())
    }

    /// Checks that the frames that are asked for are among so many.
    ///
    /// # Errors
    /// [`IoError::NoSuchFrame`].
    pub fn require(&self, count: usize) -> Result<()> {
        match self.frames {
            Some(selection) if !selection.is_within(count) => {
                let asked = match selection.numbers().as_deref() {
                    Some([one]) => one.to_string(),
                    _ => selection.to_string(),
                };
                Err(IoError::NoSuchFrame { asked, count, path: self.path.clone() })
            }
            _ => Ok(()),
        }
    }

    /// What is asked for, of the content of its file: an image where it is one frame.
    ///
    /// # Errors
    /// [`IoError::NoSuchFrame`]; [`IoError::Kind`] for what has no frames.
    pub fn content(&self, content: Content, context: &Context) -> Result<Content> {
        let Some(selection) = self.frames else { return Ok(content) };
        match content {
            Content::Image(image) => Ok(Content::Image(self.taken(vec![image])?.remove(0))),
            Content::Sequence(sequence) => {
                let interval_ms = sequence.frame_interval_ms().map(|ms| ms * selection.step() as f64);
                let interval_ms = interval_ms.filter(|ms| Sequence::INTERVALS_MS.contains(ms));
                Content::of_frames(self.taken(sequence.into_frames())?, interval_ms, context)
            }
            other => {
                let hint = "name it without the part behind the @";
                Err(IoError::kind(&self.path, "frames", other.describe(), hint))
            }
        }
    }
}

/// A name without what follows its last `@`, if that is a part of an input.
fn split(name: &Path) -> Option<(PathBuf, Part)> {
    let (stem, asked) = name.file_name()?.to_str()?.rsplit_once('@')?;
    if let Some(part) = asked.strip_prefix("part:") {
        return below(name, stem, Part::OfSeries(part.parse().ok()?));
    }
    let part = match asked.strip_prefix("series:") {
        Some(series) => Part::Series(series.parse().ok()?),
        None if !asked.is_empty() && asked.bytes().all(|b| b.is_ascii_digit()) => {
            Part::Frames(FrameSelection::one(asked.parse().ok()?))
        }
        None => Part::Frames(asked.parse().ok()?),
    };
    below(name, stem, part)
}

/// The name that a part is asked of, with that part.
fn below(name: &Path, stem: &str, part: Part) -> Option<(PathBuf, Part)> {
    // `folder/@5` is what the completion of a name leads to.
    let path = if stem.is_empty() { name.parent()?.to_owned() } else { name.with_file_name(stem) };
    (!path.as_os_str().is_empty()).then_some((path, part))
}

/// The file, folder or pattern that the name of an input means, without the frames or the series that it asks for.
pub fn named_file(name: &Path) -> PathBuf {
    Input::of(name).path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_that_very_name_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let asked = |name: &str| {
            let Input { path, series, frames, .. } = Input::of(&path(name));
            let name = path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            (name, series.map(|s| s.to_string()), frames.map(|f| f.to_string()))
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(asked("a.nii.gz@5"), ("a.nii.gz".to_owned(), None, text("5:6")));
        assert_eq!(asked("a.nii.gz@2:8"), ("a.nii.gz".to_owned(), None, text("2:8")));
        assert_eq!(asked("d@series:3@1:"), ("d".to_owned(), text("3"), text("1:")));
        assert_eq!(asked("d/@series:1.2.3"), ("d".to_owned(), text("1.2.3"), None));
        assert_eq!(asked("a@1@2"), ("a@1".to_owned(), None, text("2:3")));
        let part = |name: &str| Input::of(&path(name)).part.map(|part| part.to_string());
        assert_eq!(part("d@part:echo_ms=5.5@2"), text("echo_ms=5.5"));
        assert_eq!(asked("d@series:3@part:phase@2"), ("d".to_owned(), text("3"), text("2:3")));
        for plain in ["a@b.png", "a@", "a@x:y", "a@series:x", "a@-1", "a"] {
            assert_eq!(asked(plain), (plain.to_owned(), None, None));
        }
        std::fs::write(path("a.nii.gz@5"), "").unwrap();
        assert_eq!(asked("a.nii.gz@5"), ("a.nii.gz@5".to_owned(), None, None));
        assert_eq!(asked("a.nii.gz@5@1"), ("a.nii.gz@5".to_owned(), None, text("1:2")));
    }

    #[test]
    fn frames_beyond_the_last_are_told_with_those_that_there_are() {
        let error =
            |name: &str, count: usize| Input::of(Path::new(name)).require(count).unwrap_err().to_string();
        assert_eq!(error("a.nii@12", 10), "a.nii: there is no frame 12: its 10 frames are 0 to 9");
        assert_eq!(error("a.nii@8:12", 10), "a.nii: there is no frame 8:12: its 10 frames are 0 to 9");
        assert_eq!(error("a.nii@1", 1), "a.nii: there is no frame 1: its only frame is 0");
        assert!(Input::of(Path::new("a.nii@8:10")).require(10).is_ok());
    }
}
