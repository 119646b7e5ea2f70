//! The certificate of a field that is measured box by box.

use super::certificate::{CellSums, Cells, FoldingCertificate};
use crate::Deformation;
use crate::words::Words;
use veloxel_core::{Flow, Stopped, Threads};

/// The certificate of a field that is measured box by box.
#[derive(Debug, Clone, Default)]
pub struct FoldingSums {
    /// The cells of volumes, and those of their planes as long as nothing has moved across them.
    spatial: CellSums,
    planar: CellSums,
    moves_across: bool,
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
        let threads = threads.into();
        let axes = Deformation::of(flow).axes();
        self.moves_across |= axes == 3;
        if !self.moves_across {
            let [planar, _] = Cells { flow, axes: 2 }.all(planes, None, threads)?;
            self.planar.and(&planar);
        }
        if flow.grid().dimension().count() == 3 {
            let [spatial, _] = Cells { flow, axes: 3 }.all(planes, None, threads)?;
            self.spatial.and(&spatial);
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
        let (axes, everywhere) = if self.moves_across { (3, self.spatial) } else { (2, self.planar) };
        FoldingCertificate { axes, everywhere: everywhere.counts(), inside: None }
    }
}

impl Words for FoldingSums {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        [&mut self.spatial, &mut self.planar].into_iter().for_each(|own| own.visit(visit));
        self.moves_across.visit(visit);
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
            let whole = folding_certificate(&flow, None, &Control::default()).unwrap();
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
                sums.add(&part, own.size[2], &Control::default()).unwrap();
            }
            let found = sums.certificate();
            assert_eq!(found, whole, "the volume has the same bits");
            assert!(whole.everywhere.folded > 0 && whole.everywhere.non_diffeomorphic_volume_vox > 0.0);
        }
    }
}
