//! Frames of one stream or two, as they are read ahead of the engine on a thread of their own, until they end or are stopped.

use super::stream_warnings::StreamWarnings;
use crate::jobs::inputs::input_error::InputError;
use crate::jobs::inputs::read_ahead::{AtStop, ReadAhead};
use crate::pipelines::account::Stages;
use crate::pipelines::engine::EngineImage;
use crate::{Result, VeloxelError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use veloxel_core::{Control, Warnings};
use veloxel_io::FrameStream;
use veloxel_motion::DenseDraft;

/// A frame, and the one of the right camera if there is one.
pub(super) struct Views {
    pub left: EngineImage,
    pub right: Option<EngineImage>,
    /// When the left frame was taken, milliseconds, where its source says so.
    pub time_ms: Option<f64>,
    /// What there is to say of reading both.
    pub warnings: Warnings,
    /// What there is to say of their samples.
    pub prepared: Warnings,
}

/// Left frames, and right ones that must be as many.
pub(super) struct Streams {
    pub left: FrameStream,
    pub right: Option<FrameStream>,
    /// The method that takes them.
    pub method: DenseDraft,
    /// Frames so far.
    pub count: usize,
}

impl Streams {
    /// The next frame; none at the end.
    pub fn next(&mut self) -> Result<Option<Views>> {
        let (mut warnings, mut prepared) = (Warnings::new(), Warnings::new());
        let left = self.left.next_frame(&mut warnings)?;
        let right = self.right.as_mut().map(|right| right.next_frame(&mut warnings)).transpose()?;
        let left_name = self.left.name();
        let right_name = self.right.as_ref().map_or(left_name, FrameStream::name);
        let named = |name: &Path| format!("{}, frame {}", name.display(), self.count);
        let (left, right) = match (left, right) {
            (None, None | Some(None)) => return Ok(None),
            (Some(left), None) => {
                (EngineImage::for_method(&self.method, &left, &named(left_name), &mut prepared)?, None)
            }
            (Some(left), Some(Some(right))) => {
                let names = [named(left_name), named(right_name)];
                let views = [(&left).into(), (&right).into()];
                let names = [names[0].as_str(), names[1].as_str()];
                let [left, right] = EngineImage::of_views(&self.method, views, names, &mut prepared)?;
                (left, Some(right))
            }
            (left, _) => {
                let (longer, shorter) =
                    if left.is_some() { (left_name, right_name) } else { (right_name, left_name) };
                let (longer, shorter) = (longer.to_owned(), shorter.to_owned());
                return Err(InputError::Lengths { shorter, longer, frames: self.count }.into());
            }
        };
        self.count += 1;
        Ok(Some(Views { left, right, time_ms: self.left.time_ms(), warnings, prepared }))
    }
}

/// What ends a stream.
#[derive(Debug)]
pub(super) enum EndedBy {
    /// Its last frame.
    Itself,
    /// A stop.
    Stop,
    /// The reader of its video, who left.
    Reader,
    /// A frame that cannot be read, where what was found until then is a result all the same.
    Failure(VeloxelError),
}

/// Frames as they come, until the stream ends or is stopped.
pub(super) struct Source<'a> {
    pub views: &'a ReadAhead<Views>,
    pub control: &'a Control,
    pub at_stop: AtStop,
    /// Whether further results have no reader.
    pub has_ended: Arc<AtomicBool>,
    /// What ended the stream, once something has.
    pub end: EndedBy,
    pub frames: usize,
    /// When they were taken, milliseconds, as far as their source says so.
    pub times_ms: Vec<f64>,
    /// What there is to say of opening and reading the streams.
    pub warnings: Warnings,
    /// What there is to say of the samples of frames.
    pub said: StreamWarnings,
    pub stages: Stages,
}

impl Source<'_> {
    /// The next frame; none at the end of the stream, and where it is stopped or broken off.
    pub fn next(&mut self) -> Result<Option<Views>> {
        if self.has_ended.load(Ordering::Relaxed) {
            self.end = EndedBy::Reader;
            return Ok(None);
        }
        let begin = Instant::now();
        let next = self.views.next(self.control);
        self.stages.add("read", begin.elapsed().as_secs_f64() * 1e3);
        let mut views = match next {
            Err(error) if self.at_stop.ends(&error, self.control) => {
                self.end = EndedBy::Stop;
                return Ok(None);
            }
            Err(error) if self.frames > 0 && !matches!(error, VeloxelError::Stopped(_)) => {
                self.end = EndedBy::Failure(error);
                return Ok(None);
            }
            next => next?,
        };
        if let Some(views) = &mut views {
            self.frames += 1;
            self.times_ms.extend(views.time_ms);
            self.warnings.extend(std::mem::take(&mut views.warnings));
            self.said.add("", &views.prepared);
        }
        Ok(views)
    }
}
