//! The moving image as the fixed grid sees it: FIXED and MOVING each lie on a grid of their own.
//!
//! Both grids are placed in the world by their origins, spacings and directions. A position of the fixed grid is looked up in
//! the moving image where it lies in the world. Methods smooth a moving image that is finer than the fixed grid first
//! (`moving_levels`), as before any step to a coarser level; warped images are sampled from it as it is, as ITK does. On one
//! common grid nothing of this changes a bit.

use crate::error::{MotionError, Result};
use crate::method::resident::ResidentMask;
use crate::steps::buffers::{copied, written};
use crate::steps::frame::Frame;
use crate::steps::pyramid::{between_levels, levels, match_voxel_size, moving_levels};
use veloxel_core::matrix3::apply;
use veloxel_core::{CoreError, Dimension, Grid, Shape};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};

/// From voxel positions of one grid to those of another, through the world; exactly the identity on one common grid, and between
/// pictures of one size of which one has no place in the world, or that are parallel planes of which one lies straight behind the
/// other.
pub fn voxel_map(from: &Grid, to: &Grid) -> VoxelAffine {
    let are_pictures = from.dimension() == Dimension::Two && from.size() == to.size();
    let by_pixels = are_pictures && (from.is_unplaced() || to.is_unplaced());
    if by_pixels || from.require_same(to, "").is_ok() {
        return VoxelAffine::IDENTITY;
    }
    let (inward, outward) = (to.voxel_from_world_matrix(), from.world_from_voxel_matrix());
    let columns = [0, 1, 2].map(|c| apply(&inward, outward.map(|row| row[c])));
    let mut matrix = [0, 1, 2].map(|r| [0, 1, 2].map(|c: usize| columns[c][r]));
    let mut offset = to.voxel_from_world(from.world_from_voxel([0.0; 3]));
    if from.dimension() == Dimension::Two {
        // Pictures have no third axis.
        (0..3).for_each(|a| (matrix[2][a], matrix[a][2]) = (0.0, 0.0));
        (matrix[2][2], offset[2]) = (1.0, 0.0);
    }
    let map = VoxelAffine { matrix, offset };
    if are_pictures && is_still(&map) { VoxelAffine::IDENTITY } else { map }
}

/// Whether a map between pictures moves no pixel by more than headers are rounded: parallel planes, seen straight across.
fn is_still(map: &VoxelAffine) -> bool {
    let unmoved = VoxelAffine::IDENTITY.matrix;
    let mut entries = map.matrix.iter().flatten().zip(unmoved.iter().flatten());
    entries.all(|(a, b)| (a - b).abs() <= 1e-3) && map.offset.iter().all(|v| v.abs() <= 1e-2)
}

/// Checks that a moving image can be sampled from a fixed grid: as many axes, and pictures of one size unless both have a place in
/// the world.
///
/// # Errors
/// [`CoreError::GridMismatch`] with the way on.
pub fn require_sampled(fixed: &Grid, moving: &Grid) -> Result<(), CoreError> {
    if fixed.dimension() != moving.dimension() {
        return fixed.require_same(moving, "fixed and moving image must both be pictures or both be volumes");
    }
    let are_placed = !fixed.is_unplaced() && !moving.is_unplaced();
    if fixed.dimension() == Dimension::Two && fixed.size() != moving.size() && !are_placed {
        let what = "pictures must have one size: crop or scale the moving one first (ImageMagick: magick MOVING -resize \
                    WIDTHxHEIGHT! OUT)";
        return fixed.require_same(moving, what);
    }
    Ok(())
}

/// Positions that are tried along each axis of a grid.
const TRIED: usize = 9;

/// Checks that two grids share a part of the world.
///
/// # Errors
/// [`MotionError::Apart`].
pub(crate) fn require_overlap(fixed: &Grid, moving: &Grid) -> Result<()> {
    let meets = |from: &Grid, to: &Grid| {
        let map = voxel_map(from, to);
        (0..TRIED.pow(3)).any(|i| {
            let part =
                [i % TRIED, i / TRIED % TRIED, i / (TRIED * TRIED)].map(|k| k as f64 / (TRIED - 1) as f64);
            let at = map.apply([0, 1, 2].map(|a| part[a] * (from.size()[a] as f64) - 0.5));
            (0..from.dimension().count()).all(|a| at[a] >= -0.5 && at[a] <= to.size()[a] as f64 - 0.5)
        })
    };
    if meets(fixed, moving) || meets(moving, fixed) { Ok(()) } else { Err(MotionError::Apart) }
}

/// What becomes of a moving image that is finer than the fixed grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FinerImage {
    /// It is sampled as it is: each sample is the image's own value at one place.
    #[default]
    Sampled,
    /// It is smoothed to the fixed grid's voxel size first, so that details between two voxels do not alias.
    Smoothed,
}

/// A moving image, prepared to be sampled from a fixed grid.
#[derive(Debug)]
pub struct MovingImage<'a> {
    device: &'a Device,
    fixed: Shape,
    /// Shape of the samples.
    shape: Shape,
    moving_from_fixed: VoxelAffine,
    interpolation: Interpolation,
    samples: Samples<'a>,
}

#[derive(Debug)]
enum Samples<'a> {
    /// The samples as they were given.
    Given(&'a Buffer),
    /// Smoothed, or as spline coefficients.
    Prepared(Buffer),
}

impl<'a> MovingImage<'a> {
    /// Prepares the samples of the grid `moving`; labels ([`Interpolation::Nearest`],
    /// [`Interpolation::MostWeight`]) are never smoothed.
    ///
    /// # Errors
    /// [`MotionError::Input`] if there is no way from one grid to the other; [`MotionError::Compute`] if the device has too
    /// little memory.
    pub fn new(
        device: &'a Device,
        given: &'a Buffer,
        moving: &Grid,
        fixed: &Grid,
        interpolation: Interpolation,
        finer: FinerImage,
    ) -> Result<Self> {
        require_sampled(fixed, moving)?;
        let (map, own) = (voxel_map(fixed, moving), Shape::of(moving));
        let full = levels(fixed, 0.5, 1);
        let seen = match (interpolation, finer) {
            (Interpolation::Nearest | Interpolation::MostWeight, _) | (_, FinerImage::Sampled) => {
                levels(moving, 0.5, 1)
            }
            (_, FinerImage::Smoothed) => moving_levels(moving, &map, &full),
        };
        let (fixed, shape) = (Shape::of(fixed), seen[0].shape);
        let moving_from_fixed = between_levels(&map, [&full[0], &seen[0]]);
        if shape == own && interpolation != Interpolation::CubicSpline {
            let samples = Samples::Given(given);
            return Ok(Self { device, fixed, shape, moving_from_fixed, interpolation, samples });
        }
        let samples = match_voxel_size(device, copied(device, given)?, own, shape)?;
        Self::of_samples(device, [fixed, shape], samples, interpolation, moving_from_fixed)
    }

    /// Prepares samples already smoothed to the fixed grid's voxel size; the shapes are the fixed grid's and theirs.
    ///
    /// # Errors
    /// [`MotionError::Compute`].
    pub(crate) fn of_samples(
        device: &'a Device,
        [fixed, shape]: [Shape; 2],
        mut samples: Buffer,
        interpolation: Interpolation,
        moving_from_fixed: VoxelAffine,
    ) -> Result<Self> {
        if interpolation == Interpolation::CubicSpline {
            SplineCoefficients { shape, samples: &mut samples }.run(device)?;
        }
        let samples = Samples::Prepared(samples);
        Ok(Self { device, fixed, shape, moving_from_fixed, interpolation, samples })
    }

    /// The image at `x + d(x)`, d in voxels of the fixed grid; NaN beyond its border and where d is NaN.
    ///
    /// # Errors
    /// [`MotionError::Compute`].
    pub fn warp(&self, displacement_vox: &[Buffer], border: Border) -> Result<Buffer> {
        let found = written(self.device, self.fixed.len(), |out| {
            let warp = Warp {
                shape: self.fixed,
                moving_shape: self.shape,
                // The displacement is in voxels already.
                spacing_edges: [1.0; 3],
                interpolation: self.interpolation,
                border,
                cut: None,
                moving_from_fixed: self.moving_from_fixed,
                moving: match &self.samples {
                    Samples::Given(samples) => samples,
                    Samples::Prepared(samples) => samples,
                },
                displacement: displacement_vox,
                out,
            };
            warp.run(self.device)
        });
        Ok(found?)
    }

    /// The same image behind a map of the fixed grid's voxel positions.
    pub(crate) fn through(self, map: VoxelAffine) -> Self {
        Self { moving_from_fixed: self.moving_from_fixed.after(&map), ..self }
    }

    /// The image where nothing has moved yet.
    ///
    /// # Errors
    /// [`MotionError::Compute`].
    pub fn at_rest(&self, border: Border) -> Result<Buffer> {
        let still: Field = self.device.zeros_field(self.fixed.components(), self.fixed.len())?;
        self.warp(&still, border)
    }
}

/// A frame on another grid, its outermost samples repeated beyond its border, and where on that grid it has samples, if not
/// everywhere; none where both are one grid.
///
/// # Errors
/// As [`MovingImage::new`].
pub(crate) fn frame_on(frame: &Frame, grid: &Grid) -> Result<Option<(Frame, Option<ResidentMask>)>> {
    let device = frame.device();
    if frame.grid().require_same(grid, "").is_ok() {
        return Ok(None);
    }
    if voxel_map(grid, frame.grid()) == VoxelAffine::IDENTITY {
        let samples = copied(device, frame.samples())?;
        return Ok(Some((Frame::of_samples(device, grid, samples)?, None)));
    }
    let seen = MovingImage::new(
        device,
        frame.samples(),
        frame.grid(),
        grid,
        Interpolation::Linear,
        FinerImage::Smoothed,
    )?;
    let samples = seen.at_rest(Border::Unbounded)?;
    let mut weight = seen.at_rest(Border::Voxels)?;
    // What is finite becomes 1, and NaN 0.
    Operation::Rescale { gain: 0.0, offset: 1.0 }.on(&mut weight).run(device)?;
    Operation::MapAffine { gain: 1.0, offset: 0.0 }.on(&mut weight).run(device)?;
    Ok(Some((Frame::of_samples(device, grid, samples)?, Some(ResidentMask { grid: grid.clone(), weight }))))
}
