//! Launches of `motion_tensor.wgsl`.

use super::{Constraint, MOST_PAIRS, MotionTensor};
use crate::gpu::{
    Bind, Gpu, LINE, Launch, NAN, PACK1, PACK4, SUM, Text, Uniform, cover, line, outputs, partials,
};
use crate::kernels::convolve::convolve;
use crate::kernels::gradient::Scheme;
use crate::later::sum_rows;
use crate::{Axes, Buffer, ComputeError, Device, Later, Taps};

const BODY: &str = include_str!("motion_tensor.wgsl");
static SINGLE: Text =
    Text { name: "motion_tensor", parts: &[LINE, NAN, SUM, PACK1, BODY, include_str!("quads1.wgsl")] };
static QUADS: Text =
    Text { name: "motion_tensor", parts: &[LINE, NAN, SUM, PACK4, BODY, include_str!("quads4.wgsl")] };

/// Largest radius that fits the registers of a thread with all channels in flight; beyond it the channels take turns.
const RADIUS_TOGETHER: usize = 4;
/// Largest radius of the fused launches.
const MOST_RADIUS: usize = 8;
/// Columns of a strip: few widths, since each is a compilation.
const STRIPS: [usize; 4] = [32, 64, 128, 232];
/// Planes of a workgroup that shares their samples, as far as registers for the filter along y allow it.
const SHARED_PLANES: usize = 2;
const MOST_SHARED_RADIUS: usize = 3;
/// Widest strip whose samples of the planes around it fit the memory of a workgroup.
const MOST_SHARED_STRIP: usize = 128;
/// Workgroups that fill a large device a few times; once, where every row more of a workgroup saves much.
const ENOUGH_GROUPS: usize = 2048;
const ENOUGH_SHARED_GROUPS: usize = 256;

pub(super) fn motion_tensor(
    (device, gpu): (&Device, &dyn Gpu),
    args: &MotionTensor<'_>,
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let identity = Taps::gaussian(0.0, 1.0);
    let in_3d = args.shape.components() == 3;
    let [x, y, z] = args.taps;
    let fused_plane = x.radius().max(y.radius()) <= MOST_RADIUS;
    let fused_z = z.radius() <= MOST_RADIUS;
    let plane = if fused_plane { [x, y] } else { [&identity, &identity] };
    in_plane(gpu, args, plane, out)?;
    if !fused_plane || (in_3d && !fused_z) {
        let rest = |done: bool, taps: &Taps| if done { identity.clone() } else { taps.clone() };
        let taps: Axes<Taps> = [rest(fused_plane, x), rest(fused_plane, y), rest(fused_z, z)];
        let mut smooth = device.zeros(args.shape.len())?;
        for channel in out.iter_mut() {
            convolve(device, (args.shape, &taps), channel, &mut smooth)?;
            std::mem::swap(channel, &mut smooth);
        }
    }
    if in_3d && fused_z && !z.is_identity() && args.shape.size[2] > 1 {
        along_z(gpu, args, out)?;
    }
    Ok(())
}

fn in_plane(
    gpu: &dyn Gpu,
    args: &MotionTensor<'_>,
    [taps_x, taps_y]: [&Taps; 2],
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let radius = taps_x.radius().max(taps_y.radius());
    // Measured: in 2-D, registers are scarcer than time where the filter along y is wide.
    let in_3d = args.shape.components() == 3;
    let narrow = taps_y.radius() < 2;
    let means = args.pairs.len() == 1 && args.scheme == Scheme::Central4 && (in_3d || narrow);
    let shared = means && in_3d;
    let planes = if shared && taps_y.radius() <= MOST_SHARED_RADIUS { SHARED_PLANES } else { 1 };
    // Derivatives from workgroup memory look two columns further than the filter.
    let pad = (taps_x.radius() + if means { 2 } else { 0 }).next_multiple_of(4);
    let warps = |strip: usize| nx.div_ceil(strip) * (planes * (strip + 2 * pad)).div_ceil(32);
    let widths = STRIPS.into_iter().filter(|&strip| !shared || strip <= MOST_SHARED_STRIP);
    let strip = widths.min_by_key(|&strip| warps(strip)).unwrap_or(STRIPS[0]);
    let strips = nx.div_ceil(strip);
    let least_rows = (2 * taps_y.radius()).max(8);
    let layers = nz.div_ceil(planes);
    let enough = if planes == 1 { ENOUGH_GROUPS } else { ENOUGH_SHARED_GROUPS };
    let chunks = enough.div_ceil(strips * layers).clamp(1, ny.div_ceil(least_rows));
    let rows = ny.div_ceil(chunks);
    let all = if in_3d { 7 } else { 5 };
    let turns: &[usize] = if radius > RADIUS_TOGETHER { &[5, 2] } else { &[7] };
    let buffers: Vec<_> = inputs(args).into_iter().chain([Bind::Absent]).chain(outputs(out, 10)).collect();
    for parts in turns.iter().map(|turn| turn & all).filter(|&parts| parts != 0) {
        let mut constants = constants(args);
        constants.extend([
            ("CHANNELS", out.len() as f64),
            ("RADIUS_X", taps_x.radius() as f64),
            ("RADIUS_Y", taps_y.radius() as f64),
            ("PARTS", parts as f64),
            ("MEANS", f64::from(u8::from(means))),
            ("STRIP", strip as f64),
            ("PAD", pad as f64),
            ("THREADS", (strip + 2 * pad) as f64),
            ("PLANES", planes as f64),
        ]);
        gpu.launch(&Launch {
            text: text(nx),
            entry: "in_plane",
            constants: &constants,
            uniform: block(args, rows, [taps_x, taps_y, taps_y]),
            buffers: &buffers,
            groups: [strips as u32, cover(ny, rows), layers as u32],
        })?;
    }
    Ok(())
}

fn along_z(gpu: &dyn Gpu, args: &MotionTensor<'_>, out: &[Buffer]) -> Result<(), ComputeError> {
    let [nx, ny, _] = args.shape.size;
    let pack = if nx.is_multiple_of(4) { 4 } else { 1 };
    let [groups, folded, _] = line(nx * ny / pack, 256);
    let taps = &args.taps[2];
    let buffers: Vec<_> = [Bind::Absent; 8].into_iter().chain(outputs(out, 10)).collect();
    gpu.launch(&Launch {
        text: text(nx),
        entry: "along_z",
        constants: &[("RADIUS_Z", taps.radius() as f64)],
        uniform: block(args, taps.radius(), [taps; 3]),
        buffers: &buffers,
        groups: [groups, folded, out.len() as u32],
    })
}

pub(super) fn mismatch(
    (device, gpu): (&Device, &dyn Gpu),
    args: &MotionTensor<'_>,
) -> Result<Later<f64>, ComputeError> {
    let (groups, sums) = partials(device, args.shape.len(), 2)?;
    let identity = Taps::gaussian(0.0, 1.0);
    let buffers: Vec<_> = inputs(args).into_iter().chain([Bind::Out(&sums)]).collect();
    gpu.launch(&Launch {
        text: &SINGLE,
        entry: "mismatch",
        constants: &constants(args),
        uniform: block(args, 0, [&identity; 3]),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let [tt, trace] = sum_rows(sums);
        if trace > 0.0 { tt / trace } else { 0.0 }
    }))
}

fn text(nx: usize) -> &'static Text {
    if nx.is_multiple_of(4) { &QUADS } else { &SINGLE }
}

/// The pairs and the weight.
fn inputs<'a>(args: &MotionTensor<'a>) -> Vec<Bind<'a>> {
    let pairs = args.pairs.iter().flat_map(|(fixed, warped)| [Bind::In(fixed), Bind::In(warped)]);
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

/// The uniform block; filters beyond the fused launches' are not asked for.
fn block(args: &MotionTensor<'_>, rows: usize, taps: [&Taps; 3]) -> Uniform {
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
    let block = Uniform::new().u4([nx, ny, nz, rows]).f4([x, y, z, zeta2]);
    taps.into_iter().fold(block, |block, taps| {
        let weight = |k: usize| taps.weights().get(k).copied().unwrap_or(0.0);
        (0..3).fold(block, |block, quad| block.f4([0, 1, 2, 3].map(|k| weight(4 * quad + k))))
    })
}
