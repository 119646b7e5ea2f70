//! Overlap and surface distance of label images that are read box by box: the numbers of the whole, bit by bit.
//!
//! Boxes are seen twice. Counts are summed the first time, with those of the voxels on surfaces, by which the second time is planned:
//! the surfaces of as many labels as there is room for are listed at once ([`SurfaceLists`]).

use super::counts::{CountedLabel, Counts};
use super::label_box::LabelBox;
use super::scatter::Scatter;
use super::surface_lists::{SurfaceLists, SurfaceTurn};
use super::{LabelOverlapReport, overlap};
use crate::error::MeasureError;
use veloxel_core::{Grid, Stopped, Threads};

/// What two label images have in common, counted box by box.
#[derive(Debug, Clone)]
pub struct LabelOverlapSums {
    grid: Grid,
    counts: Counts,
}

impl LabelOverlapSums {
    /// Nothing yet of two images on a grid.
    pub fn new(grid: &Grid) -> Self {
        Self { grid: grid.clone(), counts: Counts::default() }
    }

    /// Counts a box in; each voxel has to belong to one box.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add<'a>(&mut self, part: &LabelBox, threads: impl Into<Threads<'a>>) -> Result<(), Stopped> {
        let threads = threads.into().for_samples(part.own.len());
        let found = threads.summed(part.rows(), Counts::default, |own, rows| {
            for row in rows {
                threads.control().check()?;
                own.add_row(part, row);
            }
            Ok(())
        })?;
        found.into_iter().for_each(|own| self.counts.and(own));
        Ok(())
    }

    /// How many values the image with more of them has, background included.
    pub fn values(&self) -> usize {
        self.counts.scatters.iter().map(Scatter::values).max().unwrap_or_default()
    }

    /// The labels of all boxes; `names` are those of the result and of the truth.
    ///
    /// # Errors
    /// [`MeasureError::GreyImage`], as [`labels_from_samples`](super::labels_from_samples).
    pub fn finish(self, names: [&str; 2]) -> Result<LabelSurfaces, MeasureError> {
        let Self { grid, counts: Counts { regions, surfaces, scatters } } = self;
        if let Some((name, grey)) = names.into_iter().zip(&scatters).find(|(_, scatter)| scatter.is_grey()) {
            return Err(MeasureError::GreyImage { what: name.to_owned(), values: grey.values() });
        }
        let counted = |label: &u32| surfaces.get(label).copied().unwrap_or_default();
        let labels = regions.into_iter().map(|(label, region)| CountedLabel {
            label,
            surface: counted(&label),
            region,
        });
        Ok(LabelSurfaces { grid, labels: labels.collect() })
    }
}

/// Labels that are counted, and whose surfaces are to be listed.
#[derive(Debug, Clone)]
pub struct LabelSurfaces {
    grid: Grid,
    labels: Vec<CountedLabel>,
}

impl LabelSurfaces {
    /// Samples, of 32 bits, that the largest list of a label takes.
    pub fn most_listed(&self) -> usize {
        self.shared().map(CountedLabel::listed_samples).max().unwrap_or_default()
    }

    /// Samples that distances take at least beside lists: a row of the largest region in all of its planes, and such a plane for a thread.
    pub fn least_band(&self) -> usize {
        let of = |own: &CountedLabel| SurfaceTurn::least_band(own.region.size());
        self.shared().map(of).max().unwrap_or_default()
    }

    /// The labels that both images have, by how many of them are listed at once: their lists take no more samples than `most_samples`,
    /// or it is a single label.
    pub fn turns(&self, most_samples: usize) -> Vec<SurfaceTurn> {
        let mut turns = Vec::<SurfaceTurn>::new();
        let mut samples = 0;
        for own in self.shared() {
            samples += own.listed_samples();
            match turns.last_mut() {
                Some(turn) if samples <= most_samples => turn.take(own),
                _ => {
                    samples = own.listed_samples();
                    turns.push(SurfaceTurn::of(own));
                }
            }
        }
        turns
    }

    /// Begins to list the surfaces of a turn's labels.
    pub fn lists<'a>(&self, turn: &'a SurfaceTurn) -> SurfaceLists<'a> {
        SurfaceLists::of(turn, &self.grid)
    }

    /// The report; `distances_mm` are those of all turns, one after the other.
    ///
    /// # Errors
    /// [`MeasureError::NothingToMeasure`] if the truth has no label.
    pub fn report(
        &self,
        distances_mm: impl IntoIterator<Item = f64>,
    ) -> Result<LabelOverlapReport, MeasureError> {
        let mut distances_mm = distances_mm.into_iter();
        let mut next =
            || distances_mm.next().expect("each label that both images have should have a distance");
        let of = |own: &CountedLabel| overlap(own.label, &own.region, || Ok(next()));
        LabelOverlapReport::of(self.labels.iter().map(of).collect::<Result<_, Stopped>>()?)
    }

    fn shared(&self) -> impl Iterator<Item = &CountedLabel> {
        self.labels.iter().filter(|own| own.is_shared())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{label_overlap, labels_from_samples};
    use super::*;
    use veloxel_core::{Control, GridBox, Mask, Volume};

    const BEGINS: [[[usize; 3]; 2]; 3] =
        [[[0, 0, 0], [13, 20, 18]], [[13, 0, 0], [11, 9, 18]], [[13, 9, 0], [11, 11, 18]]];

    fn boxes(grid: &Grid) -> Vec<GridBox> {
        let deep = grid.size()[2];
        BEGINS
            .iter()
            .map(|[begin, size]| GridBox { begin: *begin, size: [size[0], size[1], size[2].min(deep)] })
            .collect()
    }

    fn each_box(images: [&Volume<f32>; 2], mut see: impl FnMut(LabelBox)) {
        each_box_within(images, None, &mut see);
    }

    fn each_box_within(images: [&Volume<f32>; 2], mask: Option<&Mask>, mut see: impl FnMut(LabelBox)) {
        let grid = images[0].grid();
        for own in boxes(grid) {
            let seen = LabelBox::seen(grid, own);
            let [result, truth] = images.map(|image| seen.of(image.data(), grid.size()));
            let part = LabelBox::new(grid, own, [("result", &result), ("truth", &truth)]).unwrap();
            see(match mask {
                Some(mask) => part.within(&seen.of(mask.data(), grid.size())),
                None => part,
            });
        }
    }

    /// Several labels, a label that only one of both has, and single voxels.
    fn labels(grid: &Grid, shift: f64) -> Volume<f32> {
        Volume::from_fn(grid.clone(), |[x, y, z]| {
            let p = [x as f64 - shift, y as f64, z as f64];
            let wave = (0.5 * p[0]).sin() + (0.4 * p[1]).cos() + (0.7 * p[2]).sin();
            if shift > 0.0 && x > 20 { 9.0 } else { ((wave + 1.5) * 2.0).floor().max(0.0) as f32 }
        })
    }

    #[test]
    fn boxes_have_the_numbers_of_the_whole() {
        let control = Control::default();
        let volume = Grid::volume(24, 20, 18).unwrap().with_spacing_mm([1.0, 1.5, 2.0]).unwrap();
        for grid in [volume, Grid::image(24, 20).unwrap()] {
            let (result, truth) = (labels(&grid, 1.5), labels(&grid, 0.0));
            let [a, b] = [&result, &truth].map(|own| labels_from_samples(own, "labels", &control).unwrap());
            let mask = Mask::from_fn(grid.clone(), |[x, y, _]| x > 3 && (x + 2 * y) % 17 > 2);
            for mask in [None, Some(&mask)] {
                let images = [&result, &truth];
                let whole = label_overlap(&a, &b, mask, &control).unwrap();
                assert!(whole.labels.len() > 4 && whole.labels_not_in_truth == [9], "{whole:?}");
                let mut sums = LabelOverlapSums::new(&grid);
                each_box_within(images, mask, |part| sums.add(&part, &control).unwrap());
                let found = sums.finish(["result", "truth"]).unwrap();
                for most_samples in [0, usize::MAX] {
                    let turns = found.turns(most_samples);
                    assert_eq!(turns.len() == 1, most_samples > 0);
                    let mut distances = Vec::new();
                    for turn in &turns {
                        let mut lists = found.lists(turn);
                        each_box_within(images, mask, |part| lists.add(&part, &control).unwrap());
                        distances.extend(lists.hausdorff95_mm(most_samples, &control).unwrap());
                    }
                    assert_eq!(found.report(distances).unwrap(), whole);
                }
            }
        }
    }

    #[test]
    fn samples_that_are_no_labels_are_refused_as_in_the_whole() {
        let grid = Grid::image(24, 20).unwrap();
        let mut grey = Volume::from_fn(grid.clone(), |[x, y, _]| ((x * x + 3 * y * y) % 251) as f32);
        let mut sums = LabelOverlapSums::new(&grid);
        each_box([&grey, &grey], |part| sums.add(&part, &Control::default()).unwrap());
        let whole = labels_from_samples(&grey, "truth", &Control::default()).unwrap_err();
        // What lies outside of a mask is looked at as well.
        let nowhere = Mask::from_fn(grid.clone(), |_| false);
        let mut masked = LabelOverlapSums::new(&grid);
        each_box_within([&grey, &grey], Some(&nowhere), |part| {
            masked.add(&part, &Control::default()).unwrap();
        });
        assert_eq!(masked.finish(["truth", "truth"]).unwrap_err().to_string(), whole.to_string());
        assert_eq!(sums.values(), 210, "{whole}");
        assert_eq!(sums.finish(["truth", "truth"]).unwrap_err().to_string(), whole.to_string());
        grey.data_mut()[14 + 24 * 15] = 0.5;
        let own = GridBox { begin: [13, 9, 0], size: [11, 11, 1] };
        let samples = LabelBox::seen(&grid, own).of(grey.data(), grid.size());
        let error = LabelBox::new(&grid, own, [("a.nii", &samples), ("b.nii", &samples)]).unwrap_err();
        assert!(error.to_string().contains("a.nii holds 0.5 at voxel (x, y, z) = [14, 15, 0]"), "{error}");
    }
}
