//! Launches of `picture.wgsl`, or of `along_y.wgsl` and `smooth.wgsl`; and of `mismatch.wgsl`.

use super::{Constraint, DataTerm, MotionTensor, ratio};
use crate::bindings::{bindings, block, slots};
use crate::image::convolve::{Convolve, is_small_picture, quads};
use crate::image::gradient::Scheme;
use crate::kernel::{Kernel, Launcher, PreparedLaunch, packed, wgsl};
use crate::shared::Pack;
use crate::shared::taps::Taps;
use crate::shared::{LINE, NAN, PACK1, PACK4, PLANE_TAPS, SUM};
use veloxel_core::Axes;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Field, Later, ShaderSource, cover};

const PRODUCTS: &str = include_str!("products.wgsl");
static ALONG_Y: ShaderSource = wgsl!("motion_tensor", AlongYBindings, [NAN, PRODUCTS], "along_y.wgsl");
static PICTURE: ShaderSource =
    wgsl!("motion_tensor", PictureBindings, [NAN, PLANE_TAPS, PRODUCTS], "picture.wgsl");
static MISMATCH: ShaderSource =
    wgsl!("motion_tensor", MismatchBindings, [LINE, NAN, SUM, PRODUCTS], "mismatch.wgsl");
const SMOOTH: &str = include_str!("smooth.wgsl");
static SMOOTH_X_Z: [ShaderSource; 2] = [
    wgsl!("motion_tensor", SmoothBindings, [PACK1, SMOOTH], "smooth1.wgsl"),
    wgsl!("motion_tensor", SmoothBindings, [PACK4, SMOOTH], "smooth4.wgsl"),
];

block! {
    /// Numbers that [`PRODUCTS`] needs.
    struct Block {
        /// Voxels along x, y, z; rows per workgroup (w).
        size: vec4<u32>,
        /// Factor from a difference to a derivative, per axis (x, y, z); ζ² (w).
        gain: vec4<f32>,
        taps_y: [vec4<f32>; 3],
        taps_x: [vec4<f32>; 3],
    }
}

slots! {
    /// The buffers of [`PRODUCTS`].
    struct Images<'a> {
        fixed_0: may_read f32,
        warped_0: may_read f32,
        fixed_1: may_read f32,
        warped_1: may_read f32,
        fixed_2: may_read f32,
        warped_2: may_read f32,
        weight: may_read f32,
    }
}

impl<'a> Images<'a> {
    fn of(term: &DataTerm<'a>) -> Self {
        let pair = |nth: usize| term.pairs.get(nth).map(|&(fixed, warped)| (fixed, warped)).unzip();
        let ((fixed_0, warped_0), (fixed_1, warped_1), (fixed_2, warped_2)) = (pair(0), pair(1), pair(2));
        Self { fixed_0, warped_0, fixed_1, warped_1, fixed_2, warped_2, weight: term.weight }
    }
}

bindings! {
    /// What a launch of `along_y.wgsl` binds.
    struct AlongYBindings<'a> {
        block: Block,
        images: group Images<'a>,
        out[out_0, out_1, out_2, out_3, out_4, out_5, out_6, out_7, out_8, out_9]: write f32,
    }
}

bindings! {
    /// What a launch of `picture.wgsl` binds.
    struct PictureBindings<'a> {
        block: Block,
        images: group Images<'a>,
        out[out_0, out_1, out_2, out_3, out_4, out_5]: write f32,
    }
}

bindings! {
    /// What a launch of `mismatch.wgsl` binds.
    struct MismatchBindings<'a> {
        block: Block,
        images: group Images<'a>,
    } -> sums: f32
}

bindings! {
    /// What a launch of `smooth.wgsl` binds.
    struct SmoothBindings<'a> {
        block: SmoothBlock {
            /// Voxels along x, y, z; planes per thread (w).
            size: vec4<u32>,
            taps_x: [vec4<f32>; 3],
            taps_z: [vec4<f32>; 3],
        },
        from[in_0, in_1, in_2, in_3, in_4, in_5]: read Pack,
        to[out_0, out_1, out_2, out_3, out_4, out_5]: write Pack,
    }
}

/// Largest radii that fit the registers of a thread with all channels in flight, and with half of them; with larger radii the
/// channels take turns.
const RADIUS_TOGETHER: usize = 4;
const RADIUS_IN_TWO: usize = 6;
/// Largest radius for which a march takes two rows a turn, which saves half of the moves of stored rows: with larger ones
/// registers do not suffice.
const RADIUS_IN_PAIRS: usize = 3;
/// Number of threads of a tile.
const TILE_THREADS: usize = 256;
/// Largest radius of these launches; [`crate::image::convolve`] takes larger ones.
const MOST_RADIUS: usize = 8;
/// Number of columns and planes of a workgroup that marches along y. Measured on an H200: more planes share more samples, but
/// wait more for each other.
const STRIP: usize = 64;
const PLANES: usize = 2;
/// Number of workgroups that fill a large device a few times; every further row of a workgroup saves the rows that it starts
/// with.
const ENOUGH_GROUPS: usize = 512;
/// Most channels of a launch along x and z, which its bindings limit.
const MOST_CHANNELS: usize = 6;
/// Number of samples of the memory between two launches: five volumes of 256³.
const BETWEEN: usize = 5 << 24;
/// Number of workgroups of marches along z that an H200 works on at once.
const AT_ONCE: usize = 512;
/// Fewest planes of a march.
const LEAST_MARCH: usize = 32;

pub(super) fn motion_tensor(gpu: &Launcher<'_>, args: MotionTensor<'_>) -> Result<(), ComputeError> {
    let MotionTensor { term, taps, out } = args;
    let (shape, device) = (term.shape, gpu.device());
    let identity = Taps::gaussian(0.0, 1.0);
    let in_3d = shape.components() == 3 && shape.size[2] > 1;
    let [x, y, z] = [&taps[0], &taps[1], if in_3d { &taps[2] } else { &identity }];
    if [x, y, z].iter().any(|taps| taps.radius() > MOST_RADIUS) {
        along_y(gpu, &term, &identity, out)?;
        let mut smooth = device.scratch(shape.len())?;
        for channel in out.iter_mut() {
            Convolve { shape, taps, input: channel, output: &mut smooth }.run(device)?;
            std::mem::swap(channel, &mut smooth);
        }
        return Ok(());
    }
    // Larger pictures keep a device busy with marches, which compute nothing twice.
    if is_small_picture(shape, [x, y].map(Taps::radius)) && term.scheme == Scheme::Central4 {
        return picture(gpu, &term, [x, y], out);
    }
    along_y(gpu, &term, y, out)?;
    if x.is_identity() && z.is_identity() {
        return Ok(());
    }
    let turn = (BETWEEN / shape.len()).clamp(1, MOST_CHANNELS).min(out.len());
    let mut between: Field = device.scratch_field(turn, shape.len())?;
    out.chunks_mut(turn).try_for_each(|channels| {
        smooth(gpu, [x, z], shape.size, channels, &between)?;
        // What was read holds the next ones' results.
        channels.iter_mut().zip(&mut between).for_each(|(done, free)| std::mem::swap(done, free));
        Ok(())
    })
}

/// Width and height of a tile in a picture of so many pixels: large tiles share more, and a large device works on all small
/// tiles of a small picture at once.
pub(crate) fn tile(pixels: usize, small: [usize; 2]) -> [usize; 2] {
    match pixels {
        0..0x8000 => small,
        0x8000..0x2_0000 => [16, 16],
        _ => [32, 16],
    }
}

fn picture(
    gpu: &Launcher<'_>,
    term: &DataTerm<'_>,
    [x, y]: [&Taps; 2],
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let [width, height] = tile(term.shape.len(), [16, 8]);
    launch(gpu, term, &PICTURE, "picture")
        .constant("CHANNELS", out.len())
        .constants([("RADIUS_X", x.radius()), ("RADIUS_Y", y.radius())])
        .constants([("WIDTH", width), ("HEIGHT", height), ("THREADS", TILE_THREADS)])
        .bind(&PictureBindings { block: block(term, 0, [x, y]), images: Images::of(term), out })
        .run_over(term.shape.size, [width, height])
}

fn along_y(gpu: &Launcher<'_>, term: &DataTerm<'_>, taps: &Taps, out: &[Buffer]) -> Result<(), ComputeError> {
    let [nx, ny, nz] = term.shape.size;
    let in_3d = term.shape.components() == 3;
    let means = term.pairs.len() == 1 && term.scheme == Scheme::Central4;
    let planes = if in_3d { PLANES } else { 1 };
    let (strips, layers) = (nx.div_ceil(STRIP), nz.div_ceil(planes));
    // A weight and a tenth channel on top are too much for two rows.
    let in_pairs = means && taps.radius() <= RADIUS_IN_PAIRS && !(term.weight.is_some() && out.len() == 10);
    let least_rows = (2 * taps.radius()).max(8);
    let enough = gpu.device().gpus() * ENOUGH_GROUPS;
    let chunks = enough.div_ceil(strips * layers).clamp(1, ny.div_ceil(least_rows));
    let rows = ny.div_ceil(chunks);
    let all = if in_3d { 7 } else { 5 };
    let turns: &[usize] = match taps.radius() {
        0..=RADIUS_TOGETHER => &[7],
        radius if radius <= RADIUS_IN_TWO => &[5, 2],
        _ => &[1, 2, 4],
    };
    for parts in turns.iter().map(|turn| turn & all).filter(|&parts| parts != 0) {
        launch(gpu, term, &ALONG_Y, "along_y")
            .constants([("CHANNELS", out.len()), ("RADIUS_Y", taps.radius()), ("PARTS", parts)])
            .constant("MEANS", means)
            .constants([("STRIP", STRIP), ("PLANES", planes)])
            // Two planes on either side.
            .constants([("BESIDE", if in_3d { 4 / planes } else { 0 }), ("ROWS", 1 + usize::from(in_pairs))])
            .bind(&AlongYBindings { block: block(term, rows, [taps; 2]), images: Images::of(term), out })
            .run([strips as u32, cover(ny, rows), layers as u32])?;
    }
    Ok(())
}

/// Filters channels along x and z; there must be at least as many outputs.
fn smooth(
    gpu: &Launcher<'_>,
    [x, z]: [&Taps; 2],
    [nx, ny, nz]: Axes<usize>,
    from: &[Buffer],
    to: &[Buffer],
) -> Result<(), ComputeError> {
    let (source, pack) = packed(&SMOOTH_X_Z, nx);
    let [wide, high] = [cover(nx / pack, 32), cover(ny, 4)];
    // Each of several GPUs marches through the planes that lie on it.
    let marches =
        marches(nz, wide as usize * high as usize * from.len()).next_multiple_of(gpu.device().gpus());
    let segment = nz.div_ceil(marches);
    let (entry, layers) =
        if z.is_identity() { ("along_x", nz) } else { ("along_x_and_z", nz.div_ceil(segment)) };
    let size = [nx, ny, nz, segment].into();
    let block = SmoothBlock { size, taps_x: quads(x.weights()), taps_z: quads(z.weights()) };
    gpu.launch(source, entry)
        .constants([("RADIUS_X", x.radius()), ("RADIUS_Z", z.radius()), ("CHANNELS", from.len())])
        .constant("BATCH", if x.radius().max(z.radius()) > RADIUS_TOGETHER { 1usize } else { 4 })
        .bind(&SmoothBindings { block, from, to: &to[..from.len()] })
        .run([wide, high, (layers * from.len()) as u32])
}

/// How many marches share `nz` planes when one march takes `groups` workgroups: the fewest that keep a device busy to the end,
/// since planes where two of them meet are read twice.
fn marches(nz: usize, groups: usize) -> usize {
    // Workgroups that there would be time for, over those that there are, in percent.
    let idle = |marches: usize| (groups * marches).next_multiple_of(AT_ONCE) * 100 / (groups * marches);
    let most = nz.div_ceil(LEAST_MARCH);
    (1..=most).find(|&n| idle(n) <= 110).or_else(|| (1..=most).min_by_key(|&n| idle(n))).unwrap_or(1)
}

pub(super) fn mismatch(gpu: &Launcher<'_>, term: &DataTerm<'_>) -> Result<Later<f64>, ComputeError> {
    let identity = Taps::gaussian(0.0, 1.0);
    let block = block(term, 0, [&identity; 2]);
    launch(gpu, term, &MISMATCH, "mismatch")
        .bind(&MismatchBindings { block, images: Images::of(term) })
        .sums(term.shape.len(), ratio)
}

/// Begins a launch with the constants that `products.wgsl` takes.
fn launch<'a>(
    gpu: &Launcher<'a>,
    term: &DataTerm<'_>,
    source: &'static ShaderSource,
    entry: &'static str,
) -> PreparedLaunch<'a> {
    gpu.launch(source, entry)
        .constants([("COMPONENTS", term.shape.components()), ("PAIRS", term.pairs.len())])
        .constants([
            ("WEIGHTED", term.weight.is_some()),
            ("NORMALISED", term.constraint != Constraint::Plain),
        ])
        .constant("SCHEME", term.scheme.code())
}

/// The uniform block.
fn block(term: &DataTerm<'_>, rows: usize, [taps_x, taps_y]: [&Taps; 2]) -> Block {
    let [nx, ny, nz] = term.shape.size;
    // Of central differences the shader adds both images up.
    let per_difference = match term.scheme {
        Scheme::Forward => 1.0,
        Scheme::TwoSided => 0.5,
        Scheme::Central4 => 1.0 / 24.0,
    };
    let [x, y, z] = term.spacing_edges.map(|spacing| per_difference / spacing);
    Block {
        size: [nx, ny, nz, rows].into(),
        gain: [x, y, z, term.constraint.zeta2()].into(),
        taps_y: quads(taps_y.weights()),
        taps_x: quads(taps_x.weights()),
    }
}
