//! Processor text of [`super::PatchMatch`].

use super::{BEYOND, Codes, MOST_BITS, PatchMatch, StackedImage, WORST, longest, pack, unpack};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// The images of a search, as it reads them.
struct PatchSearch<'a> {
    codes: Codes<'a>,
    fixed: &'a [u32],
    moving: &'a [u32],
    size: Axes<usize>,
}

/// A vector and the size of the moving image at which it was compared.
#[derive(Clone, Copy, PartialEq)]
struct Match<const D: usize> {
    vector: [i32; D],
    size: usize,
}

/// The best match of a voxel so far.
struct Best<const D: usize> {
    found: Match<D>,
    /// Number of bits that differ.
    cost: u32,
}

/// A thorough mixing of 32 bits (Wellons' `lowbias32`).
fn hash(word: u32) -> u32 {
    let word = (word ^ word >> 16).wrapping_mul(0x7feb_352d);
    let word = (word ^ word >> 15).wrapping_mul(0x846c_a68b);
    word ^ word >> 16
}

/// Number that is added to a word before it is hashed again.
const NEXT: u32 = 0x9e37_79b9;

pub(super) fn patch_match<const D: usize>(cpu: &Cpu, args: PatchMatch<'_>) {
    let PatchMatch { shape, codes, sweep, matches, costs, better, better_costs } = args;
    let [nx, ny, nz] = shape.size;
    let search =
        PatchSearch { codes, fixed: codes.fixed.host(), moving: codes.moving.host(), size: shape.size };
    let (matches, costs) = (matches.host(), costs.host());
    let [better, better_costs] = [better, better_costs].map(|out| Shared::new(out.host_mut()));
    cpu.split(ny * nz, 1000 * shape.len(), |rows| {
        for row in rows {
            let range = row * nx..(row + 1) * nx;
            // SAFETY: every row is written by one thread.
            let (out, out_costs) = unsafe { (better.get_mut(range.clone()), better_costs.get_mut(range)) };
            for x in 0..nx {
                let (index, voxel) = (row * nx + x, [x, row % ny, row / ny]);
                let (vector, size) = unpack::<D>(matches[index]);
                let mut best = Best { found: Match { vector, size }, cost: costs[index] };
                if best.cost == WORST {
                    best.cost = search.cost(voxel, best.found, WORST);
                }
                for steps in neighbours::<D>(sweep.step as i32) {
                    let Some(neighbour) = neighbour(voxel, steps, shape.size) else { continue };
                    let found = search.carried_on(matches[neighbour], steps);
                    search.try_one(voxel, found, &mut best);
                }
                let mut word = hash(sweep.seed) ^ (index as u32).wrapping_mul(16);
                let mut radius = sweep.radius as u32;
                for _ in 0..sweep.tries {
                    word = word.wrapping_add(1);
                    search.try_one(voxel, search.random(best.found, radius, word), &mut best);
                    radius = (radius / 2).max(1);
                }
                let mut vector = [0; 3];
                vector[..D].copy_from_slice(&best.found.vector);
                (out[x], out_costs[x]) = (pack(D, vector, best.found.size as u32), best.cost);
            }
        }
    });
}

/// Steps to the neighbours: along every axis, then diagonally in the plane.
fn neighbours<const D: usize>(step: i32) -> impl Iterator<Item = Axes<i32>> {
    let along =
        (0..D).flat_map(move |a| [-step, step].map(|s| [0, 1, 2].map(|b| if a == b { s } else { 0 })));
    along.chain([[-1, -1], [1, 1], [1, -1], [-1, 1]].map(|[x, y]| [x * step, y * step, 0]))
}

fn neighbour(voxel: Axes<usize>, steps: Axes<i32>, size: Axes<usize>) -> Option<usize> {
    let at = [0, 1, 2].map(|a| voxel[a] as i32 + steps[a]);
    let inside = (0..3).all(|a| at[a] >= 0 && at[a] < size[a] as i32);
    inside.then(|| (at[2] as usize * size[1] + at[1] as usize) * size[0] + at[0] as usize)
}

impl PatchSearch<'_> {
    /// The match of a neighbour continued to this voxel, with its growth.
    fn carried_on<const D: usize>(&self, word: u32, steps: Axes<i32>) -> Match<D> {
        let (mut vector, size) = unpack::<D>(word);
        let growth = self.codes.moving_images[size].growth;
        for a in 0..D {
            vector[a] -= (growth * steps[a] + 512) >> 10;
        }
        Match { vector, size }
    }

    /// A random match around another one.
    fn random<const D: usize>(&self, around: Match<D>, radius: u32, word: u32) -> Match<D> {
        let (mut word, mut vector) = (hash(word), around.vector);
        for component in &mut vector {
            *component += (word % (2 * radius + 1)) as i32 - radius as i32;
            word = hash(word.wrapping_add(NEXT));
        }
        let last = self.codes.moving_images.len() as i32 - 1;
        let size = (around.size as i32 + (word % 3) as i32 - 1).clamp(0, last) as usize;
        Match { vector, size }
    }

    fn try_one<const D: usize>(&self, voxel: Axes<usize>, tried: Match<D>, best: &mut Best<D>) {
        if tried == best.found {
            return;
        }
        let cost = self.cost(voxel, tried, best.cost);
        if cost < best.cost {
            *best = Best { found: tried, cost };
        }
    }

    /// The cost of a match, or [`WORST`] if it is not below `limit`.
    fn cost<const D: usize>(&self, voxel: Axes<usize>, of: Match<D>, limit: u32) -> u32 {
        let image = &self.codes.moving_images[of.size];
        let (mut centre, mut is_deep) = ([0; D], true);
        let reach = self.codes.reach as i32;
        for a in 0..D {
            let (count, at) = (self.size[a] as i32, voxel[a] as i32 + of.vector[a]);
            if at < 0 || at >= count || of.vector[a].abs() > longest(D) {
                return WORST;
            }
            centre[a] = (2 * at + 1) * image.size[a] as i32 / (2 * count);
            is_deep &= voxel[a] as i32 >= reach && voxel[a] as i32 + reach < count;
            // A margin is read like the image.
            is_deep &= image.margin as i32 >= reach
                || (centre[a] >= reach && centre[a] + reach < image.size[a] as i32);
        }
        if is_deep {
            let fixed = Corner::of(self.fixed, &self.codes.fixed_image, voxel.map(|v| v as i32 - reach));
            let at: Axes<i32> = [0, 1, 2].map(|a| if a < D { centre[a.min(D - 1)] - reach } else { -reach });
            let moving = Corner::of(self.moving, image, at);
            let deep = if D == 3 { self.codes.reach } else { 0 };
            return deep_cost(fixed, moving, [self.codes.reach, deep], limit);
        }
        self.cost_at_border(voxel, centre, image, limit)
    }

    fn cost_at_border<const D: usize>(
        &self,
        voxel: Axes<usize>,
        centre: [i32; D],
        image: &StackedImage,
        limit: u32,
    ) -> u32 {
        let (reach, fixed_image) = (self.codes.reach as i32, &self.codes.fixed_image);
        let deep = if D == 3 { reach } else { 0 };
        let mut sum = 0;
        for z in (-deep..=deep).step_by(2) {
            for y in (-reach..=reach).step_by(2) {
                for x in (-reach..=reach).step_by(2) {
                    let step = [x, y, z];
                    let (mut from, mut to, mut inside) = ([0; 3], [0; 3], true);
                    for a in 0..D {
                        let last = self.size[a] as i32 - 1;
                        from[a] = (voxel[a] as i32 + step[a]).clamp(0, last) as usize;
                        let at = centre[a] + step[a];
                        inside &= at >= 0 && at < image.size[a] as i32;
                        to[a] = at.max(0) as usize;
                    }
                    let fixed = self.fixed[fixed_image.index(from)];
                    sum += match inside {
                        true => (fixed ^ self.moving[image.index(to)]).count_ones().min(MOST_BITS),
                        false if D == 2 => (fixed ^ BEYOND).count_ones().min(MOST_BITS),
                        false => MOST_BITS,
                    };
                }
                if sum >= limit {
                    return WORST;
                }
            }
        }
        sum
    }
}

/// An image from the first voxel of a patch on.
#[derive(Clone, Copy)]
struct Corner<'a> {
    samples: &'a [u32],
    width: usize,
    plane: usize,
}

impl<'a> Corner<'a> {
    /// The corner at a position; a picture has one plane, which patches do not leave.
    fn of(samples: &'a [u32], image: &StackedImage, [x, y, z]: Axes<i32>) -> Self {
        let z = if image.size[2] > 1 { z } else { 0 };
        let [wide, high] = image.held();
        let first = (image.first() as i32 + (z * high as i32 + y) * wide as i32 + x) as usize;
        Self { samples: &samples[first..], width: wide, plane: wide * high }
    }
    #[inline(always)]
    fn row(&self, y: usize, z: usize, len: usize) -> &'a [u32] {
        &self.samples[z * self.plane + y * self.width..][..len]
    }
}

/// The cost of patches that lie inside both images, with their half width in the plane, and along z.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+popcnt", "aarch64+neon"))]
fn deep_cost(fixed: Corner<'_>, moving: Corner<'_>, [reach, deep]: [usize; 2], limit: u32) -> u32 {
    let mut sum = 0;
    for z in (0..=2 * deep).step_by(2) {
        for y in (0..=2 * reach).step_by(2) {
            let (fixed, moving) = (fixed.row(y, z, 2 * reach + 1), moving.row(y, z, 2 * reach + 1));
            for (a, b) in fixed.iter().zip(moving).step_by(2) {
                sum += (a ^ b).count_ones().min(MOST_BITS);
            }
            if sum >= limit {
                return WORST;
            }
        }
    }
    sum
}
