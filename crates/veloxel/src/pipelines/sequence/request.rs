//! The frames of a sequence, what is known of them, and what is wanted; and what a method is given of that.

use super::label::FieldLabel;
use super::names::FrameNames;
use crate::pipelines::dense::{Image, MethodChoice, PairWanted};
use crate::pipelines::prepare::depths::match_depths;
use crate::pipelines::prepare::grids::{covered_masks, mask_on, on_first_grid};
use crate::pipelines::prepare::holes::{fill_frames, require_inside};
use crate::pipelines::prepare::intensities::note_unlike_frames;
use crate::pipelines::prepare::looked_at::LookedAt;
use crate::pipelines::prepare::passes::Passes;
use crate::pipelines::prepare::sentinels::clip_sentinels;
use crate::{Result, Session};
use std::slice::from_ref;
use veloxel_core::{CoreError, Flow, Grid, Mask, Volume, Warnings};
use veloxel_io::Strictness;
use veloxel_motion::{GivenInput, SequenceFrames, SequenceMode, TakenImages, require_weights};

/// Gives the true field of a run's field, where it is known; what was assumed goes to the warnings.
pub type TrueField<'a> = &'a dyn Fn(&FieldLabel, &mut Warnings) -> Result<Option<Flow>>;

/// Frames over time, what is known of them, and what is wanted.
#[derive(Clone)]
pub struct SequenceRequest<'a> {
    /// The frames in order of time.
    pub frames: Vec<Image<'a>>,
    /// What they are called.
    pub names: FrameNames,
    /// Where data count: none, one mask for every frame on a grid of its own, or one a frame.
    pub masks: &'a [Mask],
    /// Where volume is preserved: none, one mask for every frame on a grid of its own, or one a frame.
    pub volume_masks: &'a [Mask],
    /// How much data count, from 0 to 1 on the frames' grid; of methods with weights in their energy.
    pub weight: Option<&'a Volume<f32>>,
    /// What the weight image is called in errors.
    pub weight_name: &'a str,
    /// What the mask of the volume constraint is called in warnings.
    pub volume_mask_name: &'a str,
    /// Which fields.
    pub mode: SequenceMode,
    /// The number of the frame that reference fields live on; none: the first one's.
    pub reference: Option<usize>,
    /// The true fields, for the measures.
    pub truth: Option<TrueField<'a>>,
    /// Whether frames may lie on several grids.
    pub strictness: Strictness,
    /// How to estimate.
    pub method: &'a MethodChoice,
    /// What is wanted beside every flow and its confidence.
    pub wanted: PairWanted,
}

impl<'a> SequenceRequest<'a> {
    /// Frames of which nothing else is known: consecutive flows and their confidences are wanted.
    pub fn new<I: Into<Image<'a>>>(frames: impl IntoIterator<Item = I>, method: &'a MethodChoice) -> Self {
        Self {
            frames: frames.into_iter().map(Into::into).collect(),
            names: FrameNames::default(),
            masks: &[],
            volume_masks: &[],
            weight: None,
            weight_name: "the weight image",
            volume_mask_name: "the volume mask",
            mode: SequenceMode::Consecutive,
            reference: None,
            truth: None,
            strictness: Strictness::Lenient,
            method,
            wanted: PairWanted::default(),
        }
    }

    /// Frames without sample values that stand for no data, all on the first one's grid, and the masks there.
    pub(super) fn prepare(&self, session: &Session, warnings: &mut Warnings) -> Result<PreparedSequence> {
        self.method.require_used(&[
            (GivenInput::Mask, !self.masks.is_empty()),
            (GivenInput::VolumeMask, !self.volume_masks.is_empty()),
            (GivenInput::Weight, self.weight.is_some()),
        ])?;
        let passes = Passes::by(session);
        let clipped = |(nth, frame): (usize, &Image<'_>)| {
            let mut frame = frame.volume();
            clip_sentinels(&mut frame, &self.names.text(nth), passes, warnings);
            frame
        };
        let mut frames: Vec<_> = self.frames.iter().enumerate().map(clipped).collect();
        let name = |nth: usize| self.names.text(nth);
        match_depths(&mut frames, name, warnings);
        if self.method.takes() == TakenImages::Pairs {
            note_unlike_frames(frames.iter().map(|frame| frame as &dyn LookedAt), name, warnings);
        }
        let known = fill_frames(&mut frames, self.masks.first(), name, passes, warnings)?;
        let (frames, covered) = on_first_grid(session.device()?, frames, self.strictness, warnings)?;
        let grid = frames.first().ok_or(CoreError::EmptySequence)?.grid();
        let masks = on_grid(self.masks, grid)?.into_iter().map(|mask| require_inside(mask, "the mask"));
        let known = on_grid(&known, grid)?;
        let masks = covered_masks(masks.collect::<Result<_, _>>()?, covered);
        let masks = covered_masks(masks, known.clone());
        let volume_masks = on_grid(self.volume_masks, grid)?;
        if let Some(weight) = self.weight {
            grid.require_same(weight.grid(), &format!("the fixed image and {}", self.weight_name))?;
            require_weights(weight)?;
        }
        Ok(PreparedSequence { frames, masks, volume_masks, known })
    }
}

/// Masks as they lie on another grid.
fn on_grid(masks: &[Mask], grid: &Grid) -> Result<Vec<Mask>, CoreError> {
    masks.iter().map(|mask| mask_on(mask.clone(), grid)).collect()
}

/// Frames and masks as the method takes them.
#[derive(Debug)]
pub(super) struct PreparedSequence {
    pub frames: Vec<Volume<f32>>,
    pub masks: Vec<Mask>,
    pub volume_masks: Vec<Mask>,
    /// Where each frame has data; nothing: all of them everywhere.
    pub known: Vec<Mask>,
}

impl PreparedSequence {
    pub fn of_method<'p>(&'p self, request: &SequenceRequest<'p>) -> SequenceFrames<'p> {
        let weights = request.weight.map_or(&[][..], from_ref);
        let Self { frames, masks, volume_masks, known } = self;
        SequenceFrames { frames, masks, volume_masks, weights, known }
    }

    /// Where a frame's field is measured.
    pub fn measured(&self, frame: usize) -> Option<&Mask> {
        let Self { frames, masks, volume_masks, .. } = self;
        SequenceFrames { masks, volume_masks, ..SequenceFrames::new(frames) }.measured(frame)
    }
}
