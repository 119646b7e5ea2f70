//! The maps between a middle and two images, their inverses, and the maps from image to image that they make.
//!
//! `φ_i` leads from the middle to image `i`, `ψ_i` back; image 0 is the fixed one. A step `u` of the middle moves its halves apart:
//! `φ_0 ← φ_0 ∘ (id − u/2)`, `φ_1 ← φ_1 ∘ (id + u/2)`, and `ψ_i` is followed by the inverse of the same half step. From image to image
//! lead `φ_1 ∘ ψ_0` and `φ_0 ∘ ψ_1`. Exchange of the images exchanges the indices and turns `u` around, so each bit stays.

use crate::steps::level_steps::TRUNCATE;
use crate::steps::level_steps::unfolding::{ATTEMPTS, Attempt, Cells, LEAST_KEPT, SAFETY, SMOOTHED};
use crate::steps::pyramid::{LevelGeometry, transferred};
use std::mem::{swap, take};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later, Pending, fetch};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::pointwise::{CopyBuffer, InPlace, MixByVoxel, Multiply, Operation};
use veloxel_kernels::variational::compose::{Compose, UpdateRule};
use veloxel_kernels::variational::step_share::StepShare;
use veloxel_kernels::{Kernel, Taps};

/// Fixed-point steps for the inverse of a half step, whose differences are small.
const STEPS_OF_HALF: usize = 3;
/// Damped steps for the inverse of a start.
const STEPS_OF_START: usize = 16;
/// The share of a step that draws a field towards the inverse of another.
const DAMPED: f32 = 0.5;
/// Damped steps for the inverses on a finer level.
const STEPS_OF_TRANSFER: usize = 6;
/// The maps of one moment; displacements in edges of the level.
#[derive(Debug)]
pub(super) struct Maps {
    /// The displacement of `φ_i`, from the middle to image i.
    outward: [Field; 2],
    /// The displacement of `ψ_i`, from image i to the middle.
    inward: [Field; 2],
    /// From image i to the other one.
    between: [Field; 2],
    /// Bounds of the determinant of `between`, cell by cell.
    bounds: [Buffer; 2],
}

/// Maps on a level, those of a step that is tried, and memory.
#[derive(Debug)]
pub(super) struct MiddleMaps {
    device: Device,
    geometry: LevelGeometry,
    /// The determinant that cells should keep.
    target: f32,
    held: Maps,
    tried: Maps,
    /// A half step, and its inverse.
    half: [Field; 2],
    /// Steps that were refused.
    refused: usize,
    /// Steps that were shortened somewhere.
    shortened: usize,
}

impl Maps {
    fn scratch(device: &Device, shape: Shape) -> Result<Self, ComputeError> {
        let field = || device.scratch_field(shape.components(), shape.len());
        Ok(Self {
            outward: [field()?, field()?],
            inward: [field()?, field()?],
            between: [field()?, field()?],
            bounds: [device.scratch(shape.len())?, device.scratch(shape.len())?],
        })
    }
}

impl MiddleMaps {
    /// Maps of which that to the moving image has a displacement, which its memory is taken for.
    pub fn new(
        device: &Device,
        geometry: &LevelGeometry,
        target: f32,
        start: Field,
    ) -> Result<Self, ComputeError> {
        let mut own = Self::scratch(device, geometry, target)?;
        let Maps { outward: [outward, moving], inward, .. } = &mut own.held;
        for field in inward.iter_mut().chain([outward]) {
            InPlace { operation: Operation::Fill(0.0), field }.run(device)?;
        }
        *moving = start;
        for _ in 0..STEPS_OF_START {
            step_to_inverse(device, geometry, moving, &mut inward[1], DAMPED)?;
        }
        own.measure()?;
        Ok(own)
    }

    fn scratch(device: &Device, geometry: &LevelGeometry, target: f32) -> Result<Self, ComputeError> {
        let shape = geometry.shape;
        let field = || device.scratch_field(shape.components(), shape.len());
        Ok(Self {
            device: device.clone(),
            geometry: geometry.clone(),
            target,
            held: Maps::scratch(device, shape)?,
            tried: Maps::scratch(device, shape)?,
            half: [field()?, field()?],
            refused: 0,
            shortened: 0,
        })
    }

    /// The same maps on a finer level.
    pub fn on_level(self, finer: &LevelGeometry) -> Result<Self, ComputeError> {
        let Self { device, geometry, target, held, tried, half, refused, shortened } = self;
        drop((tried, half, held.between, held.bounds));
        let mut own = Self { refused, shortened, ..Self::scratch(&device, finer, target)? };
        for i in 0..2 {
            own.held.outward[i] = transferred(&device, &held.outward[i], &geometry, finer)?;
            own.held.inward[i] = transferred(&device, &held.inward[i], &geometry, finer)?;
        }
        for _ in 0..SMOOTHED {
            for i in 0..2 {
                let Maps { outward, inward, .. } = &mut own.held;
                for _ in 0..STEPS_OF_TRANSFER {
                    step_to_inverse(&device, finer, &outward[i], &mut inward[i], DAMPED)?;
                }
            }
            if own.measure()? == 0.0 {
                break;
            }
            own.smooth()?;
        }
        Ok(own)
    }

    /// Smooths the maps to and from the middle by half a voxel.
    fn smooth(&mut self) -> Result<(), ComputeError> {
        let (taps, shape) = (isotropic(&Taps::gaussian(0.5, TRUNCATE)), self.geometry.shape);
        let (held, tried) = (&mut self.held, &mut self.tried);
        let fields = held.outward.iter_mut().zip(&mut tried.outward);
        for (field, memory) in fields.chain(held.inward.iter_mut().zip(&mut tried.inward)) {
            for (input, output) in field.iter().zip(memory.iter_mut()) {
                Convolve { shape, taps: &taps, input, output }.run(&self.device)?;
            }
            swap(field, memory);
        }
        Ok(())
    }

    /// From the middle to image `i`, edges.
    pub fn outward(&self, i: usize) -> &Field {
        &self.held.outward[i]
    }

    /// Steps shortened and refused since the last time.
    pub fn take_counts(&mut self) -> (usize, usize) {
        (take(&mut self.shortened), take(&mut self.refused))
    }

    /// From image to image: forward, and back; edges.
    pub fn into_between(self) -> [Field; 2] {
        self.held.between
    }

    /// Makes the maps from image to image, and their bounds, of what is held; how many of their cells are too small.
    fn measure(&mut self) -> Result<f64, ComputeError> {
        let (device, geometry, target) = (&self.device, &self.geometry, self.target);
        let (mut counts, cells) = (Vec::with_capacity(2), Cells { device, geometry, target });
        for i in 0..2 {
            let Maps { outward, inward, between, bounds } = &mut self.held;
            join(device, geometry, [&inward[i], &outward[1 - i]], &mut between[i])?;
            counts.push(cells.bound_start(&between[i], &mut bounds[i])?);
        }
        sum(device, counts)
    }

    /// Takes a step of the middle, shortened where a cell of either map would fold; not at all where that does not help.
    pub fn step(&mut self, step: &mut Field, corrections: usize) -> Result<(), ComputeError> {
        if !self.take_step(step)? {
            self.refused += 1;
            return Ok(());
        }
        for i in (0..2).cycle().take(2 * corrections) {
            copy(&self.device, &self.held.inward[i], &mut self.tried.inward[i])?;
            let (map, inverse) = (&self.held.outward[i], &mut self.tried.inward[i]);
            step_to_inverse(&self.device, &self.geometry, map, inverse, DAMPED)?;
            self.take_correction(i, Corrected::Inward)?;
        }
        Ok(())
    }

    /// Whether the step was taken.
    fn take_step(&mut self, step: &mut Field) -> Result<bool, ComputeError> {
        for (round, Attempt { floor, reach }) in ATTEMPTS.into_iter().enumerate() {
            let folds = self.attempt(step, floor)?;
            if sum(&self.device, folds)? == 0.0 {
                swap(&mut self.held, &mut self.tried);
                self.shortened += usize::from(round > 0);
                return Ok(true);
            }
            let [half, back] = &mut self.half;
            fill(&self.device, 1.0, &mut half[1])?;
            for i in 0..2 {
                let (before, after) = (&self.held.bounds[i], &self.tried.bounds[i]);
                let map = &self.held.outward[i];
                let LevelGeometry { shape, spacing_edges, .. } = self.geometry;
                let (target, safety) = (self.target, SAFETY);
                let [first, share] = half.get_disjoint_mut([0, 1]).expect("a field should have components");
                let memory = [first, &mut back[0]];
                StepShare { shape, spacing_edges, map, before, after, target, safety, reach, memory, share }
                    .run(&self.device)?;
            }
            scale(&self.device, &half[1], step)?;
        }
        Ok(false)
    }

    /// The maps after a step; how many cells of each are too small.
    fn attempt(&mut self, step: &Field, floor: f32) -> Result<Vec<Later<f64>>, ComputeError> {
        let (device, geometry) = (&self.device, &self.geometry);
        let LevelGeometry { shape, spacing_edges, .. } = *geometry;
        for (i, gain) in [-0.5, 0.5].into_iter().enumerate() {
            let [half, back] = &mut self.half;
            for (field, gain) in [(&mut *half, gain), (&mut *back, -gain)] {
                copy(device, step, field)?;
                InPlace { operation: Operation::Rescale { gain, offset: 0.0 }, field }.run(device)?;
            }
            for _ in 0..STEPS_OF_HALF {
                step_to_inverse(device, geometry, half, back, 1.0)?;
            }
            let update = UpdateRule::Compose;
            let (displacement, increment) = (&self.held.outward[i], &mut *half);
            Compose { shape, spacing_edges, update, displacement, increment }.run(device)?;
            swap(&mut self.tried.outward[i], half);
            join(device, geometry, [&self.held.inward[i], back], &mut self.tried.inward[i])?;
        }
        let mut folds = Vec::with_capacity(2);
        for i in 0..2 {
            let Maps { outward, inward, between, bounds } = &mut self.tried;
            join(device, geometry, [&inward[i], &outward[1 - i]], &mut between[i])?;
            let before = Some(&self.held.bounds[i]);
            let cells = Cells { device, geometry, target: self.target };
            folds.push(cells.bound(&between[i], floor * self.target, before, &mut bounds[i])?);
        }
        Ok(folds)
    }

    /// Draws the maps from image to image towards each other's inverse, so many times, as far as no cell folds.
    pub fn settle(&mut self, corrections: usize) -> Result<(), ComputeError> {
        let device = self.device.clone();
        for _ in 0..corrections {
            for i in 0..2 {
                let Maps { between, .. } = &mut self.tried;
                copy(&device, &self.held.between[i], &mut between[i])?;
                let (map, inverse) = (&self.held.between[1 - i], &mut between[i]);
                step_to_inverse(&device, &self.geometry, map, inverse, DAMPED)?;
            }
            for i in 0..2 {
                self.take_correction(i, Corrected::Between)?;
            }
        }
        Ok(())
    }

    /// Takes the correction of a field, shortened where a cell of the map between the images would fold.
    fn take_correction(&mut self, i: usize, what: Corrected) -> Result<(), ComputeError> {
        let (device, geometry, target) = (&self.device, &self.geometry, self.target);
        let LevelGeometry { shape, spacing_edges, .. } = *geometry;
        let least = LEAST_KEPT * target;
        for Attempt { reach, .. } in ATTEMPTS {
            let (held, tried) = (&mut self.held, &mut self.tried);
            if what == Corrected::Inward {
                join(device, geometry, [&tried.inward[i], &held.outward[1 - i]], &mut tried.between[i])?;
            }
            let cells = Cells { device, geometry, target };
            let folds =
                cells.bound(&tried.between[i], 0.5 * least, Some(&held.bounds[i]), &mut tried.bounds[i])?;
            if folds.get(device)? == 0.0 {
                swap(&mut held.between[i], &mut tried.between[i]);
                swap(&mut held.bounds[i], &mut tried.bounds[i]);
                if what == Corrected::Inward {
                    swap(&mut held.inward[i], &mut tried.inward[i]);
                }
                return Ok(());
            }
            let (whole, corrected) = match what {
                Corrected::Inward => (&held.inward[i], &mut tried.inward[i]),
                Corrected::Between => (&held.between[i], &mut tried.between[i]),
            };
            let (before, after, target, safety) = (&held.bounds[i], &tried.bounds[i], least, SAFETY);
            let [half, back] = &mut self.half;
            let [share, first] = half.get_disjoint_mut([0, 1]).expect("a field should have components");
            fill(device, 1.0, share)?;
            let memory = [first, &mut back[0]];
            StepShare { shape, spacing_edges, map: &[], before, after, target, safety, reach, memory, share }
                .run(device)?;
            for (with, out) in whole.iter().zip(corrected) {
                MixByVoxel { with, kept: share, out }.run(device)?;
            }
        }
        Ok(())
    }
}

/// Which field of an image a correction changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corrected {
    /// That from the image to the middle.
    Inward,
    /// That from the image to the other one.
    Between,
}

/// The sum of counts, which come in one transfer.
fn sum(device: &Device, mut counts: Vec<Later<f64>>) -> Result<f64, ComputeError> {
    fetch(device, None, counts.iter_mut().map(|count| count as &mut dyn Pending).collect())?;
    counts.into_iter().map(|count| count.get(device)).sum()
}

/// Writes a number everywhere.
fn fill(device: &Device, value: f32, buffer: &mut Buffer) -> Result<(), ComputeError> {
    Operation::Fill(value).on(buffer).run(device)
}

/// Multiplies each component of a field by a factor of each voxel.
fn scale(device: &Device, factor: &Buffer, field: &mut Field) -> Result<(), ComputeError> {
    field.iter_mut().try_for_each(|out| Multiply { factor, out }.run(device))
}

/// Copies a field over another.
fn copy(device: &Device, from: &Field, to: &mut Field) -> Result<(), ComputeError> {
    let mut pairs = from.iter().zip(to);
    pairs.try_for_each(|(from, to)| CopyBuffer { from, to }.run(device))
}

/// Writes the displacement of one map followed by another.
fn join(
    device: &Device,
    geometry: &LevelGeometry,
    [first, second]: [&Field; 2],
    out: &mut Field,
) -> Result<(), ComputeError> {
    copy(device, first, out)?;
    let LevelGeometry { shape, spacing_edges, .. } = *geometry;
    let (update, displacement) = (UpdateRule::Compose, second);
    Compose { shape, spacing_edges, update, displacement, increment: out }.run(device)
}

/// One step of a field towards the inverse of a map.
fn step_to_inverse(
    device: &Device,
    geometry: &LevelGeometry,
    displacement: &Field,
    inverse: &mut Field,
    relaxation: f32,
) -> Result<(), ComputeError> {
    let LevelGeometry { shape, spacing_edges, .. } = *geometry;
    let (update, increment) = (UpdateRule::TowardsInverse(relaxation), inverse);
    Compose { shape, spacing_edges, update, displacement, increment }.run(device)
}
