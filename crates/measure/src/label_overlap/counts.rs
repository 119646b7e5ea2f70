//! What is counted of the labels of two images, row by row of their boxes.

use super::label_box::LabelBox;
use super::regions::{Region, of_row};
use super::scatter::Scatter;
use std::collections::BTreeMap;

/// What is counted of two label images.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub regions: BTreeMap<u32, Region>,
    /// Voxels on the surfaces of each label, of the result and of the truth.
    pub surfaces: BTreeMap<u32, [usize; 2]>,
    /// The values of the result and of the truth.
    pub scatters: [Scatter; 2],
}

impl Counts {
    /// Counts a row of a box in, by its number.
    pub fn add_row(&mut self, part: &LabelBox, row: usize) {
        let place = part.place(row);
        let [result, truth] = [0, 1].map(|image| part.row(image, place));
        of_row([result, truth], place, &mut self.regions);
        for (image, scatter) in self.scatters.iter_mut().enumerate() {
            // Whether an image is one of labels is told by all of it, as where it is read at once.
            let (values, after) = part.values(image, place);
            scatter.add_row(values, after, part.values_below(image, place));
            let mut begin = 0;
            for run in part.row(image, place).chunk_by(|a, b| a == b) {
                let own = begin..begin + run.len();
                begin = own.end;
                let count = match run[0] {
                    0 => 0,
                    _ => own.filter(|along| part.is_on_surface(image, place, *along)).count(),
                };
                if count > 0 {
                    self.surfaces.entry(run[0]).or_default()[image] += count;
                }
            }
        }
    }

    /// Adds what was counted elsewhere in the images.
    pub fn and(&mut self, other: Self) {
        for (label, region) in other.regions {
            self.regions.entry(label).and_modify(|all| all.and(&region)).or_insert(region);
        }
        for (label, [result, truth]) in other.surfaces {
            let all = self.surfaces.entry(label).or_default();
            *all = [all[0] + result, all[1] + truth];
        }
        self.scatters.iter_mut().zip(&other.scatters).for_each(|(all, own)| all.and(own));
    }
}

/// A label whose voxels are counted.
#[derive(Debug, Clone)]
pub(super) struct CountedLabel {
    pub label: u32,
    pub region: Region,
    /// Voxels on its surface, of the result and of the truth.
    pub surface: [usize; 2],
}

impl CountedLabel {
    /// Whether both images have it, so that there is a distance.
    pub fn is_shared(&self) -> bool {
        self.region.in_truth > 0 && self.region.in_result > 0
    }

    /// What its lists take, 32-bit samples.
    pub fn listed_samples(&self) -> usize {
        const OF_VOXEL: usize = size_of::<u64>() / size_of::<f32>();
        OF_VOXEL * self.surface.iter().sum::<usize>()
    }
}
