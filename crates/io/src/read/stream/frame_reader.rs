//! Frames of one file one after the other, and all of them at once.

use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::Volume;

/// What a frame of a sequence takes beside its samples: a file can hold very many small ones.
pub(crate) const FRAME_BYTES: u64 = 512;

/// A file of several frames, behind its header.
pub(crate) trait FrameReader: Send {
    /// The next frame, or none after the last.
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>>;

    /// Milliseconds between frames, as far as the file has said so yet.
    fn frame_interval_ms(&self) -> Option<f64> {
        None
    }

    /// The type of samples in the file.
    fn sample_type(&self) -> String;

    /// Bytes that all frames take, as far as the header says so.
    fn declared_bytes(&self) -> u64 {
        0
    }

    /// Frames that may be in memory at once: small files can hold very many.
    fn most_frames(&self) -> u64 {
        u64::MAX
    }

    /// After the last frame: was there one, and does anything follow?
    fn finish(self: Box<Self>, context: &mut Context) -> Result<()>;
}

/// All frames: an image if there is one, else a sequence.
pub(crate) fn read_all(mut reader: Box<dyn FrameReader + '_>, context: &mut Context) -> Result<Decoded> {
    // Too many of them are refused before the first is decoded; each claims its own bytes then.
    drop(context.scratch(reader.declared_bytes())?);
    let most = reader.most_frames();
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame(context)? {
        if frames.len() as u64 == most {
            let size = frame.grid().size_text();
            let what = format!("more than {most} frames of {size} as one sequence");
            return Err(context.unsupported(what, "cut or shrink it first"));
        }
        if !frames.is_empty() {
            context.claim(FRAME_BYTES)?;
        }
        frames.push(frame);
    }
    let (sample_type, frame_interval_ms) = (reader.sample_type(), reader.frame_interval_ms());
    reader.finish(context)?;
    Ok(Decoded { content: Content::of_frames(frames, frame_interval_ms, context)?, sample_type })
}
