//! Processor text of [`super::WindowScores`]: bands of rows, whose images are copied with their borders first.

use super::{BlockSearch, ScoreOutput, WindowScores, centre};
use crate::shared::rows::add;
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

/// Numbers of the measures in the shader.
const NCC: u8 = 0;
const CORRELATION: u8 = 1;
const SSD: u8 = 2;
const SAD: u8 = 3;
/// Most sums of a window: of the fixed image (w, f, f²) or of both (m, m², f m).
const SUMS: usize = 3;
/// Number of rows of voxels that a band spans: more rows share the rows above and below, fewer stay in the cache.
const BAND_ROWS: usize = 16;

pub(super) fn window_scores(cpu: &Cpu, args: WindowScores<'_>) {
    match (args.measure.index(), args.weight.is_some()) {
        (NCC, false) => scores_of::<NCC, false>(cpu, args),
        (NCC, true) => scores_of::<NCC, true>(cpu, args),
        (CORRELATION, false) => scores_of::<CORRELATION, false>(cpu, args),
        (CORRELATION, true) => scores_of::<CORRELATION, true>(cpu, args),
        (SSD, false) => scores_of::<SSD, false>(cpu, args),
        (SSD, true) => scores_of::<SSD, true>(cpu, args),
        (_, false) => scores_of::<SAD, false>(cpu, args),
        (_, true) => scores_of::<SAD, true>(cpu, args),
    }
}

/// A part of an image with its border: planes of rows, each as wide as the image and `margin` on either side.
#[derive(Clone, Copy)]
struct ImagePart {
    /// The first plane and the first row, which may lie outside.
    first: [isize; 2],
    planes: usize,
    rows: usize,
    margin: usize,
    width: usize,
}

impl ImagePart {
    fn len(&self) -> usize {
        self.planes * self.rows * self.width
    }

    fn row(&self, plane: usize, row: usize) -> Range<usize> {
        let start = (plane * self.rows + row) * self.width;
        start..start + self.width
    }

    /// Copies the part, with the outermost samples repeated.
    fn load(&self, image: &[f32], shape: Shape, out: &mut [f32]) {
        let [nx, ny, nz] = shape.size;
        let inside = |at: isize, count: usize| at.clamp(0, count as isize - 1) as usize;
        for (plane, row) in (0..self.planes).flat_map(|plane| (0..self.rows).map(move |row| (plane, row))) {
            let z = inside(self.first[0] + plane as isize, nz);
            let y = inside(self.first[1] + row as isize, ny);
            let line = &image[(z * ny + y) * nx..][..nx];
            let out = &mut out[self.row(plane, row)];
            out[..self.margin].fill(line[0]);
            out[self.margin..self.margin + nx].copy_from_slice(line);
            out[self.margin + nx..].fill(line[nx - 1]);
        }
    }
}

/// Rows of blocks of one plane, and the parts of the images that they need.
struct Band {
    plane: usize,
    rows: Range<usize>,
    /// Number of rows of voxels from the first row of the first window to the last row of the last.
    height: usize,
    fixed: ImagePart,
    moving: ImagePart,
}

impl Band {
    fn new(args: &Plan<'_>, plane: usize, rows: Range<usize>) -> Self {
        let (size, nodes, BlockSearch { radius, reach }) = (args.shape.size, args.nodes.size, args.search);
        let y = |row: usize| centre(row, nodes[1], size[1]);
        let z = centre(plane, nodes[2], size[2]);
        let height = y(rows.end - 1) - y(rows.start) + 1 + 2 * radius[1];
        let part = |reach: Axes<usize>| {
            let margin = [0, 1, 2].map(|a| radius[a] + reach[a]);
            ImagePart {
                first: [z as isize - margin[2] as isize, y(rows.start) as isize - margin[1] as isize],
                planes: 2 * margin[2] + 1,
                rows: height + 2 * reach[1],
                margin: margin[0],
                width: size[0] + 2 * margin[0],
            }
        };
        let (fixed, moving) = (part([0; 3]), part(reach));
        Self { plane, rows, height, fixed, moving }
    }

    /// Sums along y, then x, over rows that were summed along z.
    fn window_sums(&self, plan: &Plan<'_>, block: usize, rows: &[f32], column: &mut [f32], out: &mut [f32]) {
        let (size, nodes, radius) = (plan.shape.size, plan.nodes.size, plan.search.radius);
        let y = |row: usize| centre(row, nodes[1], size[1]);
        let first = y(self.rows.start + block) - y(self.rows.start);
        let width = column.len();
        let sums = rows.chunks_exact(self.height * width).zip(out.chunks_exact_mut(size[0]));
        for (rows, out) in sums {
            column.copy_from_slice(&rows[first * width..][..width]);
            for row in first + 1..=first + 2 * radius[1] {
                add(&rows[row * width..][..width], column);
            }
            out.copy_from_slice(&column[..size[0]]);
            for k in 1..=2 * radius[0] {
                add(&column[k..][..size[0]], out);
            }
        }
    }
}

fn scores_of<const MEASURE: u8, const MASKED: bool>(cpu: &Cpu, args: WindowScores<'_>) {
    let [_, my, mz] = args.nodes.size;
    let per_band = (BAND_ROWS * my / args.shape.size[1]).max(1);
    let bands = my.div_ceil(per_band);
    let samples = args.search.candidates() * 8 * args.shape.len();
    let scores = Shared::new(args.scores.host_mut());
    let plan = Plan {
        shape: args.shape,
        nodes: args.nodes,
        search: args.search,
        scale: Scale {
            share: 1.0 / args.search.voxels() as f32,
            floor2: args.measure.floor().powi(2),
            gain: args.gain,
            is_added: args.output == ScoreOutput::Add,
        },
        pairs: args.pairs,
        weight: args.weight,
    };
    cpu.split(bands * mz, samples, |range| {
        for item in range {
            let first = item % bands * per_band;
            let band = Band::new(&plan, item / bands, first..(first + per_band).min(my));
            score_band::<MEASURE, MASKED>(&plan, &band, &scores);
        }
    });
}

/// Values that all bands have in common.
struct Plan<'a> {
    shape: Shape,
    nodes: Shape,
    search: BlockSearch,
    scale: Scale,
    pairs: &'a [(&'a Buffer, &'a Buffer)],
    weight: Option<&'a Buffer>,
}

fn score_band<const MEASURE: u8, const MASKED: bool>(args: &Plan<'_>, band: &Band, scores: &Shared<'_>) {
    let (shape, nodes, channels) = (args.shape, args.nodes.size, args.pairs.len());
    let (nx, width, blocks) = (shape.size[0], band.fixed.width, band.rows.len());
    let lens = [
        channels * band.fixed.len(),
        channels * band.moving.len(),
        if MASKED { band.fixed.len() } else { 0 },
        SUMS * band.height * width,
        width,
        SUMS * nx,
        SUMS * blocks * nx,
    ];
    with_scratch(lens.iter().sum(), |mut scratch| {
        let [fixed, moving, weight, rows, column, sums, of_fixed] =
            lens.map(|len| scratch.split_off_mut(..len).expect("scratch should hold the band"));
        let parts = fixed.chunks_exact_mut(band.fixed.len()).zip(moving.chunks_exact_mut(band.moving.len()));
        for ((of_fixed, of_moving), (fixed, moving)) in parts.zip(args.pairs) {
            band.fixed.load(fixed.host(), shape, of_fixed);
            band.moving.load(moving.host(), shape, of_moving);
        }
        if let Some(image) = args.weight {
            band.fixed.load(image.host(), shape, weight);
        }
        along_z(band, fixed, weight, rows, |_, fixed, weight, out| add_fixed::<MASKED>(fixed, weight, out));
        for (block, sums) in of_fixed.chunks_exact_mut(SUMS * nx).enumerate() {
            band.window_sums(args, block, rows, column, sums);
        }
        for candidate in 0..args.search.candidates() {
            let [x, y, z] = args.search.place(candidate);
            along_z(band, fixed, weight, rows, |[plane, channel, row], fixed, weight, out| {
                let line = channel * band.moving.len() + band.moving.row(plane + z, row + y).start;
                add_products::<MEASURE, MASKED>([fixed, &moving[line + x..][..width], weight], out);
            });
            for (block, of_fixed) in of_fixed.chunks_exact(SUMS * nx).enumerate() {
                band.window_sums(args, block, rows, column, sums);
                let row = (candidate * nodes[2] + band.plane) * nodes[1] + band.rows.start + block;
                // SAFETY: a row of blocks belongs to one band.
                let out = unsafe { scores.get_mut(row * nodes[0]..(row + 1) * nodes[0]) };
                score_row::<MEASURE, MASKED>(args, of_fixed, sums, out);
            }
        }
    });
}

/// Sums along z for every row of a band, one block of rows each: `add` adds to the three sums of a row the share of one plane
/// and channel of the fixed image, with its weights.
fn along_z(
    band: &Band,
    fixed: &[f32],
    weight: &[f32],
    rows: &mut [f32],
    add: impl Fn([usize; 3], &[f32], &[f32], [&mut [f32]; SUMS]),
) {
    rows.fill(0.0);
    let part = &band.fixed;
    let mut sums = rows.chunks_exact_mut(band.height * part.width);
    let mut sums = [(); SUMS].map(|()| sums.next().unwrap_or_default());
    for plane in 0..part.planes {
        for (channel, fixed) in fixed.chunks_exact(part.len()).enumerate() {
            for row in 0..band.height {
                let range = part.row(plane, row);
                // Without weights there is nothing.
                let weight = weight.get(range.clone()).unwrap_or_default();
                let out = sums.each_mut().map(|sum| &mut sum[row * part.width..][..part.width]);
                add([plane, channel, row], &fixed[range], weight, out);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_fixed<const MASKED: bool>(fixed: &[f32], weight: &[f32], [count, mean, square]: [&mut [f32]; 3]) {
    let n = fixed.len();
    let (count, mean, square) = (&mut count[..n], &mut mean[..n], &mut square[..n]);
    if MASKED {
        let weight = &weight[..n];
        for i in 0..n {
            let weighted = weight[i] * fixed[i];
            count[i] += weight[i];
            mean[i] += weighted;
            square[i] += weighted * fixed[i];
        }
    } else {
        for i in 0..n {
            mean[i] += fixed[i];
            square[i] += fixed[i] * fixed[i];
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_products<const MEASURE: u8, const MASKED: bool>(
    [fixed, moving, weight]: [&[f32]; 3],
    [mean, square, product]: [&mut [f32]; 3],
) {
    let n = fixed.len();
    let moving = &moving[..n];
    let (mean, square, product) = (&mut mean[..n], &mut square[..n], &mut product[..n]);
    let weight = if MASKED { &weight[..n] } else { fixed };
    for i in 0..n {
        let (f, m) = (fixed[i], moving[i]);
        let (wf, wm) = if MASKED { (weight[i] * f, weight[i] * m) } else { (f, m) };
        match MEASURE {
            NCC => {
                mean[i] += wm;
                square[i] += wm * m;
                product[i] += wf * m;
            }
            CORRELATION => {
                square[i] += wm * m;
                product[i] += wf * m;
            }
            _ => {
                let difference = f - m;
                let cost = if MEASURE == SSD { difference * difference } else { difference.abs() };
                product[i] += if MASKED { weight[i] * cost } else { cost };
            }
        }
    }
}

/// The scores of a row of blocks, from the sums around every voxel of its row.
fn score_row<const MEASURE: u8, const MASKED: bool>(
    args: &Plan<'_>,
    of_fixed: &[f32],
    sums: &[f32],
    out: &mut [f32],
) {
    let (nx, blocks) = (args.shape.size[0], args.nodes.size[0]);
    if blocks == nx {
        return finish::<MEASURE, MASKED>(thirds(of_fixed), thirds(sums), args.scale, out);
    }
    let columns = |sums: &[f32]| -> Vec<f32> {
        let column = |k: usize| k / blocks * nx + centre(k % blocks, blocks, nx);
        (0..SUMS * blocks).map(|k| sums[column(k)]).collect()
    };
    let (of_fixed, sums) = (columns(of_fixed), columns(sums));
    finish::<MEASURE, MASKED>(thirds(&of_fixed), thirds(&sums), args.scale, out);
}

/// The three rows that lie one after the other.
fn thirds(rows: &[f32]) -> [&[f32]; SUMS] {
    let len = rows.len() / SUMS;
    [0, 1, 2].map(|k| &rows[k * len..(k + 1) * len])
}

/// The numbers that turn sums into scores.
#[derive(Clone, Copy)]
struct Scale {
    /// The reciprocal of the number of voxels of a window.
    share: f32,
    /// The squared floor ε².
    floor2: f32,
    gain: f32,
    is_added: bool,
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn finish<const MEASURE: u8, const MASKED: bool>(
    [count, mean_f, square_f]: [&[f32]; 3],
    [mean_m, square_m, product]: [&[f32]; 3],
    scale: Scale,
    out: &mut [f32],
) {
    let n = out.len();
    let (count, mean_f, square_f) = (&count[..n], &mean_f[..n], &square_f[..n]);
    let (mean_m, square_m, product) = (&mean_m[..n], &square_m[..n], &product[..n]);
    for i in 0..n {
        let known = !MASKED || count[i] > 0.0;
        let share = if MASKED { 1.0 / if known { count[i] } else { 1.0 } } else { scale.share };
        let score = match MEASURE {
            NCC => {
                let (f, m) = (mean_f[i] * share, mean_m[i] * share);
                let variance_f = (square_f[i] * share - f * f).max(0.0) + scale.floor2;
                let variance_m = (square_m[i] * share - m * m).max(0.0) + scale.floor2;
                (product[i] * share - f * m) / (variance_f * variance_m).sqrt()
            }
            CORRELATION => {
                let square_f = square_f[i] * share + scale.floor2;
                let square_m = square_m[i] * share + scale.floor2;
                product[i] * share / (square_f * square_m).sqrt()
            }
            _ => -(product[i] * share),
        };
        let score = if known { scale.gain * score } else { 0.0 };
        out[i] = if scale.is_added { out[i] + score } else { score };
    }
}
