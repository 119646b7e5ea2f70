//! Launches of `window_sum.wgsl` and, for long windows, `long.wgsl`: one pass an axis.

use super::WindowSum;
use crate::image::pointwise::CopyBuffer;
use crate::kernel::{Kernel, Launcher};
use crate::shared::LINE;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, ShaderSource, Uniform, cover, line};

static SOURCE: ShaderSource = ShaderSource::wgsl("window sum", &[LINE, include_str!("window_sum.wgsl")]);

static LONG: ShaderSource = ShaderSource::wgsl("long window sum", &[include_str!("long.wgsl")]);

/// Half a window from which on sums are made of each other in the memory of a workgroup.
const LONG_FROM: usize = 24;
/// Samples that it holds.
const HELD: usize = 4096;
/// Lines that it holds parts of: along x; along y and z, where lines lie side by side, and windows of up to half of that
/// length, or of any.
const LINES: [usize; 3] = [2, 16, 8];
/// Workgroups along an axis, at most.
const MOST_GROUPS: usize = 65_535;

pub(super) fn window_sum(gpu: &Launcher<'_>, args: WindowSum<'_>) -> Result<(), ComputeError> {
    let WindowSum { shape, radius, input, output } = args;
    let pass = |axis: usize, input: &Buffer, output: &Buffer| {
        if radius[axis] >= LONG_FROM {
            return long_window(gpu, Pass { shape, axis, radius: radius[axis] }, [input, output]);
        }
        let stride = shape.size[..axis].iter().product::<usize>();
        gpu.launch(&SOURCE, "window_sum")
            .constant("RADIUS", radius[axis])
            .uniform(Uniform::new().u(shape.len()).u(stride).u(shape.size[axis]))
            .input(input)
            .output(output)
            .run(line(shape.len(), 256))
    };
    let device = gpu.device();
    let axes: Vec<usize> = (0..shape.components()).filter(|&axis| radius[axis] > 0).collect();
    match axes[..] {
        [] => CopyBuffer { from: input, to: output }.run(device),
        [only] => pass(only, input, output),
        [first, second] => {
            let between = device.scratch(shape.len())?;
            pass(first, input, &between)?;
            pass(second, &between, output)
        }
        [first, second, third, ..] => {
            let between = device.scratch(shape.len())?;
            pass(first, input, output)?;
            pass(second, output, &between)?;
            pass(third, &between, output)
        }
    }
}

/// Sums along one axis.
struct Pass {
    shape: Shape,
    axis: usize,
    radius: usize,
}

/// One pass over lines whose windows are long.
fn long_window(gpu: &Launcher<'_>, pass: Pass, [input, output]: [&Buffer; 2]) -> Result<(), ComputeError> {
    let Pass { shape, axis, radius } = pass;
    let (stride, length) = (shape.size[..axis].iter().product::<usize>(), shape.size[axis]);
    let lines = shape.len() / length;
    let held = match axis {
        0 => LINES[0],
        _ if 4 * radius <= HELD / LINES[1] => LINES[1],
        _ => LINES[2],
    };
    let groups = lines.div_ceil(held);
    let rows = groups.div_ceil(MOST_GROUPS);
    gpu.launch(&LONG, "long_window")
        .constant("RADIUS", radius)
        .constant("LINES", held)
        .constant("STEP", if axis == 0 { 1 } else { held })
        .uniform(Uniform::new().u(lines).u(stride).u(length))
        .input(input)
        .output(output)
        .run([cover(groups, rows), cover(length, HELD / held - 2 * radius), rows as u32])
}
