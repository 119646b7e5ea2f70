//! Samples of an image as labels, unless they are none.

use crate::error::MeasureError;
use std::collections::HashMap;
use veloxel_core::{Stopped, Threads, Volume};

/// Most values that an image of labels is assumed to have without a closer look: more may be those of a grey image.
const FEW_LABELS: usize = 32;
/// The largest whole number below which a 32-bit float holds all.
const LARGEST: f32 = 16_777_216.0;

/// Samples as labels; by the calling thread where `threads` is a channel alone.
///
/// # Errors
/// [`MeasureError::NotALabel`] with the first sample that is not a whole number from 0 to 2^24; [`MeasureError::GreyImage`] for
/// many values most of which are scattered, as intensities are; `what` names the image.
pub fn labels_from_samples<'a>(
    samples: &Volume<f32>,
    what: &str,
    threads: impl Into<Threads<'a>>,
) -> Result<Volume<u32>, MeasureError> {
    let is_label = |v: f32| v.fract() == 0.0 && (0.0..=LARGEST).contains(&v);
    let (grid, data) = (samples.grid(), samples.data());
    let threads = threads.into().for_samples(data.len());
    let mut labels = [vec![0u32; data.len()]];
    let odd = threads.fill(&mut labels, grid.size()[0], |begin, own| {
        for (nth, label) in own.iter_mut().flat_map(|own| own.iter_mut()).enumerate() {
            let v = data[begin + nth];
            if !is_label(v) {
                return Ok(Some(begin + nth));
            }
            *label = v as u32;
        }
        Ok(None)
    })?;
    if let Some(i) = odd.into_iter().flatten().next() {
        return Err(MeasureError::NotALabel {
            what: what.to_owned(),
            value: data[i],
            position: grid.position(i),
        });
    }
    let [labels] = labels;
    let labels = Volume::new(grid.clone(), labels)?;
    match scattered(&labels, threads)? {
        None => Ok(labels),
        Some(values) => Err(MeasureError::GreyImage { what: what.to_owned(), values }),
    }
}

/// How many values there are, if they are many and most of them form no regions: fewer than half of their voxels have an equal
/// neighbour along x or y.
fn scattered(labels: &Volume<u32>, threads: Threads<'_>) -> Result<Option<usize>, Stopped> {
    let ([nx, ny, nz], data) = (labels.grid().size(), labels.data());
    let parts = threads.in_parts(ny * nz, |rows| {
        let mut regions: HashMap<u32, [usize; 2]> = HashMap::new();
        for row in rows {
            threads.control().check()?;
            let (own, below) = data[row * nx..].split_at(nx);
            let below = below.get(..nx).filter(|_| row % ny + 1 < ny);
            let mut begin = 0;
            for run in own.chunk_by(|a, b| a == b) {
                let end = begin + run.len();
                let equal =
                    below.map_or(0, |below| below[begin..end].iter().filter(|v| **v == run[0]).count());
                let [voxels, all] = regions.entry(run[0]).or_default();
                (*voxels, *all) = (*voxels + run.len(), *all + run.len() - 1 + equal);
                begin = end;
            }
        }
        Ok(regions)
    })?;
    let mut regions: HashMap<u32, [usize; 2]> = HashMap::new();
    for (label, [voxels, equal]) in parts.into_iter().flatten() {
        let all = regions.entry(label).or_default();
        *all = [all[0] + voxels, all[1] + equal];
    }
    let scattered = regions.values().filter(|[voxels, equal]| equal < voxels).count();
    Ok((regions.len() > FEW_LABELS && 2 * scattered > regions.len()).then_some(regions.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Control, Grid};

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
