//! The JSON of a run that followed outlines over a cine.

use crate::run::header::RunHeader;
use serde::Serialize;
use veloxel_measure::{ContourDistances, Periodicity, RegionStrain, Ventricles};

/// A cine, and what each method found in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// What was followed.
    pub cine: CineReport,
    /// Each method, in the order asked for.
    pub runs: Vec<TrackRun>,
}

/// What was followed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CineReport {
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Millimetres between neighbours.
    pub spacing_mm: [f64; 3],
    /// Frames.
    pub frames: usize,
    /// Milliseconds between them, where that is known.
    pub frame_interval_ms: Option<f64>,
    /// The frames whose outlines were carried along; the first is the reference of motion and strain.
    pub start_frames: Vec<usize>,
    /// The slices with outlines.
    pub slices: Vec<usize>,
    /// The first pixel of the region in which motion was estimated.
    pub region_from_px: [usize; 2],
    /// Its size.
    pub region_size_px: [usize; 2],
    /// `in-plane` or `volume`.
    pub motion: String,
    /// Where outlines of the left ventricle were carried from: as `drawn`, or placed by the `stack`.
    pub placement: String,
    /// How outlines of cavities followed: `moved` with the motion alone, or half corrected by their `rim`.
    pub cavities: String,
}

/// What one method found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackRun {
    /// The method's name.
    pub method: String,
    /// What its parameters started from.
    pub preset: String,
    /// Every parameter as used.
    pub parameters: serde_json::Value,
    /// Wall-clock time of all its estimates.
    pub time_ms: f64,
    /// Whether the last frame was taken to be followed by the first.
    pub periodicity: Periodicity,
    /// How far a point ends from where it began, once around the cycle, forwards and backwards in time.
    pub drift_mm: [Option<f64>; 2],
    /// Share of folded voxels by frame.
    pub folded: Vec<f64>,
    /// Areas, volumes, EDV, ESV, EF and mass.
    pub ventricles: Ventricles,
    /// By region: all, segments over all slices, slices, segments of slices.
    pub strain: Vec<RegionStrain>,
    /// Against the true outlines, where they are known.
    pub distances: Option<ContourDistances>,
    /// The same of outlines that were carried forwards alone, and backwards alone.
    pub ways: Vec<ContourDistances>,
}

impl TrackRun {
    /// `clg, fast`.
    pub fn name(&self) -> String {
        format!("{}, {}", self.method, self.preset)
    }

    /// The largest share of folded voxels of any frame.
    pub fn worst_folding(&self) -> f64 {
        self.folded.iter().copied().fold(0.0, f64::max)
    }
}
