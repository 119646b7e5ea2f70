//! Which frames of a sequence a run takes, and what they are called.

use crate::Result;
use crate::jobs::name;
use crate::pipelines::{DenseError, FrameNames};
use std::path::PathBuf;
use veloxel_core::{Sequence, Volume, Warnings};
use veloxel_io::{self as io, CineImage, FrameSelection, IoError, Reading};

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
        let mut paths = match inputs {
            [one] => match io::frame_files(one, reading)? {
                Some(files) => files,
                None => return Ok(whole(io::read_sequence(one, reading, warnings)?, Vec::new())),
            },
            many => many.to_vec(),
        };
        let frames = io::read_frame_list(&paths, reading, warnings)?;
        if frames.len() != paths.len() {
            // Names that ask for several frames are of none of them.
            paths.clear();
        }
        Ok(Self { frames, interval_ms: None, paths, images: Vec::new() })
    }
}

/// Takes frames out of all that were read.
pub(crate) trait TakeFrames {
    /// The frames taken, and what they are called; `paths` are their files, where they have files of their own.
    ///
    /// # Errors
    /// [`DenseError::FewFrames`] if fewer than two are left.
    fn take<T>(self, all: Vec<T>, paths: &[PathBuf]) -> Result<(Vec<T>, FrameNames)>;
}

impl TakeFrames for FrameSelection {
    fn take<T>(self, all: Vec<T>, paths: &[PathBuf]) -> Result<(Vec<T>, FrameNames)> {
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
