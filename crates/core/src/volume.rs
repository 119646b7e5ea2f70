//! Samples on a grid.

use crate::error::CoreError;
use crate::grid::Grid;
use std::sync::Arc;

/// One sample for every voxel of a [`Grid`]; a 2-D image is a volume of one plane.
///
/// Guarantees `data().len() == grid().len()`, C order, x fastest. Clones share their samples until one of them is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume<T> {
    grid: Grid,
    data: Arc<Vec<T>>,
}

impl<T> Volume<T> {
    /// Puts samples (C order, x fastest) on a grid.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] if the counts differ.
    pub fn new(grid: Grid, data: Vec<T>) -> Result<Self, CoreError> {
        grid.require_len(data.len())?;
        Ok(Self { grid, data: Arc::new(data) })
    }

    /// Samples a function of the voxel position `(x, y, z)`.
    pub fn from_fn(grid: Grid, mut sample: impl FnMut([usize; 3]) -> T) -> Self {
        let data = (0..grid.len()).map(|i| sample(grid.position(i))).collect();
        Self { grid, data: Arc::new(data) }
    }

    /// Where the samples lie.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    /// The samples, C order, x fastest.
    pub fn data(&self) -> &[T] {
        &self.data
    }
    /// The samples, to be shared with readers.
    pub fn shared_data(&self) -> &Arc<Vec<T>> {
        &self.data
    }
    /// The samples, to be changed; copied first if they are shared.
    pub fn data_mut(&mut self) -> &mut [T]
    where
        T: Clone,
    {
        let samples: &mut Vec<T> = Arc::make_mut(&mut self.data);
        samples
    }
    /// The samples without their grid; copied if they are shared.
    pub fn into_data(self) -> Vec<T>
    where
        T: Clone,
    {
        Arc::unwrap_or_clone(self.data)
    }
    /// The sample at voxel `(x, y, z)`.
    ///
    /// # Panics
    /// If the position lies outside the grid.
    pub fn at(&self, position: [usize; 3]) -> &T {
        &self.data[self.grid.index(position)]
    }
    /// A volume on the same grid with another value for every sample.
    pub fn map<U>(&self, f: impl FnMut(&T) -> U) -> Volume<U> {
        Volume { grid: self.grid.clone(), data: Arc::new(self.data.iter().map(f).collect()) }
    }
}

impl Volume<f32> {
    /// Checks that every sample is finite, except where `ignore` says so (by index).
    ///
    /// # Errors
    /// [`CoreError::NotFinite`] with the first offender's position; `what` names the image.
    pub fn require_finite(&self, what: &str, ignore: impl Fn(usize) -> bool) -> Result<(), CoreError> {
        match self.data.iter().enumerate().find(|&(i, v)| !v.is_finite() && !ignore(i)) {
            None => Ok(()),
            Some((i, &value)) => {
                Err(CoreError::NotFinite { what: what.to_owned(), value, position: self.grid.position(i) })
            }
        }
    }
}
