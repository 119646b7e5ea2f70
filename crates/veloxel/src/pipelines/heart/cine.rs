//! The cine of a run: frames on one grid, fit for methods.

use super::HeartError;
use crate::pipelines::prepare::grids::on_first_grid;
use crate::pipelines::prepare::holes::fill_holes;
use crate::pipelines::prepare::passes::Passes;
use crate::pipelines::prepare::sentinels::clip_sentinels;
use crate::{Result, Session};
use veloxel_core::{Grid, Mask, Sequence, Volume, WarningKind, Warnings};
use veloxel_io::Strictness;
use veloxel_motion::over::cycle::Slice;

/// Frames of a beat on one grid, whose samples are all numbers and stand for intensities.
#[derive(Debug, Clone, PartialEq)]
pub struct Cine {
    sequence: Sequence,
    /// What was changed or assumed.
    pub(super) warnings: Warnings,
}

/// Says how many samples of a frame were filled.
fn note_filled(known: &Mask, nth: usize, warnings: &mut Warnings) {
    let (all, count) = (known.data().len(), known.data().len() - known.count());
    let text = format!(
        "frame {nth}: {count} of {all} samples are NaN or infinite; they are filled from the samples around, and motion there is not \
         measured but continued"
    );
    warnings.push(WarningKind::Content, text);
}

impl Cine {
    /// Takes frames of one grid.
    ///
    /// # Errors
    /// [`HeartError::TooFewFrames`] for fewer than two; [`CoreError::NotFinite`](veloxel_core::CoreError::NotFinite).
    pub fn new(sequence: Sequence, session: &Session) -> Result<Self> {
        let interval_ms = sequence.frame_interval_ms();
        Self::of_one_grid(sequence.into_frames(), interval_ms, session, Warnings::new())
    }

    /// Takes frames that may lie on several grids: all are sampled on that of the first one.
    ///
    /// # Errors
    /// As [`Self::new`]; [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for grids that cannot be sampled, or
    /// that are refused; [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    pub fn of_frames(
        frames: Vec<Volume<f32>>,
        frame_interval_ms: Option<f64>,
        strictness: Strictness,
        session: &Session,
    ) -> Result<Self> {
        let mut warnings = Warnings::new();
        let (frames, _) = on_first_grid(session.device()?, frames, strictness, &mut warnings)?;
        Self::of_one_grid(frames, frame_interval_ms, session, warnings)
    }

    fn of_one_grid(
        mut frames: Vec<Volume<f32>>,
        frame_interval_ms: Option<f64>,
        session: &Session,
        mut warnings: Warnings,
    ) -> Result<Self> {
        if frames.len() < 2 {
            return Err(HeartError::TooFewFrames { frames: frames.len() }.into());
        }
        let passes = Passes::by(session);
        for (nth, frame) in frames.iter_mut().enumerate() {
            session.control().check()?;
            clip_sentinels(frame, &format!("frame {nth}"), passes, &mut warnings);
            if let Some(known) = fill_holes(frame, &format!("frame {nth}"), passes)? {
                note_filled(&known, nth, &mut warnings);
            }
        }
        warnings.sum_up();
        Ok(Self { sequence: Sequence::new(frames, frame_interval_ms)?, warnings })
    }

    /// The frames.
    pub fn frames(&self) -> &[Volume<f32>] {
        self.sequence.frames()
    }

    /// The grid of every frame.
    pub fn grid(&self) -> &Grid {
        self.sequence.grid()
    }

    /// Milliseconds between frames, where that is known.
    pub fn frame_interval_ms(&self) -> Option<f64> {
        self.sequence.frame_interval_ms()
    }

    /// Millimetres between the pixels of a slice.
    pub(super) fn pixel_mm(&self) -> f64 {
        self.grid().spacing_mm()[0]
    }

    /// A slice of a frame.
    pub(super) fn slice(&self, slice: usize, frame: usize) -> Slice<'_> {
        let [nx, ny, _] = self.grid().size();
        let samples = &self.frames()[frame].data()[slice * nx * ny..(slice + 1) * nx * ny];
        Slice { size: [nx, ny], samples, pixel_mm: self.pixel_mm() }
    }
}
