//! Methods that find every vector of a level from its surroundings and the next coarser level alone: the run over all levels, and
//! over any part of one, is written once for their parameters.

use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::footprint::Footprint;
use crate::method::local_method::LocalMethod;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_account::PendingBrightness;
use crate::method::pending_flow::{FoundFlow, PendingFlow};
use crate::method::resident::{DataRegion, ResidentMask, ResidentStart};
use crate::method::start::{levels_used, start_on_coarsest};
use crate::steps::buffers::on_grid;
use crate::steps::choices::IntensityMapping;
use crate::steps::frame::pair_maps;
use crate::steps::image_pyramids::{ImagePyramids, LevelImages, Preparation, RawImages};
use crate::steps::intensity::IntensityMap;
use crate::steps::level_account::{Increments, LevelDiagnostics, LevelRun, LevelsAccount};
use crate::steps::moving_image::voxel_map;
use crate::steps::pyramid::{LevelGeometry, transferred};
use std::fmt::Debug;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Counter, Grid, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
use veloxel_kernels::variational::total_displacement::ToVoxels;

/// The per-level steps of a method.
pub trait LevelSolver: Parameters + Debug + Send {
    /// What it works in, kept from level to level.
    type Memory: Debug + Default + Send;
    /// What it says of a level.
    type Diagnostics: LevelDiagnostics + 'static;

    /// Whether a weight image weighs the data of a voxel.
    const WEIGHS: bool;

    /// The levels of a grid, finest first.
    fn levels(&self, grid: &Grid) -> Vec<LevelGeometry>;
    /// What is done to both images before.
    fn preparation(&self) -> Preparation;
    /// The mapping of intensities that was chosen.
    fn intensity(&self) -> IntensityMapping;
    /// What both images' intensities are mapped by, from the fixed image's map and the moving one's.
    fn maps(&self, of_images: [IntensityMap; 2]) -> [IntensityMap; 2];
    /// Most iterations of a level, 0 the finest.
    fn iterations_of(&self, nth: usize) -> usize;
    /// By how much a level changes a component of a vector at most, edges.
    fn drift_edges(&self, nth: usize, finest: &LevelGeometry) -> f32;
    /// What a run over a grid takes.
    fn footprint(&self, shape: Shape) -> Footprint;

    /// The grid that the vectors of a level lie on.
    fn nodes(&self, level: &LevelGeometry) -> LevelGeometry {
        level.clone()
    }

    /// Brings a displacement to the next finer grid of vectors.
    fn transfer(
        device: &Device,
        _: &mut Self::Memory,
        displacement: &mut Field,
        [from, to]: [&LevelGeometry; 2],
    ) -> Result<(), ComputeError> {
        *displacement = transferred(device, displacement, from, to)?;
        Ok(())
    }

    /// Estimates a level; `displacement` is in edges. On the finest level it ends on the level's own grid, NaN where nothing is
    /// known.
    fn run_level(
        &self,
        task: LevelTask<'_>,
        memory: &mut Self::Memory,
        displacement: &mut Field,
    ) -> Result<LevelFound<Self::Diagnostics>, ComputeError>;
}

/// A level, or a part of one, to be estimated.
#[derive(Clone, Copy)]
pub struct LevelTask<'a> {
    pub device: &'a Device,
    /// 0 is the finest.
    pub nth: usize,
    pub geometry: &'a LevelGeometry,
    pub images: &'a LevelImages,
}

/// What is found on a level beside its displacement.
pub struct LevelFound<D> {
    pub run: LevelRun<Increments<D>>,
    /// How certain the finest level's vectors are; none on other levels.
    pub certainty: Option<Certainty>,
}

/// How sure the finest level's vectors are.
pub struct Certainty {
    pub confidence: Buffer,
    /// Σ |I_t| at the displacement and number of voxels, where the method measures it.
    pub after: Option<Later<(f64, f64)>>,
}

/// A method of this kind, opened for one grid; it owns the memory that it works in from its first run on.
#[derive(Debug)]
pub struct LevelByLevel<P: LevelSolver> {
    device: Device,
    grid: Grid,
    params: P,
    /// Finest first.
    levels: Vec<LevelGeometry>,
    memory: P::Memory,
}

impl<P: LevelSolver> LevelByLevel<P> {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::Parameter`](crate::MotionError::Parameter) if a parameter lies outside its range.
    pub fn new(grid: &Grid, params: P, device: &Device) -> Result<Self> {
        params.validate()?;
        let (levels, memory) = (params.levels(grid), P::Memory::default());
        Ok(Self { device: device.clone(), grid: grid.clone(), params, levels, memory })
    }

    /// From the coarsest level that the start leaves open down to the finest.
    fn coarse_to_fine(&mut self, images: RawImages<'_>, start: ResidentStart<'_>) -> Result<FoundFlow> {
        let Self { device, grid, params, levels, memory } = self;
        let used = levels_used(start, levels.len(), 0);
        let levels = &levels[..used];
        let nodes: Vec<LevelGeometry> = levels.iter().map(|level| params.nodes(level)).collect();
        let mut pyramids = ImagePyramids::new(device, params.preparation(), images, levels, 0)?;
        let dense = start_on_coarsest(device, levels, 0, start)?;
        let mut displacement = on_grid(device, dense, [levels, &nodes].map(|grids| grids[used - 1].shape))?;
        let work = |nth: usize| (levels[nth].shape.len() * params.iterations_of(nth)) as f64;
        let all: f64 = (0..used).map(work).sum();
        let (mut runs, mut done) = (Vec::new(), 0.0);
        for nth in (0..used).rev() {
            if nth + 1 < used {
                P::transfer(device, memory, &mut displacement, [&nodes[nth + 1], &nodes[nth]])?;
            }
            let (geometry, images) = (&levels[nth], &pyramids.take(&levels[nth])?);
            let task = LevelTask { device, nth, geometry, images };
            let LevelFound { run, certainty } = params.run_level(task, memory, &mut displacement)?;
            done += work(nth);
            let level = Counter { what: "level", now: used - nth, of: used };
            let warp = Counter { what: "warp", now: run.own.means.len(), of: params.iterations_of(nth) };
            device.control().step(done / all, [Some(level), Some(warp)])?;
            runs.push(run);
            if let Some(Certainty { confidence, after }) = certainty {
                to_voxels(device, geometry, start.affine(), &mut displacement)?;
                let brightness =
                    after.map(|after| PendingBrightness { sums: [pyramids.before, after], gain: 1.0 });
                let account = LevelsAccount { levels: runs, brightness };
                return Ok(FoundFlow::new(grid, displacement, confidence, account));
            }
        }
        unreachable!("a pyramid should have a finest level")
    }
}

/// A displacement in edges as one in voxels, with a map that it came on top of.
fn to_voxels(
    device: &Device,
    geometry: &LevelGeometry,
    map: VoxelAffine,
    field: &mut Field,
) -> Result<(), ComputeError> {
    ToVoxels { shape: geometry.shape, spacing_edges: geometry.spacing_edges, map, field }.run(device)
}

impl<P: LevelSolver> DenseMethod for LevelByLevel<P> {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn interpolation(&self) -> Interpolation {
        self.params.preparation().interpolation
    }
    fn takes_brightness_as_it_is(&self) -> bool {
        self.params.intensity() == IntensityMapping::Raw
    }
    fn footprint(&self) -> Option<Footprint> {
        Some(self.params.footprint(self.levels[0].shape))
    }
}

impl<P: LevelSolver> PairMethod for LevelByLevel<P> {
    fn local(&mut self) -> Option<&mut dyn LocalMethod> {
        Some(self)
    }

    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let (device, grid) = (self.device.clone(), self.grid.clone());
        device.scope(|| {
            pair.check(&grid)?;
            let ImagePair { fixed, moving, region, start } = pair;
            let maps = match pair_maps([fixed.frame(), moving.frame()], region.mask)? {
                Ok(maps) => self.params.maps(maps),
                Err(why) => return PendingFlow::no_content(&device, &grid, why),
            };
            let placement = voxel_map(&grid, moving.frame().grid());
            // What a mask is on every level holds the weights as well; what is measured of images and fields holds the mask alone.
            let weighed = match region.weight.filter(|_| P::WEIGHS) {
                Some(_) => region.counting(&device)?,
                None => None,
            };
            let weighed = weighed.map(|weight| ResidentMask { grid: grid.clone(), weight });
            let counted = DataRegion { mask: weighed.as_ref().or(region.mask), ..region };
            let images = RawImages { fixed, moving, region: counted, maps, placement, start: start.affine() };
            let found = self.coarse_to_fine(images, start)?;
            if device.is_gpu() {
                // Buffers have changed their places. From the device's pool the next run gets them in the order of this one, so
                // that its recordings need no new arguments.
                self.memory = P::Memory::default();
            }
            PendingFlow::new(&device, found, region.measured())
        })
    }
}

impl<P: LevelSolver> LocalMethod for LevelByLevel<P> {
    fn levels(&self) -> &[LevelGeometry] {
        &self.levels
    }
    fn preparation(&self) -> Preparation {
        self.params.preparation()
    }
    fn maps(&self, of_images: [IntensityMap; 2]) -> [IntensityMap; 2] {
        self.params.maps(of_images)
    }
    fn drift_edges(&self, nth: usize) -> f32 {
        self.params.drift_edges(nth, &self.levels[0])
    }
    fn weighs(&self) -> bool {
        P::WEIGHS
    }
    fn run_level(
        &mut self,
        nth: usize,
        part: &LevelGeometry,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Option<Buffer>> {
        let Self { device, params, memory, .. } = self;
        let task = LevelTask { device, nth, geometry: part, images };
        let Some(certainty) = params.run_level(task, memory, displacement)?.certainty else {
            return Ok(None);
        };
        to_voxels(device, part, VoxelAffine::IDENTITY, displacement)?;
        Ok(Some(certainty.confidence))
    }
}
