//! Which method estimates, in which directions, and what is done to its flow.

use super::start::StartKind;
use crate::session::MethodKey;
use veloxel_core::{Dimension, Grid};
use veloxel_gpu::Device;
use veloxel_motion::{
    AnyMethod, DenseDraft, ErrorCurves, GivenInput, MethodOpening, MotionError, OpenedMethod, TakenImages,
};

/// Which directions of a pair are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Directions {
    /// Fixed to moving.
    #[default]
    Forward,
    /// Both: where they disagree the confidence falls.
    Both,
}

/// What is done to a flow once it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refinement {
    /// The flow stays as it is found.
    #[default]
    None,
    /// A mean over neighbours, weighted by confidence and by likeness of the image.
    Bilateral,
}

/// A dense method with its preset and settings, and what is built around it.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodChoice {
    /// The method, its preset and its settings.
    pub draft: DenseDraft,
    /// One direction, or both.
    pub directions: Directions,
    /// What is done to the flow.
    pub refinement: Refinement,
}

impl Default for MethodChoice {
    /// The accurate preset of CLG.
    fn default() -> Self {
        Self::new(DenseDraft::default())
    }
}

impl MethodChoice {
    /// A method in one direction, its flow as it is found.
    pub fn new(draft: DenseDraft) -> Self {
        Self { draft, directions: Directions::Forward, refinement: Refinement::None }
    }

    /// Refuses what the method does not use, of inputs of which some are given.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`].
    pub fn require_used(&self, inputs: &[(GivenInput, bool)]) -> Result<(), MotionError> {
        let both = (GivenInput::SecondDirection, self.directions == Directions::Both);
        let given = inputs.iter().chain([&both]).filter(|(_, is_given)| *is_given);
        self.draft.method().require(&given.map(|(input, _)| *input).collect::<Vec<_>>())
    }

    /// What a confidence says of the error, in voxels, of a field that began from such a start; none of a method that was not measured in
    /// that dimension.
    pub fn error_curves(&self, dimension: Dimension, start: StartKind) -> Option<ErrorCurves> {
        let (method, preset) = (self.draft.method_name(), self.draft.preset());
        match start {
            StartKind::Matches => ErrorCurves::of_matches(method, preset, dimension),
            _ => ErrorCurves::of(method, preset, dimension),
        }
    }

    /// What the method estimates its flow from.
    pub fn takes(&self) -> TakenImages {
        self.draft.method().takes
    }

    /// How many of a sequence's frames one of its fields is estimated from.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn frames_at_once(
        &self,
        grid: &Grid,
        frames: usize,
        device: &Device,
    ) -> Result<usize, MotionError> {
        let most = self.takes().of_sequence(frames);
        if self.takes() == TakenImages::Pairs {
            return Ok(most);
        }
        Ok(match self.open(grid, 255.0, most, device)?.method {
            AnyMethod::Pair(_) => most,
            AnyMethod::Window(method) => method.window().frames,
        })
    }

    /// Opens the method for so many frames of a grid with such a white.
    pub(crate) fn open(
        &self,
        grid: &Grid,
        white: f32,
        frames: usize,
        device: &Device,
    ) -> Result<OpenedMethod, MotionError> {
        self.open_part([grid; 2], white, frames, device)
    }

    /// Opens the method for a part of a grid, and with what it has on the whole one.
    pub(crate) fn open_part(
        &self,
        [part, whole]: [&Grid; 2],
        white: f32,
        frames: usize,
        device: &Device,
    ) -> Result<OpenedMethod, MotionError> {
        let draft = &self.draft;
        let opened = MethodOpening { grid: part, image: whole, frames, white, draft, device }.open()?;
        let is_checked = self.directions == Directions::Both;
        let method = if is_checked { opened.method.inverse_consistent() } else { opened.method };
        let method = if self.refinement == Refinement::None { method } else { method.refined() };
        Ok(OpenedMethod { method, ..opened })
    }

    /// What a session keeps the opened method under.
    pub(crate) fn key(&self, grid: &Grid, white: f32, frames: usize) -> MethodKey {
        let both = (self.directions == Directions::Both).then_some("both directions");
        let refined = (self.refinement == Refinement::Bilateral).then_some("refined");
        let decorations = both.into_iter().chain(refined).collect();
        MethodKey { draft: self.draft.clone(), grid: grid.clone(), frames, white, decorations }
    }
}
