//! GIF animations, 256 colours a frame.

use crate::error::Result;
use crate::write::target::Target;
use crate::write::video::{VideoColour, VideoEncoder, VideoShape};
use crate::write::whole_file::WholeFile;
use gif::{Encoder, EncodingError, Frame, Repeat};
use std::io::Error;

/// Speed of the choice of colours, from 1 (best) to 30: as fast as pictures of few hues allow.
const SPEED: i32 = 10;

struct GifWriter {
    encoder: Encoder<WholeFile>,
    target: Target,
    shape: VideoShape,
    /// Hundredths of a second.
    delay: u16,
}

/// Begins an animation; the sides were checked.
pub(super) fn create(target: &Target, shape: VideoShape) -> Result<Box<dyn VideoEncoder>> {
    let fail = |e| target.fail()(into_io(e));
    let [width, height] = [shape.width, shape.height].map(|side| side as u16);
    let mut encoder = Encoder::new(WholeFile::create(target)?, width, height, &[]).map_err(fail)?;
    encoder.set_repeat(Repeat::Infinite).map_err(fail)?;
    // Below two hundredths, players take their own pace.
    let delay = 100.0 * f64::from(shape.rate.seconds) / f64::from(shape.rate.frames.max(1));
    let delay = delay.round().clamp(2.0, 65535.0) as u16;
    Ok(Box::new(GifWriter { encoder, target: target.clone(), shape, delay }))
}

impl VideoEncoder for GifWriter {
    fn push(&mut self, samples: &[u8]) -> std::io::Result<()> {
        let [width, height] = [self.shape.width, self.shape.height].map(|side| side as u16);
        let frame = if self.shape.colour == VideoColour::Grey {
            let palette: Vec<u8> = (0..=255u8).flat_map(|v| [v; 3]).collect();
            Frame::from_palette_pixels(width, height, samples, palette, None)
        } else {
            Frame::from_rgb_speed(width, height, samples, SPEED)
        };
        self.encoder.write_frame(&Frame { delay: self.delay, ..frame }).map_err(into_io)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let file = self.encoder.into_inner().map_err(|e| self.target.fail()(into_io(e)))?;
        file.commit()
    }
}

fn into_io(error: EncodingError) -> Error {
    match error {
        EncodingError::Io(error) => error,
        other => Error::other(other.to_string()),
    }
}
