//! Overlap and surface distance of two label images on one grid, label by label.
//!
//! *Sources*: Dice: L. R. Dice, Ecology 26(3), 1945; mean over the labels of the truth without background:
//! G. E. Christensen et al., "Introduction to the Non-Rigid Image Registration Evaluation Project", WBIR 2006;
//! Hausdorff 95: the larger of the two directed 95th percentiles of the distances between surface voxels.

use crate::distance_transform::squared_distance_mm2;
use crate::distribution::quantile;
use crate::error::MeasureError;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use veloxel_core::{Control, Grid, Mask, Stopped, Volume};

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
    /// First and last voxel `(x, y, z)`, both included.
    pub labels_not_in_truth: Vec<u32>,
}

/// Compares two label images. The background, 0, is left out; so is everything outside `mask` in both, if there is one.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; [`MeasureError::NothingToMeasure`] if the truth has no label;
/// [`MeasureError::Stopped`].
pub fn label_overlap(
    result: &Volume<u32>,
    truth: &Volume<u32>,
    mask: Option<&Mask>,
    control: &Control,
) -> Result<LabelOverlapReport, MeasureError> {
    truth.grid().require_same(result.grid(), "label images")?;
    if let Some(mask) = mask {
        truth.grid().require_same(mask.grid(), "truth and mask")?;
        let (mut result, mut truth) = (result.clone(), truth.clone());
        for labels in [&mut result, &mut truth] {
            for (label, inside) in labels.data_mut().iter_mut().zip(mask.data()) {
                *label *= u32::from(*inside);
            }
        }
        return label_overlap(&result, &truth, None, control);
    }
    let mut labels = Vec::new();
    for (label, region) in regions(result, truth, control)? {
        let (a, b, both) = (region.in_truth, region.in_result, region.in_both);
        let distance = || hausdorff95_mm(result, truth, label, &region, control);
        labels.push(LabelOverlap {
            label,
            truth_voxels: a,
            result_voxels: b,
            dice: 2.0 * both as f64 / (a + b) as f64,
            jaccard: both as f64 / (a + b - both) as f64,
            hausdorff95_mm: (a > 0 && b > 0).then(distance).transpose()?,
        });
    }

    let of_truth: Vec<&LabelOverlap> = labels.iter().filter(|l| l.truth_voxels > 0).collect();
    if of_truth.is_empty() {
        return Err(MeasureError::nothing("label overlap", "the truth has no label above 0 there"));
    }
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let distances: Vec<f64> = of_truth.iter().filter_map(|l| l.hausdorff95_mm).collect();
    Ok(LabelOverlapReport {
        mean_dice: mean(of_truth.iter().map(|l| l.dice).collect()),
        mean_jaccard: mean(of_truth.iter().map(|l| l.jaccard).collect()),
        mean_hausdorff95_mm: (!distances.is_empty()).then(|| mean(distances)),
        labels_not_in_truth: labels.iter().filter(|l| l.truth_voxels == 0).map(|l| l.label).collect(),
        labels,
    })
}

/// Number of voxels between two questions whether the run is to go on.
const VOXELS_AT_ONCE: usize = 1 << 18;
/// Most values that an image of labels is assumed to have without a closer look: more may be those of a grey image.
const FEW_LABELS: usize = 32;

/// Samples as labels.
///
/// # Errors
/// [`MeasureError::NotALabel`] with the first sample that is not a whole number from 0 to 2^24; [`MeasureError::GreyImage`] for
/// many values most of which are scattered, as intensities are; `what` names the image.
pub fn labels_from_samples(
    samples: &Volume<f32>,
    what: &str,
    control: &Control,
) -> Result<Volume<u32>, MeasureError> {
    const LARGEST: f32 = 16_777_216.0;
    let is_label = |v: f32| v.fract() == 0.0 && (0.0..=LARGEST).contains(&v);
    let mut labels = Vec::with_capacity(samples.data().len());
    for few in samples.data().chunks(VOXELS_AT_ONCE) {
        control.check()?;
        if let Some(i) = few.iter().position(|&v| !is_label(v)) {
            let (value, position) = (few[i], samples.grid().position(labels.len() + i));
            return Err(MeasureError::NotALabel { what: what.to_owned(), value, position });
        }
        labels.extend(few.iter().map(|&v| v as u32));
    }
    let labels = Volume::new(samples.grid().clone(), labels)?;
    match scattered(&labels, control)? {
        None => Ok(labels),
        Some(values) => Err(MeasureError::GreyImage { what: what.to_owned(), values }),
    }
}

/// How many values there are, if they are many and most of them form no regions: fewer than half of their voxels have an equal
/// neighbour along x or y.
fn scattered(labels: &Volume<u32>, control: &Control) -> Result<Option<usize>, Stopped> {
    let [nx, ny, _] = labels.grid().size();
    let mut regions: HashMap<u32, [usize; 2]> = HashMap::new();
    let mut pace = control.once_in(VOXELS_AT_ONCE);
    for (i, label) in labels.data().iter().enumerate() {
        pace.step()?;
        let equals = |is_there: bool, step: usize| usize::from(is_there && labels.data()[i + step] == *label);
        let pairs = equals(i % nx + 1 < nx, 1) + equals(i / nx % ny + 1 < ny, nx);
        let [voxels, equal] = regions.entry(*label).or_default();
        (*voxels, *equal) = (*voxels + 1, *equal + pairs);
    }
    let scattered = regions.values().filter(|[voxels, equal]| equal < voxels).count();
    Ok((regions.len() > FEW_LABELS && 2 * scattered > regions.len()).then_some(regions.len()))
}

/// Where a label lies in both images.
#[derive(Default)]
struct Region {
    in_truth: usize,
    in_result: usize,
    in_both: usize,
    /// First and last voxel `(x, y, z)`, both inside.
    first: [usize; 3],
    last: [usize; 3],
}

fn regions(
    result: &Volume<u32>,
    truth: &Volume<u32>,
    control: &Control,
) -> Result<BTreeMap<u32, Region>, Stopped> {
    let mut regions = BTreeMap::new();
    for (i, (&r, &t)) in result.data().iter().zip(truth.data()).enumerate() {
        if i % VOXELS_AT_ONCE == 0 {
            control.check()?;
        }
        if r == 0 && t == 0 {
            continue;
        }
        let p = truth.grid().position(i);
        let labels = if r == t { &[t][..] } else { &[t, r] };
        for &label in labels.iter().filter(|label| **label > 0) {
            let region = regions.entry(label).or_insert(Region { first: p, last: p, ..Region::default() });
            region.in_truth += usize::from(t == label);
            region.in_result += usize::from(r == label);
            region.in_both += usize::from(r == t);
            region.first = [0, 1, 2].map(|a| region.first[a].min(p[a]));
            region.last = [0, 1, 2].map(|a| region.last[a].max(p[a]));
        }
    }
    Ok(regions)
}

fn hausdorff95_mm(
    result: &Volume<u32>,
    truth: &Volume<u32>,
    label: u32,
    region: &Region,
    control: &Control,
) -> Result<f64, Stopped> {
    let size = [0, 1, 2].map(|a| region.last[a] - region.first[a] + 1);
    let box_at = |labels| surface(labels, label, [region.first, size], control);
    let (of_truth, of_result) = (box_at(truth)?, box_at(result)?);
    let directed = |from: &[bool], to: &[bool]| {
        let squared = squared_distance_mm2(to, size, truth.grid().spacing_mm(), control)?;
        let mut distances: Vec<f32> =
            squared.iter().zip(from).filter(|(_, on)| **on).map(|(d, _)| d.sqrt()).collect();
        quantile(&mut distances, 0.95, control)
    };
    let there: f64 = directed(&of_truth, &of_result)?;
    Ok(there.max(directed(&of_result, &of_truth)?))
}

/// Voxels of the label, within a box, that touch another label (or the grid's border) through a face.
fn surface(
    labels: &Volume<u32>,
    label: u32,
    [first, [nx, ny, nz]]: [[usize; 3]; 2],
    control: &Control,
) -> Result<Vec<bool>, Stopped> {
    let (data, grid) = (labels.data(), labels.grid());
    let mut pace = control.once_in(VOXELS_AT_ONCE);
    let is_on_surface = |i: usize| {
        pace.step()?;
        let p = [first[0] + i % nx, first[1] + i / nx % ny, first[2] + i / (nx * ny)];
        Ok(data[grid.index(p)] == label && touches_another(data, grid, p))
    };
    (0..nx * ny * nz).map(is_on_surface).collect()
}

fn touches_another(data: &[u32], grid: &Grid, p: [usize; 3]) -> bool {
    let size = grid.size();
    let strides = [1, size[0], size[0] * size[1]];
    let i = grid.index(p);
    (0..grid.dimension().count()).any(|a| {
        p[a] == 0 || p[a] + 1 == size[a] || data[i - strides[a]] != data[i] || data[i + strides[a]] != data[i]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn samples_that_are_no_labels_are_refused() {
        let grid = Grid::image(3, 1).unwrap();
        for bad in [0.5, -1.0, f32::NAN, 3e7] {
            let samples = Volume::new(grid.clone(), vec![0.0, 4.0, bad]).unwrap();
            let error = labels_from_samples(&samples, "labels.nii", &Control::default()).unwrap_err();
            assert!(error.to_string().contains("(x, y, z) = [2, 0, 0]"), "{error}");
        }
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

    #[test]
    fn a_grey_image_is_no_label_image_and_an_atlas_is() {
        let grid = Grid::image(64, 64).unwrap();
        let samples = |value: &dyn Fn(usize, usize) -> usize| {
            let volume = Volume::from_fn(grid.clone(), |[x, y, _]| value(x, y) as f32);
            labels_from_samples(&volume, "a.png", &Control::default())
        };
        // 256 regions of 4 × 4, and two wide ones among scattered values.
        assert!(samples(&|x, y| x / 4 + 16 * (y / 4)).is_ok());
        assert!(samples(&|x, y| usize::from(x + y > 40)).is_ok());
        let grey = samples(&|x, y| if x < 40 { 7 } else { (x * x + 3 * y * y) % 251 });
        assert!(matches!(grey, Err(MeasureError::GreyImage { .. })));
    }
}
