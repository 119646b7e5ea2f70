//! Tiles that are kept outside of memory: the bits of a field in memory, whatever was kept already, and images of which boxes are read.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure::{cpu, pair};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use veloxel_core::{Dimension, Flow, Grid, GridBox, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{AffineModel, FlowExtras, Pair, Start};
use veloxel_motion::{
    BoxedPair, Clg, ClgParams, ClgPreset, DenseFlow, DenseMethod, FinalBoxes, FlowInTiles, FoundTile,
    ImageBoxes, KeptBeginning, KeptTile, MotionError, PairMethod, SampleMemory, TileAccount, TileFollower,
    TilePlan, TileStore, Tiled,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};

/// A tile in memory: its account and its planes.
struct Tile {
    account: TileAccount,
    planes: Vec<Vec<f32>>,
}

#[derive(Default)]
struct Kept {
    tiles: HashMap<GridBox, Tile>,
    /// How many were put in.
    estimated: usize,
    beginning: Option<KeptBeginning>,
    /// After so many nothing more can be kept.
    most: Option<usize>,
}

impl TileStore for Kept {
    fn kept(&self, core: GridBox) -> Option<TileAccount> {
        self.tiles.get(&core).map(|tile| tile.account.clone())
    }

    fn keep(&mut self, found: &FoundTile) -> Result<(), MotionError> {
        if self.most == Some(self.estimated) {
            return Err(MotionError::Apart);
        }
        self.estimated += 1;
        let planes = found.planes().to_vec();
        self.tiles.insert(found.tile.core, Tile { account: found.account.clone(), planes });
        Ok(())
    }

    fn beginning(&self) -> Result<Option<KeptBeginning>, MotionError> {
        Ok(self.beginning.clone())
    }

    fn keep_beginning(&mut self, beginning: &KeptBeginning) -> Result<(), MotionError> {
        assert_eq!(self.beginning, None, "it is found once");
        self.beginning = Some(beginning.clone());
        Ok(())
    }

    fn samples(&self, tile: KeptTile, part: GridBox, planes: &mut [Vec<f32>]) -> Result<(), MotionError> {
        let within = part.within(&tile.reach);
        let own = &self.tiles[&tile.core].planes;
        assert_eq!(own.len(), planes.len());
        planes.iter_mut().zip(own).for_each(|(plane, own)| *plane = within.of(own, tile.reach.size));
        Ok(())
    }
}

/// An image that lies elsewhere: no box is borrowed, and the largest one that was asked for is known.
struct Elsewhere<'a> {
    image: &'a Volume<f32>,
    largest: AtomicUsize,
}

impl<'a> Elsewhere<'a> {
    fn new(image: &'a Volume<f32>) -> Self {
        Self { image, largest: AtomicUsize::new(0) }
    }
}

impl ImageBoxes for Elsewhere<'_> {
    fn grid(&self) -> &Grid {
        self.image.grid()
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>, MotionError> {
        self.largest.fetch_max(part.len(), Ordering::Relaxed);
        Ok(Cow::Owned(part.of(self.image.data(), self.image.grid().size())))
    }
}

/// An image whose last tile can be read once a box of the flow is put together.
struct Late<'a> {
    image: &'a Volume<f32>,
    tile: [usize; 3],
    reads_left: AtomicUsize,
    boxes: Arc<AtomicUsize>,
}

impl ImageBoxes for Late<'_> {
    fn grid(&self) -> &Grid {
        self.image.grid()
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>, MotionError> {
        if part.size == self.tile && self.reads_left.fetch_sub(1, Ordering::SeqCst) == 1 {
            let begin = Instant::now();
            while self.boxes.load(Ordering::SeqCst) == 0 {
                assert!(
                    begin.elapsed() < Duration::from_secs(60),
                    "no box is put together before the last tile"
                );
                std::thread::yield_now();
            }
        }
        self.image.samples(part)
    }
}

fn params() -> ClgParams {
    ClgParams { warps: 1, ..ClgParams::preset(ClgPreset::Fast, Dimension::Three) }
}

fn phantom(motion: MotionKind) -> Phantom {
    let case = Case { motion, texture: TextureKind::Smooth, noise: Noise::None };
    case.build(&Grid::volume(208, 48, 40).expect("a possible size"))
}

fn open(device: &Device) -> impl Fn(&Grid) -> Result<Box<dyn PairMethod>, MotionError> + Send + Sync + '_ {
    |grid: &Grid| -> Result<Box<dyn PairMethod>, MotionError> {
        Ok(Box::new(Clg::new(grid, params(), device)?))
    }
}

fn plan(grid: &Grid, share: f64) -> TilePlan {
    let footprint = Clg::new(grid, params(), &cpu(1)).unwrap().footprint().unwrap();
    let budget = (share * footprint.bytes(grid.len()) as f64) as u64;
    let plan = TilePlan::new(grid, &footprint, budget).expect("tiles should fit");
    assert!(plan.count() > 2, "{plan:?}");
    plan
}

fn in_memory(pair: &Pair<'_>, plan: &TilePlan) -> DenseFlow {
    let device = cpu(2);
    let run = Tiled { open: &open(&device), open_coarse: None, device: &device, plan };
    run.run(pair, FlowExtras::default()).expect("the run should succeed")
}

fn into_store(pair: &BoxedPair<'_>, plan: &TilePlan, store: &mut Kept) -> Result<FlowInTiles, MotionError> {
    let device = cpu(2);
    Tiled { open: &open(&device), open_coarse: None, device: &device, plan }.run_into(pair, store, &mut ())
}

/// Boxes of so many voxels along x.
fn slabs(grid: &Grid, step: usize) -> Vec<GridBox> {
    let size = grid.size();
    let slab = |begin: usize| {
        let mut own = GridBox::all(size);
        (own.begin[0], own.size[0]) = (begin, step.min(size[0] - begin));
        own
    };
    (0..size[0]).step_by(step).map(slab).collect()
}

/// A field that is put together of boxes.
struct PutTogether {
    boxes: FinalBoxes,
    memory: SampleMemory,
    planes: [Vec<f32>; 4],
    size: [usize; 3],
    kept: usize,
    /// How many tiles were kept when each box was taken.
    kept_at: Vec<usize>,
    /// How many boxes were taken, for others.
    done: Arc<AtomicUsize>,
}

impl PutTogether {
    fn of(grid: &Grid, step: usize) -> Self {
        let boxes = FinalBoxes::of(grid, slabs(grid, step), 1);
        let planes = [0; 4].map(|_| vec![f32::NAN; grid.len()]);
        let memory = SampleMemory::default();
        Self { boxes, memory, planes, size: grid.size(), kept: 0, kept_at: Vec::new(), done: Arc::default() }
    }
}

impl TileFollower for PutTogether {
    fn kept(&mut self, tile: KeptTile) {
        self.kept += 1;
        self.boxes.add(tile);
    }

    fn go_on(&mut self, store: &dyn TileStore) -> Result<bool, MotionError> {
        let Some((own, part)) = self.boxes.next(store, &mut self.memory)? else { return Ok(false) };
        let (seen, inner) = (part.part.size, own.within(&part.part));
        for (out, plane) in self.planes.iter_mut().zip(part.components_vox.iter().chain([&part.confidence])) {
            own.copy_from(self.size, out, inner, seen, plane);
        }
        part.give_back(&mut self.memory);
        self.kept_at.push(self.kept);
        self.done.fetch_add(1, Ordering::SeqCst);
        Ok(true)
    }
}

/// The field of boxes of so many voxels along x.
fn put_together(found: &FlowInTiles, store: &Kept, grid: &Grid, step: usize) -> [Vec<f32>; 4] {
    let mut own = PutTogether::of(grid, step);
    found.tiles().iter().for_each(|tile| own.kept(*tile));
    if found.tiles().is_empty() {
        own.boxes.take_all();
    }
    while own.go_on(store).unwrap() {}
    assert_eq!(own.boxes.left(), 0);
    own.planes
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|v| v.to_bits()).collect()
}

fn assert_same(found: &[Vec<f32>; 4], flow: &Flow, confidence: &Volume<f32>) {
    for (found, expected) in found.iter().zip(flow.components_vox().chain([confidence.data()])) {
        assert!(bits(found) == bits(expected));
    }
}

#[test]
fn the_bits_of_tiles_in_memory_whatever_is_kept_already() {
    let phantom = phantom(MotionKind::BeatingShell);
    let (grid, whole) = (phantom.fixed.grid(), pair(&phantom.fixed, &phantom.moving));
    let plan = plan(grid, 0.7);
    let expected = in_memory(&whole, &plan);
    let images = [&phantom.fixed, &phantom.moving].map(Elsewhere::new);
    let boxed = BoxedPair::new(&images[0], &images[1]);
    let mut store = Kept { most: Some(1), ..Kept::default() };
    assert_eq!(into_store(&boxed, &plan, &mut store).unwrap_err(), MotionError::Apart, "the store is full");
    store.most = None;
    let found = into_store(&boxed, &plan, &mut store).unwrap();
    assert_eq!(found.tiles().len(), store.estimated, "no tile is estimated twice");
    for step in [64, 7, 300] {
        assert_same(&put_together(&found, &store, grid, step), &expected.flow, &expected.confidence);
    }
    let largest = images.map(|image| image.largest.into_inner());
    let room = plan.device_bytes as usize / 8;
    assert!(largest.iter().all(|largest| *largest <= room), "{largest:?} where {room} samples have room");
    let statistics = found.statistics(&plan, expected_seams(&expected));
    assert_eq!(statistics.brightness, expected.statistics.brightness);
}

#[test]
fn boxes_are_put_together_while_later_tiles_are_estimated() {
    let phantom = phantom(MotionKind::BeatingShell);
    let (grid, plan) = (phantom.fixed.grid(), plan(phantom.fixed.grid(), 0.7));
    let (device, mut store, mut own) = (cpu(2), Kept::default(), PutTogether::of(grid, 20));
    let tiled = Tiled { open: &open(&device), open_coarse: None, device: &device, plan: &plan };
    let boxed = BoxedPair::new(&phantom.fixed, &phantom.moving);
    tiled.run_some_into(0..0, &boxed, &mut store, &mut ()).unwrap();
    // The last tile is not read before a box is there.
    let fixed = Late {
        image: &phantom.fixed,
        tile: plan.tile_size,
        reads_left: AtomicUsize::new(plan.count()),
        boxes: own.done.clone(),
    };
    let boxed = BoxedPair::new(&fixed, &phantom.moving);
    let found = tiled.run_into(&boxed, &mut store, &mut own).unwrap();
    assert!(own.kept == found.tiles().len() && own.kept_at[0] < own.kept, "{:?}", own.kept_at);
    while own.go_on(&store).unwrap() {}
    assert_eq!((own.boxes.left(), own.kept_at.len()), (0, slabs(grid, 20).len()));
    // Nobody followed this run.
    for (own, later) in own.planes.iter().zip(put_together(&found, &store, grid, 64)) {
        assert!(bits(own) == bits(&later));
    }
}

/// What a run in memory says of seams.
fn expected_seams(found: &DenseFlow) -> veloxel_motion::TileSeams {
    let tiles = &found.statistics.method.json["tiles"];
    let number = |name: &str| tiles[name].as_f64().unwrap();
    veloxel_motion::TileSeams { count: 1, mean_vox: number("seam_mean_vox"), max_vox: number("seam_max_vox") }
}

#[test]
fn tiles_one_by_one_in_any_order_are_those_of_one_run() {
    let phantom = phantom(MotionKind::BeatingShell);
    let plan = plan(phantom.fixed.grid(), 0.7);
    let boxed = BoxedPair::new(&phantom.fixed, &phantom.moving);
    let mut expected = Kept::default();
    into_store(&boxed, &plan, &mut expected).unwrap();
    let (device, mut store) = (cpu(1), Kept::default());
    let tiled = Tiled { open: &open(&device), open_coarse: None, device: &device, plan: &plan };
    tiled.run_some_into(0..0, &boxed, &mut store, &mut ()).unwrap();
    assert!(store.tiles.is_empty() && store.beginning == expected.beginning && store.beginning.is_some());
    for nth in (0..plan.count()).rev() {
        tiled.run_some_into(nth..nth + 1, &boxed, &mut store, &mut ()).unwrap();
    }
    assert_eq!(store.tiles.len(), expected.tiles.len());
    for (core, tile) in &store.tiles {
        let other = &expected.tiles[core];
        assert!(tile.account.mean_abs == other.account.mean_abs);
        assert!(tile.planes.iter().zip(&other.planes).all(|(a, b)| bits(a) == bits(b)), "{core:?}");
    }
}

#[test]
fn starts_and_two_grids_are_those_of_images_in_memory() {
    let phantom = phantom(MotionKind::Twist);
    let moved = Volume::new(
        phantom.moving.grid().clone().with_origin_mm([1.5, -0.5, 0.25]),
        phantom.moving.data().to_vec(),
    )
    .unwrap();
    let start = Start::Registration(AffineModel::CentreOfMass);
    let whole = Pair { start, ..pair(&phantom.fixed, &moved) };
    let plan = plan(phantom.fixed.grid(), 0.7);
    let expected = in_memory(&whole, &plan);
    let images = [&phantom.fixed, &moved].map(Elsewhere::new);
    let boxed = BoxedPair { start, ..BoxedPair::new(&images[0], &images[1]) };
    let mut store = Kept::default();
    let found = into_store(&boxed, &plan, &mut store).unwrap();
    let own = put_together(&found, &store, phantom.fixed.grid(), 64);
    assert_same(&own, &expected.flow, &expected.confidence);
}

#[test]
fn images_without_contrast_have_no_tiles_and_no_motion() {
    let phantom = phantom(MotionKind::Twist);
    let flat = phantom.fixed.map(|_| 3.0);
    let plan = plan(flat.grid(), 0.7);
    let mut store = Kept::default();
    let found = into_store(&BoxedPair::new(&flat, &phantom.moving), &plan, &mut store).unwrap();
    assert!(found.tiles().is_empty() && store.tiles.is_empty());
    let own = put_together(&found, &store, flat.grid(), 64);
    assert!(own.iter().flatten().all(|v| *v == 0.0));
    let statistics = found.statistics(&plan, veloxel_motion::TileSeams::default());
    assert_eq!(statistics.status, veloxel_core::SolveStatus::NoContent);
}
