//! Where the pictures of a stream go: a video, or a folder.

use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_io as io;
use veloxel_io::{FrameRate, VideoColour, VideoShape, VideoWriter};
use veloxel_report::MapPicture;

/// A video, or a folder of pictures.
pub(super) struct FilmTarget {
    state: State,
    interval_ms: Option<f64>,
}

/// A video begins with its first frame, when the size of the picture is known.
enum State {
    Waiting(PathBuf),
    Stream(VideoWriter),
    Pictures(PathBuf),
}

impl FilmTarget {
    pub fn new(path: PathBuf, interval_ms: Option<f64>) -> Self {
        let state = if path.is_dir() { State::Pictures(path) } else { State::Waiting(path) };
        Self { state, interval_ms }
    }

    /// Adds the picture of a frame.
    pub fn push(&mut self, number: u64, picture: &MapPicture) -> Result<(), VeloxelError> {
        let &MapPicture { width, height, ref rgb } = picture;
        if let State::Waiting(path) = &self.state {
            let rate = FrameRate::from_interval_ms(self.interval_ms);
            let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
            self.state = State::Stream(VideoWriter::create(path, shape)?);
        }
        match &mut self.state {
            State::Stream(writer) => writer.push(rgb)?,
            State::Pictures(folder) => {
                io::write_rgb_png(&folder.join(format!("frame_{number:06}.png")), width, height, rgb)?;
            }
            State::Waiting(_) => {}
        }
        Ok(())
    }

    /// Ends the video.
    pub fn finish(self) -> Result<(), VeloxelError> {
        match self.state {
            State::Stream(writer) => Ok(writer.finish()?),
            _ => Ok(()),
        }
    }
}
