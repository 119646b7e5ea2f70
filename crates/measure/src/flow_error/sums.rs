//! The error of a field that is measured box by box, in any order: that of the whole at once, bit by bit. Boxes are seen twice.

use super::{FlowError, NOTHING, VOXELS_AT_ONCE, VoxelError, VoxelErrors};
use crate::distribution::{DistributionSpread, DistributionSums, ExactSum};
use crate::error::MeasureError;
use crate::words::Words;
use std::ops::Range;
use veloxel_core::{Control, Dimension, Flow, Grid, Mask, Stopped};

/// Boxes of an estimate and the truth that are seen for the first time.
#[derive(Clone)]
pub struct FlowErrorSums {
    errors: VoxelErrors,
    dimension: Dimension,
    truth_voxels: usize,
    measured_voxels: usize,
    outliers: usize,
    /// Measured voxels with an error above 0.5, 1 and 2 voxels.
    above: [usize; 3],
    below_5_deg: usize,
    truth_length: ExactSum,
    end_point_vox: DistributionSums,
    end_point_mm: DistributionSums,
    angular_deg: DistributionSums,
}

/// Limits of [`FlowErrorSums::above`], voxels.
const ABOVE: [f32; 3] = [0.5, 1.0, 2.0];

impl FlowErrorSums {
    /// Begins to measure a field on a grid.
    pub fn new(grid: &Grid) -> Self {
        Self {
            errors: VoxelErrors::on(grid),
            dimension: grid.dimension(),
            truth_voxels: 0,
            measured_voxels: 0,
            outliers: 0,
            above: [0; 3],
            below_5_deg: 0,
            truth_length: ExactSum::default(),
            end_point_vox: DistributionSums::default(),
            end_point_mm: DistributionSums::default(),
            angular_deg: DistributionSums::default(),
        }
    }

    /// Counts a box in, each once.
    ///
    /// # Errors
    /// [`Stopped`].
    ///
    /// # Panics
    /// If estimate and truth have different numbers of voxels.
    pub fn add(&mut self, compared: &ComparedFlows<'_>, control: &Control) -> Result<(), Stopped> {
        self.add_some(compared, 0..compared.truth.grid().len(), control)
    }

    /// Counts some voxels in.
    pub(super) fn add_some(
        &mut self,
        compared: &ComparedFlows<'_>,
        voxels: Range<usize>,
        control: &Control,
    ) -> Result<(), Stopped> {
        let is_true = |i: &usize| compared.truth.is_valid(*i) && compared.is_asked(*i);
        self.truth_voxels += voxels.clone().filter(is_true).count();
        let errors = self.errors;
        each(&errors, compared, voxels, control, |error| {
            self.measured_voxels += 1;
            self.outliers += usize::from(error.is_outlier);
            let counts = self.above.iter_mut().zip(ABOVE);
            counts.for_each(|(count, limit)| *count += usize::from(error.end_point_vox > limit));
            self.below_5_deg += usize::from(error.angular_deg < 5.0);
            self.truth_length.add(error.truth_length_vox);
            self.end_point_vox.add(error.end_point_vox);
            error.end_point_mm.into_iter().for_each(|mm| self.end_point_mm.add(mm));
            self.angular_deg.add(error.angular_deg);
        })
    }

    /// Takes up what was counted elsewhere on the same grid.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.truth_voxels += other.truth_voxels;
        self.measured_voxels += other.measured_voxels;
        self.outliers += other.outliers;
        self.above.iter_mut().zip(other.above).for_each(|(own, other)| *own += other);
        self.below_5_deg += other.below_5_deg;
        self.truth_length.and(&other.truth_length);
        self.end_point_vox.and(&other.end_point_vox);
        self.end_point_mm.and(&other.end_point_mm);
        self.angular_deg.and(&other.angular_deg);
        self
    }

    /// The sums so far as numbers, added to others: [`take_words`](Self::take_words) goes on with them.
    pub fn put_words(&mut self, words: &mut Vec<u64>) {
        self.put(words);
    }

    /// Takes up sums on the same grid; whether there were enough numbers.
    pub fn take_words(&mut self, words: &mut impl Iterator<Item = u64>) -> bool {
        self.take(words)
    }

    /// Begins to see the same boxes again.
    ///
    /// # Errors
    /// [`MeasureError::NothingToMeasure`] if estimate and truth are nowhere both valid.
    pub fn again(self) -> Result<FlowErrorSpread, MeasureError> {
        let (measured, truths) = (self.measured_voxels.max(1) as f64, self.truth_voxels.max(1) as f64);
        let unknown = self.truth_voxels - self.measured_voxels;
        let share = |count: usize| count as f64 / measured;
        let end_point_vox = self.end_point_vox.again().ok_or(NOTHING)?;
        Ok(FlowErrorSpread {
            errors: self.errors,
            end_point_vox,
            end_point_mm: self.end_point_mm.again(),
            angular_deg: self.angular_deg.again().ok_or(NOTHING)?,
            finished: Shares {
                truth_voxels: self.truth_voxels,
                measured_voxels: self.measured_voxels,
                density: self.measured_voxels as f64 / truths,
                above: self.above.map(share),
                fl: share(self.outliers),
                fl_all: (self.outliers + unknown) as f64 / truths,
                angle_below_5_deg: share(self.below_5_deg),
                mean_truth_vox: self.truth_length.value() / self.measured_voxels as f64,
                dimension: self.dimension,
            },
        })
    }
}

impl Words for FlowErrorSums {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let counts = [&mut self.truth_voxels, &mut self.measured_voxels, &mut self.outliers];
        counts
            .into_iter()
            .chain(&mut self.above)
            .chain([&mut self.below_5_deg])
            .for_each(|own| own.visit(visit));
        self.truth_length.visit(visit);
        let distributions = [&mut self.end_point_vox, &mut self.end_point_mm, &mut self.angular_deg];
        distributions.into_iter().for_each(|own| own.visit(visit));
    }
}

/// What is known once all boxes were seen.
#[derive(Clone)]
struct Shares {
    truth_voxels: usize,
    measured_voxels: usize,
    density: f64,
    above: [f64; 3],
    fl: f64,
    fl_all: f64,
    angle_below_5_deg: f64,
    mean_truth_vox: f64,
    dimension: Dimension,
}

/// Boxes of an estimate and the truth that are seen for the second time.
#[derive(Clone)]
pub struct FlowErrorSpread {
    errors: VoxelErrors,
    end_point_vox: DistributionSpread,
    end_point_mm: Option<DistributionSpread>,
    angular_deg: DistributionSpread,
    finished: Shares,
}

impl FlowErrorSpread {
    /// Counts a box in, each once.
    ///
    /// # Errors
    /// [`Stopped`].
    ///
    /// # Panics
    /// If estimate and truth have different numbers of voxels.
    pub fn add(&mut self, compared: &ComparedFlows<'_>, control: &Control) -> Result<(), Stopped> {
        self.add_some(compared, 0..compared.truth.grid().len(), control)
    }

    /// Counts some voxels in.
    pub(super) fn add_some(
        &mut self,
        compared: &ComparedFlows<'_>,
        voxels: Range<usize>,
        control: &Control,
    ) -> Result<(), Stopped> {
        let Self { errors, end_point_vox, end_point_mm, angular_deg, .. } = self;
        each(errors, compared, voxels, control, |error| {
            end_point_vox.add(error.end_point_vox);
            end_point_mm.iter_mut().zip(error.end_point_mm).for_each(|(sums, mm)| sums.add(mm));
            angular_deg.add(error.angular_deg);
        })
    }

    /// Takes up what was counted elsewhere, of the same first time.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.end_point_vox.and(&other.end_point_vox);
        self.end_point_mm.iter_mut().zip(&other.end_point_mm).for_each(|(own, other)| own.and(other));
        self.angular_deg.and(&other.angular_deg);
        self
    }

    /// What the second time has found so far, as numbers that are added to others.
    pub fn put_words(&mut self, words: &mut Vec<u64>) {
        self.put(words);
    }

    /// Goes on with what the second time had found, where the first time found the same; whether there were enough numbers.
    pub fn take_words(&mut self, words: &mut impl Iterator<Item = u64>) -> bool {
        self.take(words)
    }

    /// The error of all boxes.
    ///
    /// # Panics
    /// If boxes were left out the second time.
    pub fn finish(self) -> FlowError {
        let Shares { above: [r0_5, r1, r2], .. } = self.finished;
        FlowError {
            truth_voxels: self.finished.truth_voxels,
            measured_voxels: self.finished.measured_voxels,
            density: self.finished.density,
            end_point_vox: self.end_point_vox.finish(),
            r0_5,
            r1,
            r2,
            fl: self.finished.fl,
            fl_all: self.finished.fl_all,
            end_point_mm: self.end_point_mm.as_ref().map(DistributionSpread::finish),
            angular_deg: self.angular_deg.finish(),
            angle_below_5_deg: self.finished.angle_below_5_deg,
            mean_truth_vox: self.finished.mean_truth_vox,
            dimension: self.finished.dimension,
        }
    }
}

impl Words for FlowErrorSpread {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mm = self.end_point_mm.as_mut();
        [&mut self.end_point_vox, &mut self.angular_deg]
            .into_iter()
            .chain(mm)
            .for_each(|own| own.visit(visit));
    }
}

/// A field, the truth, and where they are compared, all on one grid.
#[derive(Debug, Clone, Copy)]
pub struct ComparedFlows<'a> {
    /// The field that is measured.
    pub estimate: &'a Flow,
    /// The true one.
    pub truth: &'a Flow,
    /// Where they are compared; none: everywhere.
    pub mask: Option<&'a Mask>,
}

impl ComparedFlows<'_> {
    fn is_asked(&self, voxel: usize) -> bool {
        self.mask.is_none_or(|mask| mask.data()[voxel])
    }
}

/// The error of some voxels: of those at which both fields are valid.
fn each(
    errors: &VoxelErrors,
    compared: &ComparedFlows<'_>,
    voxels: Range<usize>,
    control: &Control,
    mut take: impl FnMut(VoxelError),
) -> Result<(), Stopped> {
    let ComparedFlows { estimate, truth, .. } = compared;
    assert_eq!(estimate.grid().len(), truth.grid().len(), "estimate and truth in one box");
    let mut pace = control.once_in(VOXELS_AT_ONCE);
    for i in voxels.filter(|&i| truth.is_valid(i) && estimate.is_valid(i) && compared.is_asked(i)) {
        pace.step()?;
        take(errors.of(estimate.vector_vox(i), truth.vector_vox(i)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::flow_error;
    use super::*;
    use veloxel_core::GridBox;

    #[test]
    fn boxes_have_the_error_of_the_whole() {
        let grid = Grid::volume(11, 9, 7).unwrap().with_spacing_mm([1.0, 1.5, 3.0]).unwrap();
        let mut estimate = Flow::from_fn(grid.clone(), |[x, y, z]| [0.3 * x, (y * z).sin(), 1.0 - 0.01 * z]);
        let mut truth = Flow::from_fn(grid.clone(), |[x, y, z]| [0.2 * x, 0.1 * z, (y - x).cos()]);
        estimate.component_vox_mut(1)[100] = f32::NAN;
        truth.component_vox_mut(2)[200] = f32::NAN;
        let control = &Control::default();
        let mask = Mask::from_fn(grid.clone(), |[x, y, z]| (x + 3 * y + 5 * z) % 7 > 1);
        let whole = flow_error(&estimate, &truth, Some(&mask), control).unwrap();
        let places = [[6, 5, 4], [0, 0, 4], [6, 0, 0], [0, 5, 4], [0, 0, 0], [6, 5, 0], [6, 0, 4], [0, 5, 0]];
        let boxes = places.map(|begin| {
            let end = [0, 1, 2].map(|a| if begin[a] == 0 { [6, 5, 4][a] } else { grid.size()[a] });
            GridBox { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) }
        });
        let cut = |flow: &Flow, part: GridBox| {
            let components = flow.components_vox().map(|c| part.of(c, grid.size())).collect();
            Flow::new(grid.part(part), components).unwrap()
        };
        let cut_mask = |part: GridBox| Mask::new(grid.part(part), part.of(mask.data(), grid.size())).unwrap();
        assert_eq!(boxes.iter().map(GridBox::len).sum::<usize>(), grid.len());
        let mut sums = FlowErrorSums::new(&grid);
        for part in boxes {
            // Put aside after each box.
            let mut words = Vec::new();
            sums.put_words(&mut words);
            sums = FlowErrorSums::new(&grid);
            assert!(sums.take_words(&mut words.into_iter()));
            let (estimate, truth, mask) = (cut(&estimate, part), cut(&truth, part), cut_mask(part));
            let compared = ComparedFlows { estimate: &estimate, truth: &truth, mask: Some(&mask) };
            sums.add(&compared, control).unwrap();
        }
        let mut again = sums.clone().again().unwrap();
        for part in boxes.into_iter().rev() {
            let mut words = Vec::new();
            again.put_words(&mut words);
            again = sums.clone().again().unwrap();
            assert!(!again.take_words(&mut words[1..].iter().copied()), "too few");
            assert!(again.take_words(&mut words.into_iter()));
            let (estimate, truth, mask) = (cut(&estimate, part), cut(&truth, part), cut_mask(part));
            let compared = ComparedFlows { estimate: &estimate, truth: &truth, mask: Some(&mask) };
            again.add(&compared, control).unwrap();
        }
        assert_eq!(again.finish(), whole);
        assert!(matches!(FlowErrorSums::new(&grid).again(), Err(MeasureError::NothingToMeasure { .. })));
    }
}
