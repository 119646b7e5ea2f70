//! Where the pictures of a stream go: a video, or a folder.

use crate::Result;
use std::path::PathBuf;
use veloxel_core::Volume;
use veloxel_io::{self as io, FrameRate, VideoColour, VideoShape, VideoWriter};
use veloxel_report::MapPicture;

/// A video, or a folder of pictures.
pub(super) struct FilmTarget {
    path: PathBuf,
    interval_ms: Option<f64>,
    /// A video begins with its first frame, when the size of the picture is known.
    video: Option<VideoWriter>,
}

impl FilmTarget {
    pub fn new(path: PathBuf, interval_ms: Option<f64>) -> Self {
        Self { path, interval_ms, video: None }
    }

    /// Adds the picture of a frame.
    pub fn push(&mut self, number: u64, picture: &MapPicture) -> Result<()> {
        let &MapPicture { width, height, ref rgb } = picture;
        if self.path.is_dir() {
            let path = self.path.join(format!("frame_{number:06}.png"));
            return Ok(io::write_rgb_png(&path, width, height, rgb)?);
        }
        let video = match self.video.take() {
            Some(video) => video,
            None => {
                let rate = FrameRate::from_interval_ms(self.interval_ms);
                let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
                VideoWriter::create(&self.path, shape)?
            }
        };
        Ok(self.video.insert(video).push(rgb)?)
    }

    /// Ends the video.
    pub fn finish(self) -> Result<()> {
        Ok(self.video.map_or(Ok(()), VideoWriter::finish)?)
    }
}

/// A frame in shades of grey.
pub(super) fn grey(frame: &Volume<f32>, white: f32) -> MapPicture {
    let [width, height, _] = frame.grid().size();
    let rgb = frame.data().iter().flat_map(|v| [(255.0 * v / white).round() as u8; 3]).collect();
    MapPicture { width, height, rgb }
}
