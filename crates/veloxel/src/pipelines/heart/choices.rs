//! What a run over a cine can choose between.

use veloxel_core::{Dimension, Grid};

/// Where points of a cine can move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MotionSpace {
    /// Each slice in its plane, as slices stand that are far apart.
    #[default]
    InPlane,
    /// All slices together.
    Volume,
}

impl MotionSpace {
    /// The word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::InPlane => "in-plane",
            Self::Volume => "volume",
        }
    }

    /// What is meant on a grid: a picture is its own plane.
    pub(super) fn on(self, grid: &Grid) -> Self {
        if grid.dimension() == Dimension::Two { Self::InPlane } else { self }
    }
}

/// How outlines of cavities follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cavities {
    /// As the motion has them.
    Moved,
    /// Half way from there to where as much of their inside is dark as on the seed ([`Rim`](veloxel_motion::over::cycle::Rim)).
    #[default]
    Rim,
}

impl Cavities {
    /// The word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Rim => "rim",
        }
    }
}

/// How the outlines of the left ventricle's slices are carried to other frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// From where they were drawn.
    AsDrawn,
    /// Both outlines of a slice shifted, where they lie beside the blood otherwise than in the other slices ([`misplaced_px`](veloxel_motion::over::cycle::misplaced_px)).
    #[default]
    ByStack,
}

impl Placement {
    /// The word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::AsDrawn => "drawn",
            Self::ByStack => "stack",
        }
    }
}

/// Whether the presets of methods are those given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PresetChoice {
    /// They are.
    #[default]
    AsGiven,
    /// CLG takes the preset that suits the frames at hand: in planes, motion between frames far apart in time is as large as
    /// between stacks.
    ByFrames,
}
