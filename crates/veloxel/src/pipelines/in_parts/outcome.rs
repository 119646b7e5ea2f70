//! What a field is in numbers, box by box.

use super::PartsRequest;
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::dense::{ImagesOfField, warn_of_vectors_outside};
use crate::pipelines::memory_plan::FlowPlan;
use std::sync::Arc;
use veloxel_core::{Flow, Grid, GridBox, Threads};
use veloxel_gpu::Device;
use veloxel_measure::FoldingSums;
use veloxel_motion::{DeterminantSums, FlowInTiles, FlowPart, SampleMemory, TileSeams};
use veloxel_report::{FieldBox, MotionSums, PairReport};

/// Voxels that are seen around a box: the determinant looks at neighbours.
pub(super) const MARGIN_VOX: usize = 1;
/// Planes along z of a box that are measured at once, as many as are read of a tile.
const SLAB_PLANES: usize = 16;
/// Samples a voxel of a slab with what is seen around it: its vectors as the determinant and as the rest takes them, two volumes that the
/// determinant takes, itself, and the confidence; no more are read of a tile.
const OF_SLAB: u64 = 10;

/// Samples that a box takes, whose flow and confidence are put together and measured.
pub(super) fn samples_of_box(own: GridBox, grid: &Grid) -> u64 {
    let seen = own.grown([MARGIN_VOX; 3], [MARGIN_VOX; 3], grid.size());
    let slab = GridBox {
        size: [seen.size[0], seen.size[1], seen.size[2].min(SLAB_PLANES + 2 * MARGIN_VOX)],
        ..seen
    };
    (grid.dimension().count() as u64 + 1) * seen.len() as u64 + OF_SLAB * slab.len() as u64
}

/// What a run in parts gives beside its field, which went to its output.
#[derive(Debug, Clone)]
pub struct PartsResult {
    /// The field in numbers.
    pub measured: PairReport,
    /// Memory and tiles.
    pub plan: FlowPlan,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// What is measured, box by box.
pub(super) struct Measured<'a> {
    grids: [&'a Grid; 2],
    motion: MotionSums<'a>,
    folding: FoldingSums,
    determinant: DeterminantSums,
    seams: TileSeams,
}

impl<'a> Measured<'a> {
    pub fn new(grids: [&'a Grid; 2]) -> Self {
        Self {
            grids,
            motion: MotionSums::new(grids[0], grids[1]),
            folding: FoldingSums::default(),
            determinant: DeterminantSums::default(),
            seams: TileSeams::default(),
        }
    }

    /// Counts a box in, of which its neighbours are there as well.
    ///
    /// # Errors
    /// What the device fails with, and [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn add(
        &mut self,
        own: GridBox,
        seen: &FlowPart,
        device: &Device,
        threads: Threads<'_>,
        memory: &mut SampleMemory,
    ) -> Result<()> {
        self.seams = self.seams.and(&seen.seams);
        own.slabs(SLAB_PLANES).try_for_each(|slab| self.add_slab(slab, seen, device, threads, memory))
    }

    fn add_slab(
        &mut self,
        own: GridBox,
        seen: &FlowPart,
        device: &Device,
        threads: Threads<'_>,
        memory: &mut SampleMemory,
    ) -> Result<()> {
        let (grid, size) = (self.grids[0], seen.part.size);
        // The cells that begin in the slab end at the next voxels.
        let cells = cut(seen, own.grown([0; 3], [1; 3], grid.size()), grid, memory)?;
        self.folding.add(&cells, own.size[2], threads)?;
        memory.give_back(cells.into_planar_vox());
        let around = own.grown([MARGIN_VOX; 3], [MARGIN_VOX; 3], grid.size());
        let mut cut_out = |part: GridBox, samples: &[f32]| {
            let mut own = memory.room(part.len());
            part.within(&seen.part).append_to(&mut own, samples, size);
            own
        };
        let components: Vec<_> = seen.components_vox.iter().map(|c| Arc::new(cut_out(around, c))).collect();
        let confidence = cut_out(own, &seen.confidence);
        let (mut jacobian, sums) = (memory.room(own.len()), &mut self.determinant);
        device.scope(|| {
            sums.add(device, grid.dimension(), [own, around], &components, |_| true, &mut jacobian)
        })?;
        components.into_iter().filter_map(Arc::into_inner).for_each(|samples| memory.give_back(samples));
        let flow = cut(seen, own, grid, memory)?;
        let field = FieldBox { flow: &flow, confidence: &confidence, jacobian: &jacobian, begin: own.begin };
        self.motion.add(&field, threads)?;
        [flow.into_planar_vox(), confidence, jacobian].into_iter().for_each(|own| memory.give_back(own));
        Ok(())
    }

    /// The report, with what is warned of the field.
    pub fn finish(
        self,
        request: &PartsRequest<'_>,
        found: FlowInTiles,
        plan: FlowPlan,
        mut account: Account,
    ) -> Result<PartsResult> {
        let [fixed, moving] = self.grids;
        let mut statistics = found.statistics(&plan.tiles, self.seams);
        statistics.jacobian = self.determinant.report();
        statistics.warnings.extend(self.determinant.warnings(fixed));
        account.warnings.extend(statistics.warnings.clone());
        let motion = self.motion.report();
        let share_grid = fixed.require_same(moving, "").is_ok();
        let start = Some(request.start.kind());
        let images = ImagesOfField { dimension: fixed.dimension(), share_grid, start };
        warn_of_vectors_outside(motion.outside_share, images, &mut account.warnings);
        let measured = PairReport {
            title: request.names.title.to_owned(),
            frames: None,
            statistics,
            motion,
            cells: self.folding.certificate(),
            error: None,
            sparsification: None,
            reliability: None,
        };
        Ok(PartsResult { measured, plan, account })
    }
}

/// The vectors of a box of a part.
fn cut(from: &FlowPart, part: GridBox, grid: &Grid, memory: &mut SampleMemory) -> Result<Flow> {
    let (inner, size) = (part.within(&from.part), from.part.size);
    let mut planar = memory.room(from.components_vox.len() * part.len());
    from.components_vox.iter().for_each(|component| inner.append_to(&mut planar, component, size));
    Ok(Flow::from_planar_vox(grid.part(part), planar)?)
}
