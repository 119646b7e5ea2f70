//! Frames of a stream, as they are read ahead of the engine.

use crate::VeloxelError;
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
    fn of(image: Volume<f32>, (name, number): (&Path, usize)) -> Result<Self, VeloxelError> {
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

/// A frame, its right one, and what reading them had to say.
pub(super) type Frame = (Read, Option<Read>, Warnings);

/// Left frames, and right ones that must be as many.
pub(super) struct Streams {
    pub left: FrameStream,
    pub right: Option<FrameStream>,
    /// Frames so far.
    pub count: usize,
}

impl Streams {
    pub fn next(&mut self) -> Result<Option<Frame>, VeloxelError> {
        let mut warnings = Warnings::new();
        let left = self.left.next_frame(&mut warnings)?;
        let Some(right_stream) = &mut self.right else {
            let Some(left) = left else { return Ok(None) };
            let left = Read::of(left, (self.left.name(), self.count))?;
            self.count += 1;
            return Ok(Some((left, None, warnings)));
        };
        let right = right_stream.next_frame(&mut warnings)?;
        let (left, right) = match (left, right) {
            (None, None) => return Ok(None),
            (Some(left), Some(right)) => (left, right),
            (left, _) => {
                let (longer, shorter) = match left {
                    Some(_) => (self.left.name(), right_stream.name()),
                    None => (right_stream.name(), self.left.name()),
                };
                let reason = format!(
                    "{} ends after {} frames, but {} goes on: left and right must be as long",
                    shorter.display(),
                    self.count,
                    longer.display()
                );
                return Err(VeloxelError::Frames { reason });
            }
        };
        left.grid().require_same(right.grid(), "left and right frame")?;
        let left = Read::of(left, (self.left.name(), self.count))?;
        let right = Read::of(right, (right_stream.name(), self.count))?;
        self.count += 1;
        Ok(Some((left, Some(right), warnings)))
    }
}
