//! A dense method of your own in the pipelines: `cargo run -p veloxel --example custom_method`.
//!
//! It finds the one shift of the whole image that makes the sum of squared differences least, by steps of Gauss and Newton.
//! Parameters, presets, both directions, refusals, sequences and reports are then as for every other method.
//!
//! ```text
//! shift 1.500, -0.750 px, expected 1.5, -0.75
//! there and back misses by 0.002 px in the mean
//! with a mask: translation does not use a mask: clg, phase, lucas-kanade, block-matching, fe and symmetric do
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use veloxel::method::{
    DenseDraft, DenseMethod, DenseMethodEntry, FoundFlow, Frame, ImagePair, InputUse, MethodAccount,
    MethodOpening, MethodUses, PairMethod, PendingFlow, TakenImages,
};
use veloxel::parameters::{MethodParameters, Parameters};
use veloxel::pipelines::{Directions, MethodChoice, PairRequest, pair};
use veloxel::{Counter, Device, DeviceOptions, Grid, Mask, MotionError, Session, SolveStatus, Volume};

veloxel::parameters! {
    /// Parameters of the translation.
    pub struct TranslationParams of "translation";
    /// Named sets of parameters.
    pub enum TranslationPreset {
        /// Until the shift stays where it is.
        Accurate = "accurate",
        /// A few steps.
        Fast = "fast",
    }
    /// Steps at most. 1: only shifts of a fraction of a voxel are found; large: the tolerance ends the run.
    most_steps: usize in 1..=1000 = 50 { fast: 5 };
    /// A step shorter than this is the last one. 0: every step is made; large: the first step is the last one.
    tolerance: f64 in 0..=1 "voxels" = 0.0001;
}

/// All that pipelines, jobs and reports need to know.
pub static TRANSLATION: DenseMethodEntry = DenseMethodEntry {
    parameters: MethodParameters::of::<TranslationParams>(),
    title: "Translation",
    summary: "one shift of the whole image, by least squares",
    takes: TakenImages::Pairs,
    uses: MethodUses { second_direction: InputUse::Always, ..MethodUses::IMAGES_ALONE },
    open: |opening: &MethodOpening<'_>| opening.pairs(Translation::new),
};

/// The method, opened for a grid.
struct Translation {
    grid: Grid,
    params: TranslationParams,
    device: Device,
}

impl Translation {
    fn new(grid: &Grid, params: TranslationParams, device: &Device) -> Result<Self, MotionError> {
        params.validate()?;
        Ok(Self { grid: grid.clone(), params, device: device.clone() })
    }

    /// An image in the memory of the host.
    fn read(&self, frame: &Frame) -> Result<Volume<f32>, MotionError> {
        Ok(Volume::new(self.grid.clone(), self.device.read(frame.samples())?)?)
    }

    /// The shift, voxels, and how its search ended.
    fn shift_vox(
        &self,
        fixed: &Volume<f32>,
        moving: &Volume<f32>,
    ) -> Result<([f64; 3], SolveStatus), MotionError> {
        let most = self.params.most_steps;
        let mut shift_vox = [0.0; 3];
        for now in 1..=most {
            let counter = Counter { what: "step", now, of: most };
            self.device.control().step(now as f64 / most as f64, [Some(counter), None])?;
            let Some(step) = Normal::of(fixed, moving, shift_vox).solve() else {
                return Ok(([0.0; 3], SolveStatus::NoContent));
            };
            (0..3).for_each(|axis| shift_vox[axis] += step[axis]);
            if step.iter().map(|d| d * d).sum::<f64>().sqrt() < self.params.tolerance {
                return Ok((shift_vox, SolveStatus::Done));
            }
        }
        Ok((shift_vox, SolveStatus::LimitReached))
    }
}

impl DenseMethod for Translation {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
}

impl PairMethod for Translation {
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow, MotionError> {
        pair.check(&self.grid)?;
        self.grid.require_same(pair.moving.frame().grid(), "fixed and moving image")?;
        let (fixed, moving) = (self.read(pair.fixed.frame())?, self.read(pair.moving.frame())?);
        let (shift_vox, status) = self.shift_vox(&fixed, &moving)?;
        let component = |axis: usize| self.device.upload(vec![shift_vox[axis] as f32; self.grid.len()]);
        let components_vox =
            (0..self.grid.dimension().count()).map(component).collect::<Result<Vec<_>, _>>()?;
        // A voxel that leaves the moving image says nothing.
        let is_seen = status != SolveStatus::NoContent;
        let seen = Mask::from_fn(self.grid.clone(), |at| is_seen && sample(&moving, at, shift_vox).is_some());
        let confidence =
            self.device.upload(seen.data().iter().map(|&is| f32::from(u8::from(is))).collect())?;
        let account = MethodAccount { status, ..MethodAccount::default() };
        let found = FoundFlow::new(&self.grid, components_vox, confidence, account);
        PendingFlow::new(&self.device, found, pair.region.measured())
    }
}

/// The normal equations of a step: `(Σ g gᵀ) step = Σ g (fixed − moving)`, g the gradient of the moving image.
#[derive(Default)]
struct Normal {
    matrix: [[f64; 3]; 3],
    right: [f64; 3],
}

impl Normal {
    fn of(fixed: &Volume<f32>, moving: &Volume<f32>, shift_vox: [f64; 3]) -> Self {
        let mut sums = Self::default();
        let along = |axis: usize, by: f64| {
            let mut moved = shift_vox;
            moved[axis] += by;
            moved
        };
        for index in 0..fixed.grid().len() {
            let at = fixed.grid().position(index);
            let slope = |axis: usize| {
                if fixed.grid().size()[axis] == 1 {
                    return Some(0.0);
                }
                let (before, after) =
                    (sample(moving, at, along(axis, -0.5))?, sample(moving, at, along(axis, 0.5))?);
                Some(after - before)
            };
            let (Some(value), [Some(x), Some(y), Some(z)]) =
                (sample(moving, at, shift_vox), [0, 1, 2].map(slope))
            else {
                continue;
            };
            let (gradient, apart) = ([x, y, z], f64::from(fixed.data()[index]) - value);
            for (row, &own) in gradient.iter().enumerate() {
                sums.right[row] += own * apart;
                (0..3).for_each(|column| sums.matrix[row][column] += own * gradient[column]);
            }
        }
        sums
    }

    /// The step; none where the image does not say where to go. An axis of one voxel has no part in it.
    fn solve(mut self) -> Option<[f64; 3]> {
        for axis in 0..3 {
            if self.matrix[axis] == [0.0; 3] {
                self.matrix[axis][axis] = 1.0;
            }
        }
        // Elimination without pivots: the matrix is symmetric and, where there is a step, positive definite.
        let largest = (0..3).map(|axis| self.matrix[axis][axis]).fold(0.0, f64::max);
        for pivot in 0..3 {
            if self.matrix[pivot][pivot] <= 1e-12 * largest {
                return None;
            }
            for row in pivot + 1..3 {
                let factor = self.matrix[row][pivot] / self.matrix[pivot][pivot];
                let above = self.matrix[pivot];
                (pivot..3).for_each(|column| self.matrix[row][column] -= factor * above[column]);
                self.right[row] -= factor * self.right[pivot];
            }
        }
        let mut step = [0.0; 3];
        for row in (0..3).rev() {
            let known: f64 = (row + 1..3).map(|column| self.matrix[row][column] * step[column]).sum();
            step[row] = (self.right[row] - known) / self.matrix[row][row];
        }
        Some(step)
    }
}

/// An image at a shifted voxel, linear between voxels; none outside.
fn sample(image: &Volume<f32>, at: [usize; 3], shift_vox: [f64; 3]) -> Option<f64> {
    let size = image.grid().size();
    let position = [0, 1, 2].map(|axis| at[axis] as f64 + shift_vox[axis]);
    if (0..3).any(|axis| !(0.0..=(size[axis] - 1) as f64).contains(&position[axis])) {
        return None;
    }
    let mut sum = 0.0;
    for corner in 0..8usize {
        let (mut weight, mut voxel) = (1.0, [0; 3]);
        for axis in 0..3 {
            let low = position[axis].floor();
            let (share, is_upper) = (position[axis] - low, corner >> axis & 1 == 1);
            weight *= if is_upper { share } else { 1.0 - share };
            voxel[axis] = (low as usize + usize::from(is_upper)).min(size[axis] - 1);
        }
        if weight > 0.0 {
            sum += weight * f64::from(*image.at(voxel));
        }
    }
    Some(sum)
}

/// A pattern, moved by a shift.
pub fn pattern(grid: &Grid, shift: [f32; 2]) -> Volume<f32> {
    let wave = |x: f32, y: f32| (0.31 * x + 0.1 * y).sin() + (0.23 * y - 0.07 * x).cos();
    Volume::from_fn(grid.clone(), |[x, y, _]| wave(x as f32 - shift[0], y as f32 - shift[1]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::open(&DeviceOptions::default())?;
    let grid = Grid::image(64, 48)?;
    let (fixed, moving) = (pattern(&grid, [0.0; 2]), pattern(&grid, [1.5, -0.75]));
    let mut draft = DenseDraft::new(&TRANSLATION);
    draft.set("tolerance", 1e-6.into(), "the example")?;
    let method = MethodChoice { directions: Directions::Both, ..MethodChoice::new(draft) };
    let result = pair(&PairRequest::new(&fixed, &moving, &method), &session)?;
    let [x, y, _] = result.found.flow.vector_vox(grid.index([32, 24, 0]));
    println!("shift {x:.3}, {y:.3} px, expected 1.5, -0.75");
    if let Some(missed) = result.found.statistics.inverse_residual_vox {
        println!("there and back misses by {missed:.3} px in the mean");
    }
    let refused = pair(
        &PairRequest { mask: Some(&Mask::everywhere(grid)), ..PairRequest::new(&fixed, &moving, &method) },
        &session,
    );
    println!("with a mask: {}", refused.err().map_or(String::new(), |error| error.to_string()));
    Ok(())
}
