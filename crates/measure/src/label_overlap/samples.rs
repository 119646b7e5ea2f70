//! Samples of an image as labels, unless they are none.

use super::scatter::Scatter;
use crate::error::MeasureError;
use veloxel_core::{Stopped, Threads, Volume};

/// The largest whole number below which a 32-bit float holds all.
const LARGEST: f32 = 16_777_216.0;

/// Whether a sample is a label.
pub(super) fn is_label(sample: f32) -> bool {
    sample.fract() == 0.0 && (0.0..=LARGEST).contains(&sample)
}

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
    let found = scatter(&labels, threads)?;
    if found.is_grey() {
        return Err(MeasureError::GreyImage { what: what.to_owned(), values: found.values() });
    }
    Ok(labels)
}

/// What is counted of the values of an image.
fn scatter(labels: &Volume<u32>, threads: Threads<'_>) -> Result<Scatter, Stopped> {
    let ([nx, ny, nz], data) = (labels.grid().size(), labels.data());
    let parts = threads.in_parts(ny * nz, |rows| {
        let mut own = Scatter::default();
        for row in rows {
            threads.control().check()?;
            let (samples, below) = data[row * nx..].split_at(nx);
            own.add_row(samples, None, below.get(..nx).filter(|_| row % ny + 1 < ny));
        }
        Ok(own)
    })?;
    let mut all = Scatter::default();
    parts.iter().for_each(|own| all.and(own));
    Ok(all)
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
