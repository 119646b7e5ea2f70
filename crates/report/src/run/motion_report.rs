//! How long the vectors of a field are, and where they lead: of the whole, or box by box.

use crate::pictures::view::PairView;
use serde::{Deserialize, Serialize};
use veloxel_core::matrix3::apply;
use veloxel_core::{Flow, Grid, Mask, Stopped, Threads};

/// Statistics of the field, within the mask if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// The statistics of a whole field, within its mask where it has one.
    pub(crate) fn measure(view: &PairView, threads: Threads<'_>) -> Result<Self, Stopped> {
        let ends = MovingEnds::of(view.fixed.grid(), view.moving_grid.unwrap_or(view.fixed.grid()));
        let (confidence, jacobian) = (view.confidence.data(), view.jacobian.data());
        let field = FieldBox { flow: view.flow, confidence, jacobian, begin: [0; 3] };
        Ok(Sums::of_box(&field, &ends, view.mask, threads)?.report())
    }
}

/// The statistics of a field that is measured box by box.
pub struct MotionSums<'a> {
    ends: MovingEnds<'a>,
    sums: Sums,
}

/// A box of a field with what is measured of it.
#[derive(Debug, Clone, Copy)]
pub struct FieldBox<'a> {
    /// The vectors of the box, on a grid of its own.
    pub flow: &'a Flow,
    /// Their confidence, x fastest.
    pub confidence: &'a [f32],
    /// The determinants, x fastest.
    pub jacobian: &'a [f32],
    /// The voxel of the whole grid that is the first of the box.
    pub begin: [usize; 3],
}

impl<'a> MotionSums<'a> {
    /// No box yet of a field on a fixed grid that points into a moving one.
    pub fn new(fixed: &'a Grid, moving: &'a Grid) -> Self {
        Self { ends: MovingEnds::of(fixed, moving), sums: Sums::default() }
    }

    /// Counts a box in.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add<'t>(&mut self, field: &FieldBox<'_>, threads: impl Into<Threads<'t>>) -> Result<(), Stopped> {
        let own = Sums::of_box(field, &self.ends, None, threads.into())?;
        self.sums = std::mem::take(&mut self.sums).and(&own);
        Ok(())
    }

    /// The statistics of all boxes.
    pub fn report(&self) -> MotionReport {
        self.sums.report()
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
    fn of(fixed: &'a Grid, moving: &'a Grid) -> Self {
        let own = Some(moving).filter(|own| own.require_same(fixed, "two grids").is_err());
        Self {
            fixed,
            size: own.unwrap_or(fixed).size(),
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
    /// The sums over all voxels of a box within a mask, which lies on the box's grid.
    fn of_box(
        field: &FieldBox<'_>,
        ends: &MovingEnds<'_>,
        mask: Option<&Mask>,
        threads: Threads<'_>,
    ) -> Result<Self, Stopped> {
        let len = field.flow.grid().len();
        let part = |voxels| Ok(Self::of(field, ends, mask, voxels));
        let parts = threads.for_samples(len).in_parts(len, part)?;
        Ok(parts.iter().fold(Self::default(), Self::and))
    }

    fn of(
        field: &FieldBox<'_>,
        ends: &MovingEnds<'_>,
        mask: Option<&Mask>,
        voxels: std::ops::Range<usize>,
    ) -> Self {
        let grid = field.flow.grid();
        let matrix = grid.world_from_voxel_matrix();
        let mut sums = Self::default();
        for i in voxels.filter(|&i| mask.is_none_or(|m| m.data()[i])) {
            sums.inside += 1;
            if !field.flow.is_valid(i) {
                continue;
            }
            sums.valid += 1;
            let v = field.flow.vector_vox(i).map(f64::from);
            let place = grid.position(i);
            let position = [0, 1, 2].map(|axis| field.begin[axis] + place[axis]);
            sums.outside += usize::from(!ends.hold([0, 1, 2].map(|axis| position[axis] as f64 + v[axis])));
            sums.vox.add(v);
            sums.mm.add(apply(&matrix, v));
            sums.confidence += f64::from(field.confidence[i]);
            let det = f64::from(field.jacobian[i]);
            if det.is_finite() {
                sums.determinant += det;
                sums.determinants += 1;
            }
        }
        sums
    }

    fn report(&self) -> MotionReport {
        let share = |sum: f64, count: usize| sum / count.max(1) as f64;
        MotionReport {
            mean_vox: share(self.vox.sum, self.valid),
            max_vox: self.vox.max,
            mean_mm: share(self.mm.sum, self.valid),
            max_mm: self.mm.max,
            valid_share: share(self.valid as f64, self.inside),
            outside_share: share(self.outside as f64, self.valid),
            mean_confidence: share(self.confidence, self.valid),
            volume_ratio: match self.determinants {
                0 => f64::NAN,
                count => share(self.determinant, count),
            },
        }
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
