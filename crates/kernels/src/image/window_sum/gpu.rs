//! Launches of `window_sum.wgsl`: one pass an axis.

use super::WindowSum;
use crate::image::pointwise::CopyBuffer;
use crate::kernel::{Kernel, Launcher};
use crate::shared::LINE;
use veloxel_gpu::{Buffer, ComputeError, ShaderSource, Uniform, line};

static SOURCE: ShaderSource = ShaderSource::wgsl("window sum", &[LINE, include_str!("window_sum.wgsl")]);

pub(super) fn window_sum(gpu: &Launcher<'_>, args: WindowSum<'_>) -> Result<(), ComputeError> {
    let WindowSum { shape, radius, input, output } = args;
    let pass = |axis: usize, input: &Buffer, output: &Buffer| {
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
