//! Launches of the phases: on CUDA the third one also closes the next pivots' own tile, so that two launches are left a block
//! of pivots.

use super::texts::{Bindings, Block};
use super::{FloydWarshall, Length, MatrixHalf, TILE_LEN};
use crate::kernel::Launcher;
use veloxel_gpu::{ComputeError, line};

/// Number of threads of a workgroup.
const THREADS: usize = 256;

pub(super) fn floyd_warshall<T: Length>(
    args: FloydWarshall<'_, T>,
    gpu: &Launcher<'_>,
) -> Result<(), ComputeError> {
    let FloydWarshall { layout, lengths } = args;
    let (device, side, by_hand) = (gpu.device(), layout.side(), gpu.gpu().takes_cuda());
    if side == 0 {
        return Ok(());
    }
    let is_lower = layout.half() == MatrixHalf::Lower;
    let tasks = layout.tasks();
    let count = tasks.len();
    // The task that is the next pivots' own tile, once those of a block of pivots are left out; after the last there is none.
    let next_of = |pivot: usize| tasks.iter().position(|task| *task == [pivot, pivot]).unwrap_or(count);
    let next: Vec<usize> = (0..side).map(next_of).collect();
    let mut numbers: Vec<u32> = tasks.iter().flatten().map(|&tile| tile as u32).collect();
    numbers.resize(numbers.len().max(1), 0);
    let (slots, tasks) = (device.upload_copy(layout.slots())?, device.upload(numbers)?);
    // The text in WGSL has panels of floats.
    let panel = side * TILE_LEN;
    let row_panel = device.scratch::<f32>(panel)?;
    let column_panel = device.scratch::<f32>(if is_lower { 4 } else { panel })?;
    let all = [("LOWER", usize::from(is_lower)), ("WIDTH", THREADS), ("HEIGHT", 1)];
    let (source, constants) = if by_hand { (&T::TEXTS.cuda, &all[..]) } else { (&T::TEXTS.wgsl, &all[..1]) };
    for pivot in 0..side {
        let launch = |entry: &'static str, groups: [u32; 3]| {
            let block = Block { pivot, side, tasks: count, next: next[pivot] };
            let (slots, tasks, row_panel, column_panel) = (&slots, &tasks, &row_panel, &column_panel);
            constants
                .iter()
                .fold(gpu.launch(source, entry), |launch, &(name, value)| launch.constant(name, value))
                .bind(&Bindings { block, lengths, slots, tasks, row_panel, column_panel })
                .run(groups)
        };
        if !by_hand || pivot == 0 {
            launch("close", [1, 1, 1])?;
        }
        if side > 1 {
            let (others, panels) = (side as u32 - 1, if is_lower { 1 } else { 2 });
            launch("panels", if by_hand { [others, T::TEXTS.parts, panels] } else { [others, panels, 1] })?;
            launch("relax", line(count, 1))?;
        }
    }
    Ok(())
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::super::texts::{F32, U16};
    use super::*;
    use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
    use veloxel_gpu::{BoundBuffer, Launch, cuda_source};
    use veloxel_testkit::every_device::here;

    #[test]
    fn tiles_stay_in_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        for (texts, lower) in [(&F32, 0.0), (&F32, 1.0), (&U16, 0.0), (&U16, 1.0)] {
            for entry in ["close", "panels", "relax"] {
                let constants = [("LOWER", lower), ("WIDTH", THREADS as f64), ("HEIGHT", 1.0)];
                let launch = Launch {
                    source: &texts.cuda,
                    entry,
                    constants: &constants,
                    uniform: &[0; 16],
                    buffers: &[BoundBuffer::Absent; 5],
                    groups: [1; 3],
                    nearby_bytes: None,
                };
                let text = cuda_source(&launch).unwrap();
                let resources = nvrtc.resources(&text.source, entry, ComputeCapability::new(9, 0)).unwrap();
                // Two workgroups of 256 threads a multiprocessor.
                assert!(resources.spill_bytes == 0 && resources.registers <= 128, "{entry}: {resources:?}");
            }
        }
    }
}
