//! The content of `report.json` of a flow.

use crate::error::ReportError;
use crate::pictures::view::PairView;
use crate::run::header::RunHeader;
use serde::Serialize;
use veloxel_core::matrix3::apply;
use veloxel_core::{Control, FlowStatistics, Grid, Stopped};
use veloxel_measure::{
    FlowError, FoldingCertificate, LabelOverlapReport, Sparsification, flow_error, folding_certificate,
    in_parts, sparsification,
};

/// One run of one method over one pair or a sequence of pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The method's name for people, from the table of methods; pages alone show it.
    #[serde(skip)]
    pub method_title: &'static str,
    /// One entry for every pair, in the order of time; a plain run has one.
    pub pairs: Vec<PairReport>,
    /// Mean length of the motion composed over one whole cycle (voxels), for sequences that close.
    pub cycle_closure_vox: Option<f64>,
    /// Overlap of the labels carried by the field with the true ones, if both were given.
    pub label_overlap: Option<LabelOverlapReport>,
}

/// One pair of images: the statistics of the solver and measurements of its field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// Title of the pair: `frame 3 → 4`, or the names of the two images.
    pub title: String,
    /// The numbers of the fixed and of the moving frame, in a sequence.
    pub frames: Option<[usize; 2]>,
    /// Statistics of the solver.
    pub statistics: FlowStatistics,
    /// Statistics of the field.
    pub motion: MotionReport,
    /// The cells between the voxels by what is proven of them.
    pub cells: FoldingCertificate,
    /// Error against the truth, if a truth was given.
    pub error: Option<FlowError>,
    /// How well the confidence predicts the error, if a truth was given.
    pub sparsification: Option<Sparsification>,
}

impl PairReport {
    /// Measures a pair, within its mask where it has one.
    ///
    /// # Errors
    /// [`ReportError::Core`] if something lies on another grid; [`ReportError::Measure`] if a truth is given
    /// that shares no valid voxel with the field.
    pub fn measure(
        view: &PairView,
        statistics: FlowStatistics,
        control: &Control,
    ) -> Result<Self, ReportError> {
        view.require_one_grid()?;
        let error = view.truth.map(|truth| flow_error(view.flow, truth, view.mask, control)).transpose()?;
        let curve = |truth| sparsification(view.flow, truth, view.confidence, view.mask, control);
        let sparsification = view.truth.map(curve).transpose()?;
        Ok(Self {
            title: view.title.to_owned(),
            frames: view.frames,
            statistics,
            motion: MotionReport::measure(view, control)?,
            cells: folding_certificate(view.flow, view.mask, control)?,
            error,
            sparsification,
        })
    }
}

/// Statistics of the field, within the mask if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MotionReport {
    /// Mean length of the valid vectors, voxels.
    pub mean_vox: f64,
    /// Largest length, voxels.
    pub max_vox: f64,
    /// Mean length, millimetres.
    pub mean_mm: f64,
    /// Largest length, millimetres.
    pub max_mm: f64,
    /// Share of voxels with a valid vector.
    pub valid_share: f64,
    /// Share of the valid vectors that leave the moving image by more than half a voxel.
    pub outside_share: f64,
    /// Mean confidence of the valid vectors, 0 to 1.
    pub mean_confidence: f64,
    /// Mean determinant of `I + ∇d`: the volume after the motion over the volume before.
    pub volume_ratio: f64,
}

impl MotionReport {
    fn measure(view: &PairView, control: &Control) -> Result<Self, Stopped> {
        let count = view.flow.grid().len();
        let parts = in_parts(count, |voxels| control.check().map(|()| Sums::of(view, voxels)))?;
        let sums = parts.iter().fold(Sums::default(), Sums::and);
        let share = |sum: f64, count: usize| sum / count.max(1) as f64;
        Ok(Self {
            mean_vox: share(sums.vox.sum, sums.valid),
            max_vox: sums.vox.max,
            mean_mm: share(sums.mm.sum, sums.valid),
            max_mm: sums.mm.max,
            valid_share: share(sums.valid as f64, sums.inside),
            outside_share: share(sums.outside as f64, sums.valid),
            mean_confidence: share(sums.confidence, sums.valid),
            volume_ratio: match sums.determinants {
                0 => f64::NAN,
                count => share(sums.determinant, count),
            },
        })
    }
}

/// Where the moving image ends: half a voxel beyond the centres of its outermost voxels.
struct MovingEnds<'a> {
    fixed: &'a Grid,
    size: [usize; 3],
    /// The matrix from the world to the moving image's voxels, and that image's origin; none if it shares the fixed grid.
    own: Option<([[f64; 3]; 3], [f64; 3])>,
}

impl<'a> MovingEnds<'a> {
    fn of(view: &PairView<'a>) -> Self {
        let own = view.moving_grid.filter(|own| own.require_same(view.fixed.grid(), "two grids").is_err());
        Self {
            fixed: view.fixed.grid(),
            size: own.unwrap_or(view.fixed.grid()).size(),
            own: own.map(|grid| (grid.voxel_from_world_matrix(), grid.origin_mm())),
        }
    }

    /// Whether a position in voxels of the fixed image lies in the moving one.
    fn hold(&self, fixed_vox: [f64; 3]) -> bool {
        let place = match &self.own {
            None => fixed_vox,
            Some((matrix, origin)) => {
                let world = self.fixed.world_from_voxel(fixed_vox);
                let from_origin = [0, 1, 2].map(|axis: usize| world[axis] - origin[axis]);
                apply(matrix, from_origin)
            }
        };
        place.into_iter().zip(self.size).all(|(p, n)| (-0.5..=n as f64 - 0.5).contains(&p))
    }
}

/// The sums that a part of the voxels adds to the report.
#[derive(Default)]
struct Sums {
    inside: usize,
    valid: usize,
    outside: usize,
    vox: LengthSum,
    mm: LengthSum,
    confidence: f64,
    determinant: f64,
    determinants: usize,
}

impl Sums {
    fn of(view: &PairView, voxels: std::ops::Range<usize>) -> Self {
        let grid = view.flow.grid();
        let (matrix, ends) = (grid.world_from_voxel_matrix(), MovingEnds::of(view));
        let mut sums = Self::default();
        for i in voxels.filter(|&i| view.mask.is_none_or(|m| m.data()[i])) {
            sums.inside += 1;
            if !view.flow.is_valid(i) {
                continue;
            }
            sums.valid += 1;
            let v = view.flow.vector_vox(i).map(f64::from);
            let position = grid.position(i);
            sums.outside += usize::from(!ends.hold([0, 1, 2].map(|axis| position[axis] as f64 + v[axis])));
            sums.vox.add(v);
            sums.mm.add(apply(&matrix, v));
            sums.confidence += f64::from(view.confidence.data()[i]);
            let det = f64::from(view.jacobian.data()[i]);
            if det.is_finite() {
                sums.determinant += det;
                sums.determinants += 1;
            }
        }
        sums
    }

    fn and(self, other: &Self) -> Self {
        Self {
            inside: self.inside + other.inside,
            valid: self.valid + other.valid,
            outside: self.outside + other.outside,
            vox: self.vox.and(&other.vox),
            mm: self.mm.and(&other.mm),
            confidence: self.confidence + other.confidence,
            determinant: self.determinant + other.determinant,
            determinants: self.determinants + other.determinants,
        }
    }
}

#[derive(Default)]
struct LengthSum {
    sum: f64,
    max: f64,
}

impl LengthSum {
    fn and(self, other: &Self) -> Self {
        Self { sum: self.sum + other.sum, max: self.max.max(other.max) }
    }
    fn add(&mut self, v: [f64; 3]) {
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        self.sum += length;
        self.max = self.max.max(length);
    }
}
