//! The frames of a video that are asked for, without the rest.

use crate::content::Content;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::input::frame_selection::FrameSelection;
use crate::read::stream::frame_reader::{FrameReader, require_fewer};
use crate::read::stream::stream_end::StreamEnd;
use veloxel_core::{Sequence, Volume, Warnings};

/// A video, of which some frames may be asked for.
pub(crate) struct ChosenFrames<'a> {
    reader: Box<dyn FrameReader + 'a>,
    input: Input,
    /// The number of the frame that is read next.
    next: usize,
}

impl<'a> ChosenFrames<'a> {
    pub fn new(reader: Box<dyn FrameReader + 'a>, input: Input) -> Self {
        Self { reader, input, next: 0 }
    }

    /// The next frame that is asked for; frames before it are left out.
    ///
    /// # Errors
    /// As the reader; [`IoError::NoSuchFrame`] for a video that ends before its frames do.
    pub fn next(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        loop {
            let Some(selection) = self.input.frames else { return self.reader.next_frame(context) };
            if selection.ends_before(self.next) {
                return Ok(None);
            }
            let number = self.next;
            let frame = if selection.holds(number) {
                self.reader.next_frame(context)?
            } else {
                self.left_out(context)?
            };
            if frame.is_none() {
                self.input.require(number)?;
                return Ok(None);
            }
            self.next += 1;
            if selection.holds(number) {
                return Ok(frame);
            }
        }
    }

    /// The next frame, of which nothing is kept: what it claims is given back.
    fn left_out(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        let mut warnings = Warnings::new();
        let mut own = Context::new(context.path, context.reading.clone(), &mut warnings);
        let frame = self.reader.next_frame(&mut own);
        drop(own);
        context.pass_on(warnings);
        frame
    }

    /// Milliseconds between the frames that are asked for, where the video says so.
    pub fn frame_interval_ms(&self) -> Option<f64> {
        let step = self.input.frames.map_or(1, FrameSelection::step);
        self.reader.frame_interval_ms().map(|ms| ms * step as f64)
    }

    /// When the frame that came last was taken, milliseconds.
    pub fn time_ms(&self) -> Option<f64> {
        self.reader.time_ms()
    }

    /// What ends a wait for the next frame.
    pub fn end(&self) -> Option<StreamEnd> {
        self.reader.end()
    }

    /// Looks at what follows the last frame, where all were read.
    pub fn finish(self, context: &mut Context) -> Result<()> {
        if self.input.frames.is_none() { self.reader.finish(context) } else { Ok(()) }
    }
}

/// The frames that are asked for, without those behind the last of them: an image where it is one frame.
///
/// # Errors
/// [`IoError::NoSuchFrame`](crate::IoError::NoSuchFrame); what the reader fails with.
pub(crate) fn read_chosen(
    reader: Box<dyn FrameReader + '_>,
    input: &Input,
    context: &mut Context,
) -> Result<Content> {
    let most = reader.most_frames();
    let mut chosen = ChosenFrames::new(reader, input.clone());
    let mut frames = Vec::new();
    while let Some(frame) = chosen.next(context)? {
        require_fewer(&frames, most, &frame, context)?;
        frames.push(frame);
    }
    let interval_ms = chosen.frame_interval_ms().filter(|ms| Sequence::INTERVALS_MS.contains(ms));
    chosen.finish(context)?;
    Content::of_frames(frames, interval_ms, context)
}
