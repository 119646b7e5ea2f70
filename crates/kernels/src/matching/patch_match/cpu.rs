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
    /// For each size of the moving image and each axis, the voxel of that image for every voxel of the fixed image's size.
    centres: Vec<Axes<Vec<i32>>>,
    /// The codes of pictures with margins, with those of even columns of a row before those of odd ones, so that the codes of a
    /// patch lie side by side; none where patches are compared code by code. Margins make patches beyond a border like all others.
    parted: Option<[Vec<u32>; 2]>,
}

/// The matches that a voxel tried: a second time they are no better.
struct Tried<const D: usize> {
    found: [Match<D>; MOST_TRIED],
    count: usize,
}

/// Matches of a voxel that are remembered: its first one, its neighbours', and random ones.
const MOST_TRIED: usize = 24;

impl<const D: usize> Tried<D> {
    fn new(first: Match<D>) -> Self {
        Self { found: [first; MOST_TRIED], count: 1 }
    }

    /// Whether a match comes for the first time; where nothing more is remembered, it may come again.
    fn is_new(&mut self, tried: Match<D>) -> bool {
        if self.found[..self.count].contains(&tried) {
            return false;
        }
        if self.count < MOST_TRIED {
            self.found[self.count] = tried;
            self.count += 1;
        }
        true
    }
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
    let search = PatchSearch::new(cpu, codes, shape.size);
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
                let mut tried = Tried::new(best.found);
                for steps in neighbours::<D>(sweep.step as i32) {
                    let Some(neighbour) = neighbour(voxel, steps, shape.size) else { continue };
                    let found = search.carried_on(matches[neighbour], steps);
                    search.try_one(voxel, found, &mut tried, &mut best);
                }
                let mut word = hash(sweep.seed) ^ (index as u32).wrapping_mul(16);
                let mut radius = sweep.radius as u32;
                for _ in 0..sweep.tries {
                    word = word.wrapping_add(1);
                    search.try_one(voxel, search.random(best.found, radius, word), &mut tried, &mut best);
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

impl<'a> PatchSearch<'a> {
    fn new(cpu: &Cpu, codes: Codes<'a>, size: Axes<usize>) -> Self {
        let along = |image: &StackedImage, a: usize| {
            let (count, scaled) = (size[a] as i32, image.size[a] as i32);
            (0..count).map(|at| (2 * at + 1) * scaled / (2 * count)).collect()
        };
        let centres = codes.moving_images.iter().map(|image| [0, 1, 2].map(|a| along(image, a))).collect();
        let mut images = codes.moving_images.iter().chain([&codes.fixed_image]);
        let are_parted = size[2] == 1
            && WIDE_REACHES.contains(&codes.reach)
            && images.all(|image| image.margin >= WIDE_REACHES[1] && image.size[2] == 1);
        let (fixed, moving) = (codes.fixed.host(), codes.moving.host());
        let parted = are_parted.then(|| {
            [
                parted(cpu, fixed, &[codes.fixed_image], PartedMargin::Repeats),
                parted(cpu, moving, codes.moving_images, PartedMargin::Stays),
            ]
        });
        Self { codes, fixed, moving, size, centres, parted }
    }

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

    fn try_one<const D: usize>(
        &self,
        voxel: Axes<usize>,
        found: Match<D>,
        tried: &mut Tried<D>,
        best: &mut Best<D>,
    ) {
        if tried.is_new(found) {
            let cost = self.cost(voxel, found, best.cost);
            if cost < best.cost {
                *best = Best { found, cost };
            }
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
            centre[a] = self.centres[of.size][a][at as usize];
            is_deep &= voxel[a] as i32 >= reach && voxel[a] as i32 + reach < count;
            // A margin is read like the image.
            is_deep &= image.margin as i32 >= reach
                || (centre[a] >= reach && centre[a] + reach < image.size[a] as i32);
        }
        if let Some([fixed, moving]) = &self.parted {
            let from = [voxel[0] as i32, voxel[1] as i32 - reach];
            let fixed = Corner::parted(fixed, &self.codes.fixed_image, from);
            let moving = Corner::parted(moving, image, [centre[0], centre[1] - reach]);
            return wide_cost(fixed, moving, self.codes.reach, limit);
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
    /// The corner of a wide patch among parted codes, by its middle column and its first row.
    fn parted(samples: &'a [u32], image: &StackedImage, [x, y]: [i32; 2]) -> Self {
        let [wide, high] = image.held();
        let column = (x + image.margin as i32) as usize - WIDE_REACHES[1];
        let row = (y + image.margin as i32) as usize;
        let first = image.start + row * wide + column % 2 * wide.div_ceil(2) + column / 2;
        Self { samples: &samples[first..], width: wide, plane: wide * high }
    }
    /// The first codes of a row of the first plane.
    #[inline(always)]
    fn lanes(&self, y: usize) -> [u32; LANES] {
        std::array::from_fn(|i| self.row(y, 0, LANES)[i])
    }
    #[inline(always)]
    fn row(&self, y: usize, z: usize, len: usize) -> &'a [u32] {
        &self.samples[z * self.plane + y * self.width..][..len]
    }
}

/// Half widths of patches of pictures of which a row has eight codes, or seven, and one more; the larger one is the margin that is
/// read.
const WIDE_REACHES: [usize; 2] = [6, 8];
/// Codes that are compared side by side.
const LANES: usize = 8;
/// Rows between two looks at the limit.
const ROWS_A_LOOK: usize = 3;

/// What the margin of parted codes holds.
#[derive(Clone, Copy, PartialEq)]
enum PartedMargin {
    /// What it holds already.
    Stays,
    /// The image's outermost codes: patches of the fixed image are continued so beyond its border.
    Repeats,
}

/// The codes of some pictures, with those of even columns of each row, the margin's included, before those of odd ones.
fn parted(cpu: &Cpu, codes: &[u32], images: &[StackedImage], margin: PartedMargin) -> Vec<u32> {
    let mut out = vec![0; codes.len()];
    let parts = Shared::new(&mut out);
    for image in images {
        let [wide, high] = image.held();
        let within = |at: usize, count: usize| match margin {
            PartedMargin::Stays => at,
            PartedMargin::Repeats => at.clamp(image.margin, image.margin + count - 1),
        };
        cpu.split(high, wide * high, |rows| {
            for row in rows {
                let from = &codes[image.start + within(row, image.size[1]) * wide..][..wide];
                let range = image.start + row * wide..image.start + (row + 1) * wide;
                // SAFETY: every row is written by one thread.
                let (even, odd) = unsafe { parts.get_mut(range) }.split_at_mut(wide.div_ceil(2));
                for (nth, code) in even.iter_mut().enumerate() {
                    *code = from[within(2 * nth, image.size[0])];
                }
                for (nth, code) in odd.iter_mut().enumerate() {
                    *code = from[within(2 * nth + 1, image.size[0])];
                }
            }
        });
    }
    out
}

/// The cost of patches of pictures that lie inside both images, from the corners of the wider patch: of a narrower one the outermost
/// codes do not count.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+popcnt", "aarch64+neon"))]
fn wide_cost(fixed: Corner<'_>, moving: Corner<'_>, reach: usize, limit: u32) -> u32 {
    let is_wide = reach == WIDE_REACHES[1];
    let first = if is_wide { 0 } else { 1 };
    let (mut lanes, mut last) = ([0; LANES], 0);
    let sum = |lanes: &[u32; LANES], last: u32| lanes[first..].iter().sum::<u32>() + last;
    for row in 0..=reach {
        let [a, b] = [&fixed, &moving].map(|corner| corner.lanes(2 * row));
        for i in 0..LANES {
            lanes[i] += (a[i] ^ b[i]).count_ones().min(MOST_BITS);
        }
        if is_wide {
            let [a, b] = [&fixed, &moving].map(|corner| corner.row(2 * row, 0, LANES + 1)[LANES]);
            last += (a ^ b).count_ones().min(MOST_BITS);
        }
        if row % ROWS_A_LOOK == ROWS_A_LOOK - 1 && sum(&lanes, last) >= limit {
            return WORST;
        }
    }
    let sum = sum(&lanes, last);
    if sum >= limit { WORST } else { sum }
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
