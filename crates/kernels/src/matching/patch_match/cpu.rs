//! Processor text of [`super::PatchMatch`].

#[cfg(target_arch = "x86_64")]
use super::wide::Avx2;
use super::wide::{Compare, PartedMargin, Portable, WIDE_REACHES, WidePatch, parted_codes};
use super::{BEYOND, Codes, MOST_BITS, PatchMatch, StackedImage, Sweep, WORST, longest, pack, unpack};
use multiversion::multiversion;
use std::ops::Range;
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
    /// The codes of pictures with margins, parted; none where patches are compared code by code. Margins make patches beyond a border
    /// like all others.
    parted: Option<[Vec<u32>; 2]>,
}

/// The matches that a voxel tried, packed: a second time they are no better.
struct Tried {
    words: [u32; MOST_TRIED],
    count: usize,
}

/// Matches of a voxel that are remembered: its first one, its neighbours', and random ones.
const MOST_TRIED: usize = 24;

impl Tried {
    fn new(first: u32) -> Self {
        Self { words: [first; MOST_TRIED], count: 1 }
    }

    /// Whether a match comes for the first time; where nothing more is remembered, it may come again.
    #[inline(always)]
    fn is_new(&mut self, word: u32) -> bool {
        if self.words[..self.count].contains(&word) {
            return false;
        }
        if self.count < MOST_TRIED {
            self.words[self.count] = word;
            self.count += 1;
        }
        true
    }
}

/// The best match of a voxel so far, packed.
struct Best {
    word: u32,
    /// Number of bits that differ.
    cost: u32,
}

/// A match in one word; none where it is longer than one that counts.
#[inline(always)]
fn packed<const D: usize>(vector: [i32; D], size: usize) -> Option<u32> {
    let mut whole = [0; 3];
    whole[..D].copy_from_slice(&vector);
    vector.iter().all(|c| c.abs() <= longest(D)).then(|| pack(D, whole, size as u32))
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
    let [_, ny, nz] = shape.size;
    let search = PatchSearch::new(cpu, codes, shape.size);
    let (matches, costs) = (matches.host(), costs.host());
    let [better, better_costs] = [better, better_costs].map(|out| Shared::new(out.host_mut()));
    let rows = SweptRows { search: &search, sweep, matches, costs, better, better_costs };
    let samples = 1000 * shape.len();
    #[cfg(target_arch = "x86_64")]
    if Avx2::is_there() {
        return cpu.split(ny * nz, samples, |range| rows.sweep::<D, Avx2>(range));
    }
    cpu.split(ny * nz, samples, |range| rows.sweep::<D, Portable>(range));
}

/// What the rows of a sweep read and write.
struct SweptRows<'a> {
    search: &'a PatchSearch<'a>,
    sweep: Sweep,
    matches: &'a [u32],
    costs: &'a [u32],
    better: Shared<'a, u32>,
    better_costs: Shared<'a, u32>,
}

impl SweptRows<'_> {
    fn sweep<const D: usize, C: Compare>(&self, rows: Range<usize>) {
        let Self { search, sweep, matches, costs, better, better_costs } = self;
        let size = search.size;
        let neighbours = Neighbours::<D>::new(search, sweep.step as i32);
        for row in rows {
            let range = row * size[0]..(row + 1) * size[0];
            // SAFETY: every row is written by one thread.
            let (out, out_costs) = unsafe { (better.get_mut(range.clone()), better_costs.get_mut(range)) };
            for x in 0..size[0] {
                let (index, voxel) = (row * size[0] + x, [x, row % size[1], row / size[1]]);
                let trial = Trial::<D> { search, voxel, fixed: search.wide_patch(voxel) };
                let mut best = Best { word: matches[index], cost: costs[index] };
                if best.cost == WORST {
                    best.cost = trial.cost::<C>(best.word, WORST);
                }
                let mut tried = Tried::new(best.word);
                let is_inside = neighbours.are_inside(voxel, size);
                for nth in 0..2 * D + 4 {
                    if !is_inside && !neighbours.is_there(nth, voxel, size) {
                        continue;
                    }
                    let neighbour = index.wrapping_add_signed(neighbours.offsets[nth]);
                    let Some(word) = neighbours.carried_on(nth, matches[neighbour]) else { continue };
                    trial.try_one::<C>(word, &mut tried, &mut best);
                }
                let mut random = hash(sweep.seed) ^ (index as u32).wrapping_mul(16);
                let mut radius = sweep.radius as u32;
                for _ in 0..sweep.tries {
                    random = random.wrapping_add(1);
                    if let Some(word) = search.random::<D>(best.word, radius, random) {
                        trial.try_one::<C>(word, &mut tried, &mut best);
                    }
                    radius = (radius / 2).max(1);
                }
                (out[x], out_costs[x]) = (best.word, best.cost);
            }
        }
    }
}

/// The neighbours whose matches a voxel tries: along every axis, then diagonally in the plane.
struct Neighbours<const D: usize> {
    step: i32,
    /// `2 D + 4` of them.
    steps: [Axes<i32>; 10],
    /// Places among all voxels, from the voxel's own on.
    offsets: [isize; 10],
    /// What is taken off a neighbour's vector for each size of the moving image, whose growth it continues.
    shifts: Vec<[[i32; D]; 10]>,
}

impl<const D: usize> Neighbours<D> {
    fn new(search: &PatchSearch<'_>, step: i32) -> Self {
        let mut steps = [[0; 3]; 10];
        for a in 0..D {
            steps[2 * a][a] = -step;
            steps[2 * a + 1][a] = step;
        }
        for (nth, [x, y]) in [[-1, -1], [1, 1], [1, -1], [-1, 1]].into_iter().enumerate() {
            steps[2 * D + nth] = [x * step, y * step, 0];
        }
        let [nx, ny, _] = search.size.map(|n| n as isize);
        let offsets = steps.map(|[x, y, z]| (z as isize * ny + y as isize) * nx + x as isize);
        let shifts =
            search.codes.moving_images.iter().map(|image| {
                steps.map(|steps| std::array::from_fn(|a| (image.growth * steps[a] + 512) >> 10))
            });
        Self { step, steps, offsets, shifts: shifts.collect() }
    }

    /// Whether a voxel has all of them.
    #[inline(always)]
    fn are_inside(&self, voxel: Axes<usize>, size: Axes<usize>) -> bool {
        let step = self.step as usize;
        (0..D).all(|a| voxel[a] >= step && voxel[a] + step < size[a])
    }

    /// Whether a voxel has that one.
    #[inline(always)]
    fn is_there(&self, nth: usize, voxel: Axes<usize>, size: Axes<usize>) -> bool {
        (0..3).all(|a| (0..size[a] as i32).contains(&(voxel[a] as i32 + self.steps[nth][a])))
    }

    /// The match of a neighbour continued to the voxel, with its growth.
    #[inline(always)]
    fn carried_on(&self, nth: usize, word: u32) -> Option<u32> {
        let (mut vector, size) = unpack::<D>(word);
        let shift = self.shifts[size][nth];
        if shift == [0; D] {
            return Some(word);
        }
        (0..D).for_each(|a| vector[a] -= shift[a]);
        packed(vector, size)
    }
}

/// A voxel that tries matches.
struct Trial<'a, const D: usize> {
    search: &'a PatchSearch<'a>,
    voxel: Axes<usize>,
    /// The patch around it, where patches are wide.
    fixed: Option<WidePatch<'a>>,
}

impl<const D: usize> Trial<'_, D> {
    #[inline(always)]
    fn try_one<C: Compare>(&self, word: u32, tried: &mut Tried, best: &mut Best) {
        if tried.is_new(word) {
            let cost = self.cost::<C>(word, best.cost);
            if cost < best.cost {
                *best = Best { word, cost };
            }
        }
    }

    /// The cost of a match, or [`WORST`] if it is not below `limit`.
    #[inline(always)]
    fn cost<C: Compare>(&self, word: u32, limit: u32) -> u32 {
        let Self { search, voxel, fixed } = self;
        let (vector, size) = unpack::<D>(word);
        let image = &search.codes.moving_images[size];
        let mut centre = [0; D];
        for a in 0..D {
            let (count, at) = (search.size[a] as i32, voxel[a] as i32 + vector[a]);
            if at < 0 || at >= count || vector[a].abs() > longest(D) {
                return WORST;
            }
            centre[a] = search.centres[size][a][at as usize];
        }
        if let (Some(fixed), Some([_, moving])) = (fixed, &search.parted) {
            let reach = search.codes.reach;
            let moving = WidePatch::at(moving, image, [centre[0], centre[1] - reach as i32]);
            return C::cost(*fixed, moving, reach, limit);
        }
        search.plain_cost(*voxel, centre, image, limit)
    }
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
                parted_codes(cpu, fixed, &[codes.fixed_image], PartedMargin::Repeats),
                parted_codes(cpu, moving, codes.moving_images, PartedMargin::Stays),
            ]
        });
        Self { codes, fixed, moving, size, centres, parted }
    }

    /// The patch around a voxel of the fixed image, where patches are wide.
    #[inline(always)]
    fn wide_patch(&self, [x, y, _]: Axes<usize>) -> Option<WidePatch<'_>> {
        let [fixed, _] = self.parted.as_ref()?;
        let from = [x as i32, y as i32 - self.codes.reach as i32];
        Some(WidePatch::at(fixed, &self.codes.fixed_image, from))
    }

    /// A random match around another one.
    #[inline(always)]
    fn random<const D: usize>(&self, around: u32, radius: u32, word: u32) -> Option<u32> {
        let (mut vector, size) = unpack::<D>(around);
        let mut word = hash(word);
        for component in &mut vector {
            *component += (word % (2 * radius + 1)) as i32 - radius as i32;
            word = hash(word.wrapping_add(NEXT));
        }
        let last = self.codes.moving_images.len() as i32 - 1;
        packed(vector, (size as i32 + (word % 3) as i32 - 1).clamp(0, last) as usize)
    }

    /// The cost of patches that are compared code by code.
    #[inline(never)]
    fn plain_cost<const D: usize>(
        &self,
        voxel: Axes<usize>,
        centre: [i32; D],
        image: &StackedImage,
        limit: u32,
    ) -> u32 {
        let reach = self.codes.reach as i32;
        let is_deep = (0..D).all(|a| {
            let is_within = |at: i32, count: usize| at >= reach && at + reach < count as i32;
            // A margin is read like the image.
            is_within(voxel[a] as i32, self.size[a])
                && (image.margin as i32 >= reach || is_within(centre[a], image.size[a]))
        });
        if !is_deep {
            return self.cost_at_border(voxel, centre, image, limit);
        }
        let fixed = Corner::of(self.fixed, &self.codes.fixed_image, voxel.map(|v| v as i32 - reach));
        let at: Axes<i32> = [0, 1, 2].map(|a| if a < D { centre[a.min(D - 1)] - reach } else { -reach });
        let moving = Corner::of(self.moving, image, at);
        let deep = if D == 3 { self.codes.reach } else { 0 };
        deep_cost(fixed, moving, [self.codes.reach, deep], limit)
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
