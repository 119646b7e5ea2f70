//! Launches of `median.wgsl`.

use super::{Median, WeightedMedian};
use crate::shared::EXPONENTIAL;
use veloxel_core::Shape;
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Launch, ShaderSource, Uniform, cover, inputs, outputs,
};

const BODY: &str = include_str!("median.wgsl");
/// Windows of 3², 5², 3³ and 7² values; arrays of just their length stay in registers.
static WINDOW_9: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 5u;", EXPONENTIAL, BODY]);
static WINDOW_25: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 14u;", EXPONENTIAL, BODY]);
static WINDOW_27: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 15u;", EXPONENTIAL, BODY]);
static WINDOW_49: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 25u;", EXPONENTIAL, BODY]);
static ANY_WINDOW: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 0u;", EXPONENTIAL, BODY]);

pub(super) fn median(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, kind): (Shape, Median),
    (field, guide, vote): (&[Buffer], &Buffer, Option<&Buffer>),
    out: &[Buffer],
) -> Result<(), ComputeError> {
    match kind {
        Median::Plain { radius } => plain(gpu, (shape, radius), field, out),
        Median::Weighted(window) => {
            let smooth = device.zeros_field(field.len(), shape.len())?;
            plain(gpu, (shape, 2), field, &smooth)?;
            weighted((device, gpu), (shape, window), (&smooth, guide, vote), out)
        }
    }
}

fn plain(
    gpu: &dyn Gpu,
    (shape, radius): (Shape, usize),
    field: &[Buffer],
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let ([nx, ny, nz], d) = (shape.size, shape.components());
    let text = match (2 * radius + 1).pow(d as u32) {
        9 => &WINDOW_9,
        25 => &WINDOW_25,
        27 => &WINDOW_27,
        49 => &WINDOW_49,
        _ => &ANY_WINDOW,
    };
    let buffers: Vec<_> = inputs(field, 3).chain(outputs(out, 3)).chain([Bind::Absent; 3]).collect();
    gpu.launch(&Launch {
        source: text,
        entry: "plain",
        constants: &[("COMPONENTS", d as f64), ("RADIUS", radius as f64)],
        uniform: Uniform::new().u4([nx, ny, nz]).u4([0; 4]).f4([0.0; 4]).f4([0.0]),
        buffers: &buffers,
        groups: [cover(nx, 32), cover(ny, 4), (nz * d) as u32],
    })
}

fn weighted(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, window): (Shape, WeightedMedian),
    (field, guide, vote): (&[Buffer], &Buffer, Option<&Buffer>),
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, _] = shape.size;
    let [begin, per_square] = window.ramp();
    let half_over = |sigma: f32| 0.5 / (sigma * sigma);
    let launch = |entry, constants: &[_], buffers: &[Bind<'_>]| {
        gpu.launch(&Launch {
            source: &ANY_WINDOW,
            entry,
            constants,
            uniform: Uniform::new()
                .u4([nx, ny, 1])
                .u4([window.radius, window.stride.max(1), window.reach])
                .f4([half_over(window.sigma_vox), half_over(window.sigma_intensity), begin, per_square]),
            buffers,
            groups: [cover(nx, 32), cover(ny, 4), 1],
        })
    };
    let near = device.zeros::<f32>(shape.len())?;
    let [x, y] = [Bind::In(&field[0]), Bind::In(&field[1])];
    let (absent, spare) = (Bind::Absent, Bind::Spare);
    launch("edges", &[], &[x, y, absent, Bind::Out(&near), spare, spare, absent, absent, absent])?;
    let [out_x, out_y] = [Bind::Out(&out[0]), Bind::Out(&out[1])];
    let votes = [Bind::In(guide), Bind::optional(vote), Bind::In(&near)];
    let voted = f64::from(u8::from(vote.is_some()));
    let buffers = [[x, y, absent], [out_x, out_y, spare], votes].concat();
    launch("weighted", &[("VOTED", voted)], &buffers)
}
