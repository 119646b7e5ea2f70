//! Processor text of [`super::PathCosts`].

use super::{Before, Lines, OUTSIDE, PathCosts, Penalties};
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// More than any cost, and no overflow when a penalty is added.
const NOT_THERE: u16 = 0x3fff;

/// What the paths of a direction run through.
struct Picture<'a> {
    nx: usize,
    count: usize,
    lines: Lines,
    penalties: Penalties,
    per_edge: f32,
    left: &'a [u32],
    right: &'a [u32],
    base: &'a [f32],
    image: &'a [f32],
    adds: bool,
}

pub(super) fn path_costs(cpu: &Cpu, args: PathCosts<'_>) {
    let PathCosts { size: [nx, ny], count, direction, penalties, codes, base, image, before, sums } = args;
    let (left, right) = codes.host().split_at(nx * ny);
    let lines = Lines::new([nx, ny], direction);
    let (base, image, per_edge) = (base.host(), image.host(), 1.0 / penalties.edge);
    let adds = before == Before::Sums;
    let picture = Picture { nx, count, lines, penalties, per_edge, left, right, base, image, adds };
    let sums = Shared::new(sums.host_mut());
    cpu.split(lines.count, nx * ny * count, |paths| {
        let mut scratch = Scratch::new(count);
        // SAFETY: a pixel lies on one path of a direction.
        paths.for_each(|path| unsafe { picture.follow(path, &mut scratch, &sums) });
    });
}

/// Costs of one pixel and of the one before.
struct Scratch {
    own: Vec<u16>,
    /// The costs of the pixel before, and those that lie at this pixel's disparities, with one on both sides.
    before: Vec<u16>,
    shifted: Vec<u16>,
}

impl Scratch {
    fn new(count: usize) -> Self {
        Self { own: vec![0; count], before: vec![0; count], shifted: vec![NOT_THERE; count + 2] }
    }
}

impl Picture<'_> {
    /// Writes the costs along a path.
    ///
    /// # Safety
    /// No other thread may have pixels of this path.
    unsafe fn follow(&self, path: usize, scratch: &mut Scratch, sums: &Shared<'_, u16>) {
        let mut pixel = self.lines.first + path * self.lines.across;
        let mut previous: Option<usize> = None;
        let mut least = 0;
        for _ in 0..self.lines.length {
            self.match_costs(pixel, &mut scratch.own);
            if let Some(before) = previous {
                let shift = self.base[pixel] as i32 - self.base[before] as i32;
                shift_into(&mut scratch.shifted, &scratch.before, shift);
                let jump = least + self.jump(pixel, before);
                cheapest_way(&mut scratch.own, &scratch.shifted, [self.penalties.small, jump, least]);
            }
            least = least_of(&scratch.own);
            // SAFETY: forwarded.
            let out = unsafe { sums.get_mut(pixel * self.count..(pixel + 1) * self.count) };
            if self.adds {
                out.iter_mut().zip(&scratch.own).for_each(|(sum, cost)| *sum += cost);
            } else {
                out.copy_from_slice(&scratch.own);
            }
            std::mem::swap(&mut scratch.own, &mut scratch.before);
            previous = Some(pixel);
            pixel = pixel.wrapping_add_signed(self.lines.along);
        }
    }

    /// What a jump of the disparity between two pixels costs.
    fn jump(&self, pixel: usize, before: usize) -> u16 {
        let change = (self.image[pixel] - self.image[before]).abs();
        let lowered = (f32::from(self.penalties.great) / (1.0 + change * self.per_edge)) as u16;
        lowered.max(self.penalties.least)
    }

    /// Bits that differ, for every disparity of a pixel.
    fn match_costs(&self, pixel: usize, costs: &mut [u16]) {
        let (x, row) = ((pixel % self.nx) as i32, pixel / self.nx * self.nx);
        // The first disparity's match, and the disparities whose match lies inside.
        let at = x - self.base[pixel] as i32;
        let count = self.count as i32;
        let first = (at - self.nx as i32 + 1).clamp(0, count);
        let end = (at + 1).clamp(first, count);
        costs.fill(OUTSIDE);
        if first < end {
            let (low, high) = (row + (at - end + 1) as usize, row + (at - first + 1) as usize);
            differing(self.left[pixel], &self.right[low..high], &mut costs[first as usize..end as usize]);
        }
    }
}

/// Costs of the pixel before at this pixel's disparities, from one before the first to one after the last.
fn shift_into(shifted: &mut [u16], before: &[u16], shift: i32) {
    let count = before.len() as i32;
    // Place j holds the cost of the other band's place j − 1 + shift.
    let first = (1 - shift).clamp(0, count + 2);
    let end = (count + 1 - shift).clamp(first, count + 2);
    shifted[..first as usize].fill(NOT_THERE);
    shifted[end as usize..].fill(NOT_THERE);
    if first < end {
        let from = (first - 1 + shift) as usize;
        let length = (end - first) as usize;
        shifted[first as usize..end as usize].copy_from_slice(&before[from..from + length]);
    }
}

/// Bits that differ from those of matches, which come from right to left.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn differing(code: u32, matches: &[u32], costs: &mut [u16]) {
    for (cost, other) in costs.iter_mut().zip(matches.iter().rev()) {
        *cost = (code ^ other).count_ones() as u16;
    }
}

/// Adds the cheapest way to every disparity: from the same one, from its neighbours, or by a jump.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn cheapest_way(costs: &mut [u16], shifted: &[u16], [small, jump, least]: [u16; 3]) {
    let count = costs.len();
    let (lower, same, upper) = (&shifted[..count], &shifted[1..count + 1], &shifted[2..count + 2]);
    for k in 0..count {
        let beside = lower[k].min(upper[k]) + small;
        costs[k] += same[k].min(beside).min(jump) - least;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn least_of(costs: &[u16]) -> u16 {
    costs.iter().fold(u16::MAX, |least, &cost| least.min(cost))
}
