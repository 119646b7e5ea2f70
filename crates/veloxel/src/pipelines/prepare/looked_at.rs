//! Images of which preparation looks at some samples: those in memory, and those of which just these samples were gathered.

use veloxel_core::{Grid, Volume};

/// An image of which some samples are looked at.
pub(crate) trait LookedAt {
    /// Where its samples lie.
    fn grid(&self) -> &Grid;

    /// The sample of a voxel, by its index.
    fn at(&self, index: usize) -> f32;
}

impl LookedAt for Volume<f32> {
    fn grid(&self) -> &Grid {
        Self::grid(self)
    }

    fn at(&self, index: usize) -> f32 {
        self.data()[index]
    }
}

/// Some samples of an image that is not in memory.
#[derive(Debug, Clone)]
pub(crate) struct GatheredSamples {
    grid: Grid,
    /// Indices in rising order.
    indices: Vec<usize>,
    samples: Vec<f32>,
}

impl GatheredSamples {
    /// Room for the samples of these voxels.
    pub fn of(grid: Grid, mut indices: Vec<usize>) -> Self {
        indices.sort_unstable();
        indices.dedup();
        let samples = vec![f32::NAN; indices.len()];
        Self { grid, indices, samples }
    }

    /// Takes from samples that follow one another, the first of index `first`, those that are looked at.
    pub fn gather(&mut self, first: usize, samples: &[f32]) {
        let begin = self.indices.partition_point(|index| *index < first);
        let places = self.indices[begin..].iter().zip(&mut self.samples[begin..]);
        for (index, place) in places.take_while(|(index, _)| **index < first + samples.len()) {
            *place = samples[index - first];
        }
    }
}

impl LookedAt for GatheredSamples {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn at(&self, index: usize) -> f32 {
        let nth = self.indices.binary_search(&index).expect("a sample that is looked at should be gathered");
        self.samples[nth]
    }
}

/// Every so many samples of an image that are numbers.
pub(super) fn every(image: &dyn LookedAt, step: usize) -> impl Iterator<Item = f32> {
    (0..image.grid().len()).step_by(step).map(|index| image.at(index)).filter(|v| v.is_finite())
}
