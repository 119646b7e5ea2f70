//! From tiles that were found to boxes of the field, which are measured on their way out.

use super::{KeptField, PartsRequest};
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::boxes::boxes;
use crate::pipelines::dense::{ImagesOfField, warn_of_vectors_outside};
use crate::pipelines::memory_plan::FlowPlan;
use veloxel_core::{Flow, Grid, GridBox, Threads};
use veloxel_gpu::Device;
use veloxel_measure::FoldingSums;
use veloxel_motion::over::beside::read_and_written_beside;
use veloxel_motion::{DeterminantSums, FlowInTiles, FlowPart, TileSeams};
use veloxel_report::{FieldBox, MotionSums, PairReport};

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

/// Samples a voxel that a box takes while it is measured, the next one is put together, and the one before is written.
const OF_BOX: usize = 36;

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

    /// Puts the field together and hands it out, in boxes of so many bytes: while one is measured, the next one is put together, and
    /// the one before is written.
    ///
    /// # Errors
    /// What tiles and output fail with, and [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn hand_out(
        &mut self,
        found: &FlowInTiles,
        KeptField { tiles, field, confidence }: KeptField<'_>,
        most_bytes: u64,
        device: &Device,
        threads: Threads<'_>,
    ) -> Result<()> {
        let size = self.grids[0].size();
        let most_voxels = most_bytes as usize / (OF_BOX * size_of::<f32>());
        let all = boxes(size, field.step(), most_voxels);
        let (count, mut nth) = (all.len(), 0);
        read_and_written_beside(
            |deliver| {
                all.into_iter().try_for_each(|own| {
                    let seen = own.grown([1; 3], [1; 3], size);
                    deliver((own, found.part([own, seen], tiles)?))
                })
            },
            |(own, part): (GridBox, FlowPart), put| {
                device.control().step(nth as f64 / count as f64, [None; 2])?;
                nth += 1;
                let own_part = cut(&part, own);
                put(own_part.clone())?;
                self.measure(part, own_part, device, threads)
            },
            |FlowPart { part, components_vox, confidence: samples, .. }: FlowPart| {
                field.put(part, &components_vox)?;
                confidence.map_or(Ok(()), |image| image.put(part, &[samples]))
            },
        )
    }

    /// Counts a box in, of which its neighbours are there as well.
    fn measure(
        &mut self,
        seen: FlowPart,
        own: FlowPart,
        device: &Device,
        threads: Threads<'_>,
    ) -> Result<()> {
        let grid = self.grids[0];
        self.seams = self.seams.and(&seen.seams);
        // The cells that begin in the box end at the next voxels.
        let cells = own.part.grown([0; 3], [1; 3], grid.size());
        let of_cells = cut(&seen, cells);
        let flow = Flow::new(grid.part(cells), of_cells.components_vox)?;
        self.folding.add(&flow, own.part.size[2], threads)?;
        drop(flow);
        let boxes = [own.part, seen.part];
        let (dimension, sums) = (grid.dimension(), &mut self.determinant);
        let components = seen.components_vox;
        let jacobian = device.scope(|| sums.add(device, dimension, boxes, components, |_| true))?;
        let FlowPart { part, components_vox, confidence, .. } = own;
        let flow = Flow::new(grid.part(part), components_vox)?;
        let (confidence, jacobian) = (&confidence, &jacobian);
        let field = FieldBox { flow: &flow, confidence, jacobian, begin: part.begin };
        Ok(self.motion.add(&field, threads)?)
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

/// A box of a part.
fn cut(from: &FlowPart, part: GridBox) -> FlowPart {
    let (inner, size) = (part.within(&from.part), from.part.size);
    FlowPart {
        part,
        components_vox: from.components_vox.iter().map(|component| inner.of(component, size)).collect(),
        confidence: inner.of(&from.confidence, size),
        seams: from.seams,
    }
}
