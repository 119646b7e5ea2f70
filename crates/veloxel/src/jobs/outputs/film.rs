//! Films of streams: a video, or a folder of pictures.

use crate::Result;
use veloxel_io::{self as io, FrameRate, Target, VideoColour, VideoShape, VideoWriter};
use veloxel_report::MapPicture;

/// A video, or a folder of pictures.
pub(crate) struct Film {
    target: Target,
    interval_ms: Option<f64>,
    /// A video begins with its first frame, when the size of the picture is known.
    video: Option<VideoWriter>,
}

impl Film {
    pub fn new(target: Target, interval_ms: Option<f64>) -> Self {
        Self { target, interval_ms, video: None }
    }

    /// Adds the picture of a frame.
    pub fn push(&mut self, number: u64, picture: &MapPicture) -> Result<()> {
        let &MapPicture { width, height, ref rgb } = picture;
        if self.target.place().is_dir() {
            let picture = self.target.join(format!("frame_{number:06}.png"));
            return Ok(io::write_rgb_png(picture, width, height, rgb)?);
        }
        let video = match self.video.take() {
            Some(video) => video,
            None => {
                let rate = FrameRate::from_interval_ms(self.interval_ms);
                let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
                VideoWriter::create(&self.target, shape)?
            }
        };
        Ok(self.video.insert(video).push(rgb)?)
    }

    /// Ends the video.
    pub fn finish(self) -> Result<()> {
        Ok(self.video.map_or(Ok(()), VideoWriter::finish)?)
    }
}
