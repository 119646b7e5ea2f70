//! One sweep of the search for matches: every voxel tries the matches that its neighbours found, and some vectors around the
//! best.
//!
//! *Paper*: C. Barnes, E. Shechtman, A. Finkelstein, D. B. Goldman, "PatchMatch: a randomized correspondence algorithm for
//! structural image editing", SIGGRAPH 2009, doi:10.1145/1576246.1531330, section 3; a sweep reads only the sweep before, with
//! neighbours a few voxels away (jump flooding), so that all voxels are updated at once. Random numbers are a hash of voxel,
//! try and sweep. All arithmetic is in whole numbers, so every device computes the same bits.
//!
//! *A match* is a vector in whole voxels and, where the moving image is given at several sizes, one of these; see [`pack`].
//! *Its cost*: the bits in which the census codes ([`super::census`]) of two patches differ, at every second voxel, at most
//! [`MOST_BITS`] a voxel; beyond the moving image's border lies [`BEYOND`] in pictures, and in space these bits differ. A
//! moving image that is smaller by `s` shows objects that have grown by `s` at the fixed image's size, and a neighbour's vector
//! is continued with that growth.
//! *Outside*: a match whose centre leaves the moving image costs [`WORST`]. *Halo*: the patch, the step; gathers.

mod cpu;
#[cfg(test)]
mod parity;
mod wide;

use super::census::BEYOND;
use crate::bindings::{bindings, block};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use std::ops::RangeInclusive;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::components_mut;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static PATCH_MATCH: ShaderSource =
    wgsl!("patch match", SweepBindings, [include_str!("packed.wgsl")], "patch_match.wgsl");
static TEAMS: ShaderSource = wgsl!(
    "patch match in teams",
    SweepBindings,
    [include_str!("packed.wgsl"), include_str!("patch_match.wgsl")],
    "teams.wgsl"
);
static FINER: ShaderSource =
    wgsl!("finer matches", FinerBindings, [include_str!("packed.wgsl")], "finer_matches.wgsl");
static FIELD: ShaderSource =
    wgsl!("match field", FieldBindings, [include_str!("packed.wgsl")], "match_field.wgsl");

block! {
    /// One of the stacked images.
    struct Image {
        /// Voxels along x, y, z, and the code of the first of them (w).
        size: vec4<u32>,
        /// Codes of a row (x) and rows of a plane (y), with the margin; 1024 (s - 1), as a word (z).
        held: vec4<u32>,
    }
}

impl Image {
    fn of(image: &StackedImage) -> Self {
        let ([nx, ny, nz], [wide, high]) = (image.size, image.held());
        // As words: a negative growth is what it is bit for bit.
        let held = [wide, high, image.growth as u32 as usize].into();
        Self { size: [nx, ny, nz, image.first()].into(), held }
    }
}

bindings! {
    /// What a launch of [`PatchMatch`] binds.
    struct SweepBindings<'a> {
        block: SweepBlock {
            /// The fixed image.
            size: vec4<u32>,
            held: vec4<u32>,
            moving: [Image; 5],
            /// The step, the radius, the number of tries, and the seed.
            sweep: vec4<u32>,
            reach: u32,
        },
        fixed: read u32,
        moving: read u32,
        matches: read u32,
        costs: read u32,
        better: write u32,
        better_costs: write u32,
    }
}

bindings! {
    /// What a launch of [`FinerMatches`] binds.
    struct FinerBindings<'a> {
        block: FinerBlock { size: vec4<u32>, coarser: vec4<u32>, },
        coarser: read u32,
        matches: write u32,
        costs: write u32,
    }
}

bindings! {
    /// What a launch of [`MatchField`] binds.
    struct FieldBindings<'a> {
        block: FieldBlock { size: vec4<u32>, },
        matches: read u32,
        base[base_x, base_y, base_z]: read f32,
        out[out_x, out_y, out_z]: write f32,
    }
}
/// Greatest half width of the patches of pictures that the memory of a workgroup holds.
const MOST_PICTURE_REACH: usize = 8;
/// Pixels of a picture up to which each pixel has eight threads; and the pixels of a workgroup for these pictures and for
/// larger ones.
const MOST_IN_TEAMS: usize = 1 << 14;
const TILES: [[usize; 2]; 2] = [[8, 4], [32, 8]];

/// Greatest number of bits that counts for two codes.
pub const MOST_BITS: u32 = 9;
/// The cost of a match that was not compared yet, or cannot be.
pub const WORST: u32 = 1 << 20;
/// Number of sizes of the moving image that are possible.
pub(crate) const MOST_SIZES: RangeInclusive<usize> = 1..=5;

/// Number of bits of a component in a packed match.
const fn bits(components: usize) -> u32 {
    if components == 2 { 14 } else { 9 }
}

/// Longest component of a match, voxels.
pub const fn longest(components: usize) -> i32 {
    (1 << (bits(components) - 1)) - 1
}

/// A match in one word: the vector's components, from the lowest bits on, and the size.
pub fn pack(components: usize, vector: Axes<i32>, size: u32) -> u32 {
    let bits = bits(components);
    let along = |a: usize| ((vector[a] + (1 << (bits - 1))) as u32) << (bits * a as u32);
    (0..components).fold(size << (bits * components as u32), |word, a| word | along(a))
}

/// The vector and the size that [`pack`] packed.
#[inline(always)]
pub(crate) fn unpack<const D: usize>(word: u32) -> ([i32; D], usize) {
    let bits = bits(D);
    let along = |a: usize| (word >> (bits * a as u32) & ((1 << bits) - 1)) as i32 - (1 << (bits - 1));
    (std::array::from_fn(along), (word >> (bits * D as u32)) as usize)
}

/// Where an image's codes lie among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackedImage {
    /// Voxels per axis.
    pub size: Axes<usize>,
    /// Index of the image's first code, with its margin.
    pub start: usize,
    /// Width of the margin of [`BEYOND`] that it has in the plane, voxels.
    pub margin: usize,
    /// How much larger than itself a voxel of the fixed image is here, in 1024ths: 1024 (s − 1).
    pub growth: i32,
}

impl StackedImage {
    /// Number of the image's codes, with its margin.
    pub fn codes(&self) -> usize {
        let [wide, high] = self.held();
        wide * high * self.size[2]
    }
    /// Number of codes of a row, and of rows of a plane, with the margin.
    fn held(&self) -> [usize; 2] {
        [0, 1].map(|a| self.size[a] + 2 * self.margin)
    }
    /// Index of a voxel's code.
    fn index(&self, [x, y, z]: Axes<usize>) -> usize {
        let [wide, high] = self.held();
        self.first() + (z * high + y) * wide + x
    }
    /// Index of the first voxel's code.
    fn first(&self) -> usize {
        self.start + self.margin * (self.held()[0] + 1)
    }
}

/// The trials of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Distance of the neighbours, voxels.
    pub step: usize,
    /// Half width of the first random search; it halves with every try.
    pub radius: usize,
    /// Number of random vectors tried around the best.
    pub tries: usize,
    /// The number of the sweep, different for every sweep.
    pub seed: u32,
}

/// The codes of two images.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// Codes of the fixed image's pyramid.
    pub fixed: &'a Buffer<u32>,
    /// The fixed image among these.
    pub fixed_image: StackedImage,
    /// Codes of the moving image's pyramid.
    pub moving: &'a Buffer<u32>,
    /// The sizes of the moving image that are tried, among these.
    pub moving_images: &'a [StackedImage],
    /// Half width of a patch, voxels.
    pub reach: usize,
}

/// Improves matches by one sweep.
#[derive(Debug)]
pub struct PatchMatch<'a> {
    /// Shape of the fixed image.
    pub shape: Shape,
    /// The codes that are compared.
    pub codes: Codes<'a>,
    /// The trials of the sweep.
    pub sweep: Sweep,
    /// Packed matches of the sweep before.
    pub matches: &'a Buffer<u32>,
    /// Costs of these matches; [`WORST`] for an unknown cost.
    pub costs: &'a Buffer<u32>,
    /// The better matches.
    pub better: &'a mut Buffer<u32>,
    /// Costs of the better matches.
    pub better_costs: &'a mut Buffer<u32>,
}

impl Kernel for PatchMatch<'_> {
    const NAME: &'static str = "patch_match";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, codes) = (self.shape.len(), self.codes);
        let end = |image: &StackedImage| image.start + image.codes();
        let most = codes.moving_images.iter().map(end).max().unwrap_or(0);
        lengths.count("sizes of the moving image", codes.moving_images.len(), MOST_SIZES);
        lengths.at_least("fixed codes", codes.fixed, end(&codes.fixed_image));
        lengths.at_least("moving codes", codes.moving, most);
        lengths.of("matches", self.matches, n).of("costs", self.costs, n);
        lengths.of("better", self.better, n).of("better_costs", self.better_costs, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::patch_match(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, codes, sweep, matches, costs, better, better_costs } = self;
        let [nx, ny, nz] = shape.size;
        let last = codes.moving_images.len() - 1;
        let block = SweepBlock {
            size: [nx, ny, nz, codes.fixed_image.first()].into(),
            held: codes.fixed_image.held().into(),
            moving: std::array::from_fn(|k| Image::of(&codes.moving_images[k.min(last)])),
            sweep: [sweep.step, sweep.radius, sweep.tries, sweep.seed as usize].into(),
            reach: codes.reach,
        };
        let is_within = |image: &StackedImage| codes.reach <= image.margin;
        let is_picture = shape.components() == 2
            && codes.reach <= MOST_PICTURE_REACH
            && codes.moving_images.iter().all(is_within);
        let (source, entry, tile, groups) = match (is_picture, shape.len() <= MOST_IN_TEAMS) {
            (true, true) => (&TEAMS, "patch_match_teams", TILES[0], TILES[0]),
            (true, false) => (&PATCH_MATCH, "patch_match_picture", TILES[1], TILES[1]),
            (false, _) => (&PATCH_MATCH, "patch_match", TILES[1], [32, 4]),
        };
        let Codes { fixed, moving, .. } = codes;
        gpu.launch_in(shape.components(), source, entry)
            .constant("BITS", bits(shape.components()))
            .constants([
                ("SIZES", codes.moving_images.len()),
                ("REACH", if is_picture { codes.reach } else { 0 }),
            ])
            .constants([("WIDTH", tile[0]), ("HEIGHT", tile[1])])
            .bind(&SweepBindings { block, fixed, moving, matches, costs, better, better_costs })
            .run_over(shape.size, groups)
    }
}

/// Brings matches of the next coarser level to this one: vectors are doubled along the axes that it halved, costs become
/// [`WORST`].
#[derive(Debug)]
pub struct FinerMatches<'a> {
    /// Shape of this level.
    pub shape: Shape,
    /// Shape of the coarser level.
    pub coarser_shape: Shape,
    /// Packed matches of the coarser level.
    pub coarser: &'a Buffer<u32>,
    /// Packed matches of this level.
    pub matches: &'a mut Buffer<u32>,
    /// Costs of this level's matches.
    pub costs: &'a mut Buffer<u32>,
}

impl Kernel for FinerMatches<'_> {
    const NAME: &'static str = "finer_matches";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.of("coarser", self.coarser, self.coarser_shape.len());
        lengths.of("matches", self.matches, n).of("costs", self.costs, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, finer_matches(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, coarser_shape, coarser, matches, costs } = self;
        let block = FinerBlock { size: shape.size.into(), coarser: coarser_shape.size.into() };
        gpu.launch_in(shape.components(), &FINER, "finer_matches")
            .constant("BITS", bits(shape.components()))
            .bind(&FinerBindings { block, coarser, matches, costs })
            .run_over(shape.size, [32, 4])
    }
}

/// Turns matches into a displacement: `out(x) = m(x) + base(x + m(x))`, where the matches are those of an image warped by the
/// base.
#[derive(Debug)]
pub struct MatchField<'a> {
    /// Shape of all buffers.
    pub shape: Shape,
    /// The matches m, packed.
    pub matches: &'a Buffer<u32>,
    /// The displacement, voxels, that the moving image was warped by; none if it was not.
    pub base: Option<&'a [Buffer]>,
    /// The displacement, voxels.
    pub out: &'a mut [Buffer],
}

impl Kernel for MatchField<'_> {
    const NAME: &'static str = "match_field";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.of("matches", self.matches, n).field("out", self.out, d, n);
        if let Some(base) = self.base {
            lengths.field("base", base, d, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, match_field(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, matches, base, out } = self;
        let block = FieldBlock { size: shape.size.into() };
        gpu.launch_in(shape.components(), &FIELD, "match_field")
            .constant("BITS", bits(shape.components()))
            .constant("WARPED", base.is_some())
            .bind(&FieldBindings { block, matches, base: base.unwrap_or(&[]), out })
            .run_over(shape.size, [32, 4])
    }
}

fn finer_matches<const D: usize>(cpu: &Cpu, args: FinerMatches<'_>) {
    let FinerMatches { shape, coarser_shape, coarser, matches, costs } = args;
    let ([nx, ny, _], [cx, cy, _]) = (shape.size, coarser_shape.size);
    let coarser = coarser.host();
    costs.host_mut().fill(WORST);
    cpu.split_samples(matches.host_mut(), 4, |range, out| {
        for (i, out) in range.zip(out) {
            let voxel = [i % nx, i / nx % ny, i / (nx * ny)];
            let [x, y, z] = [0, 1, 2].map(|a| voxel[a] * coarser_shape.size[a] / shape.size[a]);
            let (found, size) = unpack::<D>(coarser[(z * cy + y) * cx + x]);
            let mut vector = [0; 3];
            for a in 0..D {
                let factor = if coarser_shape.size[a] < shape.size[a] { 2 } else { 1 };
                vector[a] = (factor * found[a]).clamp(-longest(D), longest(D));
            }
            *out = pack(D, vector, size as u32);
        }
    });
}

fn match_field<const D: usize>(cpu: &Cpu, args: MatchField<'_>) {
    let MatchField { shape, matches, base, out } = args;
    let [nx, ny, _] = shape.size;
    let matches = matches.host();
    cpu.split_rows(components_mut::<D>(out), nx, 4 * D * shape.len(), |row, out| {
        for x in 0..nx {
            let (vector, _) = unpack::<D>(matches[row * nx + x]);
            let voxel = [x, row % ny, row / ny];
            let mut at = 0;
            for a in (0..D).rev() {
                let last = shape.size[a] as i32 - 1;
                at = at * shape.size[a] + (voxel[a] as i32 + vector[a]).clamp(0, last) as usize;
            }
            for c in 0..D {
                let own = vector[c] as f32;
                out[c][x] = base.map_or(own, |base| own + base[c].host()[at]);
            }
        }
    });
}
