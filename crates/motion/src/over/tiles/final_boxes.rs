//! Boxes of a flow, each put together of kept tiles once all that reach into it are there, while later ones are estimated.
//!
//! Every voxel's sum is that of a field in memory: the same tiles contribute the same shares in the same order.

use super::mosaic::{Core, FlowPart, Mosaic, TileSamples};
use super::plan::RAMP_VOX;
use super::store::{KeptTile, TileStore};
use crate::error::Result;
use crate::over::sample_memory::SampleMemory;
use std::collections::VecDeque;
use veloxel_core::{Grid, GridBox};

/// Planes along z of a tile that are read at once.
pub(crate) const SLAB_PLANES: usize = 16;

/// What is done with the tiles of a store while later ones are estimated, on the thread that keeps them.
pub trait TileFollower: Send {
    /// Takes note of a tile that the store has. Tiles come in the order in which they contribute.
    fn kept(&mut self, tile: KeptTile);

    /// Does a piece of what the tiles so far allow, short enough for a tile to wait for its end; whether there may be more.
    ///
    /// # Errors
    /// What keeps it from being done, which ends the run.
    fn go_on(&mut self, store: &dyn TileStore) -> Result<bool>;
}

/// Nothing is done with tiles before all are there.
impl TileFollower for () {
    fn kept(&mut self, _: KeptTile) {}

    fn go_on(&mut self, _: &dyn TileStore) -> Result<bool> {
        Ok(false)
    }
}

/// The boxes of a flow that were not put together yet.
#[derive(Debug)]
pub struct FinalBoxes {
    grid: Grid,
    tiles: Vec<KeptTile>,
    waiting: Vec<Waiting>,
    /// Boxes that all tiles are kept of, and each of them with what is seen around it.
    ready: VecDeque<[GridBox; 2]>,
}

/// A box that lacks tiles.
#[derive(Debug)]
struct Waiting {
    own: GridBox,
    seen: GridBox,
    /// Where the voxels lie that a tile has as its own if it reaches what is seen.
    reached_from: GridBox,
    /// How many of those belong to tiles that are not kept.
    lacking: usize,
}

impl FinalBoxes {
    /// Boxes of a grid, of each of which `margin` voxels more are seen on every side, as far as the grid goes.
    pub fn of(grid: &Grid, boxes: impl IntoIterator<Item = GridBox>, margin: usize) -> Self {
        let grown = |part: GridBox, by: usize| part.grown([by; 3], [by; 3], grid.size());
        let waiting = |own: GridBox| {
            let seen = grown(own, margin);
            let reached_from = grown(seen, RAMP_VOX);
            Waiting { own, seen, reached_from, lacking: reached_from.len() }
        };
        Self {
            grid: grid.clone(),
            tiles: Vec::new(),
            waiting: boxes.into_iter().map(waiting).collect(),
            ready: VecDeque::new(),
        }
    }

    /// Takes a tile that a store has; tiles come in the order in which they contribute.
    pub fn add(&mut self, tile: KeptTile) {
        self.tiles.push(tile);
        let ready = &mut self.ready;
        self.waiting.retain_mut(|part| {
            part.lacking -= part.reached_from.intersection(&tile.core).map_or(0, |own| own.len());
            if part.lacking == 0 {
                ready.push_back([part.own, part.seen]);
            }
            part.lacking > 0
        });
    }

    /// Waits for no further tile: the flow of images without content has none, and is 0.
    pub fn take_all(&mut self) {
        self.ready.extend(self.waiting.drain(..).map(|part| [part.own, part.seen]));
    }

    /// How many boxes are left.
    pub fn left(&self) -> usize {
        self.waiting.len() + self.ready.len()
    }

    /// The next box that all tiles are kept of, and the flow with its confidence in it and around it; seams are those of the box alone.
    /// None: the next one lacks a tile, or there is none.
    ///
    /// Boxes come in the order in which tiles complete them, whenever they are asked for.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn next(
        &mut self,
        store: &dyn TileStore,
        memory: &mut SampleMemory,
    ) -> Result<Option<(GridBox, FlowPart)>> {
        let Some([own, seen]) = self.ready.pop_front() else { return Ok(None) };
        let mut mosaic = Mosaic::of_part(&self.grid, [own, seen], memory);
        for &tile in &self.tiles {
            let Some(seen) = tile.reach.intersection(&seen) else { continue };
            for of in seen.slabs(SLAB_PLANES) {
                let planes = 0..=self.grid.dimension().count();
                let mut planes: Vec<Vec<f32>> = planes.map(|_| memory.room(of.len())).collect();
                store.samples(tile, of, &mut planes)?;
                let slices: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
                let (confidence, components) = slices.split_last().expect("a tile should have a confidence");
                let samples = TileSamples { of, components, confidence, shift: [0.0; 3] };
                mosaic.add(Core::of(tile.core), &samples);
                planes.into_iter().for_each(|plane| memory.give_back(plane));
            }
        }
        Ok(Some((own, mosaic.into_part())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(begin: usize, end: usize) -> KeptTile {
        let core = GridBox { begin: [begin, 0, 0], size: [end - begin, 20, 20] };
        KeptTile { core, reach: Core::of(core).reach([100, 20, 20]) }
    }

    #[test]
    fn a_box_is_final_with_the_last_tile_that_reaches_what_is_seen_of_it() {
        let grid = Grid::volume(100, 20, 20).unwrap();
        let slab = |begin: usize, end: usize| GridBox { begin: [begin, 0, 0], size: [end - begin, 20, 20] };
        let mut boxes = FinalBoxes::of(&grid, [slab(0, 31), slab(31, 32), slab(32, 60), slab(60, 100)], 1);
        let ready = |boxes: &FinalBoxes| boxes.ready.iter().map(|[own, _]| own.begin[0]).collect::<Vec<_>>();
        // One voxel is seen beyond the box, and the next tile reaches eight voxels over its own.
        boxes.add(tile(0, 40));
        assert_eq!(ready(&boxes), [0], "32 and the seven after it");
        boxes.add(tile(40, 69));
        assert_eq!(ready(&boxes), [0, 31, 32], "61 and the eight before 69");
        assert_eq!(boxes.left(), 4);
        boxes.add(tile(69, 100));
        assert_eq!(ready(&boxes), [0, 31, 32, 60]);
    }
}
