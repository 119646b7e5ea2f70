//! The pyramid: which sizes, and how images and fields pass between them.
//!
//! Factor `eta` a level; an axis does not shrink below 16 voxels; of anisotropic volumes only axes whose spacing is below
//! `(1 + 1/eta)/2` of the finest one that still shrinks do so, so that voxels become cubes before they become large.
//! Before an axis shrinks by `f` the image is smoothed along it with σ = 0.6 √(f² − 1) voxels.
//!
//! A displacement on a level is measured in *edges*: the smallest voxel edge of that level.

use crate::method::resident::ResidentMask;
use crate::steps::buffers::{convolved, copied, fit, resampled, written_field};
use veloxel_core::{Axes, Grid, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::image::resample::Resample;
use veloxel_kernels::image::shrink::{self, Shrink};
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::operator::Operator;
use veloxel_kernels::{Kernel, Taps};

/// One size of the pyramid.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelGeometry {
    /// Voxels per axis.
    pub shape: Shape,
    /// Voxel spacing in edges of this level, per axis.
    pub spacing_edges: Axes<f32>,
    /// Voxel spacing in voxels of the full grid, per axis.
    pub spacing_vox: Axes<f64>,
    /// Length of this level's edge, millimetres (pixels).
    pub edge_mm: f64,
}

/// An axis is not made shorter than this.
pub(crate) const SHORTEST_AXIS: usize = 16;

impl LevelGeometry {
    fn new(grid: &Grid, size: Axes<usize>) -> Self {
        let shape = Shape { size, dimension: grid.dimension() };
        let spacing_vox = [0, 1, 2].map(|a| grid.size()[a] as f64 / size[a] as f64);
        let spacing_mm = [0, 1, 2].map(|a| grid.spacing_mm()[a] * spacing_vox[a]);
        // An axis of one voxel has no neighbours and so no say in what an edge is.
        let counts = |a: &usize| *a < shape.components() && (size[*a] > 1 || size.iter().all(|&n| n == 1));
        let edge_mm = (0..3).filter(counts).map(|a| spacing_mm[a]).fold(f64::INFINITY, f64::min);
        Self { shape, spacing_edges: spacing_mm.map(|h| (h / edge_mm) as f32), spacing_vox, edge_mm }
    }

    /// The level's operator of smoothness α alone.
    pub(crate) fn laplacian<'a>(&self, alpha: f32) -> Operator<'a> {
        let (shape, spacing_edges) = (self.shape, self.spacing_edges);
        Operator { shape, spacing_edges, alpha, tensor: None, diffusivity: None, volume_weight: None }
    }
}

/// The sizes, finest first, at most `max_levels`.
pub fn levels(grid: &Grid, eta: f64, max_levels: usize) -> Vec<LevelGeometry> {
    let mut out = vec![LevelGeometry::new(grid, grid.size())];
    while out.len() < max_levels {
        let last = &out[out.len() - 1];
        let (size, axes) = (last.shape.size, last.shape.components());
        let smaller = |a: usize| (size[a] as f64 * eta).round() as usize;
        let shrinks = |a: usize| a < axes && smaller(a) >= SHORTEST_AXIS && smaller(a) < size[a];
        let finest =
            (0..3).filter(|&a| shrinks(a)).map(|a| last.spacing_edges[a]).fold(f32::INFINITY, f32::min);
        let limit = finest * (0.5 * (1.0 + 1.0 / eta)) as f32;
        let next = [0, 1, 2]
            .map(|a| if shrinks(a) && last.spacing_edges[a] <= limit { smaller(a) } else { size[a] });
        if next == size {
            break;
        }
        out.push(LevelGeometry::new(grid, next));
    }
    out
}

/// A moving image of at most this many voxels a fixed voxel, along an axis, is not smoothed.
const FINER: f64 = 1.25;
/// A moving image is not made shorter than this along an axis.
const SHORTEST_MOVING_AXIS: usize = 4;

/// The sizes at which a moving image on a grid of its own is sampled from the levels of a fixed one: as coarse as these, and
/// no finer than it is. `moving_from_fixed` is the map between the full grids' voxel positions.
pub(crate) fn moving_levels(
    grid: &Grid,
    moving_from_fixed: &VoxelAffine,
    fixed: &[LevelGeometry],
) -> Vec<LevelGeometry> {
    if *moving_from_fixed == VoxelAffine::IDENTITY {
        return fixed.to_vec();
    }
    let size = |level: &LevelGeometry| {
        [0, 1, 2].map(|a| {
            let reach = |c: usize| moving_from_fixed.matrix[a][c] * level.spacing_vox[c];
            let width_vox = (0..3).map(|c| reach(c).powi(2)).sum::<f64>().sqrt();
            let count = grid.size()[a];
            let coarser = (count as f64 / width_vox).round() as usize;
            if width_vox < FINER { count } else { coarser.clamp(count.min(SHORTEST_MOVING_AXIS), count) }
        })
    };
    fixed.iter().map(|level| LevelGeometry::new(grid, size(level))).collect()
}

/// A map between voxel positions of two full grids as one between positions of a level of each, first the one it leads from:
/// `x_full = s (x + ½) − ½` on either side.
pub(crate) fn between_levels(map: &VoxelAffine, [from, to]: [&LevelGeometry; 2]) -> VoxelAffine {
    if *map == VoxelAffine::IDENTITY && from == to {
        return *map;
    }
    rescaled(map, [from.spacing_vox, to.spacing_vox])
}

/// A map between voxel positions of two grids as one between positions of wider voxels: `s` and `t` are the widths of the new
/// voxels in old ones, on the grid that it leads from and on the one that it leads to.
pub(crate) fn rescaled(map: &VoxelAffine, [s, t]: [Axes<f64>; 2]) -> VoxelAffine {
    let image = map.apply(s.map(|s| 0.5 * s - 0.5));
    VoxelAffine {
        matrix: [0, 1, 2].map(|r| [0, 1, 2].map(|c| map.matrix[r][c] * s[c] / t[r])),
        offset: [0, 1, 2].map(|r| (image[r] - (0.5 * t[r] - 0.5)) / t[r]),
    }
}

/// The other way: a map between positions of two levels as one between positions of the full grids.
pub(crate) fn between_grids(map: &VoxelAffine, [from, to]: [&LevelGeometry; 2]) -> VoxelAffine {
    let (s, t) = (from.spacing_vox, to.spacing_vox);
    let image = map.apply(s.map(|s| 0.5 / s - 0.5));
    VoxelAffine {
        matrix: [0, 1, 2].map(|r| [0, 1, 2].map(|c| map.matrix[r][c] * t[r] / s[c])),
        offset: [0, 1, 2].map(|r| t[r] * (image[r] - (0.5 / t[r] - 0.5))),
    }
}

/// Standard deviation of the smoothing before an image becomes `f` times as coarse, over `√(f² − 1)` voxels.
const SHRINKING_SIGMA: f64 = 0.6;

/// An image at the next coarser size.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub fn shrink(device: &Device, image: &Buffer, from: Shape, to: Shape) -> Result<Buffer, ComputeError> {
    smooth_and_resample(device, image, from, to, SHRINKING_SIGMA)
}

/// What an image is smoothed by before it shrinks.
pub(crate) fn shrinking_taps([from, to]: [Shape; 2], sigma: f64) -> Axes<Taps> {
    [0, 1, 2].map(|a| {
        let factor = from.size[a] as f64 / to.size[a] as f64;
        Taps::gaussian(sigma * (factor * factor - 1.0).max(0.0).sqrt(), 3.0)
    })
}

/// An image with fewer voxels, along each axis by `f`, smoothed before by `sigma √(f² − 1)` voxels.
fn smooth_and_resample(
    device: &Device,
    image: &Buffer,
    from: Shape,
    to: Shape,
    sigma: f64,
) -> Result<Buffer, ComputeError> {
    let smooth = convolved(device, image, from, &shrinking_taps([from, to], sigma))?;
    resampled(device, &smooth, [from, to])
}

/// 1/(2 √(2 ln 2)): the deviation of a Gaussian that is half as high one half away from its centre.
const DEVIATION_PER_WIDTH: f64 = 0.424_660_9;

/// A moving image at the finest size at which it is sampled, smoothed so that voxels become as wide as the fixed image's.
///
/// *Paper*: M. J. Cardoso et al., "Scale factor point spread function matching", MICCAI 2015,
/// doi:10.1007/978-3-319-24571-3_81: voxels as Gaussians as wide as they are, whose variances add.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub(crate) fn match_voxel_size(
    device: &Device,
    image: Buffer,
    from: Shape,
    to: Shape,
) -> Result<Buffer, ComputeError> {
    if from == to { Ok(image) } else { smooth_and_resample(device, &image, from, to, DEVIATION_PER_WIDTH) }
}

/// An image at every size, finest first.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub fn pyramid(
    device: &Device,
    image: Buffer,
    levels: &[LevelGeometry],
) -> Result<Vec<Buffer>, ComputeError> {
    let mut out = vec![image];
    for pair in levels.windows(2) {
        let coarser = shrink(device, &out[out.len() - 1], pair[0].shape, pair[1].shape)?;
        out.push(coarser);
    }
    Ok(out)
}

/// Both images of a pair on one grid at every size, finest first; on a GPU a level of both takes one launch where they are small
/// pictures.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub(crate) fn pair_pyramids(
    device: &Device,
    [fixed, moving]: [Buffer; 2],
    levels: &[LevelGeometry],
) -> Result<[Vec<Buffer>; 2], ComputeError> {
    let mut pyramids = [vec![fixed], vec![moving]];
    for pair in levels.windows(2) {
        let [from, to] = [pair[0].shape, pair[1].shape];
        let images = pyramids.each_ref().map(|images| &images[images.len() - 1]);
        let taps = &shrinking_taps([from, to], SHRINKING_SIGMA);
        let coarser = if device.is_gpu() && shrink::is_supported(from, to, taps) {
            let mut out = [device.scratch(to.len())?, device.scratch(to.len())?];
            let memory = &mut [];
            Shrink { images: &images, maps: &[], taps, from, out: &mut out, to, memory }.run(device)?;
            out
        } else {
            [shrink(device, images[0], from, to)?, shrink(device, images[1], from, to)?]
        };
        pyramids.iter_mut().zip(coarser).for_each(|(images, coarser)| images.push(coarser));
    }
    Ok(pyramids)
}

/// The weight of a mask at every size, finest first; the mask's own stays.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub(crate) fn mask_pyramid(
    device: &Device,
    mask: &ResidentMask,
    levels: &[LevelGeometry],
) -> Result<Vec<Buffer>, ComputeError> {
    pyramid(device, copied(device, &mask.weight)?, levels)
}

/// Brings a displacement to another level in the memory of a second field, which takes over the first one's.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub(crate) fn transfer_by(
    device: &Device,
    [displacement, other]: [&mut Field; 2],
    [from, to]: [&LevelGeometry; 2],
) -> Result<(), ComputeError> {
    fit(device, other, to.shape.components(), to.shape.len())?;
    transfer(device, displacement, from, other, to)?;
    std::mem::swap(displacement, other);
    Ok(())
}

/// A displacement on another level, in that level's edges.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
pub(crate) fn transferred(
    device: &Device,
    field: &Field,
    from: &LevelGeometry,
    to: &LevelGeometry,
) -> Result<Field, ComputeError> {
    written_field(device, to.shape, |out| transfer(device, field, from, out, to))
}

/// Writes a displacement on another level, in that level's edges.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to its level.
pub fn transfer(
    device: &Device,
    field: &Field,
    from: &LevelGeometry,
    out: &mut Field,
    to: &LevelGeometry,
) -> Result<(), ComputeError> {
    let factor = (from.edge_mm / to.edge_mm) as f32;
    let resample =
        Resample { input: field, input_shape: from.shape, output: out, output_shape: to.shape, factor };
    resample.run(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotropic_volumes_halve_down_to_the_limit() {
        let sizes: Vec<_> =
            levels(&Grid::volume(256, 300, 40).unwrap(), 0.5, 99).iter().map(|l| l.shape.size).collect();
        assert_eq!(sizes[1], [128, 150, 20]);
        assert_eq!(sizes.last().unwrap(), &[16, 19, 20]);
    }

    #[test]
    fn fine_axes_shrink_first() {
        let grid = Grid::volume(128, 128, 40).and_then(|g| g.with_spacing_mm([1.0, 1.0, 4.0])).unwrap();
        let sizes: Vec<_> = levels(&grid, 0.5, 99).iter().map(|l| l.shape.size).collect();
        assert_eq!(sizes[..4], [[128, 128, 40], [64, 64, 40], [32, 32, 40], [16, 16, 20]]);
    }

    #[test]
    fn moving_images_are_sampled_as_coarsely_as_the_fixed_levels() {
        let fixed = levels(&Grid::volume(64, 64, 32).unwrap(), 0.5, 3);
        // Twice as fine along x, as fine along y, a fifth as fine along z, and turned: its axes are (y, x, z).
        let map =
            VoxelAffine { matrix: [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.2]], offset: [0.0; 3] };
        let sizes = moving_levels(&Grid::volume(64, 128, 7).unwrap(), &map, &fixed);
        let sizes: Vec<_> = sizes.iter().map(|level| level.shape.size).collect();
        assert_eq!(sizes, [[64, 64, 7], [32, 32, 7], [16, 16, 7]]);
        assert_eq!(moving_levels(&Grid::volume(64, 64, 32).unwrap(), &VoxelAffine::IDENTITY, &fixed), fixed);
    }

    #[test]
    fn displacements_keep_their_length_in_millimetres() {
        let device = Device::cpu(1).unwrap();
        let levels = levels(&Grid::image(64, 48).unwrap(), 0.5, 2);
        let field = vec![
            device.upload(vec![1.0; levels[1].shape.len()]).unwrap(),
            device.zeros(levels[1].shape.len()).unwrap(),
        ];
        let mut up = device.scratch_field(2, levels[0].shape.len()).unwrap();
        transfer(&device, &field, &levels[1], &mut up, &levels[0]).unwrap();
        assert!(device.read(&up[0]).unwrap().iter().all(|v| (v - 2.0).abs() < 1e-6));
    }
}
