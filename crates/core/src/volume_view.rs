//! Samples in memory of the caller, of any type and with any strides, read once into a volume.

use crate::error::CoreError;
use crate::grid::Grid;
use crate::volume::Volume;

/// Borrowed samples of one of the types that images come in.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Samples<'a> {
    /// Whole numbers from 0 to 255.
    U8(&'a [u8]),
    /// Whole numbers from 0 to 65535.
    U16(&'a [u16]),
    /// Whole numbers from −32768 to 32767.
    I16(&'a [i16]),
    /// Whole numbers; beyond ±2^24 they are rounded to the nearest `f32`.
    I32(&'a [i32]),
    /// Samples as methods take them.
    F32(&'a [f32]),
    /// Samples that are rounded to the nearest `f32`.
    F64(&'a [f64]),
}

impl Samples<'_> {
    /// Number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(samples) => samples.len(),
            Self::U16(samples) => samples.len(),
            Self::I16(samples) => samples.len(),
            Self::I32(samples) => samples.len(),
            Self::F32(samples) => samples.len(),
            Self::F64(samples) => samples.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One sample for every voxel of a [`Grid`], in memory that the caller holds.
///
/// The sample of voxel `(x, y, z)` is `samples[x * strides[0] + y * strides[1] + z * strides[2]]`; strides count samples, not
/// bytes. Every voxel has a sample of its own: the constructors refuse strides that lead beyond the samples, and strides by
/// which two voxels would share one.
///
/// ```
/// use veloxel_core::{Grid, Samples, VolumeView};
///
/// // Rows of four, of which the first three are the image.
/// let rows = [1u8, 2, 3, 0, 4, 5, 6, 0];
/// let view = VolumeView::strided(Grid::image(3, 2)?, Samples::U8(&rows), [1, 4, 8])?;
/// assert_eq!(view.read().data(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), veloxel_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeView<'a> {
    grid: Grid,
    samples: Samples<'a>,
    strides: [usize; 3],
}

impl<'a> VolumeView<'a> {
    /// A view of samples that lie one after the other, C order, x fastest.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] if the counts differ.
    pub fn contiguous(grid: Grid, samples: Samples<'a>) -> Result<Self, CoreError> {
        grid.require_len(samples.len())?;
        let [nx, ny, _] = grid.size();
        Ok(Self { grid, samples, strides: [1, nx, nx * ny] })
    }

    /// A view with a stride for every axis, `(x, y, z)`, counted in samples; the stride of an axis of one voxel does not
    /// matter.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] if the last voxel lies beyond the samples; [`CoreError::Strides`] if two voxels would share a
    /// sample.
    pub fn strided(grid: Grid, samples: Samples<'a>, strides: [usize; 3]) -> Result<Self, CoreError> {
        let size = grid.size();
        require_apart(size, strides)?;
        let reach = size
            .iter()
            .zip(strides)
            .try_fold(1usize, |reach, (&n, stride)| reach.checked_add((n - 1).checked_mul(stride)?));
        match reach {
            Some(reach) if reach <= samples.len() => Ok(Self { grid, samples, strides }),
            reach => {
                let (expected, size) =
                    (reach.unwrap_or(usize::MAX), format!("{size:?} with strides {strides:?}"));
                Err(CoreError::SampleCount { expected, got: samples.len(), size })
            }
        }
    }

    /// Where the samples lie.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Reads all samples once, into memory of their own.
    pub fn read(&self) -> Volume<f32> {
        match self.samples {
            Samples::U8(samples) => self.read_as(samples, f32::from),
            Samples::U16(samples) => self.read_as(samples, f32::from),
            Samples::I16(samples) => self.read_as(samples, f32::from),
            Samples::I32(samples) => self.read_as(samples, |v| v as f32),
            Samples::F32(samples) => self.read_as(samples, |v| v),
            Samples::F64(samples) => self.read_as(samples, |v| v as f32),
        }
    }

    fn read_as<T: Copy>(&self, samples: &[T], number: impl Fn(T) -> f32) -> Volume<f32> {
        let ([nx, ny, nz], [along_x, along_y, along_z]) = (self.grid.size(), self.strides);
        let mut data = Vec::with_capacity(self.grid.len());
        for z in 0..nz {
            for y in 0..ny {
                let row = &samples[y * along_y + z * along_z..];
                if along_x == 1 {
                    data.extend(row[..nx].iter().map(|&v| number(v)));
                } else {
                    data.extend((0..nx).map(|x| number(row[x * along_x])));
                }
            }
        }
        Volume::new(self.grid.clone(), data).expect("a view should have a sample for every voxel")
    }
}

/// Checks that no two voxels share a sample: by growing stride, each axis must step over all that the ones before it reach.
fn require_apart(size: [usize; 3], strides: [usize; 3]) -> Result<(), CoreError> {
    let mut axes: Vec<_> = strides.into_iter().zip(size).filter(|(_, n)| *n > 1).collect();
    axes.sort_unstable();
    let mut reach = 0usize;
    for (stride, n) in axes {
        if stride <= reach {
            return Err(CoreError::Strides { size, strides });
        }
        reach = reach.saturating_add(stride.saturating_mul(n - 1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read_in_c_order() {
        let grid = Grid::volume(2, 2, 2).unwrap();
        let read =
            |samples: Samples<'_>| VolumeView::contiguous(grid.clone(), samples).unwrap().read().into_data();
        let expected: Vec<f32> = (0..8).map(|v| v as f32).collect();
        assert_eq!(read(Samples::U8(&[0, 1, 2, 3, 4, 5, 6, 7])), expected);
        assert_eq!(read(Samples::U16(&[0, 1, 2, 3, 4, 5, 6, 7])), expected);
        assert_eq!(read(Samples::I16(&[0, 1, 2, 3, 4, 5, 6, 7])), expected);
        assert_eq!(read(Samples::I32(&[0, 1, 2, 3, 4, 5, 6, 7])), expected);
        assert_eq!(read(Samples::F32(&expected)), expected);
        assert_eq!(read(Samples::F64(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])), expected);
    }

    #[test]
    fn fortran_order_is_a_matter_of_strides() {
        let grid = Grid::volume(2, 3, 1).unwrap();
        let columns = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];
        let view = VolumeView::strided(grid, Samples::F32(&columns), [3, 1, 0]).unwrap();
        assert_eq!(view.read().data(), [0.0, 10.0, 1.0, 11.0, 2.0, 12.0]);
    }

    #[test]
    fn wrong_lengths_and_shared_samples_are_refused() {
        let grid = || Grid::image(3, 2).unwrap();
        let samples = [0.0f32; 7];
        let samples = Samples::F32(&samples);
        assert!(matches!(
            VolumeView::contiguous(grid(), samples),
            Err(CoreError::SampleCount { got: 7, .. })
        ));
        let strided = |strides| VolumeView::strided(grid(), samples, strides);
        assert!(strided([1, 4, 0]).is_ok() && strided([2, 1, 0]).is_ok());
        assert!(matches!(strided([1, 5, 0]), Err(CoreError::SampleCount { expected: 8, .. })));
        assert!(matches!(strided([1, usize::MAX, 0]), Err(CoreError::SampleCount { .. })));
        for shared in [[1, 2, 0], [1, 1, 0], [0, 3, 0], [1, 0, 0]] {
            assert!(matches!(strided(shared), Err(CoreError::Strides { .. })), "{shared:?}");
        }
    }
}
