//! Launches of the phases: three a block of pivots.

use super::{FloydWarshall, Half, TILE_LEN};
use crate::kernel::Launcher;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, line};

static SOURCE: ShaderSource = ShaderSource::wgsl("floyd_warshall", &[include_str!("floyd_warshall.wgsl")]);
/// The third phase alone: 13.8 × 10¹² lengths a second are the most by two operands at a time on one H200, 16.8 by three.
static RELAX: ShaderSource = ShaderSource::cuda("floyd_warshall_relax", &[], include_str!("relax.cu"));

/// Threads of a workgroup.
const THREADS: usize = 256;

pub(super) fn floyd_warshall(args: FloydWarshall<'_>, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
    let FloydWarshall { layout, lengths } = args;
    let (device, side) = (gpu.device(), layout.side());
    if side == 0 {
        return Ok(());
    }
    let is_lower = layout.half() == Half::Lower;
    let tasks = layout.tasks();
    let count = tasks.len();
    let mut numbers: Vec<u32> = tasks.into_iter().flatten().map(|tile| tile as u32).collect();
    numbers.resize(numbers.len().max(1), 0);
    let (slots, tasks) = (device.upload_copy(layout.slots())?, device.upload(numbers)?);
    let row_panel = device.scratch::<f32>(side * TILE_LEN)?;
    let column_panel = device.scratch::<f32>(if is_lower { 4 } else { side * TILE_LEN })?;
    let takes_cuda = gpu.gpu().takes_cuda();
    let constants: &[(&'static str, usize)] = &[("LOWER", usize::from(is_lower))];
    let wide: &[(&'static str, usize)] = &[constants[0], ("WIDTH", THREADS), ("HEIGHT", 1)];
    for pivot in 0..side {
        let launch = |entry: &'static str, groups: [u32; 3]| {
            let by_hand = entry == "relax" && takes_cuda;
            let (source, constants) = if by_hand { (&RELAX, wide) } else { (&SOURCE, constants) };
            let launch = gpu.launch(source, entry).uniform(Uniform::new().u(pivot).u(side).u(count));
            constants
                .iter()
                .fold(launch, |launch, &(name, value)| launch.constant(name, value))
                .output(lengths)
                .input(&slots)
                .input(&tasks)
                .output(&row_panel)
                .output(&column_panel)
                .run(groups)
        };
        launch("close", [1, 1, 1])?;
        if side > 1 {
            launch("panels", [side as u32 - 1, if is_lower { 1 } else { 2 }, 1])?;
            launch("relax", line(count, 1))?;
        }
    }
    Ok(())
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use veloxel_gpu::nvrtc::Nvrtc;
    use veloxel_gpu::{Bind, Launch, cuda_source};
    use veloxel_testkit::every_device::here;

    #[test]
    fn tiles_stay_in_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        for lower in [0.0, 1.0] {
            let constants = [("LOWER", lower), ("WIDTH", THREADS as f64), ("HEIGHT", 1.0)];
            let launch = Launch {
                source: &RELAX,
                entry: "relax",
                constants: &constants,
                uniform: Uniform::new().u(0).u(1).u(1),
                buffers: &[Bind::Absent; 5],
                groups: [1; 3],
            };
            let text = cuda_source(&launch).unwrap();
            let (_, resources) = nvrtc.compile_with_resources(&text.source, "relax", (9, 0)).unwrap();
            // Two workgroups of 256 threads a multiprocessor.
            assert!(resources.spill_bytes == 0 && resources.registers <= 128, "{resources:?}");
        }
    }
}
