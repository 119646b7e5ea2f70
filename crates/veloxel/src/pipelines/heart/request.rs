//! The request to follow outlines, and its result.

use super::choices::{Cavities, MotionSpace, Placement, PresetChoice};
use super::cine::Cine;
use super::region::RegionChoice;
use super::tables::{DistanceTable, FunctionTable, OutlineErrorTable, StrainTable};
use crate::pipelines::account::Account;
use veloxel_core::{ContourSet, Flow, Sequence, Volume};
use veloxel_io::LabelMeaning;
use veloxel_motion::DenseDraft;
use veloxel_motion::over::cycle::{CycleEstimate, PeriodicChoice};
use veloxel_report::{BetweenReaders, CineReport, TrackRun};

/// A reader of the cine, with the outlines that they drew.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The name in reports.
    pub name: &'a str,
    /// The outlines.
    pub contours: &'a ContourSet,
}

/// Outlines of a heart that are to be followed over a cine.
#[derive(Debug, Clone, Copy)]
pub struct TrackRequest<'a> {
    /// The frames.
    pub cine: &'a Cine,
    /// Outlines, on the frames to start from at least.
    pub contours: &'a ContourSet,
    /// Readers whose outlines are true, the first of them first; empty: nothing is measured.
    pub readers: &'a [Reader<'a>],
    /// The frames whose outlines are carried along, the reference of motion and strain first; empty: frame 0, or the only one that
    /// has some.
    pub start_frames: &'a [usize],
    /// What the labels of label images are.
    pub labels: LabelMeaning,
    /// Where motion is estimated.
    pub region: RegionChoice<'a>,
    /// In planes, or in the volume.
    pub space: MotionSpace,
    /// Where outlines of the left ventricle are carried from.
    pub placement: Placement,
    /// How outlines of cavities follow.
    pub cavities: Cavities,
    /// Whether the last frame is followed by the first.
    pub periodic: PeriodicChoice,
    /// Which motion is taken: of one way in time, of both, or from the start frame.
    pub estimate: CycleEstimate,
    /// The methods with presets and settings, one run each; at least one.
    pub methods: &'a [DenseDraft],
    /// Whether their presets are those given.
    pub presets: PresetChoice,
    /// How much data count, from 0 to 1, on the cine's grid: of finite elements.
    pub weight: Option<&'a Volume<f32>>,
}

impl<'a> TrackRequest<'a> {
    /// Outlines over a cine by some methods, everything else as the command has it.
    pub fn new(cine: &'a Cine, contours: &'a ContourSet, methods: &'a [DenseDraft]) -> Self {
        Self {
            cine,
            contours,
            readers: &[],
            start_frames: &[],
            labels: LabelMeaning::default(),
            region: RegionChoice::Auto,
            space: MotionSpace::default(),
            placement: Placement::default(),
            cavities: Cavities::default(),
            periodic: PeriodicChoice::Auto,
            estimate: CycleEstimate::Closed,
            methods,
            presets: PresetChoice::default(),
            weight: None,
        }
    }
}

/// What one method found.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedRun {
    /// Everything measured.
    pub measures: TrackRun,
    /// Outlines on every frame.
    pub contours: ContourSet,
    /// The motion from the reference frame to every frame, on the region's grid; unknown in slices that were not followed.
    pub fields: Vec<Flow>,
    /// The inside of the outlines as labels, frame by frame, on the cine's grid.
    pub labels: Sequence,
    /// Areas and volumes over time.
    pub function: FunctionTable,
    /// Strain of every region over time; none without a wall.
    pub strain: Option<StrainTable>,
    /// Distances to readers and between them, frame by frame; none without readers.
    pub distances: Option<DistanceTable>,
    /// Errors to expect of the outlines; none of a method that no heart was measured with.
    pub expected_errors: Option<OutlineErrorTable>,
}

/// Outlines that were followed.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackResult {
    /// What was followed: start frames, slices, region.
    pub cine: CineReport,
    /// What each method found, in the order asked for.
    pub runs: Vec<TrackedRun>,
    /// How far the outlines of several readers lie from each other.
    pub between_readers: Vec<BetweenReaders>,
    /// How the run went.
    pub account: Account,
}
