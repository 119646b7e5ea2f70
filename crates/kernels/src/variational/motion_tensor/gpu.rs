//! Launches of `along_y.wgsl`, `smooth.wgsl` and `mismatch.wgsl`.

use super::{Constraint, MOST_PAIRS, MotionTensor};
use crate::image::convolve::convolve;
use crate::image::gradient::Scheme;
use crate::shared::taps::Taps;
use crate::shared::{LINE, NAN, PACK1, PACK4, SUM};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Field, Gpu, Later, Launch, ShaderSource, Uniform, cover, inputs,
    outputs, partials, sum_rows,
};

const PRODUCTS: &str = include_str!("products.wgsl");
static ALONG_Y: ShaderSource =
    ShaderSource::wgsl("motion_tensor", &[NAN, PRODUCTS, include_str!("along_y.wgsl")]);
static MISMATCH: ShaderSource =
    ShaderSource::wgsl("motion_tensor", &[LINE, NAN, SUM, PRODUCTS, include_str!("mismatch.wgsl")]);
const SMOOTH: &str = include_str!("smooth.wgsl");
static SMOOTH1: ShaderSource =
    ShaderSource::wgsl("motion_tensor", &[PACK1, SMOOTH, include_str!("smooth1.wgsl")]);
static SMOOTH4: ShaderSource =
    ShaderSource::wgsl("motion_tensor", &[PACK4, SMOOTH, include_str!("smooth4.wgsl")]);

/// Largest radii that fit the registers of a thread with all channels in flight, and with half of them; they take turns
/// beyond.
const RADIUS_TOGETHER: usize = 4;
const RADIUS_IN_TWO: usize = 6;
/// Largest radius whose march takes two rows a turn, which saves every other move of what it keeps: beyond it registers do
/// not suffice.
const RADIUS_IN_PAIRS: usize = 3;
/// Largest radius of these launches; beyond it [`crate::image::convolve`] takes over.
const MOST_RADIUS: usize = 8;
/// Columns and planes of a workgroup that marches along y. Measured on an H200: more planes share more samples and wait more
/// for each other.
const STRIP: usize = 64;
const PLANES: usize = 2;
/// Workgroups that fill a large device a few times; every row more of a workgroup saves the ones that it starts with.
const ENOUGH_GROUPS: usize = 512;
/// Channels of a launch along x and z at most: their bindings.
const MOST_CHANNELS: usize = 6;
/// Samples of the memory that channels pass through on their way: five volumes of 256³.
const BETWEEN: usize = 5 << 24;
/// Workgroups of marches along z that an H200 works on at once.
const AT_ONCE: usize = 512;
/// Planes of a march at least.
const LEAST_MARCH: usize = 32;

pub(super) fn motion_tensor(
    (device, gpu): (&Device, &dyn Gpu),
    args: &MotionTensor<'_>,
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let identity = Taps::gaussian(0.0, 1.0);
    let in_3d = args.shape.components() == 3 && args.shape.size[2] > 1;
    let [x, y, z] = [&args.taps[0], &args.taps[1], if in_3d { &args.taps[2] } else { &identity }];
    if [x, y, z].iter().any(|taps| taps.radius() > MOST_RADIUS) {
        along_y(gpu, args, &identity, out)?;
        let mut smooth = device.scratch(args.shape.len())?;
        for channel in out.iter_mut() {
            convolve(device, (args.shape, args.taps), channel, &mut smooth)?;
            std::mem::swap(channel, &mut smooth);
        }
        return Ok(());
    }
    along_y(gpu, args, y, out)?;
    if !(x.is_identity() && z.is_identity()) {
        let turn = (BETWEEN / args.shape.len()).clamp(1, MOST_CHANNELS).min(out.len());
        let mut between: Field = device.scratch_field(turn, args.shape.len())?;
        for channels in out.chunks_mut(turn) {
            smooth(gpu, args, [x, z], (channels, &between))?;
            // What was read holds the next ones' results.
            channels.iter_mut().zip(&mut between).for_each(|(done, free)| std::mem::swap(done, free));
        }
    }
    Ok(())
}

fn along_y(gpu: &dyn Gpu, args: &MotionTensor<'_>, taps: &Taps, out: &[Buffer]) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let in_3d = args.shape.components() == 3;
    let means = args.pairs.len() == 1 && args.scheme == Scheme::Central4;
    let planes = if in_3d { PLANES } else { 1 };
    let (strips, layers) = (nx.div_ceil(STRIP), nz.div_ceil(planes));
    // A weight and a tenth channel on top are too much for two rows.
    let in_pairs = means && taps.radius() <= RADIUS_IN_PAIRS && !(args.weight.is_some() && out.len() == 10);
    let least_rows = (2 * taps.radius()).max(8);
    let chunks = ENOUGH_GROUPS.div_ceil(strips * layers).clamp(1, ny.div_ceil(least_rows));
    let rows = ny.div_ceil(chunks);
    let all = if in_3d { 7 } else { 5 };
    let turns: &[usize] = match taps.radius() {
        0..=RADIUS_TOGETHER => &[7],
        radius if radius <= RADIUS_IN_TWO => &[5, 2],
        _ => &[1, 2, 4],
    };
    let buffers: Vec<_> = images(args).into_iter().chain([Bind::Absent]).chain(outputs(out, 10)).collect();
    for parts in turns.iter().map(|turn| turn & all).filter(|&parts| parts != 0) {
        let mut constants = constants(args);
        constants.extend([
            ("CHANNELS", out.len() as f64),
            ("RADIUS_Y", taps.radius() as f64),
            ("PARTS", parts as f64),
            ("MEANS", f64::from(u8::from(means))),
            ("STRIP", STRIP as f64),
            ("PLANES", planes as f64),
            // Two planes on either side.
            ("BESIDE", if in_3d { 4.0 / planes as f64 } else { 0.0 }),
            ("ROWS", if in_pairs { 2.0 } else { 1.0 }),
        ]);
        gpu.launch(&Launch {
            source: &ALONG_Y,
            entry: "along_y",
            constants: &constants,
            uniform: block(args, rows, taps),
            buffers: &buffers,
            groups: [strips as u32, cover(ny, rows), layers as u32],
        })?;
    }
    Ok(())
}

/// Filters channels along x and z into as many of the buffers `between`.
fn smooth(
    gpu: &dyn Gpu,
    args: &MotionTensor<'_>,
    [x, z]: [&Taps; 2],
    (channels, between): (&[Buffer], &[Buffer]),
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let (text, pack) = if nx.is_multiple_of(4) { (&SMOOTH4, 4) } else { (&SMOOTH1, 1) };
    let [wide, high] = [cover(nx / pack, 32), cover(ny, 4)];
    let segment = nz.div_ceil(marches(nz, wide as usize * high as usize * channels.len()));
    let (entry, layers) =
        if z.is_identity() { ("along_x", nz) } else { ("along_x_and_z", nz.div_ceil(segment)) };
    let buffers: Vec<_> =
        inputs(channels, MOST_CHANNELS).chain(outputs(&between[..channels.len()], MOST_CHANNELS)).collect();
    gpu.launch(&Launch {
        source: text,
        entry,
        constants: &[
            ("RADIUS_X", x.radius() as f64),
            ("RADIUS_Z", z.radius() as f64),
            ("CHANNELS", channels.len() as f64),
            ("BATCH", if x.radius().max(z.radius()) > RADIUS_TOGETHER { 1.0 } else { 4.0 }),
        ],
        uniform: with_taps(with_taps(Uniform::new().u4([nx, ny, nz, segment]), x), z),
        buffers: &buffers,
        groups: [wide, high, (layers * channels.len()) as u32],
    })
}

/// How many marches share `nz` planes when a march of all of them takes so many workgroups: as few as leave a device busy to
/// the end, since planes where two of them meet are read twice.
fn marches(nz: usize, groups: usize) -> usize {
    // Workgroups that there would be time for, over those that there are, in percent.
    let idle = |marches: usize| (groups * marches).next_multiple_of(AT_ONCE) * 100 / (groups * marches);
    let most = nz.div_ceil(LEAST_MARCH);
    (1..=most).find(|&n| idle(n) <= 110).or_else(|| (1..=most).min_by_key(|&n| idle(n))).unwrap_or(1)
}

pub(super) fn mismatch(
    (device, gpu): (&Device, &dyn Gpu),
    args: &MotionTensor<'_>,
) -> Result<Later<f64>, ComputeError> {
    let (groups, sums) = partials(device, args.shape.len(), 2)?;
    let identity = Taps::gaussian(0.0, 1.0);
    let buffers: Vec<_> = images(args).into_iter().chain([Bind::Out(&sums)]).collect();
    gpu.launch(&Launch {
        source: &MISMATCH,
        entry: "mismatch",
        constants: &constants(args),
        uniform: block(args, 0, &identity),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let [tt, trace] = sum_rows(sums);
        if trace > 0.0 { tt / trace } else { 0.0 }
    }))
}

/// The pairs and the weight.
fn images<'a>(args: &MotionTensor<'a>) -> Vec<Bind<'a>> {
    let pairs = args.pairs.iter().flat_map(|(fixed, warped)| [Bind::input(fixed), Bind::input(warped)]);
    let padded = pairs.chain(std::iter::repeat(Bind::Absent)).take(2 * MOST_PAIRS);
    padded.chain([Bind::optional(args.weight)]).collect()
}

fn constants(args: &MotionTensor<'_>) -> Vec<(&'static str, f64)> {
    let flag = |set: bool| f64::from(u8::from(set));
    vec![
        ("COMPONENTS", args.shape.components() as f64),
        ("PAIRS", args.pairs.len() as f64),
        ("WEIGHTED", flag(args.weight.is_some())),
        ("FORWARD", flag(args.scheme == Scheme::Forward)),
        ("NORMALISED", flag(args.constraint != Constraint::Plain)),
    ]
}

/// The uniform block.
fn block(args: &MotionTensor<'_>, rows: usize, taps: &Taps) -> Uniform {
    let [nx, ny, nz] = args.shape.size;
    let per_difference = match args.scheme {
        // The text adds both images up.
        Scheme::Central4 => 1.0 / 24.0,
        Scheme::Forward => 1.0,
    };
    let [x, y, z] = args.spacing_edges.map(|spacing| per_difference / spacing);
    let zeta2 = match args.constraint {
        Constraint::Plain => 0.0,
        Constraint::Normalised { zeta } => zeta * zeta,
    };
    with_taps(Uniform::new().u4([nx, ny, nz, rows]).f4([x, y, z, zeta2]), taps)
}

/// The weights of a filter, centre first, in three quads.
fn with_taps(block: Uniform, taps: &Taps) -> Uniform {
    let weight = |k: usize| taps.weights().get(k).copied().unwrap_or(0.0);
    (0..3).fold(block, |block, quad| block.f4([0, 1, 2, 3].map(|k| weight(4 * quad + k))))
}
