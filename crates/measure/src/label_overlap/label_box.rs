//! A box of two label images, with the voxels around it.

use super::samples::is_label;
use crate::error::MeasureError;
use veloxel_core::{Grid, GridBox};

/// The labels of a box in the result and in the truth.
#[derive(Debug)]
pub struct LabelBox {
    /// The voxels that belong to the box.
    pub(super) own: GridBox,
    /// The box and the voxels around it, as far as the images go.
    seen: GridBox,
    /// Labels of `seen` in the result and in the truth, x fastest; 0 outside of the mask.
    labels: [Vec<u32>; 2],
    /// The same without the mask, where there is one.
    unmasked: Option<[Vec<u32>; 2]>,
    whole: [usize; 3],
    axes: usize,
}

impl LabelBox {
    /// The voxels that have to be known of a box: those around it decide where surfaces are.
    pub fn seen(grid: &Grid, own: GridBox) -> GridBox {
        own.grown([1; 3], [1; 3], grid.size())
    }

    /// The box `own` of two images on a grid, of which the samples of [`seen`](Self::seen) are given, result and truth, x fastest, each
    /// with the name of its image.
    ///
    /// # Errors
    /// [`MeasureError::NotALabel`] with the first sample of these that is not a whole number from 0 to 2^24.
    ///
    /// # Panics
    /// If there are fewer samples than voxels.
    pub fn new(grid: &Grid, own: GridBox, images: [(&str, &[f32]); 2]) -> Result<Self, MeasureError> {
        let seen = Self::seen(grid, own);
        let labels_of = |(name, samples): (&str, &[f32])| match samples.iter().position(|v| !is_label(*v)) {
            None => Ok(samples.iter().map(|&v| v as u32).collect::<Vec<u32>>()),
            Some(i) => {
                let [nx, ny, _] = seen.size;
                let within = [i % nx, i / nx % ny, i / (nx * ny)];
                let position = [0, 1, 2].map(|a| seen.begin[a] + within[a]);
                Err(MeasureError::NotALabel { what: name.to_owned(), value: samples[i], position })
            }
        };
        let [result, truth] = images;
        let labels = [labels_of(result)?, labels_of(truth)?];
        Ok(Self { own, seen, labels, unmasked: None, whole: grid.size(), axes: grid.dimension().count() })
    }

    /// The same box with the background in both images outside of a mask, of whose voxels of [`seen`](Self::seen) is said which are
    /// inside.
    ///
    /// # Panics
    /// If there are fewer of them than voxels.
    #[must_use]
    pub fn within(self, inside: &[bool]) -> Self {
        let masked = |labels: &Vec<u32>| {
            assert_eq!(labels.len(), inside.len(), "every voxel should be inside or outside");
            labels.iter().zip(inside).map(|(label, inside)| label * u32::from(*inside)).collect()
        };
        let labels = [masked(&self.labels[0]), masked(&self.labels[1])];
        Self { labels, unmasked: Some(self.labels), ..self }
    }

    /// How many rows along x belong to the box.
    pub(super) fn rows(&self) -> usize {
        self.own.size[1] * self.own.size[2]
    }

    /// The first voxel of a row by its number.
    pub(super) fn place(&self, row: usize) -> [usize; 3] {
        let ([x, y, z], height) = (self.own.begin, self.own.size[1]);
        [x, y + row % height, z + row / height]
    }

    /// The labels of a row that begins at a voxel, of the result (0) or the truth (1).
    pub(super) fn row(&self, image: usize, place: [usize; 3]) -> &[u32] {
        let (begin, count) = (self.index(place), self.own.size[0]);
        &self.labels[image][begin..begin + count]
    }

    /// The values of a row, inside and outside of the mask, and the one after it, if there is one.
    pub(super) fn values(&self, image: usize, place: [usize; 3]) -> (&[u32], Option<u32>) {
        let (begin, count) = (self.index(place), self.own.size[0]);
        let values = &self.unmasked.as_ref().unwrap_or(&self.labels)[image];
        let goes_on = self.own.begin[0] + count < self.whole[0];
        (&values[begin..begin + count], goes_on.then(|| values[begin + count]))
    }

    /// The values of the row at the next y, if there is one.
    pub(super) fn values_below(&self, image: usize, [x, y, z]: [usize; 3]) -> Option<&[u32]> {
        (y + 1 < self.whole[1]).then(|| self.values(image, [x, y + 1, z]).0)
    }

    /// Whether the voxel that lies so far along the row from its place touches another label, or the grid's border, through a face.
    pub(super) fn is_on_surface(&self, image: usize, place: [usize; 3], along: usize) -> bool {
        let (labels, strides) =
            (&self.labels[image], [1, self.seen.size[0], self.seen.size[0] * self.seen.size[1]]);
        let (i, voxel) = (self.index(place) + along, [place[0] + along, place[1], place[2]]);
        (0..self.axes).any(|a| {
            voxel[a] == 0
                || voxel[a] + 1 == self.whole[a]
                || labels[i - strides[a]] != labels[i]
                || labels[i + strides[a]] != labels[i]
        })
    }

    fn index(&self, voxel: [usize; 3]) -> usize {
        let [x, y, z] = [0, 1, 2].map(|a| voxel[a] - self.seen.begin[a]);
        (z * self.seen.size[1] + y) * self.seen.size[0] + x
    }
}
