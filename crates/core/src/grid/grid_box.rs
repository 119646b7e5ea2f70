//! Boxes of grids: parts of images that are read, worked on and written without the rest.

use crate::shape::Axes;
use std::ops::Range;

/// A box of a grid: its first voxel, and its voxels along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GridBox {
    /// The first voxel.
    pub begin: Axes<usize>,
    /// Voxels along each axis.
    pub size: Axes<usize>,
}

impl GridBox {
    /// All voxels of a grid of a size.
    pub fn all(size: Axes<usize>) -> Self {
        Self { begin: [0; 3], size }
    }

    /// Number of voxels.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Whether there is no voxel in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The voxel after the last one along each axis.
    pub fn end(&self) -> Axes<usize> {
        [0, 1, 2].map(|a| self.begin[a] + self.size[a])
    }

    /// Whether a voxel lies in it.
    pub fn holds(&self, voxel: Axes<usize>) -> bool {
        (0..3).all(|a| (self.begin[a]..self.begin[a] + self.size[a]).contains(&voxel[a]))
    }

    /// The voxels of both; none if they share none.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (ends, theirs) = (self.end(), other.end());
        let begin = [0, 1, 2].map(|a| self.begin[a].max(other.begin[a]));
        let size = [0, 1, 2].map(|a| ends[a].min(theirs[a]).saturating_sub(begin[a]));
        let shared = Self { begin, size };
        (!shared.is_empty()).then_some(shared)
    }

    /// The same voxels counted from the first voxel of a box that holds them.
    #[must_use]
    pub fn within(&self, outer: &Self) -> Self {
        Self { begin: [0, 1, 2].map(|a| self.begin[a] - outer.begin[a]), size: self.size }
    }

    /// The box with so many voxels more before and after it along each axis, as far as a grid of a size goes.
    #[must_use]
    pub fn grown(&self, before: Axes<usize>, after: Axes<usize>, whole: Axes<usize>) -> Self {
        let begin = [0, 1, 2].map(|a| self.begin[a].saturating_sub(before[a]));
        let end = [0, 1, 2].map(|a| (self.begin[a] + self.size[a] + after[a]).min(whole[a]));
        Self { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) }
    }

    /// Rows along x, as ranges of the samples of a grid of a size.
    pub fn rows(&self, whole: Axes<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { begin, size } = *self;
        (0..size[1] * size[2]).map(move |row| {
            let [y, z] = [begin[1] + row % size[1], begin[2] + row / size[1]];
            let first = (z * whole[1] + y) * whole[0] + begin[0];
            first..first + size[0]
        })
    }

    /// Its slabs along z, of so many planes at most.
    pub fn slabs(self, planes: usize) -> impl Iterator<Item = Self> {
        (0..self.size[2]).step_by(planes).map(move |first| {
            let ([x, y, z], [nx, ny, nz]) = (self.begin, self.size);
            Self { begin: [x, y, z + first], size: [nx, ny, planes.min(nz - first)] }
        })
    }

    /// Its samples as one range, where they follow one another in a grid of a size.
    pub fn run(&self, whole: Axes<usize>) -> Option<Range<usize>> {
        let [x, y, z] = self.size;
        let is_run = (x == whole[0] || y * z == 1) && (y == whole[1] || z == 1);
        let first = (self.begin[2] * whole[1] + self.begin[1]) * whole[0] + self.begin[0];
        is_run.then(|| first..first + self.len())
    }

    /// The samples in it, of all samples of a grid of a size.
    pub fn of<T: Copy>(&self, samples: &[T], whole: Axes<usize>) -> Vec<T> {
        let mut out = Vec::with_capacity(self.len());
        self.append_to(&mut out, samples, whole);
        out
    }

    /// Appends the samples in it, of all samples of a grid of a size.
    pub fn append_to<T: Copy>(&self, out: &mut Vec<T>, samples: &[T], whole: Axes<usize>) {
        self.rows(whole).for_each(|row| out.extend_from_slice(&samples[row]));
    }

    /// Copies samples into it, as a part of a whole of one size, from the box `from` of `samples`, of another size.
    pub fn copy_from<T: Copy>(
        &self,
        whole: Axes<usize>,
        out: &mut [T],
        from: Self,
        size: Axes<usize>,
        samples: &[T],
    ) {
        for (to, from) in self.rows(whole).zip(from.rows(size)) {
            out[to].copy_from_slice(&samples[from]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_its_rows() {
        let samples: Vec<usize> = (0..24).map(|i| 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4).collect();
        let part = GridBox { begin: [1, 1, 0], size: [2, 2, 2] };
        assert_eq!(part.of(&samples, [4, 3, 2]), [11, 12, 21, 22, 111, 112, 121, 122]);
        assert_eq!(part.run([4, 3, 2]), None);
        assert_eq!(GridBox { begin: [0, 1, 1], size: [4, 2, 1] }.run([4, 3, 2]), Some(16..24));
        assert_eq!(GridBox { begin: [2, 1, 1], size: [2, 1, 1] }.run([4, 3, 2]), Some(18..20));
    }

    #[test]
    fn boxes_meet_lie_in_each_other_and_grow_as_far_as_the_grid() {
        let part = GridBox { begin: [1, 1, 0], size: [2, 2, 2] };
        let other = GridBox { begin: [2, 0, 1], size: [5, 2, 5] };
        let shared = part.intersection(&other).unwrap();
        assert_eq!(shared, GridBox { begin: [2, 1, 1], size: [1, 1, 1] });
        assert_eq!(shared.within(&part).begin, [1, 0, 1]);
        assert_eq!(part.intersection(&GridBox { begin: [3, 1, 0], size: [1; 3] }), None);
        assert_eq!(part.grown([1, 2, 1], [1; 3], [4, 3, 2]), GridBox { begin: [0, 0, 0], size: [4, 3, 2] });
    }
}
