//! Tiles into a store: what is kept there already is not found again.

use super::account::{Account, TileProgress};
use super::beginning::Beginning;
use super::final_boxes::TileFollower;
use super::intensities::intensities;
use super::plan::CoarsePlan;
use super::source::InBrightness;
use super::store::{FlowInTiles, FoundTile, KeptTile, TileStore};
use super::tile_run::{NextTile, TileContent};
use super::{Begun, BoxedPair, Starts, Tiled, require_one_grid};
use crate::error::Result;
use crate::method::shared_scalars::SharedScalars;
use crate::over::beside::read_and_followed_beside;
use crate::steps::frame::with_contrast;
use crate::steps::intensity::IntensityMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};
use veloxel_core::{GridBox, LinearBrightness};

impl Tiled<'_> {
    /// Estimates the flow of a pair whose images are read box by box, and keeps every tile in a store as it is found. Tiles that
    /// are kept already are not estimated again. Nothing is measured. A follower goes on with tiles that are kept while others are
    /// estimated; what it has not done when this returns is left to the caller.
    ///
    /// # Errors
    /// As [`PairMethod::run_with`](crate::PairMethod::run_with); what reading the images and keeping tiles fails with.
    ///
    /// # Panics
    /// If the plan is of exact tiles, which a field in memory is made of.
    pub fn run_into(
        &self,
        pair: &BoxedPair<'_>,
        store: &mut dyn TileStore,
        follower: &mut dyn TileFollower,
    ) -> Result<FlowInTiles> {
        self.run_some_into(0..self.plan.count(), pair, store, follower)
    }

    /// Estimates tiles of the plan alone, by their numbers, and what all tiles begin from, if that is not kept yet.
    ///
    /// # Errors
    /// As [`run_into`](Self::run_into).
    ///
    /// # Panics
    /// As [`run_into`](Self::run_into).
    pub fn run_some_into(
        &self,
        which: Range<usize>,
        pair: &BoxedPair<'_>,
        store: &mut dyn TileStore,
        follower: &mut dyn TileFollower,
    ) -> Result<FlowInTiles> {
        assert!(!self.plan.exact, "exact tiles should be put together in memory");
        require_one_grid(pair)?;
        let grid = pair.fixed.grid();
        let solve = move || {
            let progress = TileProgress::new(self.plan.worked_voxels());
            let kept = match &self.plan.coarse {
                Some(coarse) => match store.beginning()? {
                    Some(kept) => Beginning::of(kept, grid, coarse)?,
                    None => None,
                },
                None => None,
            };
            let found = match &kept {
                Some(kept) => Ok(kept.map),
                None => {
                    let room = (self.plan.device_bytes / 8) as usize;
                    with_contrast(intensities(self.device, pair, room)?).map(|[map, _]| map)
                }
            };
            let (tiles, account) = match (found, &self.plan.coarse) {
                (Err(why), _) => (Vec::new(), Account::no_content(why)),
                (Ok(map), None) => {
                    let kept = self.keep_whole(pair, map, &progress, store)?;
                    kept.0.iter().for_each(|tile| follower.kept(*tile));
                    kept
                }
                (Ok(map), Some(coarse)) => {
                    let begun = self.begun(pair, coarse, kept, map, &progress)?;
                    self.keep_tiles(which, pair, begun, &progress, store, follower)?
                }
            };
            Ok(FlowInTiles { tiles, account })
        };
        self.device.scope(|| self.device.serialised(solve))
    }

    /// What tiles begin from, as far as it is known before the first of them.
    fn begun<'p>(
        &self,
        pair: &BoxedPair<'p>,
        coarse: &CoarsePlan,
        kept: Option<Beginning>,
        map: IntensityMap,
        progress: &TileProgress,
    ) -> Result<BegunTiles<'p>> {
        let Some(Beginning { flow, brightness, scalars, .. }) = kept else {
            let Begun { starts, brightness, .. } = self.begin(pair, coarse, map, progress)?;
            return Ok(BegunTiles { map, brightness, starts, kept: None });
        };
        let (portion, control) = (progress.of(coarse.plan.worked_voxels() as usize), self.device.control());
        control.portion(portion, || control.step(1.0, [None; 2]))?;
        let starts = Starts::Coarse(flow, coarse.shrinking);
        Ok(BegunTiles { map, brightness, starts, kept: Some(scalars) })
    }

    /// Keeps the whole as one tile.
    fn keep_whole(
        &self,
        pair: &BoxedPair<'_>,
        map: IntensityMap,
        progress: &TileProgress,
        store: &mut dyn TileStore,
    ) -> Result<(Vec<KeptTile>, Account)> {
        let (all, mut account) = (GridBox::all(pair.fixed.grid().size()), Account::default());
        let tile = KeptTile { core: all, reach: all };
        let own = match store.kept(all) {
            Some(own) => own,
            None => {
                let found = FoundTile::of(tile, all, &self.solve_whole(pair, map, progress)?, [0.0; 3]);
                store.keep(&found)?;
                found.account
            }
        };
        account.add(&own, all.len());
        Ok((vec![tile], account))
    }

    /// Every tile into a store that may have some already; all of them in the order in which they contribute. The next tile is read
    /// while one is estimated, and the one before is kept; where none waits to be kept, the follower goes on.
    fn keep_tiles(
        &self,
        which: Range<usize>,
        pair: &BoxedPair<'_>,
        begun: BegunTiles<'_>,
        progress: &TileProgress,
        store: &mut dyn TileStore,
        follower: &mut dyn TileFollower,
    ) -> Result<(Vec<KeptTile>, Account)> {
        let BegunTiles { map, brightness, starts, kept } = &begun;
        let moving = InBrightness { image: pair.moving, brightness: *brightness };
        let pair = &moving.of(pair);
        let (images, mut run) = self.begin_tiles(pair, starts, *map, progress)?;
        match (kept, run.method.shared_scalars()) {
            (Some(Some(kept)), Some(shared)) => *shared = kept.clone(),
            (Some(None), None) => {}
            _ => {
                self.settle_shared_scalars(&mut run, &images)?;
                if let Starts::Coarse(flow, _) = starts {
                    let shared = run.method.shared_scalars();
                    store.keep_beginning(&Beginning::kept(*map, *brightness, flow, shared.as_deref()))?;
                }
            }
        }
        let (whole, mut tiles) = (self.plan.grid_size, Vec::new());
        let store = RwLock::new(store);
        // A thread that panicked under the lock leaves tiles that are whole.
        let seen = || store.read().unwrap_or_else(PoisonError::into_inner);
        read_and_followed_beside(
            |deliver| self.walk(which, &images, starts, |core| seen().kept(core), deliver),
            |next: NextTile, hand_over| {
                let tile = KeptTile { core: next.core.own(), reach: next.core.reach(whole) };
                let is_kept = matches!(next.content, TileContent::Kept(_));
                run.take(next, |_, estimated, found, shift| {
                    hand_over(Taken::Found(FoundTile::of(tile, estimated, &found, shift)))
                })?;
                tiles.push(tile);
                if is_kept { hand_over(Taken::Kept(tile)) } else { Ok(()) }
            },
            |taken: Option<Taken>| {
                match taken {
                    None => return follower.go_on(&**seen()),
                    Some(Taken::Kept(tile)) => follower.kept(tile),
                    Some(Taken::Found(found)) => {
                        store.write().unwrap_or_else(PoisonError::into_inner).keep(&found)?;
                        follower.kept(found.tile);
                    }
                }
                Ok(true)
            },
        )?;
        run.account.brightness = *brightness;
        Ok((tiles, run.account))
    }
}

/// A tile whose turn it was.
enum Taken {
    /// It was kept before.
    Kept(KeptTile),
    /// It is to be kept.
    Found(FoundTile),
}

/// What tiles begin from.
struct BegunTiles<'a> {
    map: IntensityMap,
    brightness: Option<LinearBrightness>,
    starts: Starts<'a>,
    /// The numbers by which the tiles of an ended run decided, where there was one; none within where the method shares none.
    kept: Option<Option<SharedScalars>>,
}
