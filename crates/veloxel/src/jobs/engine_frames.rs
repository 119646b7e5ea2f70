//! Frames of a stream, as they are read ahead of the engine.

use crate::Result;
use std::path::Path;
use veloxel_core::{Volume, Warnings};
use veloxel_io::FrameStream;
use veloxel_motion::PhaseImage;

/// A frame as it was read, ready to be uploaded.
pub(super) struct Read {
    pub image: Volume<f32>,
    /// The same in 8 bits, where they hold it.
    bytes: Option<Vec<u8>>,
}

impl Read {
    fn of(image: Volume<f32>, name: &Path, number: usize) -> Result<Self> {
        image.require_finite(&format!("{}, frame {number}", name.display()), |_| false)?;
        let whole = image.data().iter().all(|v| v.fract() == 0.0 && (0.0..=255.0).contains(v));
        let bytes = whole.then(|| image.data().iter().map(|&v| v as u8).collect());
        Ok(Self { image, bytes })
    }

    pub fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}

/// A frame, and the one of the right camera if there is one.
pub(super) struct Views {
    pub left: Read,
    pub right: Option<Read>,
    /// Of reading both.
    pub warnings: Warnings,
}

/// Left frames, and right ones that must be as many.
pub(super) struct Streams {
    pub left: FrameStream,
    pub right: Option<FrameStream>,
    /// Frames so far.
    pub count: usize,
}

/// A frame of a stream, none at its end, or what is wrong with it.
pub(super) type NextFrame = Result<Option<Views>>;

impl Streams {
    pub fn next(&mut self) -> NextFrame {
        let mut warnings = Warnings::new();
        let left = self.left.next_frame(&mut warnings)?;
        let right = self.right.as_mut().map(|right| right.next_frame(&mut warnings)).transpose()?;
        let left_name = self.left.name();
        let right_name = self.right.as_ref().map_or(left_name, FrameStream::name);
        let (left, right) = match (left, right) {
            (None, None | Some(None)) => return Ok(None),
            (Some(left), None) => (left, None),
            (Some(left), Some(Some(right))) => {
                left.grid().require_same(right.grid(), "left and right frame")?;
                (left, Some(Read::of(right, right_name, self.count)?))
            }
            (left, _) => {
                let (longer, shorter) =
                    if left.is_some() { (left_name, right_name) } else { (right_name, left_name) };
                return Err(frames!(
                    "{} ends after {} frames, but {} goes on: left and right must be as long",
                    shorter.display(),
                    self.count,
                    longer.display()
                ));
            }
        };
        let left = Read::of(left, left_name, self.count)?;
        self.count += 1;
        Ok(Some(Views { left, right, warnings }))
    }
}
