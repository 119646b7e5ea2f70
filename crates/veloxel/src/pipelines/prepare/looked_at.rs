//! Images of which preparation looks at some samples: those in memory, and those of which just these samples were gathered.

use veloxel_core::{Grid, Volume};

/// An image of which some samples are looked at.
pub(crate) trait LookedAt: Sync {
    /// Where its samples lie.
    fn grid(&self) -> &Grid;

    /// The sample of a voxel, by its index.
    fn at(&self, index: usize) -> f32;

    /// The samples of every so many voxels, the first one's first.
    fn each(&self, step: usize) -> Vec<f32> {
        (0..self.grid().len()).step_by(step).map(|index| self.at(index)).collect()
    }
}

impl LookedAt for Volume<f32> {
    fn grid(&self) -> &Grid {
        Self::grid(self)
    }

    fn at(&self, index: usize) -> f32 {
        self.data()[index]
    }

    fn each(&self, step: usize) -> Vec<f32> {
        // The processor asks for many samples at once, which lie far apart in memory.
        self.data().iter().step_by(step).copied().collect()
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

    /// The samples of these voxels, whose indices rise.
    pub fn known(grid: Grid, indices: Vec<usize>, samples: Vec<f32>) -> Self {
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
        let nth = self.place_of(index).expect("a sample that is looked at should be gathered");
        self.samples[nth]
    }
}

impl GatheredSamples {
    /// Where an index is: sought from where it would be if all indices lay equally far apart, which they nearly do.
    fn place_of(&self, index: usize) -> Option<usize> {
        let (indices, last) = (&self.indices, self.indices.len().checked_sub(1)?);
        let share = index as f64 / self.grid.len() as f64;
        let guess = ((share * indices.len() as f64) as usize).min(last);
        let (mut low, mut high, mut reach) = (guess, guess, 1);
        while indices[low] > index && low > 0 {
            (high, low, reach) = (low, low.saturating_sub(reach), 2 * reach);
        }
        while indices[high] < index && high < last {
            (low, high, reach) = (high, (high + reach).min(last), 2 * reach);
        }
        indices[low..=high].binary_search(&index).ok().map(|nth| low + nth)
    }
}

/// Samples of an image that is not in memory, at several even distances.
#[derive(Debug, Clone)]
pub(crate) struct EvenSamples {
    grid: Grid,
    /// Distances in voxels, with the samples of every so many voxels.
    runs: Vec<(usize, Vec<f32>)>,
}

impl EvenSamples {
    /// The samples of every so many voxels of a grid, for each of several distances.
    pub fn new(grid: Grid, runs: Vec<(usize, Vec<f32>)>) -> Self {
        Self { grid, runs }
    }
}

impl LookedAt for EvenSamples {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn at(&self, index: usize) -> f32 {
        let run = self.runs.iter().find(|(step, _)| index.is_multiple_of(*step));
        let (step, samples) = run.expect("a sample that is looked at should be gathered");
        samples[index / step]
    }

    fn each(&self, step: usize) -> Vec<f32> {
        let run = self.runs.iter().find(|(own, _)| *own == step);
        run.expect("samples that are looked at should be gathered").1.clone()
    }
}

/// Every so many samples of an image that are numbers.
pub(super) fn every(image: &dyn LookedAt, step: usize) -> impl Iterator<Item = f32> {
    image.each(step).into_iter().filter(|v| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_found_and_no_other() {
        let grid = Grid::volume(40, 30, 20).unwrap();
        let all = grid.len();
        for indices in [
            vec![],
            vec![0],
            vec![all - 1],
            (0..all).step_by(7).collect(),
            (9000..9100).chain([3, all - 2]).collect(),
        ] {
            let mut image = GatheredSamples::of(grid.clone(), indices.clone());
            let samples: Vec<f32> = (0..all).map(|i| i as f32).collect();
            image.gather(0, &samples);
            for index in 0..all {
                let found = image.place_of(index).map(|nth| image.samples[nth]);
                assert_eq!(found, indices.contains(&index).then_some(index as f32));
            }
        }
    }
}
