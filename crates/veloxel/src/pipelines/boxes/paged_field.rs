//! A field of which boxes are read when single vectors are asked for; the boxes that were asked for last stay in memory.

use super::FlowBoxes;
use crate::{Result, VeloxelError};
use std::cell::RefCell;
use veloxel_core::{Flow, Grid, GridBox};
use veloxel_motion::steps::maps::Vectors;

/// Voxels along each axis of a page, as many as chunks of stores have that this program writes.
const SIDE: usize = 64;
/// Pages that a field needs at least: those around a place where eight meet.
pub(crate) const FEWEST_PAGES: usize = 8;

/// Samples of a page of a field on a grid: three components of each voxel.
pub(crate) fn page_samples(grid: &Grid) -> usize {
    3 * grid.size().map(|size| size.min(SIDE)).iter().product::<usize>()
}

/// How many pages a field on a grid has.
pub(crate) fn page_count(grid: &Grid) -> usize {
    grid.size().map(|size| size.div_ceil(SIDE)).iter().product()
}

/// A field in pages, of which some are in memory.
pub(crate) struct PagedField<'a> {
    boxes: &'a dyn FlowBoxes,
    /// Pages along x, y and z.
    counts: [usize; 3],
    most: usize,
    kept: RefCell<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Every page of the field by its number; none of a page that is not in memory.
    pages: Vec<Option<Page>>,
    /// Numbers of the pages in memory.
    numbers: Vec<usize>,
    /// The page that was asked for last, and how often another one was asked for than before.
    last: Option<usize>,
    turns: u64,
    /// The first failure of reading; nothing is read afterwards.
    failure: Option<VeloxelError>,
}

struct Page {
    flow: Flow,
    /// The turn in which it was last asked for.
    used: u64,
}

impl<'a> PagedField<'a> {
    /// A field of which so many pages stay in memory.
    pub fn new(boxes: &'a dyn FlowBoxes, most: usize) -> Self {
        let counts = boxes.grid().size().map(|size| size.div_ceil(SIDE));
        let mut kept = Kept::default();
        kept.pages.resize_with(page_count(boxes.grid()), || None);
        Self { boxes, counts, most: most.max(1), kept: RefCell::new(kept) }
    }

    /// What reading failed with since the last call; vectors are unknown from then on.
    ///
    /// # Errors
    /// What it failed with.
    pub fn failure(&self) -> Result<()> {
        self.kept.borrow_mut().failure.take().map_or(Ok(()), Err)
    }

    /// Reads a page, in place of the one that was not asked for the longest.
    fn read(&self, kept: &mut Kept, number: usize) -> Result<()> {
        if kept.numbers.len() == self.most {
            let used = |nth: &usize| kept.pages[kept.numbers[*nth]].as_ref().map_or(0, |page| page.used);
            let oldest = (0..kept.numbers.len()).min_by_key(used).unwrap_or_default();
            let oldest = kept.numbers.swap_remove(oldest);
            kept.pages[oldest] = None;
        }
        let [nx, ny, _] = self.counts;
        let begin = [number % nx, number / nx % ny, number / (nx * ny)].map(|nth| nth * SIDE);
        let size = self.boxes.grid().size();
        let part = GridBox { begin, size: [0, 1, 2].map(|a| SIDE.min(size[a] - begin[a])) };
        kept.pages[number] = Some(Page { flow: self.boxes.part(part)?, used: kept.turns });
        kept.numbers.push(number);
        Ok(())
    }
}

impl Vectors for PagedField<'_> {
    fn grid(&self) -> &Grid {
        self.boxes.grid()
    }

    fn at(&self, voxel: [usize; 3]) -> [f32; 3] {
        let [nx, ny, _] = self.counts;
        let [x, y, z] = voxel.map(|v| v / SIDE);
        let number = (z * ny + y) * nx + x;
        let kept = &mut *self.kept.borrow_mut();
        if kept.last != Some(number) {
            (kept.last, kept.turns) = (Some(number), kept.turns + 1);
        }
        if kept.pages[number].is_none()
            && kept.failure.is_none()
            && let Err(error) = self.read(kept, number)
        {
            kept.failure = Some(error);
        }
        let turn = kept.turns;
        let Some(page) = &mut kept.pages[number] else { return [f32::NAN; 3] };
        page.used = turn;
        page.flow.vector_vox(page.flow.grid().index(voxel.map(|v| v % SIDE)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::dense::DenseError;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A field in memory that counts how often it is read, up to a number of times.
    struct Counted {
        flow: Flow,
        reads: AtomicUsize,
        most: usize,
    }

    impl FlowBoxes for Counted {
        fn grid(&self) -> &Grid {
            self.flow.grid()
        }

        fn part(&self, part: GridBox) -> Result<Flow> {
            if self.reads.fetch_add(1, Ordering::SeqCst) == self.most {
                return Err(DenseError::in_parts("read on", None).into());
            }
            let components = self.flow.components_vox().map(|c| part.of(c, self.grid().size())).collect();
            Ok(Flow::new(self.grid().part(part), components)?)
        }
    }

    fn counted(most: usize) -> Counted {
        let grid = Grid::volume(130, 70, 66).unwrap();
        let flow = Flow::from_fn(grid, |[x, y, z]| [x, y, z]);
        Counted { flow, reads: AtomicUsize::new(0), most }
    }

    #[test]
    fn pages_have_the_vectors_of_the_field_and_those_asked_for_last_stay() {
        let field = counted(99);
        let paged = PagedField::new(&field, 2);
        let at = |voxel: [usize; 3]| {
            assert_eq!(paged.at(voxel), voxel.map(|v| v as f32));
            field.reads.load(Ordering::SeqCst)
        };
        assert_eq!((at([0, 0, 0]), at([63, 63, 63]), at([64, 0, 0]), at([129, 69, 65])), (1, 1, 2, 3));
        // The second page was asked for after the first one.
        assert_eq!((at([127, 1, 2]), at([5, 5, 5]), at([128, 64, 64])), (3, 4, 5));
        assert!(paged.failure().is_ok());
    }

    #[test]
    fn a_failure_is_told_once_and_nothing_is_read_meanwhile() {
        let field = counted(1);
        let paged = PagedField::new(&field, 8);
        assert_eq!(paged.at([1, 2, 3]), [1.0, 2.0, 3.0]);
        assert!(paged.at([64, 0, 0])[0].is_nan() && paged.at([64, 64, 0])[0].is_nan());
        assert_eq!(field.reads.load(Ordering::SeqCst), 2);
        assert!(paged.failure().is_err() && paged.failure().is_ok());
    }
}
