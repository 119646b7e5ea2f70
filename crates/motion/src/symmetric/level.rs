//! One pyramid level of [`Symmetric`](crate::Symmetric): both images are brought to the middle, a step is found there, and both maps take
//! half of it.

use super::maps::MiddleMaps;
use super::parameters::SymmetricParams;
use crate::clg::multigrid::{Multigrid, Stopping, Terms};
use crate::error::Result;
use crate::steps::brightness::BrightnessDifference;
use crate::steps::buffers::written;
use crate::steps::image_pyramids::LevelImages;
use crate::steps::level_steps::{ConfidenceScales, NOISE_BEND, TRUNCATE};
use crate::steps::pyramid::LevelGeometry;
use crate::steps::settling::Turn;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::{ClipLength, CopyBuffer, InPlace, Multiply, Operation};
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use veloxel_kernels::variational::motion_tensor::{Constraint, MotionTensor};
use veloxel_kernels::variational::operator::Operator;
use veloxel_kernels::{Kernel, Taps};

/// An image as the middle sees it.
struct Side {
    samples: Buffer,
    /// 1 where data count.
    inside: Buffer,
    shape: Shape,
    /// From voxels of the level to those of the image.
    placement: VoxelAffine,
    /// The image on the middle.
    seen: Buffer,
    /// Where it has data, on the middle.
    seen_inside: Buffer,
}

/// A level with its memory.
pub(super) struct SymmetricLevel<'a> {
    device: &'a Device,
    params: &'a SymmetricParams,
    geometry: &'a LevelGeometry,
    sides: [Side; 2],
    /// Spatial entries of the tensor, then the right-hand side.
    system: Field,
    step: Field,
    multigrid: Multigrid,
    /// By how much the images' brightness was changed where it is 0 and where it is 1, one against the other.
    changed: [f64; 2],
}

/// Most of that, shares of the range: percentiles of two images of one scene are closer. More comes of images that are not aligned.
const MOST_CHANGED: f64 = 0.05;

impl<'a> SymmetricLevel<'a> {
    /// Takes the images of a level.
    pub fn new(
        device: &'a Device,
        params: &'a SymmetricParams,
        geometry: &'a LevelGeometry,
        images: LevelImages,
    ) -> Result<Self, ComputeError> {
        let LevelGeometry { shape, spacing_edges, .. } = *geometry;
        let LevelImages { fixed, moving, mask, moving_shape, moving_from_fixed, .. } = images;
        let everywhere =
            |shape: Shape| written(device, shape.len(), |out| Operation::Fill(1.0).on(out).run(device));
        let inside = mask.map_or_else(|| everywhere(shape), Ok)?;
        let side = |samples, inside, image_shape, placement| {
            let [seen, seen_inside] = [device.scratch(shape.len())?, device.scratch(shape.len())?];
            Ok::<_, ComputeError>(Side { samples, inside, shape: image_shape, placement, seen, seen_inside })
        };
        let sides = [
            side(fixed, inside, shape, VoxelAffine::IDENTITY)?,
            side(moving, everywhere(moving_shape)?, moving_shape, moving_from_fixed)?,
        ];
        Ok(Self {
            device,
            params,
            geometry,
            sides,
            system: device.scratch_field(shape.tensor_entries() + shape.components(), shape.len())?,
            step: device.scratch_field(shape.components(), shape.len())?,
            multigrid: Multigrid::new(device, shape, spacing_edges, Terms::default())?,
            changed: [0.0; 2],
        })
    }

    /// Takes the nth increment of the level: the smooth solution of the linearised constancy of both images. Its mean length, voxels of the level.
    pub fn increment(&mut self, maps: &mut MiddleMaps, nth: usize) -> Result<Later<f64>> {
        let SymmetricParams { alpha, rho, zeta, iterations, increment_limit, .. } = *self.params;
        self.see(maps)?;
        // Seldom after the first ones: what is left to align hardly changes it.
        if nth.is_power_of_two() {
            self.match_brightness()?;
        }
        self.tensor(&isotropic(&Taps::gaussian(rho, TRUNCATE)), zeta)?;
        let (tensor, rhs) = self.system.split_at(self.geometry.shape.tensor_entries());
        let operator = Operator { tensor: Some(tensor), ..self.geometry.laplacian(alpha) };
        let stopping = Stopping { iterations, rtol: None, omega: 1.0 };
        self.multigrid.solve(self.device, &operator, &mut self.step, rhs, stopping)?;
        let part = Turn { nth, full: self.params.full_warps }.part();
        Ok(self.take(maps, increment_limit, part)?)
    }

    /// Takes one step along the constraint, smoothed over its nearest neighbours alone. Its mean length, voxels.
    pub fn short_step(&mut self, maps: &mut MiddleMaps) -> Result<Later<f64>, ComputeError> {
        let SymmetricParams { short_sigma, short_zeta, short_limit, .. } = *self.params;
        self.see(maps)?;
        self.tensor(&isotropic(&Taps::gaussian(short_sigma, TRUNCATE)), short_zeta)?;
        let rhs = &self.system[self.geometry.shape.tensor_entries()..];
        let mut components = rhs.iter().zip(&mut self.step);
        components.try_for_each(|(from, to)| CopyBuffer { from, to }.run(self.device))?;
        self.take(maps, short_limit, 1.0)
    }

    /// Moves the maps by a part of the step, which is shortened to a limit before.
    fn take(&mut self, maps: &mut MiddleMaps, limit: f32, part: f32) -> Result<Later<f64>, ComputeError> {
        let length = ClipLength { limit, field: &mut self.step }.run(self.device)?;
        if part < 1.0 {
            let (operation, field) = (Operation::Rescale { gain: part, offset: 0.0 }, &mut self.step);
            InPlace { operation, field }.run(self.device)?;
        }
        maps.step(&mut self.step, self.params.step_corrections)?;
        let voxels = self.geometry.shape.len() as f64;
        Ok(length.map(move |sum| sum / voxels))
    }

    /// Brings both images to the middle; the weight of both together lies in the first one's then.
    fn see(&mut self, maps: &MiddleMaps) -> Result<(), ComputeError> {
        let (device, geometry) = (self.device, self.geometry);
        for (i, side) in self.sides.iter_mut().enumerate() {
            let Side { samples, inside, shape, placement, seen, seen_inside } = side;
            let views = [(&*samples, Border::Unbounded, seen), (&*inside, Border::Centres, seen_inside)];
            for (moving, border, out) in views {
                let warp = Warp {
                    shape: geometry.shape,
                    moving_shape: *shape,
                    spacing_edges: geometry.spacing_edges,
                    interpolation: Interpolation::Linear,
                    border,
                    cut: None,
                    moving_from_fixed: *placement,
                    moving,
                    displacement: maps.outward(i),
                    out,
                };
                warp.run(device)?;
            }
            // Outside of the image there are no data.
            Operation::MapAffine { gain: 1.0, offset: 0.0 }.on(&mut side.seen_inside).run(device)?;
        }
        let [fixed, moving] = &mut self.sides;
        Multiply { factor: &moving.seen_inside, out: &mut fixed.seen_inside }.run(device)
    }

    /// Brings the brightness of both images together, by a gain and an offset where the middle sees both.
    fn match_brightness(&mut self) -> Result<()> {
        let (device, [fixed, moving]) = (self.device, &mut self.sides);
        let seen = [&fixed.seen, &moving.seen];
        let found = BrightnessDifference::of(device, self.geometry.shape, seen, Some(&fixed.seen_inside))?;
        let Some(found) = found else { return Ok(()) };
        let [dark, bright] = found.at_ends();
        let changed = [self.changed[0] + dark, self.changed[1] + bright];
        if changed.iter().any(|changed| changed.abs() > MOST_CHANGED) {
            return Ok(());
        }
        self.changed = changed;
        for (side, map) in [fixed, moving].into_iter().zip(found.mapped()) {
            map.on(&mut side.samples).run(device)?;
            map.on(&mut side.seen).run(device)?;
        }
        Ok(())
    }

    /// The motion tensor of the images as the middle sees them.
    fn tensor(&mut self, taps: &Axes<Taps>, zeta: f32) -> Result<(), ComputeError> {
        let [fixed, moving] = &self.sides;
        let pairs = [(&fixed.seen, &moving.seen)];
        let (constraint, weight) = (Constraint::Normalised { zeta }, Some(&fixed.seen_inside));
        let term = self.geometry.data_term(Scheme::Central4, constraint, &pairs, weight);
        MotionTensor { term, taps, out: &mut self.system }.run(self.device)
    }

    /// The confidence of the field from the fixed image to the moving one, and Σ |I_t| with its number of voxels.
    /// Noise counts by a share.
    pub fn conclude(
        self,
        displacement: &Field,
        noise_share: f64,
    ) -> Result<(Buffer, Later<(f64, f64)>), ComputeError> {
        let Self { device, params, geometry, sides: [fixed, moving], mut system, mut step, .. } = self;
        let mut warped = fixed.seen;
        let LevelGeometry { shape, spacing_edges, .. } = *geometry;
        let warp = Warp {
            shape,
            moving_shape: moving.shape,
            spacing_edges,
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: moving.placement,
            moving: &moving.samples,
            displacement,
            out: &mut warped,
        };
        warp.run(device)?;
        let weight = Some(&fixed.inside);
        let difference = AbsoluteDifference { fixed: &fixed.samples, warped: &warped, weight };
        let difference = difference.run(device)?;
        let pairs = [(&fixed.samples, &warped)];
        let constraint = Constraint::Normalised { zeta: params.zeta };
        let term = geometry.data_term(Scheme::Central4, constraint, &pairs, weight);
        // The tensor needs one entry more than the system has.
        system.extend(step.pop());
        let taps = &isotropic(&Taps::gaussian(params.rho, TRUNCATE));
        MotionTensor { term, taps, out: &mut system }.run(device)?;
        let scales = ConfidenceScales {
            bend: NOISE_BEND * noise_share as f32,
            ..ConfidenceScales::of_smoothness(params.alpha, shape.components())
        };
        Ok((geometry.confidence(device, displacement, &mut system, &mut warped, scales)?, difference))
    }
}
