//! The search for matches over a pyramid of census codes.

use super::smoothed;
use crate::error::Result;
use crate::steps::buffers::{copied, resampled, written, written_field};
use crate::steps::pyramid::shrink;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Fill;
use veloxel_kernels::matching::census::Census;
use veloxel_kernels::matching::patch_match::{
    Codes, FinerMatches, MatchField, PatchMatch, StackedImage, Sweep, WORST, pack,
};

/// Half octaves by which the moving image may have grown or shrunk, in pictures.
const HALF_OCTAVES: i32 = 2;
/// 1024 (s − 1) for each of them, s from ½ to 2.
const GROWTHS: [i32; 5] = [-512, -300, 0, 424, 1024];
/// An axis is not made shorter than this.
const SHORTEST_AXIS: usize = 12;
/// The shorter side of the coarsest picture, at least; the longest axis of the coarsest volume.
const COARSEST: [usize; 2] = [40, 24];
/// Smoothing before the census, voxels.
pub(super) const CENSUS_SIGMA_VOX: f64 = 0.7;
/// How much brighter a neighbour must be, of a range of 1.
pub(super) const CENSUS_THRESHOLD: f32 = 0.002;
/// Half width of a patch of pictures and of volumes, voxels, and of one where the field is nearly known.
const REACH: [usize; 2] = [8, 4];
const NEAR_REACH: [usize; 2] = [6, 4];
/// Distances of the neighbours, sweep by sweep.
const STEPS: [usize; 8] = [8, 4, 2, 1, 4, 2, 1, 1];
/// The same where the field is nearly known.
const NEAR_STEPS: [usize; 4] = [4, 2, 1, 1];

/// Half width of a patch, voxels, and random tries a voxel.
#[derive(Clone, Copy)]
struct Effort {
    reach: usize,
    tries: usize,
    radius: usize,
    /// The number of its first sweep.
    first: usize,
}

/// The census codes of an image at several sizes.
pub(super) struct Coded<'a> {
    device: &'a Device,
    shape: Shape,
    codes: Buffer<u32>,
    /// From the finest on, half an octave apart; in volumes an octave.
    images: Vec<StackedImage>,
    /// Which of them has the image's own size.
    own: usize,
}

impl<'a> Coded<'a> {
    /// Codes of the whole pyramid.
    pub fn new(device: &'a Device, image: &Buffer, shape: Shape) -> Result<Self> {
        let is_picture = shape.components() == 2;
        let finer = if is_picture { HALF_OCTAVES } else { 0 };
        let last = 2 * coarsest_level(shape) as i32 + finer;
        let steps: Vec<i32> = (-finer..=last).filter(|m| is_picture || m % 2 == 0).collect();
        let sizes: Vec<Shape> = steps.iter().map(|&m| Shape { size: size_at(shape, m), ..shape }).collect();
        let mut coded = Self::empty(device, shape, &sizes)?;
        coded.own = finer as usize;
        let mut coarser = copied(device, image)?;
        for (nth, &size) in sizes.iter().enumerate() {
            if nth < coded.own {
                coded.add(nth, &resampled(device, image, [shape, size])?)?;
                continue;
            }
            if nth > coded.own {
                coarser = shrink(device, &coarser, sizes[nth - 1], size)?;
            }
            coded.add(nth, &coarser)?;
        }
        Ok(coded)
    }

    /// Codes of the image alone.
    pub fn finest(device: &'a Device, image: &Buffer, shape: Shape) -> Result<Self> {
        let mut coded = Self::empty(device, shape, &[shape])?;
        coded.add(0, image)?;
        Ok(coded)
    }

    fn empty(device: &'a Device, shape: Shape, sizes: &[Shape]) -> Result<Self, ComputeError> {
        let (mut start, margin) = (0, if shape.components() == 2 { REACH[0] } else { 0 });
        let image = |size: &Shape| {
            let image = StackedImage { size: size.size, start, growth: 0, margin };
            start += image.codes();
            image
        };
        let images = sizes.iter().map(image).collect();
        Ok(Self { device, shape, codes: device.scratch(start)?, images, own: 0 })
    }

    fn add(&mut self, nth: usize, image: &Buffer) -> Result<(), ComputeError> {
        let StackedImage { size, start, margin, .. } = self.images[nth];
        let shape = Shape { size, ..self.shape };
        let smooth = smoothed(self.device, image, shape, CENSUS_SIGMA_VOX)?;
        let (threshold, codes) = (CENSUS_THRESHOLD, &mut self.codes);
        Census { shape, threshold, image: &smooth, start, margin, codes }.run(self.device)
    }

    /// The image of a level.
    fn level(&self, level: usize) -> StackedImage {
        self.images[self.index(level)]
    }

    fn index(&self, level: usize) -> usize {
        self.own + level * if self.own > 0 { HALF_OCTAVES as usize } else { 1 }
    }

    /// The images that a level of the other one is compared with, smallest growth first, and which of them did not grow.
    fn sizes_of(&self, level: usize) -> (Vec<StackedImage>, usize) {
        let index = self.index(level);
        if self.own == 0 {
            return (vec![self.images[index]], 0);
        }
        let grown = |(k, growth)| StackedImage { growth, ..self.images[index + k - self.own] };
        (GROWTHS.into_iter().enumerate().map(grown).collect(), self.own)
    }
}

/// The coarsest level, an octave each.
fn coarsest_level(shape: Shape) -> usize {
    let [nx, ny, nz] = shape.size;
    let (extent, least) = match shape.components() {
        2 => (nx.min(ny), COARSEST[0]),
        _ => (nx.max(ny).max(nz), COARSEST[1]),
    };
    (0..).take_while(|&level| extent >> level >= 2 * least).count()
}

/// The size after so many half octaves; an axis stays that would become too short.
fn size_at(shape: Shape, half_octaves: i32) -> Axes<usize> {
    let along = |a: usize, m: i32| (shape.size[a] as f64 * 2f64.powf(-0.5 * f64::from(m))).round() as usize;
    [0, 1, 2].map(|a| match half_octaves {
        _ if a >= shape.components() => 1,
        ..=0 => along(a, half_octaves),
        // In whole octaves, so that levels stay by whole factors apart.
        m => (0..=m)
            .rev()
            .step_by(2)
            .find(|&m| along(a, m) >= SHORTEST_AXIS)
            .map_or(shape.size[a], |m| along(a, m)),
    })
}

/// Matches of an image's voxels, and their costs.
pub(super) struct Searched {
    shape: Shape,
    matches: Buffer<u32>,
    costs: Buffer<u32>,
}

impl Searched {
    /// Matches over the whole range of motion, from both images' sides: level by level, so that a GPU works on both coarse ones
    /// at once.
    pub(crate) fn over_all(coded: &[Coded<'_>; 2]) -> Result<[Self; 2]> {
        let coarsest = coarsest_level(coded[0].shape);
        let mut found: [Option<Self>; 2] = [None, None];
        for level in (0..=coarsest).rev() {
            let sizes = [1, 0].map(|other| coded[other].sizes_of(level));
            let mut sides = Vec::new();
            for (side, found) in found.iter_mut().enumerate() {
                let (sizes, own) = &sizes[side];
                let pair = [&coded[side], &coded[1 - side]];
                let (matches, effort) = Self::begun(pair[0], level, *own, found.take())?;
                let codes = codes(pair, level, sizes, effort.reach);
                sides.push(Sweeping::new(pair[0].device, matches, codes, effort)?);
            }
            for _ in 0..if level == coarsest { 2 } else { 1 } {
                for step in STEPS {
                    sides.iter_mut().try_for_each(|side| side.sweep(step))?;
                }
            }
            found = [0, 1].map(|_| sides.pop().map(|side| side.from));
            found.reverse();
        }
        Ok(found.map(|found| found.expect("a pyramid should have a level")))
    }

    /// What a level begins with: matches of the next coarser one, and the effort to improve them; `own` is which size of the
    /// moving image did not grow.
    fn begun(
        fixed: &Coded<'_>,
        level: usize,
        own: usize,
        coarser: Option<Self>,
    ) -> Result<(Self, Effort), ComputeError> {
        let device = fixed.device;
        let reach = REACH[fixed.shape.components() - 2];
        let shape = Shape { size: fixed.level(level).size, ..fixed.shape };
        let first = level * STEPS.len();
        Ok(match coarser {
            None => {
                let radius = (shape.size.into_iter().max().unwrap_or(1) / 2).max(4);
                (Self::none(device, shape, own)?, Effort { reach, tries: 8, radius, first })
            }
            Some(coarser) => (coarser.finer(device, shape)?, Effort { reach, tries: 3, radius: 3, first }),
        })
    }

    /// Matches within a few voxels.
    pub(crate) fn nearby(fixed: &Coded<'_>, moving: &Coded<'_>) -> Result<Self> {
        let reach = NEAR_REACH[fixed.shape.components() - 2];
        let images = [StackedImage { growth: 0, ..moving.images[0] }];
        let codes = codes([fixed, moving], 0, &images, reach);
        let effort = Effort { reach, tries: 4, radius: 3, first: 0 };
        let none = Self::none(fixed.device, fixed.shape, 0)?;
        let mut sweeping = Sweeping::new(fixed.device, none, codes, effort)?;
        NEAR_STEPS.into_iter().try_for_each(|step| sweeping.sweep(step))?;
        Ok(sweeping.from)
    }

    /// The matches as a displacement; `base`: what the moving image was warped by.
    pub fn field(self, device: &Device, base: Option<&[Buffer]>) -> Result<Field> {
        let Self { shape, matches, .. } = &self;
        let found =
            written_field(device, *shape, |out| MatchField { shape: *shape, matches, base, out }.run(device));
        Ok(found?)
    }

    /// Every voxel stays.
    fn none(device: &Device, shape: Shape, size: usize) -> Result<Self, ComputeError> {
        let still = pack(shape.components(), [0; 3], size as u32);
        let filled = |value: u32| written(device, shape.len(), |out| Fill { value, out }.run(device));
        Ok(Self { shape, matches: filled(still)?, costs: filled(WORST)? })
    }

    /// On the next finer level.
    fn finer(self, device: &Device, shape: Shape) -> Result<Self, ComputeError> {
        let (mut matches, mut costs) = (device.scratch(shape.len())?, device.scratch(shape.len())?);
        let (coarser, coarser_shape) = (&self.matches, self.shape);
        FinerMatches { shape, coarser_shape, coarser, matches: &mut matches, costs: &mut costs }
            .run(device)?;
        Ok(Self { shape, matches, costs })
    }
}

/// Matches that are being improved, sweep by sweep.
struct Sweeping<'a> {
    device: &'a Device,
    codes: Codes<'a>,
    effort: Effort,
    /// How many sweeps there were.
    done: usize,
    from: Searched,
    to: Searched,
}

impl<'a> Sweeping<'a> {
    fn new(
        device: &'a Device,
        from: Searched,
        codes: Codes<'a>,
        effort: Effort,
    ) -> Result<Self, ComputeError> {
        let n = from.shape.len();
        let to = Searched { shape: from.shape, matches: device.scratch(n)?, costs: device.scratch(n)? };
        Ok(Self { device, codes, effort, done: 0, from, to })
    }

    fn sweep(&mut self, step: usize) -> Result<(), ComputeError> {
        let Self { device, codes, effort, done, from, to } = self;
        let seed = (effort.first + *done) as u32;
        let sweep = Sweep { step, radius: effort.radius, tries: effort.tries, seed };
        let kernel = PatchMatch {
            shape: from.shape,
            codes: *codes,
            sweep,
            matches: &from.matches,
            costs: &from.costs,
            better: &mut to.matches,
            better_costs: &mut to.costs,
        };
        kernel.run(device)?;
        std::mem::swap(from, to);
        *done += 1;
        Ok(())
    }
}

fn codes<'a>(
    [fixed, moving]: [&'a Coded<'_>; 2],
    level: usize,
    sizes: &'a [StackedImage],
    reach: usize,
) -> Codes<'a> {
    Codes {
        fixed: &fixed.codes,
        fixed_image: fixed.level(level),
        moving: &moving.codes,
        moving_images: sizes,
        reach,
    }
}
