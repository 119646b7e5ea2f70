//! The tables of a run: strain of every region, and areas and volumes over time; distances to readers, and expected errors.

mod csv;
mod distance_table;
mod expected_errors;

pub use distance_table::{DistanceTable, NamedCurve};
pub use expected_errors::{OutlineError, OutlineErrorTable};
use veloxel_measure::{Chamber, CurveEnds, RegionStrain, StrainAt, eulerian, rate_per_s};
use veloxel_report::TrackRun;

/// The times of frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    pub interval_ms: Option<f64>,
    pub periodicity: CurveEnds,
    pub reference: usize,
}

impl Timing {
    fn of(&self, frame: usize) -> Option<f64> {
        self.interval_ms.map(|ms| ms * frame as f64)
    }

    fn rates(&self, curve: &[f64]) -> Vec<Option<f64>> {
        match self.interval_ms {
            Some(ms) => rate_per_s(curve, ms, self.periodicity).into_iter().map(Some).collect(),
            None => vec![None; curve.len()],
        }
    }
}

/// One kind of strain.
type StrainKind = fn(&StrainAt) -> Option<f64>;

const KINDS: [StrainKind; 5] = [
    |s| Some(s.circumferential_endo),
    |s| Some(s.circumferential_mid),
    |s| Some(s.circumferential_epi),
    |s| Some(s.radial),
    |s| s.longitudinal,
];

/// The kinds of strain, in the order of [`StrainRow::kinds`].
pub const STRAIN_KINDS: [&str; 5] =
    ["circumferential_endo", "circumferential_mid", "circumferential_epi", "radial", "longitudinal"];

/// Strain of every region over time.
#[derive(Debug, Clone, PartialEq)]
pub struct StrainTable {
    /// The reference frame of strain.
    pub reference: usize,
    /// Region by region, frame by frame.
    pub rows: Vec<StrainRow>,
}

/// The strain of a region at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrainRow {
    /// The slice; none: all.
    pub slice: Option<usize>,
    /// The segment of the left ventricle, from 1 to 17; none: all.
    pub segment: Option<usize>,
    /// The frame.
    pub frame: usize,
    /// When it is, milliseconds, where that is known.
    pub time_ms: Option<f64>,
    /// Strain of each of [`STRAIN_KINDS`], where it is known.
    pub kinds: [Option<StrainNumbers>; 5],
    /// The wall's thickness, millimetres.
    pub thickness_mm: f64,
}

/// One kind of strain at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrainNumbers {
    /// By the length at the reference.
    pub lagrangian: f64,
    /// By the length now.
    pub eulerian: f64,
    /// How fast the first one grows, 1/s, where time is known.
    pub rate_per_s: Option<f64>,
}

impl StrainTable {
    /// The table of a run; none without a wall.
    pub(super) fn of(run: &TrackRun, timing: Timing) -> Option<Self> {
        let rows: Vec<StrainRow> = run.strain.iter().flat_map(|region| region_rows(region, timing)).collect();
        (!run.strain.is_empty()).then_some(Self { reference: timing.reference, rows })
    }
}

fn region_rows(region: &RegionStrain, timing: Timing) -> Vec<StrainRow> {
    let curve = |of: StrainKind| region.frames.iter().map(of).collect::<Option<Vec<f64>>>();
    let curves = KINDS.map(curve);
    let rates = curves.each_ref().map(|curve| Some(timing.rates(curve.as_ref()?)));
    let numbers = |kind: usize, frame: usize| {
        let lagrangian = curves[kind].as_ref()?[frame];
        let rate_per_s = rates[kind].as_ref().and_then(|rates| rates[frame]);
        Some(StrainNumbers { lagrangian, eulerian: eulerian(lagrangian), rate_per_s })
    };
    let row = |(frame, at): (usize, &StrainAt)| StrainRow {
        slice: region.slice,
        segment: region.segment.map(usize::from),
        frame,
        time_ms: timing.of(frame),
        kinds: [0, 1, 2, 3, 4].map(|kind| numbers(kind, frame)),
        thickness_mm: at.thickness_mm,
    };
    region.frames.iter().enumerate().map(row).collect()
}

/// Areas and volumes over time.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionTable {
    /// When each frame is, milliseconds, where that is known.
    pub time_ms: Vec<Option<f64>>,
    /// One a quantity: volumes of chambers, areas in slices.
    pub curves: Vec<FunctionCurve>,
}

/// A quantity over time.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCurve {
    /// Its name with its unit, such as `lv_volume_ml`.
    pub name: String,
    /// By frame.
    pub values: Vec<f64>,
}

impl FunctionTable {
    /// The table of a run over so many frames.
    pub(super) fn of(run: &TrackRun, frames: usize, timing: Timing) -> Self {
        let found = &run.ventricles;
        // A single slice has a volume of its own, which is none of its ventricle.
        let of_chamber = |side: &str, chamber: &Option<Chamber>| {
            let chamber = chamber.as_ref()?;
            let of = if chamber.areas_cm2.is_some() { "slice_volume_ml" } else { "volume_ml" };
            Some(FunctionCurve { name: format!("{side}_{of}"), values: chamber.volume_ml.clone() })
        };
        let of_muscle = |values: &Vec<f64>| FunctionCurve {
            name: "lv_muscle_volume_ml".to_owned(),
            values: values.clone(),
        };
        let volumes = [
            of_chamber("lv", &found.lv),
            found.muscle_ml.as_ref().map(of_muscle),
            of_chamber("rv", &found.rv),
        ];
        let volumes = volumes.into_iter().flatten();
        let areas = found.areas.iter().map(|curve| FunctionCurve {
            name: format!("{}_slice{}_mm2", curve.structure, curve.slice),
            values: curve.area_mm2.clone(),
        });
        let time_ms = (0..frames).map(|frame| timing.of(frame)).collect();
        Self { time_ms, curves: volumes.chain(areas).collect() }
    }
}
