//! The census of every voxel: one bit for each of some neighbours, set where the neighbour is brighter by a threshold.
//!
//! (Zabih & Woodfill 1994.) It does not see gain or offset, and two of them are compared by the number of bits that differ.
//! *In*: an image, intensities in 0..1, no NaN. *Out*: a code of 24 bits (2-D) or 32 (3-D), written into a stack of codes
//! from a given place on; around pictures lies a margin of [`BEYOND`], for comparisons of patches across their border.
//! *Border*: replicate. *Halo*: 3 voxels.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("census", Bindings, [], "census.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z, and where the image's codes begin (w), with its margin.
            size: vec4<u32>,
            /// Steps to the neighbours, plus eight, a byte an axis; a code in space has 32 bits.
            steps: [vec4<u32>; 8],
            threshold: f32,
            margin: u32,
        },
        image: read f32,
        codes: write u32,
    }
}

/// The code beyond the border of a picture. It differs from every code of 24 bits in at least nine bits, except from the code
/// of a chequered surrounding, which pictures do not have, from which it differs in eight.
pub const BEYOND: u32 = 0xff5a_a5a5;

/// The neighbours that are compared with a voxel, voxels away from it.
pub(crate) fn neighbours(dimension: Dimension) -> Vec<Axes<i32>> {
    if dimension == Dimension::Two {
        // Every second voxel of a square of 7 × 7, and a star between them.
        let square = (0..16).map(|k| [2 * (k % 4) - 3, 2 * (k / 4) - 3, 0]);
        let star = [[0, -2], [0, 2], [-2, 0], [2, 0], [-2, -2], [2, -2], [-2, 2], [2, 2]];
        return square.chain(star.map(|[x, y]| [x, y, 0])).collect();
    }
    // Two steps along two or three axes, and one and three along one.
    let steps = |k: i32| [2 * (k % 3 - 1), 2 * (k / 3 % 3 - 1), 2 * (k / 9 - 1)];
    let moved = |step: &Axes<i32>| step.iter().filter(|&&s| s != 0).count();
    let mut out: Vec<_> = (0..27).map(steps).filter(|step| moved(step) > 1).collect();
    out.extend((0..27).map(steps).filter(|step| moved(step) == 1).map(|step| step.map(|s| s / 2)));
    out.extend((0..27).map(steps).filter(|step| moved(step) == 1).map(|step| step.map(|s| s / 2 * 3)));
    out
}

/// Writes the codes of an image.
#[derive(Debug)]
pub struct Census<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// How much brighter a neighbour must be.
    pub threshold: f32,
    /// The image.
    pub image: &'a Buffer,
    /// Where the image's codes begin in `codes`, with its margin.
    pub start: usize,
    /// Width of the margin in the plane, voxels.
    pub margin: usize,
    /// Codes of several images, one after the other.
    pub codes: &'a mut Buffer<u32>,
}

impl Kernel for Census<'_> {
    const NAME: &'static str = "census";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let [nx, ny, nz] = self.shape.size;
        let codes = (nx + 2 * self.margin) * (ny + 2 * self.margin) * nz;
        lengths.of("image", self.image, self.shape.len()).at_least("codes", self.codes, self.start + codes);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { shape, threshold, image, start, margin, codes } = self;
        let [nx, ny, nz] = shape.size;
        let (image, neighbours) = (image.host(), neighbours(shape.dimension));
        let (wide, high) = (nx + 2 * margin, ny + 2 * margin);
        let codes = &mut codes.host_mut()[start..start + wide * high * nz];
        let rows = Shared::new(codes);
        cpu.split(high * nz, 8 * shape.len(), |range| {
            for held in range {
                // SAFETY: every row is written by one thread.
                let out = unsafe { rows.get_mut(held * wide..(held + 1) * wide) };
                out.fill(BEYOND);
                let Some(y) = (held % high).checked_sub(margin).filter(|&y| y < ny) else { continue };
                let (row, out) = (held / high * ny + y, &mut out[margin..margin + nx]);
                out.fill(0);
                let own = &image[row * nx..][..nx];
                for (bit, step) in neighbours.iter().enumerate() {
                    let (y, z) = (along(row % ny, step[1], ny), along(row / ny, step[2], nz));
                    let line = &image[(z * ny + y) * nx..][..nx];
                    for (x, out) in out.iter_mut().enumerate() {
                        let brighter = line[along(x, step[0], nx)] > own[x] + threshold;
                        *out |= u32::from(brighter) << bit;
                    }
                }
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        let neighbours = neighbours(self.shape.dimension);
        let packed = |step: &Axes<i32>| (0..3).map(|a| ((step[a] + 8) as usize) << (8 * a)).sum::<usize>();
        let step = |k: usize| neighbours.get(k).map_or(0, packed);
        let block = Block {
            size: [nx, ny, nz, self.start].into(),
            steps: std::array::from_fn(|four| [0, 1, 2, 3].map(|k| step(4 * four + k)).into()),
            threshold: self.threshold,
            margin: self.margin,
        };
        gpu.launch(&SOURCE, "census")
            .constant("NEIGHBOURS", neighbours.len())
            .bind(&Bindings { block, image: self.image, codes: self.codes })
            .run_over([nx + 2 * self.margin, ny + 2 * self.margin, nz], [32, 4])
    }
}

/// The position a step away along an axis of so many voxels, or the border.
fn along(at: usize, step: i32, count: usize) -> usize {
    (at as i32 + step).clamp(0, count as i32 - 1) as usize
}
