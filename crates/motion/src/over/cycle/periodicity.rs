//! Whether the last frame of a sequence is followed by its first one.
//!
//! *Method*: a heart that comes around differs no more between its last and its first frame than between neighbours elsewhere.
//! Retrospectively gated cines do; prospectively gated ones lack the end of diastole, in which little happens; a film of systole
//! alone ends at its farthest.

use crate::error::Result;
use crate::method::resident::ResidentMask;
use crate::steps::buffers::settled;
use crate::steps::frame::Frame;
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::brightness::AbsoluteDifference;

/// How many times the largest step between neighbours the step from the last frame to the first may be.
const CLOSING: f64 = 1.5;

/// Whether the last frame is followed by the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PeriodicChoice {
    /// The images decide.
    #[default]
    Auto,
    /// It is.
    Yes,
    /// It is not.
    No,
}

impl PeriodicChoice {
    /// All of them, in the order of their words' list.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Yes, Self::No];

    /// The word by which a user asks for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

/// Whether the last frame is followed by the first, and how that was known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Periodicity {
    /// What was asked for.
    pub asked: PeriodicChoice,
    /// Whether it is.
    pub is_periodic: bool,
    /// Mean absolute difference of the last and the first frame, in their unit.
    pub closing_difference: f64,
    /// The largest mean absolute difference of neighbours in time.
    pub largest_difference: f64,
}

impl Periodicity {
    /// One sentence for people.
    pub fn sentence(&self) -> String {
        let Self { asked, is_periodic, closing_difference, largest_difference } = self;
        let what = if *is_periodic { "periodic" } else { "not periodic" };
        let why = match asked {
            PeriodicChoice::Auto => "the images say so",
            PeriodicChoice::Yes | PeriodicChoice::No => "as asked for",
        };
        format!(
            "the sequence is taken as {what}, {why}: its last frame differs from its first by {closing_difference:.3}, neighbours \
             by up to {largest_difference:.3}"
        )
    }
}

pub(super) fn decide(
    device: &Device,
    frames: &[Frame],
    mask: Option<&ResidentMask>,
    asked: PeriodicChoice,
) -> Result<Periodicity> {
    let count = frames.len();
    let mut differences = Vec::with_capacity(count);
    for t in 0..count {
        let [fixed, warped] = [t, (t + 1) % count].map(|t| frames[t].samples());
        differences.push(AbsoluteDifference { fixed, warped, weight: mask.map(|m| &m.weight) }.run(device)?);
    }
    let mark = device.mark()?;
    let sums = settled(device, mark.as_ref(), differences)?;
    let mut means: Vec<f64> = sums.into_iter().map(|(sum, voxels)| sum / voxels.max(1.0)).collect();
    let closing_difference = means.pop().unwrap_or(0.0);
    let largest_difference = means.into_iter().fold(0.0, f64::max);
    let is_periodic = match asked {
        PeriodicChoice::Yes => true,
        PeriodicChoice::No => false,
        // Two frames differ once only: they cannot say.
        PeriodicChoice::Auto => count > 2 && closing_difference <= CLOSING * largest_difference,
    };
    Ok(Periodicity { asked, is_periodic, closing_difference, largest_difference })
}
