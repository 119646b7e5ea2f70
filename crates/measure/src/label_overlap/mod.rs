//! Overlap and surface distance of two label images on one grid, label by label.
//!
//! *Sources*: Dice: L. R. Dice, Ecology 26(3), 1945; mean over the labels of the truth without background:
//! G. E. Christensen et al., "Introduction to the Non-Rigid Image Registration Evaluation Project", WBIR 2006;
//! Hausdorff 95: the larger of the two directed 95th percentiles of the distances between surface voxels.

mod counts;
mod distance_transform;
mod hausdorff;
mod in_boxes;
mod label_box;
mod regions;
mod samples;
mod scatter;
mod surface_lists;

use crate::error::MeasureError;
use hausdorff::Surfaces;
pub use in_boxes::{LabelOverlapSums, LabelSurfaces};
pub use label_box::LabelBox;
use regions::{Region, regions};
pub use samples::labels_from_samples;
use serde::Serialize;
pub use surface_lists::{SurfaceLists, SurfaceTurn};
use veloxel_core::{Mask, Portion, Stopped, Threads, Volume};

/// How well one label of the result covers the same label of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelOverlap {
    /// The label's number.
    pub label: u32,
    /// Voxels with this label in the truth.
    pub truth_voxels: usize,
    /// Voxels with this label in the result.
    pub result_voxels: usize,
    /// `2 |A ∩ B| / (|A| + |B|)`, 0 to 1.
    pub dice: f64,
    /// `|A ∩ B| / |A ∪ B|`, 0 to 1.
    pub jaccard: f64,
    /// 95th percentile Hausdorff distance, millimetres; `None` if one of the two has no such voxel.
    pub hausdorff95_mm: Option<f64>,
}

/// All labels, and their means.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelOverlapReport {
    /// Every label above 0 that occurs in the truth or in the result, by number.
    pub labels: Vec<LabelOverlap>,
    /// Mean Dice over the labels of the truth; a label that the result lost counts as 0.
    pub mean_dice: f64,
    /// Mean Jaccard over the labels of the truth.
    pub mean_jaccard: f64,
    /// Mean Hausdorff 95 (millimetres) over the labels that both have; `None` if they share none.
    pub mean_hausdorff95_mm: Option<f64>,
    /// Labels of the result that the truth does not have.
    pub labels_not_in_truth: Vec<u32>,
}

impl LabelOverlapReport {
    /// The report of all labels, and their means.
    ///
    /// # Errors
    /// [`MeasureError::NothingToMeasure`] if the truth has none.
    fn of(labels: Vec<LabelOverlap>) -> Result<Self, MeasureError> {
        let of_truth: Vec<&LabelOverlap> = labels.iter().filter(|l| l.truth_voxels > 0).collect();
        if of_truth.is_empty() {
            return Err(MeasureError::nothing("label overlap", "the truth has no label above 0 there"));
        }
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let distances: Vec<f64> = of_truth.iter().filter_map(|l| l.hausdorff95_mm).collect();
        Ok(Self {
            mean_dice: mean(of_truth.iter().map(|l| l.dice).collect()),
            mean_jaccard: mean(of_truth.iter().map(|l| l.jaccard).collect()),
            mean_hausdorff95_mm: (!distances.is_empty()).then(|| mean(distances)),
            labels_not_in_truth: labels.iter().filter(|l| l.truth_voxels == 0).map(|l| l.label).collect(),
            labels,
        })
    }
}

/// Compares two label images; by the calling thread where `threads` is a channel alone. The background, 0, is left out; so is
/// everything outside `mask` in both, if there is one.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; [`MeasureError::NothingToMeasure`] if the truth has no label;
/// [`MeasureError::Stopped`].
pub fn label_overlap<'a>(
    result: &Volume<u32>,
    truth: &Volume<u32>,
    mask: Option<&Mask>,
    threads: impl Into<Threads<'a>>,
) -> Result<LabelOverlapReport, MeasureError> {
    let threads = threads.into();
    truth.grid().require_same(result.grid(), "label images")?;
    if let Some(mask) = mask {
        truth.grid().require_same(mask.grid(), "truth and mask")?;
        let (mut result, mut truth) = (result.clone(), truth.clone());
        for labels in [&mut result, &mut truth] {
            for (label, inside) in labels.data_mut().iter_mut().zip(mask.data()) {
                *label *= u32::from(*inside);
            }
        }
        return label_overlap(&result, &truth, None, threads);
    }
    let all: Vec<(u32, Region)> = regions([result, truth], threads.silent())?.into_iter().collect();
    let surfaces = Surfaces { images: [result, truth], threads: threads.silent() };
    let mut labels = Vec::with_capacity(all.len());
    for some in in_turns(&all, truth.grid().len()) {
        let (before, own) = (labels.len() as f64, some.len() as f64);
        let measure = || {
            threads.each(some.iter().collect(), |(label, region)| {
                overlap(*label, region, || surfaces.hausdorff95_mm(*label, region))
            })
        };
        let measured = threads.control().portion(Portion { before, own, all: all.len() as f64 }, measure)?;
        labels.extend(measured.into_iter().collect::<Result<Vec<_>, _>>()?);
    }

    LabelOverlapReport::of(labels)
}

/// Labels that are measured beside each other: their boxes have no more voxels together than the whole, or it is a single one.
fn in_turns(mut all: &[(u32, Region)], most_voxels: usize) -> impl Iterator<Item = &[(u32, Region)]> {
    std::iter::from_fn(move || {
        let mut voxels = 0;
        let fits = |(_, region): &&(u32, Region)| {
            voxels += region.size().iter().product::<usize>();
            voxels <= most_voxels
        };
        let count = all.iter().take_while(fits).count().max(1).min(all.len());
        let (some, rest) = all.split_at(count);
        all = rest;
        (!some.is_empty()).then_some(some)
    })
}

fn overlap(
    label: u32,
    region: &Region,
    hausdorff95_mm: impl FnOnce() -> Result<f64, Stopped>,
) -> Result<LabelOverlap, Stopped> {
    let (a, b, both) = (region.in_truth, region.in_result, region.in_both);
    Ok(LabelOverlap {
        label,
        truth_voxels: a,
        result_voxels: b,
        dice: 2.0 * both as f64 / (a + b) as f64,
        jaccard: both as f64 / (a + b - both) as f64,
        hausdorff95_mm: (a > 0 && b > 0).then(hausdorff95_mm).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Control, Grid};

    fn ball(centre: [f64; 3], radius: f64, label: u32) -> Volume<u32> {
        let grid = Grid::volume(24, 20, 18).unwrap().with_spacing_mm([1.0, 1.5, 2.0]).unwrap();
        Volume::from_fn(grid, |p| {
            let d2: f64 = (0..3).map(|a| (p[a] as f64 - centre[a]).powi(2)).sum();
            if d2 <= radius * radius { label } else { 0 }
        })
    }

    #[test]
    fn equal_labels_overlap_fully() {
        let truth = ball([12.0, 10.0, 9.0], 5.0, 7);
        let report = label_overlap(&truth, &truth, None, &Control::default()).unwrap();
        assert_eq!(report.labels.len(), 1);
        assert_eq!(
            (report.mean_dice, report.mean_jaccard, report.mean_hausdorff95_mm),
            (1.0, 1.0, Some(0.0))
        );
    }

    #[test]
    fn a_shift_shows_as_millimetres() {
        let report = label_overlap(
            &ball([12.0, 10.0, 11.0], 5.0, 7),
            &ball([12.0, 10.0, 9.0], 5.0, 7),
            None,
            &Control::default(),
        )
        .unwrap();
        let label = report.labels[0];
        // 2 voxels along z are 4 mm for the poles; sideways surfaces lie closer
        assert!(label.hausdorff95_mm.unwrap() <= 4.0 && label.hausdorff95_mm.unwrap() > 2.0, "{label:?}");
        assert!(label.dice > 0.5 && label.dice < 0.9);
        assert!((label.jaccard - label.dice / (2.0 - label.dice)).abs() < 1e-12);
    }

    #[test]
    fn lost_labels_count_and_invented_ones_are_named() {
        let truth = ball([12.0, 10.0, 9.0], 5.0, 7);
        let mut result = truth.clone();
        result.data_mut().iter_mut().for_each(|v| *v = if *v == 7 { 9 } else { 0 });
        let report = label_overlap(&result, &truth, None, &Control::default()).unwrap();
        assert_eq!(report.mean_dice, 0.0);
        assert_eq!(report.labels_not_in_truth, [9]);
        assert_eq!(report.mean_hausdorff95_mm, None);
    }

    #[test]
    fn background_alone_is_nothing_to_measure() {
        let empty = ball([12.0, 10.0, 9.0], 5.0, 0);
        assert!(matches!(
            label_overlap(&empty, &empty, None, &Control::default()),
            Err(MeasureError::NothingToMeasure { .. })
        ));
    }

    #[test]
    fn what_lies_outside_the_mask_is_background() {
        let truth = ball([12.0, 10.0, 9.0], 5.0, 7);
        let mut result = truth.clone();
        let outside = |[x, ..]: [usize; 3]| x < 12;
        for i in 0..result.data().len() {
            if outside(truth.grid().position(i)) {
                result.data_mut()[i] = 0;
            }
        }
        let whole = label_overlap(&result, &truth, None, &Control::default()).unwrap();
        assert!(whole.mean_dice < 0.8 && whole.mean_hausdorff95_mm > Some(1.0), "{whole:?}");
        let mask = Mask::from_fn(truth.grid().clone(), |p| !outside(p));
        let inside = label_overlap(&result, &truth, Some(&mask), &Control::default()).unwrap();
        assert_eq!((inside.mean_dice, inside.mean_hausdorff95_mm), (1.0, Some(0.0)));
        assert_eq!(inside.labels[0].truth_voxels, whole.labels[0].result_voxels);
        let nowhere = mask.map(|_| false);
        let error = label_overlap(&result, &truth, Some(&nowhere), &Control::default());
        assert!(matches!(error, Err(MeasureError::NothingToMeasure { .. })));
    }
}
