//! Which frames of a sequence a run takes, and what they are called.

use crate::Result;
use crate::jobs::name;
use crate::pipelines::{DenseError, FrameNames};
use std::path::PathBuf;
use std::str::FromStr;
use veloxel_core::{Sequence, Volume, Warnings};
use veloxel_io::{self as io, CineImage, ContentKind, IoError, Reading};

/// All frames that were given.
pub(crate) struct ReadFrames {
    pub frames: Vec<Volume<f32>>,
    pub interval_ms: Option<f64>,
    /// Their files, where each has its own.
    pub paths: Vec<PathBuf>,
    /// Where frames of DICOM files came from.
    pub images: Vec<CineImage>,
}

impl ReadFrames {
    /// Reads a file with a time axis, a folder of frames or of DICOM files, or the frames.
    pub fn of(inputs: &[PathBuf], reading: &Reading, warnings: &mut Warnings) -> Result<Self, IoError> {
        let whole = |sequence: Sequence, images: Vec<CineImage>| {
            let interval_ms = sequence.frame_interval_ms();
            Self { frames: sequence.into_frames(), interval_ms, paths: Vec::new(), images }
        };
        if let Some(series) = io::read_cine(inputs, reading, warnings)? {
            return Ok(whole(series.sequence, series.images));
        }
        let paths = match inputs {
            [folder] if folder.is_dir() => io::list_folder(folder, ContentKind::Image)?,
            [one] => return Ok(whole(io::read_sequence(one, reading, warnings)?, Vec::new())),
            many => many.to_vec(),
        };
        let frames = io::read_frame_list(&paths, reading, warnings)?;
        Ok(Self { frames, interval_ms: None, paths, images: Vec::new() })
    }
}

/// Frames `begin`, `begin + step`, … before `end`, as in `0:10:2`; each part may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSelection {
    begin: usize,
    end: Option<usize>,
    step: usize,
}

impl Default for FrameSelection {
    /// All of them.
    fn default() -> Self {
        Self { begin: 0, end: None, step: 1 }
    }
}

impl FromStr for FrameSelection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str =
            "expected BEGIN:END or BEGIN:END:STEP, without END, such as 0:10:2 for 0, 2, 4, 6 and 8";
        let wrong = || EXPECTED.to_owned();
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            digits => digits.parse::<usize>().map(Some).map_err(|_| wrong()),
        };
        let parts = text.split(':').map(number).collect::<Result<Vec<_>, _>>()?;
        let (begin, end, step) = match parts[..] {
            [begin, end] => (begin, end, None),
            [begin, end, step] => (begin, end, step),
            _ => return Err(wrong()),
        };
        let all = Self { begin: begin.unwrap_or(0), end, step: step.unwrap_or(1) };
        if all.step == 0 || end.is_some_and(|end| end <= all.begin) { Err(wrong()) } else { Ok(all) }
    }
}

impl FrameSelection {
    /// Frames from one taken to the next.
    pub(crate) fn step(self) -> usize {
        self.step
    }

    /// The numbers of the frames taken, of so many.
    fn of(self, count: usize) -> Vec<usize> {
        (self.begin..self.end.unwrap_or(count).min(count)).step_by(self.step).collect()
    }

    /// The frames taken, and what they are called; `paths` are their files, where they have files of their own.
    ///
    /// # Errors
    /// [`DenseError::FewFrames`] if fewer than two are left.
    pub(crate) fn take<T>(self, all: Vec<T>, paths: &[PathBuf]) -> Result<(Vec<T>, FrameNames)> {
        let (count, numbers) = (all.len(), self.of(all.len()));
        if self != Self::default() && numbers.len() < 2 {
            return Err(DenseError::FewFrames { left: numbers.len(), count }.into());
        }
        let taken = all.into_iter().enumerate().filter(|(n, _)| numbers.binary_search(n).is_ok());
        let frames = taken.map(|(_, frame)| frame).collect();
        let files = numbers.iter().filter_map(|&n| paths.get(n)).map(|path| name(path)).collect();
        Ok((frames, FrameNames { numbers, files }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_as_in_python() {
        let of = |text: &str| text.parse::<FrameSelection>().map(|s| s.of(7));
        assert_eq!(of("0:10:2"), Ok(vec![0, 2, 4, 6]));
        assert_eq!(of("2:5"), Ok(vec![2, 3, 4]));
        assert_eq!((of("5:"), of(":2"), of("::3")), (Ok(vec![5, 6]), Ok(vec![0, 1]), Ok(vec![0, 3, 6])));
        for wrong in ["", "3", "3:3", "5:2", "0:4:0", "a:b", "-1:3", "1:2:3:4"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn frames_keep_their_numbers_and_files() {
        let paths: Vec<PathBuf> = (0..5).map(|n| format!("in/f{n}.png").into()).collect();
        let selection: FrameSelection = "1::2".parse().unwrap();
        let (frames, names) = selection.take(vec!["a", "b", "c", "d", "e"], &paths).unwrap();
        assert_eq!((frames, names.number(1), names.file(1)), (vec!["b", "d"], 3, Some("f3.png")));
        assert_eq!(names.position(3).unwrap(), 1);
        assert!(names.position(2).unwrap_err().to_string().contains("one that is taken, got 2"));
        assert!("4:".parse::<FrameSelection>().unwrap().take(vec![0; 5], &[]).is_err());
    }
}
