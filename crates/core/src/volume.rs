//! Samples on a grid.

use crate::error::CoreError;
use crate::extremes::Extremes;
use crate::grid::Grid;
use std::sync::{Arc, OnceLock};

/// One sample for every voxel of a [`Grid`]; a 2-D image is a volume of one plane.
///
/// Guarantees `data().len() == grid().len()`, C order, x fastest. Clones share their samples until one of them is changed.
#[derive(Debug, Clone)]
pub struct Volume<T> {
    grid: Grid,
    data: Arc<Vec<T>>,
    /// The extremes of the samples, from the first question for them on; volumes that share samples share them.
    extremes: Arc<OnceLock<Extremes>>,
}

impl<T: PartialEq> PartialEq for Volume<T> {
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid && self.data == other.data
    }
}

impl<T> Volume<T> {
    /// Puts samples (C order, x fastest) on a grid.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] if the counts differ.
    pub fn new(grid: Grid, data: Vec<T>) -> Result<Self, CoreError> {
        grid.require_len(data.len())?;
        Ok(Self::of(grid, data))
    }

    fn of(grid: Grid, data: Vec<T>) -> Self {
        Self { grid, data: Arc::new(data), extremes: Arc::default() }
    }

    /// Samples a function of the voxel position `(x, y, z)`.
    pub fn from_fn(grid: Grid, mut sample: impl FnMut([usize; 3]) -> T) -> Self {
        let data = (0..grid.len()).map(|i| sample(grid.position(i))).collect();
        Self::of(grid, data)
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
        match Arc::get_mut(&mut self.extremes) {
            Some(own) => drop(own.take()),
            None => self.extremes = Arc::default(),
        }
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
        Volume::of(self.grid.clone(), self.data.iter().map(f).collect())
    }
}

impl Volume<f32> {
    /// The same volume, whose extremes are known already.
    #[doc(hidden)]
    #[must_use]
    pub fn with_extremes(mut self, extremes: Extremes) -> Self {
        self.extremes = Arc::new(OnceLock::from(extremes));
        self
    }

    /// The extremes of all samples. They are found once, by one pass over the samples, of all volumes that share them.
    pub fn extremes(&self) -> Extremes {
        self.extremes_by(Extremes::of)
    }

    /// [`Self::extremes`], which `find` finds, if they are not known.
    #[doc(hidden)]
    pub fn extremes_by(&self, find: impl FnOnce(&[f32]) -> Extremes) -> Extremes {
        *self.extremes.get_or_init(|| find(&self.data))
    }

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;

    #[test]
    fn extremes_follow_the_samples_of_each_clone() {
        let ends = |volume: &Volume<f32>| (volume.extremes().least, volume.extremes().greatest);
        let first = Volume::from_fn(Grid::image(3, 2).unwrap(), |[x, y, _]| (x + 3 * y) as f32);
        let mut second = first.clone();
        // Extremes were not asked for yet: those that the first one finds later are not those of the second one.
        second.data_mut()[0] = -7.0;
        assert_eq!((ends(&first), ends(&second)), ((0.0, 5.0), (-7.0, 5.0)));
        let third = second.clone();
        second.data_mut()[0] = f32::NAN;
        assert_eq!((ends(&third), third.extremes().are_finite), ((-7.0, 5.0), true));
        assert_eq!((ends(&second), second.extremes().are_finite), ((1.0, 5.0), false));
        second.data_mut().fill(4.0);
        assert_eq!((ends(&second), second == first), ((4.0, 4.0), false));
        let told = first.clone().with_extremes(Extremes { least: 1.0, ..first.extremes() });
        assert_eq!((told.extremes().least, told == first), (1.0, true));
    }
}
