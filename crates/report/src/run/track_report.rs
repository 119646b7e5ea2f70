//! The JSON of a run that followed outlines over a cine.

use crate::run::header::RunHeader;
use serde::Serialize;
use veloxel_core::Structure;
use veloxel_measure::{ContourDistances, CurveEnds, DistanceCurve, RegionStrain, StrainSummary, Ventricles};

/// A cine, and the results of each method on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The cine that was followed.
    pub cine: CineReport,
    /// The run of each method, in the order asked for.
    pub runs: Vec<TrackRun>,
    /// How far true outlines of several readers lie from each other, pair by pair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between_readers: Vec<BetweenReaders>,
}

/// Outlines that were carried along, against those of one reader, on all frames: where they were drawn by this reader the distance
/// is 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReaderDistances {
    /// Name of the reader: the first of his files.
    pub reader: String,
    /// The mean by frame.
    pub curves: Vec<DistanceCurve>,
    /// Outline by outline.
    pub distances: ContourDistances,
}

/// The outlines of one reader against those of another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BetweenReaders {
    /// Their names.
    pub readers: [String; 2],
    /// The mean by frame.
    pub curves: Vec<DistanceCurve>,
    /// Outline by outline.
    pub distances: ContourDistances,
}

/// The cine that was followed, and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CineReport {
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Millimetres between neighbours.
    pub spacing_mm: [f64; 3],
    /// Number of frames.
    pub frames: usize,
    /// Milliseconds between them, where that is known.
    pub frame_interval_ms: Option<f64>,
    /// The frames whose outlines were carried along; the first is the reference of motion and strain.
    pub start_frames: Vec<usize>,
    /// The slices with outlines.
    pub slices: Vec<usize>,
    /// The first pixel of the region in which motion was estimated.
    pub region_from_px: [usize; 2],
    /// Size of that region, pixels.
    pub region_size_px: [usize; 2],
    /// `in-plane` or `volume`.
    pub motion: String,
    /// Where outlines of the left ventricle were carried from: as `drawn`, or placed by the `stack`.
    pub placement: String,
    /// How outlines of cavities followed: `moved` with the motion alone, or half corrected by their `rim`.
    pub cavities: String,
}

/// The results of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackRun {
    /// The method's name.
    pub method: String,
    /// The preset that its parameters started from.
    pub preset: String,
    /// Every parameter as used.
    pub parameters: serde_json::Value,
    /// Wall-clock time of all its estimates.
    pub time_ms: f64,
    /// Whether the last frame was taken to be followed by the first one.
    pub periodicity: CurveEnds,
    /// Distance between the start and the end of a point's path once around the cycle, forwards and backwards in time, mm.
    pub drift_mm: [Option<f64>; 2],
    /// Share of folded voxels by frame.
    pub folded: Vec<f64>,
    /// Areas, volumes, EDV, ESV, EF and mass.
    pub ventricles: Ventricles,
    /// Strain by region: of all, of segments over all slices, of slices, and of segments of slices.
    pub strain: Vec<RegionStrain>,
    /// Extreme and end-systolic strain of the same regions.
    pub strain_summary: Vec<StrainSummary>,
    /// Distances to the true outlines of the first reader, if they are known, but on the frames that outlines were carried from.
    pub distances: Option<ContourDistances>,
    /// Distances to the same outlines of those that were carried forwards alone, and backwards alone.
    pub ways: Vec<ContourDistances>,
    /// Distances to a reader's outlines that are to be expected, by structure; empty of a method that no heart was measured with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected_errors: Vec<ExpectedDistance>,
    /// Distances to each reader's outlines over all frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<ReaderDistances>,
}

/// The distance to a reader's outlines that is to be expected of a structure's, on frames without drawn ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExpectedDistance {
    /// What the outlines enclose.
    pub structure: Structure,
    /// Number of outlines that were carried to other frames.
    pub count: usize,
    /// Mean of their expected modified Hausdorff distances.
    pub modified_hausdorff_mm: f64,
    /// Mean of the distances that nine of ten stay below.
    pub nine_of_ten_mm: f64,
}

impl TrackRun {
    /// Method and preset: `clg, fast`.
    pub fn name(&self) -> String {
        format!("{}, {}", self.method, self.preset)
    }

    /// The largest share of folded voxels of any frame.
    pub fn worst_folding(&self) -> f64 {
        self.folded.iter().copied().fold(0.0, f64::max)
    }
}
