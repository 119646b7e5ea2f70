//! The certificate of a field that is measured box by box.

use super::certificate::{CellSums, Cells, FoldingCertificate};
use crate::Deformation;
use crate::words::Words;
use veloxel_core::{Flow, Mask, Stopped, Threads};

/// The certificate of a field that is measured box by box.
#[derive(Debug, Clone, Default)]
pub struct FoldingSums {
    /// The cells of volumes, and those of their planes as long as nothing has moved across them.
    spatial: [CellSums; 2],
    planar: [CellSums; 2],
    moves_across: bool,
    /// Whether cells with a corner inside a mask, the second sums of both, are counted by themselves.
    is_masked: bool,
}

impl FoldingSums {
    /// Counts the cells in that begin in a box; `flow` has its voxels and the next ones along each axis, as far as the grid goes, and
    /// `planes` says how many planes the box has.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn add<'a>(
        &mut self,
        flow: &Flow,
        planes: usize,
        threads: impl Into<Threads<'a>>,
    ) -> Result<(), Stopped> {
        self.add_within(flow, None, planes, threads)
    }

    /// Counts cells in as [`add`](Self::add) does, and those with a corner inside a mask by themselves; all boxes have one, or none.
    ///
    /// # Errors
    /// [`Stopped`].
    ///
    /// # Panics
    /// If the mask has another number of voxels than the flow.
    pub fn add_within<'a>(
        &mut self,
        flow: &Flow,
        mask: Option<&Mask>,
        planes: usize,
        threads: impl Into<Threads<'a>>,
    ) -> Result<(), Stopped> {
        if let Some(mask) = mask {
            assert_eq!(mask.data().len(), flow.grid().len(), "a mask on the flow's grid");
        }
        self.is_masked |= mask.is_some();
        let threads = threads.into();
        let axes = Deformation::of(flow).axes();
        self.moves_across |= axes == 3;
        if !self.moves_across {
            let planar = Cells { flow, axes: 2 }.all(planes, mask, threads)?;
            self.planar.iter_mut().zip(&planar).for_each(|(sums, own)| sums.and(own));
        }
        if flow.grid().dimension().count() == 3 {
            let spatial = Cells { flow, axes: 3 }.all(planes, mask, threads)?;
            self.spatial.iter_mut().zip(&spatial).for_each(|(sums, own)| sums.and(own));
        }
        Ok(())
    }

    /// The sums so far as numbers, added to others: [`take_words`](Self::take_words) goes on with them.
    pub fn put_words(&mut self, words: &mut Vec<u64>) {
        self.put(words);
    }

    /// Takes up sums; whether there were enough numbers.
    pub fn take_words(&mut self, words: &mut impl Iterator<Item = u64>) -> bool {
        self.take(words)
    }

    /// The certificate of all boxes.
    pub fn certificate(self) -> FoldingCertificate {
        let (axes, [everywhere, inside]) =
            if self.moves_across { (3, self.spatial) } else { (2, self.planar) };
        let inside = self.is_masked.then(|| inside.counts());
        FoldingCertificate { axes, everywhere: everywhere.counts(), inside }
    }
}

impl Words for FoldingSums {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        self.spatial.iter_mut().chain(&mut self.planar).for_each(|own| own.visit(visit));
        self.moves_across.visit(visit);
        self.is_masked.visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::folding_certificate;
    use super::*;
    use veloxel_core::{Control, Grid, GridBox};

    #[test]
    fn boxes_have_the_cells_of_the_whole() {
        let random = |axis: usize, [x, y, z]: [f64; 3]| {
            let seed = (7.0 * x + 13.0 * y + 29.0 * z + 5.0 * axis as f64).sin() * 91.7;
            0.9 * (seed - seed.floor()) - 0.4
        };
        for across in [0.0, 1.0] {
            let grid = Grid::volume(11, 9, 7).unwrap();
            let flow = Flow::from_fn(grid.clone(), |p| [random(0, p), random(1, p), across * random(2, p)]);
            let mask = Mask::from_fn(grid.clone(), |[x, y, _]| x > 2 && (x + y) % 5 < 2);
            let whole = folding_certificate(&flow, Some(&mask), &Control::default()).unwrap();
            let mut sums = FoldingSums::default();
            for (z, y, x) in
                [(0, 0, 0), (0, 0, 6), (0, 5, 0), (0, 5, 6), (4, 0, 0), (4, 0, 6), (4, 5, 0), (4, 5, 6)]
            {
                let [begin, ends] = [[x, y, z], [6, 5, 4]];
                let end = [0, 1, 2].map(|a| if begin[a] == 0 { ends[a] } else { grid.size()[a] });
                let own = GridBox { begin, size: [0, 1, 2].map(|a| end[a] - begin[a]) };
                let seen = own.grown([0; 3], [1; 3], grid.size());
                let components = flow.components_vox().map(|c| seen.of(c, grid.size())).collect();
                let part = Flow::new(grid.part(seen), components).unwrap();
                // Put aside before each box.
                let mut words = Vec::new();
                sums.put_words(&mut words);
                sums = FoldingSums::default();
                assert!(sums.take_words(&mut words.into_iter()));
                let mask = Mask::new(part.grid().clone(), seen.of(mask.data(), grid.size())).unwrap();
                sums.add_within(&part, Some(&mask), own.size[2], &Control::default()).unwrap();
            }
            let found = sums.certificate();
            assert_eq!(found, whole, "the volume has the same bits");
            assert!(whole.inside.is_some_and(|inside| inside.known() < whole.everywhere.known()));
            assert!(whole.everywhere.folded > 0 && whole.everywhere.non_diffeomorphic_volume_vox > 0.0);
        }
    }
}
