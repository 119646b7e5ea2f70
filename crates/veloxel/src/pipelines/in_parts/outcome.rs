//! From tiles that were found to boxes of the field, which are measured on their way out.

use super::{PartsOutput, PartsRequest};
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::dense::{ImagesOfField, warn_of_vectors_outside};
use crate::pipelines::memory_plan::FlowPlan;
use veloxel_core::{Flow, Grid, GridBox};
use veloxel_gpu::Device;
use veloxel_measure::FoldingSums;
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

/// Samples a voxel that a box takes while it is measured.
const OF_BOX: usize = 20;

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

    /// Puts the field together and hands it out, in boxes of so many bytes.
    ///
    /// # Errors
    /// What tiles and output fail with, and [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn hand_out(
        &mut self,
        found: &FlowInTiles,
        output: &mut dyn PartsOutput,
        most_bytes: u64,
        device: &Device,
    ) -> Result<()> {
        let size = self.grids[0].size();
        let most_voxels = most_bytes as usize / (OF_BOX * size_of::<f32>());
        let boxes = boxes(size, output.step()?, most_voxels);
        let count = boxes.len();
        for (nth, own) in boxes.into_iter().enumerate() {
            device.control().step(nth as f64 / count as f64, [None; 2])?;
            let seen = own.grown([1; 3], [1; 3], size);
            let part = found.part([own, seen], &*output.tiles())?;
            let own_part = cut(&part, own);
            output.put(&own_part)?;
            self.measure(part, own_part, device)?;
        }
        Ok(())
    }

    /// Counts a box in, of which its neighbours are there as well.
    fn measure(&mut self, seen: FlowPart, own: FlowPart, device: &Device) -> Result<()> {
        let (grid, control) = (self.grids[0], device.control());
        self.seams = self.seams.and(&seen.seams);
        // The cells that begin in the box end at the next voxels.
        let cells = own.part.grown([0; 3], [1; 3], grid.size());
        let of_cells = cut(&seen, cells);
        let flow = Flow::new(grid.part(cells), of_cells.components_vox)?;
        self.folding.add(&flow, own.part.size[2], control)?;
        drop(flow);
        let boxes = [own.part, seen.part];
        let (dimension, sums) = (grid.dimension(), &mut self.determinant);
        let components = seen.components_vox;
        let jacobian = device.scope(|| sums.add(device, dimension, boxes, components, |_| true))?;
        let FlowPart { part, components_vox, confidence, .. } = own;
        let flow = Flow::new(grid.part(part), components_vox)?;
        let (confidence, jacobian) = (&confidence, &jacobian);
        let field = FieldBox { flow: &flow, confidence, jacobian, begin: part.begin };
        Ok(self.motion.add(&field, control)?)
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

/// A grid's boxes between multiples of `step`, of so many voxels where a step has no more, as long as possible along x, then y.
fn boxes(size: [usize; 3], step: [usize; 3], most_voxels: usize) -> Vec<GridBox> {
    let mut length = [0, 1, 2].map(|a| step[a].min(size[a]));
    for a in 0..3 {
        let across: usize = (0..3).filter(|other| *other != a).map(|other| length[other]).product();
        let steps = (most_voxels / (across * step[a])).clamp(1, size[a].div_ceil(step[a]));
        length[a] = (steps * step[a]).min(size[a]);
    }
    let counts = [0, 1, 2].map(|a| size[a].div_ceil(length[a]));
    let of = |nth: usize| {
        let place = [nth % counts[0], nth / counts[0] % counts[1], nth / (counts[0] * counts[1])];
        let begin = [0, 1, 2].map(|a| place[a] * length[a]);
        GridBox { begin, size: [0, 1, 2].map(|a| length[a].min(size[a] - begin[a])) }
    };
    (0..counts.iter().product()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_each_voxel_once_between_steps() {
        for most in [1, 40_000, 300_000, usize::MAX / 8] {
            let size = [150, 70, 130];
            let all = boxes(size, [64; 3], most);
            assert_eq!(all.iter().map(GridBox::len).sum::<usize>(), 150 * 70 * 130);
            assert!(all.iter().all(|part| part.begin.iter().all(|begin| begin % 64 == 0)));
            assert!(all.iter().all(|part| part.len() <= most.max(64 * 64 * 64)));
            assert!(
                all.iter().enumerate().all(|(i, a)| all[..i].iter().all(|b| a.intersection(b).is_none()))
            );
        }
        assert_eq!(boxes([150, 70, 130], [64; 3], 1).len(), 3 * 2 * 3);
        assert_eq!(boxes([150, 70, 130], [64; 3], usize::MAX / 8).len(), 1);
    }
}
