//! Frames of one file one after the other, and all of them at once.

use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::layout::FRAME_BYTES;
use crate::read::stream::stream_end::StreamEnd;
use veloxel_core::Volume;

/// A file of several frames, behind its header.
pub(crate) trait FrameReader: Send {
    /// The next frame, or none after the last.
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>>;

    /// Milliseconds between frames, as far as the file has said so yet.
    fn frame_interval_ms(&self) -> Option<f64> {
        None
    }

    /// When the frame that was read last was taken, milliseconds, where each frame has a time of its own.
    fn time_ms(&self) -> Option<f64> {
        None
    }

    /// What ends a wait for the next frame from another thread, where it may be long.
    fn end(&self) -> Option<StreamEnd> {
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

/// Refuses one frame more than a sequence may have.
pub(super) fn require_fewer(
    frames: &[Volume<f32>],
    most: u64,
    next: &Volume<f32>,
    context: &Context,
) -> Result<()> {
    if frames.len() as u64 == most {
        let size = next.grid().size_text();
        let what = format!("more than {most} frames of {size} as one sequence");
        return Err(context.unsupported(what, "cut or shrink it first"));
    }
    if frames.is_empty() { Ok(()) } else { context.claim(FRAME_BYTES) }
}

/// All frames: an image if there is one, else a sequence.
pub(crate) fn read_all(mut reader: Box<dyn FrameReader + '_>, context: &mut Context) -> Result<Decoded> {
    // Too many of them are refused before the first is decoded; each claims its own bytes then.
    drop(context.scratch(reader.declared_bytes())?);
    let most = reader.most_frames();
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame(context)? {
        require_fewer(&frames, most, &frame, context)?;
        frames.push(frame);
    }
    let (sample_type, frame_interval_ms) = (reader.sample_type(), reader.frame_interval_ms());
    reader.finish(context)?;
    Ok(Decoded { content: Content::of_frames(frames, frame_interval_ms, context)?, sample_type })
}
