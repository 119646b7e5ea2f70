//! A field that is found row by row: by one thread, or by several, which find the same bits.

use veloxel_core::{Control, Flow, Grid, GridBox, Stopped, Threads};

/// Rows that a thread finds before it takes the next ones.
const ROWS_AT_ONCE: usize = 32;

/// A field on a grid or a box of it, and the voxels where it is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedField {
    /// The field.
    pub flow: Flow,
    /// Voxels whose way leads out of a field, or meets an unknown vector.
    pub unknown: usize,
    /// Voxels at which no point was found that leads there, although the search did not leave the field.
    pub unresolved: usize,
}

/// A row of a field along x.
pub(super) struct Row<'a> {
    /// Its first voxel in the grid.
    begin: [usize; 3],
    /// The vectors' components, voxels; the third is empty in pictures.
    components: [&'a mut [f32]; 3],
    /// Where the last voxel went, or the one before the row in the same row of the grid.
    pub last: Option<[f64; 3]>,
    pub unknown: usize,
    pub unresolved: usize,
}

impl Row<'_> {
    /// Finds each voxel's place, from its position in the grid; `None`, and the vector is unknown.
    pub fn fill(&mut self, mut there: impl FnMut(&mut Self, [f64; 3]) -> Option<[f64; 3]>) {
        let [begin, y, z] = self.begin;
        for nth in 0..self.components[0].len() {
            let voxel = [begin + nth, y, z].map(|v| v as f64);
            let place = there(self, voxel);
            self.unknown += usize::from(place.is_none());
            for (axis, component) in self.components.iter_mut().enumerate() {
                if let Some(out) = component.get_mut(nth) {
                    *out = place.map_or(f32::NAN, |place| (place[axis] - voxel[axis]) as f32);
                }
            }
        }
    }
}

/// A box of a field on a grid, while its rows are found.
pub(super) struct Rows {
    flow: Flow,
    part: GridBox,
}

impl Rows {
    pub fn of(grid: &Grid, part: GridBox) -> Self {
        let is_all = part == GridBox::all(grid.size());
        let grid = if is_all { grid.clone() } else { grid.part(part) };
        Self { flow: Flow::zeros(grid), part }
    }

    /// Finds the rows one after the other; `last` has what leads into each row, and then what its last voxel found.
    pub fn one_by_one(
        mut self,
        last: &mut [Option<[f64; 3]>],
        control: &Control,
        mut work: impl FnMut(&mut Row<'_>),
    ) -> Result<MappedField, Stopped> {
        let mut counts = [0; 2];
        for (row, last) in rows(&mut self.flow, self.part).iter_mut().zip(last) {
            control.check()?;
            row.last = *last;
            work(row);
            *last = row.last;
            counts = [counts[0] + row.unknown, counts[1] + row.unresolved];
        }
        Ok(self.found(counts))
    }

    /// Finds the rows by threads.
    pub fn side_by_side(
        mut self,
        threads: Threads<'_>,
        work: impl Fn(&mut Row<'_>) + Sync,
    ) -> Result<MappedField, Stopped> {
        let control = threads.control();
        let mut rows = rows(&mut self.flow, self.part);
        threads.each(rows.chunks_mut(ROWS_AT_ONCE).collect(), |own: &mut [Row<'_>]| {
            own.iter_mut().filter(|_| !control.is_stopped()).for_each(&work);
        })?;
        let counts = rows.iter().fold([0; 2], |[a, b], row| [a + row.unknown, b + row.unresolved]);
        drop(rows);
        Ok(self.found(counts))
    }

    fn found(self, [unknown, unresolved]: [usize; 2]) -> MappedField {
        MappedField { flow: self.flow, unknown: unknown - unresolved, unresolved }
    }
}

/// The rows of a box, in their order.
fn rows(flow: &mut Flow, part: GridBox) -> Vec<Row<'_>> {
    let [width, height, _] = part.size;
    let mut components = flow.components_vox_mut().map(|component| component.chunks_mut(width));
    let [xs, ys, zs] = std::array::from_fn(|_| components.next());
    let (xs, ys, mut zs) = (xs.into_iter().flatten(), ys.into_iter().flatten(), zs);
    let row = |(nth, (x, y)): (usize, (_, _))| {
        let z = zs.as_mut().and_then(Iterator::next).unwrap_or_default();
        let begin = [part.begin[0], part.begin[1] + nth % height, part.begin[2] + nth / height];
        Row { begin, components: [x, y, z], last: None, unknown: 0, unresolved: 0 }
    };
    xs.zip(ys).enumerate().map(row).collect()
}
