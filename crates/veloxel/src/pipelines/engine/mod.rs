//! A stream of frames in memory in, flow, disparity and features of every frame out, as they come.
//!
//! The phase-based method finds all three of pictures; a method of pairs finds the flow of every frame, picture or volume, to the
//! next one, with the bits that [`pair`](fn@super::pair) has for these two. Holes of frames are left out as they are there.
//!
//! [`Engine`] takes frames one after the other. What it has found for a frame is an [`EngineFrame`] on the device, which another
//! thread can fetch while the next frame is pushed; [`EngineTally`] counts what was fetched, and [`EngineWatch`] keeps the frame
//! that a page shows.
//!
//! ```
//! use veloxel::pipelines::DenseDraft;
//! use veloxel::pipelines::engine::{Engine, EngineImage, EngineRequest};
//! use veloxel::{Device, Grid, Session, Volume, Warnings};
//!
//! let session = Session::on(Device::cpu(1)?);
//! let method = DenseDraft::named("phase")?;
//! let mut engine = Engine::new(EngineRequest::of_flow(&method), &session)?;
//! let frame = |t: usize| Volume::from_fn(Grid::image(64, 48).unwrap(), move |[x, y, _]| ((x + t) % 16 * y) as f32);
//! for t in 0..6 {
//!     if let Some(found) = engine.push(EngineImage::new(&frame(t), "frame", &mut Warnings::new())?, None)? {
//!         assert!(found.fetch()?.fields.is_some_and(|fields| fields.flow.is_some()));
//!     }
//! }
//! assert_eq!(engine.finish()?.frames, 6);
//! # Ok::<(), veloxel::VeloxelError>(())
//! ```

mod error;
mod forecast;
mod found;
mod found_on_device;
mod image;
mod opened;
mod pairs;
mod rounding;
mod tally;
mod unknown;
mod watch;

use super::account::Account;
use super::prepare::intensities::{SampleRange, unlike_frames};
use crate::{Result, Session};
pub use error::EngineError;
pub use forecast::EngineForecast;
pub use found::{EngineFound, EngineFrame};
pub use image::EngineImage;
use opened::{FoundFor, OpenEngine};
use pairs::takes_pairs;
use std::collections::VecDeque;
use std::time::Instant;
pub use tally::{EngineTally, MeanShares};
use veloxel_core::{Counter, Dimension, Grid, Hint, Stage, Volume, WarningKind, Warnings};
pub use veloxel_motion::{ConfidenceChoice, DeliveredFields, DeliveredTypes, Delivery, FeatureScales};
use veloxel_motion::{DenseDraft, PhaseWanted};
pub use watch::{EngineWatch, WatchedFrame};

/// What is estimated of a stream, and what of it is handed out.
#[derive(Debug, Clone)]
pub struct EngineRequest {
    /// Which results are found; stereo of frames that come with a right one.
    pub wanted: PhaseWanted,
    /// Whether fields are fetched, and their confidences with them; none: the numbers of known pixels alone.
    pub fields: Option<ConfidenceChoice>,
    /// Whether the fields come in types of their own as well ([`EngineFound::delivered`]), and in which; without `fields` they are rounded
    /// on the device, and nothing else leaves it.
    pub delivery: Option<Delivery>,
    /// Which scales of the features come with the fields.
    pub scales: FeatureScales,
    /// Whether a frame comes back with its results.
    pub images: FrameImages,
    /// The method with its preset and settings: the phase-based one, or one of pairs, which finds flow alone.
    pub method: DenseDraft,
    /// What the stream is called in errors.
    pub name: String,
}

/// What becomes of a frame once it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameImages {
    /// It is dropped.
    Dropped,
    /// It comes back with its results.
    Returned,
}

impl EngineRequest {
    /// Refuses results that the method does not have, before there is a frame.
    ///
    /// # Errors
    /// [`EngineError::FlowAlone`].
    pub fn check(&self) -> Result<(), EngineError> {
        let PhaseWanted { flow, stereo, features } = self.wanted;
        if takes_pairs(&self.method) && (stereo || features || !flow) {
            return Err(EngineError::FlowAlone { method: self.method.method_name() });
        }
        Ok(())
    }

    /// Refuses volumes for a method that takes pictures.
    pub(super) fn check_grid(&self, grid: &Grid) -> Result<(), EngineError> {
        if takes_pairs(&self.method) || grid.dimension() == Dimension::Two {
            return Ok(());
        }
        Err(EngineError::PicturesAlone { method: self.method.method_name(), size: grid.size_text() })
    }

    /// The flow of every frame, fetched without its confidence.
    pub fn of_flow(method: &DenseDraft) -> Self {
        Self {
            wanted: PhaseWanted { flow: true, stereo: false, features: false },
            fields: Some(ConfidenceChoice::Left),
            delivery: None,
            scales: FeatureScales::Finest,
            images: FrameImages::Dropped,
            method: method.clone(),
            name: "the stream".to_owned(),
        }
    }
}

/// Estimates flow, disparity and features of a stream of frames of one size.
#[derive(Debug)]
pub struct Engine<'s> {
    request: EngineRequest,
    session: &'s Session,
    account: Account,
    /// Opened with the first frame.
    open: Option<OpenEngine>,
    /// The frames whose results are still to come.
    waiting: Waiting,
    frames: usize,
    /// Where most samples of the last frame lie.
    range: Option<SampleRange>,
}

/// The end of a stream: its grid, its number of frames, and its account.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineEnd {
    /// Where the pixels of a frame lie.
    pub grid: Grid,
    /// Frames that were pushed.
    pub frames: usize,
    /// Device, warnings and parameters.
    pub account: Account,
}

impl<'s> Engine<'s> {
    /// An engine that waits for its first frame.
    ///
    /// # Errors
    /// [`EngineError::FlowAlone`] if a method of pairs is asked for anything but flow;
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if the session's device is not there;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn new(request: EngineRequest, session: &'s Session) -> Result<Self> {
        request.check()?;
        let account = Account::begin(session)?;
        session.enter(Stage::Solve)?;
        Ok(Self {
            request,
            session,
            account,
            open: None,
            waiting: Waiting::default(),
            frames: 0,
            range: None,
        })
    }

    /// Takes the next frame, and the right camera's with it, and starts what can be estimated now: the results of this frame or of
    /// an earlier one; none where more frames must come first.
    ///
    /// Once the session is stopped nothing more is found; with [`Control::resume`](veloxel_core::Control::resume) what is on its way
    /// can still be had from [`drain`](Self::drain), and the stream ends with [`finish`](Self::finish).
    ///
    /// # Errors
    /// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for a frame of another size than the first;
    /// [`EngineError::PicturesAlone`] for a volume that a method of pictures is given;
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute); [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn push(&mut self, left: EngineImage, right: Option<EngineImage>) -> Result<Option<EngineFrame>> {
        if self.open.is_none() {
            self.open = Some(OpenEngine::of(&left.image, &self.request, self.session)?);
        }
        let Some(open) = &mut self.open else { return Ok(None) };
        let frame = Counter { what: "frame", now: self.frames + 1, of: 0 };
        self.session.control().step(0.0, [Some(frame), None])?;
        let nth = self.frames as u64;
        self.frames += 1;
        let begin = Instant::now();
        let (found, white) = (open.push(nth, &left, right.as_ref()), open.white);
        let unlike = self.unlike(left.range);
        let own = (self.request.images == FrameImages::Returned).then_some(left.image);
        self.waiting.0.push_back((begin, own));
        let Some(found) = found? else { return Ok(None) };
        let mut found = self.waiting.handed_out(found, self.frames, begin, white);
        if let Some(text) = unlike {
            found.notes.push_with_hint(WarningKind::Content, Hint::Method, text);
        }
        Ok(Some(found))
    }

    /// What there is to say of a frame whose samples lie elsewhere than those of the frame before it.
    fn unlike(&mut self, own: Option<SampleRange>) -> Option<String> {
        let before = std::mem::replace(&mut self.range, own);
        let (before, own) = (before?, own?);
        let names = [2, 1].map(|back| format!("frame {}", self.frames.saturating_sub(back)));
        (!own.is_like(&before)).then(|| unlike_frames([&before, &own], [&names[0], &names[1]]))
    }

    /// At the end of the stream: the results of the next of the last frames, which have no flow; none once all are out.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    pub fn drain(&mut self) -> Result<Option<EngineFrame>> {
        let begin = Instant::now();
        let Some(open) = &mut self.open else { return Ok(None) };
        let white = open.white;
        Ok(open.drain()?.map(|found| self.waiting.handed_out(found, self.frames, begin, white)))
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`EngineError::NoFrames`]; [`EngineError::FewFrames`] where flow needs more.
    pub fn finish(self) -> Result<EngineEnd> {
        let Self { request, mut account, open, frames, .. } = self;
        let Some(OpenEngine { grid, parameters, needed, .. }) = open else {
            return Err(EngineError::NoFrames { name: request.name }.into());
        };
        if request.wanted.flow && frames < needed {
            return Err(EngineError::FewFrames { name: request.name, frames, needed }.into());
        }
        account.parameters = parameters;
        Ok(EngineEnd { grid, frames, account })
    }
}

/// The frames whose results are still to come: when each was in memory, and the frame itself where it comes back.
#[derive(Debug, Default)]
struct Waiting(VecDeque<(Instant, Option<Volume<f32>>)>);

impl Waiting {
    /// What was found for a frame, with the frame; `pushed` frames have come, the last that these results needed at `begin`.
    fn handed_out(&mut self, found: FoundFor, pushed: usize, begin: Instant, white: f32) -> EngineFrame {
        let FoundFor { frame, found, rounding, unknown } = found;
        let (since, image) = self.take(frame, pushed);
        EngineFrame { frame, since, begin, image, white, found, rounding, unknown, notes: Warnings::new() }
    }

    /// The one that results belong to; `pushed` frames have come.
    fn take(&mut self, frame: u64, pushed: usize) -> (Instant, Option<Volume<f32>>) {
        while self.0.len() > pushed - frame as usize {
            self.0.pop_front();
        }
        self.0.pop_front().expect("a frame with results should have been pushed")
    }
}
