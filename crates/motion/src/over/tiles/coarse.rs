//! The coarse pass: images shrunk by whole factors, box by box so that no copy of a whole image is needed, and its flow as a
//! tile's start.

use super::cut::resized;
use super::source::ImageBoxes;
use crate::error::Result;
use crate::steps::buffers::{convolved, resampled};
use veloxel_core::{Axes, Flow, Grid, GridBox, Mask, Shape, Volume};
use veloxel_gpu::Device;
use veloxel_kernels::Taps;

/// Standard deviation of the smoothing before an axis shrinks by `f`, over √(f² − 1) voxels: the pyramid's.
const SIGMA: f64 = 0.6;
/// Smoothing is cut at so many standard deviations.
const REACH: f64 = 3.0;

/// A grid whose voxels are `shrinking` times as wide; the last ones reach beyond the end where it does not divide.
pub(super) fn shrunk_grid(grid: &Grid, shrinking: Axes<usize>) -> Grid {
    let size = [0, 1, 2].map(|a| grid.size()[a].div_ceil(shrinking[a]));
    let spacing = [0, 1, 2].map(|a| grid.spacing_mm()[a] * shrinking[a] as f64);
    let first = shrinking.map(|f| 0.5 * f as f64 - 0.5);
    // Pictures without a place in the world stay so: their spacing is in pixels.
    let (spacing, origin) = match grid.is_unplaced() && shrinking[..2].iter().all(|&f| f == shrinking[0]) {
        true if grid.dimension() == veloxel_core::Dimension::Two => ([1.0; 3], [0.0; 3]),
        _ => (spacing, grid.world_from_voxel(first)),
    };
    resized(grid, size, spacing, origin).expect("a shrunk grid should be possible where the grid is")
}

/// An image on the shrunk grid; samples that are not finite, which only a mask can have let through, become `fill`.
pub(super) fn shrink(
    device: &Device,
    image: &dyn ImageBoxes,
    shrinking: Axes<usize>,
    fill: f32,
    most_samples: usize,
) -> Result<Volume<f32>> {
    let (size, grid) = (image.grid().size(), shrunk_grid(image.grid(), shrinking));
    let small = grid.size();
    let taps = shrinking.map(|f| Taps::gaussian(SIGMA * ((f * f) as f64 - 1.0).sqrt(), REACH));
    let margin = [0, 1, 2].map(|a| taps[a].radius().div_ceil(shrinking[a]) + 1);
    let mut out = vec![0.0; grid.len()];
    for own in shrunk_boxes(small, shrinking, margin, most_samples) {
        // Along axes that are not cut nothing lies beyond the box.
        let seen = own.grown(margin, margin, small);
        let from =
            Shape { size: [0, 1, 2].map(|a| seen.size[a] * shrinking[a]), dimension: grid.dimension() };
        let to = Shape { size: seen.size, ..from };
        // Beyond the image's end nothing is read.
        let begin = [0, 1, 2].map(|a| (seen.begin[a] * shrinking[a]).min(size[a] - 1));
        let read = GridBox { begin, size: [0, 1, 2].map(|a| from.size[a].min(size[a] - begin[a])) };
        let padded = padded(&image.samples(read)?, read.size, from.size, fill);
        let smooth = convolved(device, &device.upload(padded)?, from, &taps)?;
        let shrunk = device.download(resampled(device, &smooth, [from, to])?)?;
        own.copy_from(small, &mut out, own.within(&seen), seen.size, &shrunk);
    }
    Ok(Volume::new(grid, out)?)
}

/// The boxes of a shrunk grid in which it is made, of so many samples at a time: what is read, the input, its smoothed copy and what
/// is between. They are cut along the last axis, and along those before where even the thinnest slab is too much.
fn shrunk_boxes(
    small: Axes<usize>,
    shrinking: Axes<usize>,
    margin: Axes<usize>,
    most_samples: usize,
) -> impl Iterator<Item = GridBox> {
    let mut length = small;
    let samples = |length: Axes<usize>| -> usize {
        let along = |a: usize| (length[a] + 2 * margin[a]).min(small[a]) * shrinking[a];
        4 * (0..3).map(along).product::<usize>()
    };
    for a in (0..3).rev() {
        let of = |n: usize| {
            let mut other = length;
            other[a] = n;
            other
        };
        let fits = (1..=small[a]).rev().find(|n| samples(of(*n)) <= most_samples);
        length[a] = fits.unwrap_or(1);
        if fits.is_some() {
            break;
        }
    }
    let counts = [0, 1, 2].map(|a| small[a].div_ceil(length[a]));
    (0..counts.iter().product::<usize>()).map(move |nth| {
        let place = [nth % counts[0], nth / counts[0] % counts[1], nth / (counts[0] * counts[1])];
        let begin = [0, 1, 2].map(|a| place[a] * length[a]);
        GridBox { begin, size: [0, 1, 2].map(|a| length[a].min(small[a] - begin[a])) }
    })
}

/// Samples of one size on a larger one, the outermost samples repeated beyond their end.
fn padded(samples: &[f32], own: Axes<usize>, size: Axes<usize>, fill: f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(size.iter().product());
    for z in 0..size[2] {
        for y in 0..size[1] {
            let [y, z] = [y.min(own[1] - 1), z.min(own[2] - 1)];
            let row = &samples[(z * own[1] + y) * own[0]..][..own[0]];
            let finite = |&v: &f32| if v.is_finite() { v } else { fill };
            out.extend(row.iter().take(size[0]).map(finite));
            out.extend(std::iter::repeat_n(finite(&row[own[0] - 1]), size[0].saturating_sub(own[0])));
        }
    }
    out
}

/// A mask on the shrunk grid: the voxel in the middle of each of its voxels.
pub(super) fn shrink_mask(mask: &Mask, shrinking: Axes<usize>) -> Mask {
    let size = mask.grid().size();
    Mask::from_fn(shrunk_grid(mask.grid(), shrinking), |x| {
        *mask.at([0, 1, 2].map(|a| (x[a] * shrinking[a] + shrinking[a] / 2).min(size[a] - 1)))
    })
}

/// What each voxel of the shrunk grid says, at all voxels of the grid that lie in it.
pub(super) fn repeated(small: &Volume<f32>, shrinking: Axes<usize>, grid: &Grid) -> Volume<f32> {
    Volume::from_fn(grid.clone(), |x| *small.at([0, 1, 2].map(|a| x[a] / shrinking[a])))
}

/// Positions along one axis of a finer grid as the lower of two coarse voxels and the share of the upper one.
fn places(begin: usize, size: usize, shrinking: usize, coarse: usize) -> Vec<(usize, f32)> {
    let place = |x: usize| {
        let at = ((x as f64 + 0.5) / shrinking as f64 - 0.5).clamp(0.0, (coarse - 1) as f64);
        let lower = (at as usize).min(coarse.saturating_sub(2));
        (lower, (at - lower as f64) as f32)
    };
    (begin..begin + size).map(place).collect()
}

/// A component of a coarse flow on the voxels of a part of the fine grid, linearly interpolated, in voxels of the fine grid.
pub(super) fn enlarge(flow: &Flow, shrinking: Axes<usize>, part: GridBox, axis: usize) -> Vec<f32> {
    let (small, samples) = (flow.grid().size(), flow.component_vox(axis));
    let along = [0, 1, 2].map(|a| places(part.begin[a], part.size[a], shrinking[a], small[a]));
    let mut out = Vec::with_capacity(part.len());
    let mut line = vec![0.0; small[0]];
    for &(z, tz) in &along[2] {
        for &(y, ty) in &along[1] {
            let row = |dz: usize, dy: usize| {
                let [y, z] = [(y + dy).min(small[1] - 1), (z + dz).min(small[2] - 1)];
                &samples[(z * small[1] + y) * small[0]..][..small[0]]
            };
            let rows = [row(0, 0), row(0, 1), row(1, 0), row(1, 1)];
            for (x, value) in line.iter_mut().enumerate() {
                let [near, far] = [0, 2].map(|k| rows[k][x] + ty * (rows[k + 1][x] - rows[k][x]));
                *value = (near + tz * (far - near)) * shrinking[axis] as f32;
            }
            out.extend(along[0].iter().map(|&(x, t)| {
                let next = line[(x + 1).min(small[0] - 1)];
                line[x] + t * (next - line[x])
            }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_shrink_as_the_whole_does() {
        let device = Device::cpu(2).unwrap();
        let grid = Grid::volume(50, 40, 70).unwrap();
        let image = Volume::from_fn(grid, |[x, y, z]| ((7 * x + 3 * y * y + z) % 23) as f32);
        let shrunk = |most| shrink(&device, &image, [2, 3, 4], 0.0, most).unwrap();
        let whole = shrunk(usize::MAX / 8);
        assert_eq!(whole.grid().size(), [25, 14, 18]);
        // Cut along z, along y as well, and along every axis.
        for most in [400_000, 150_000, 1] {
            let margin = [2, 3, 3];
            let own = shrunk_boxes([25, 14, 18], [2, 3, 4], margin, most).count();
            assert!(own > 1, "{most}");
            assert_eq!(whole.data(), shrunk(most).data(), "{most}");
        }
        let boxes: Vec<_> = shrunk_boxes([25, 14, 18], [2, 3, 4], [2, 3, 3], 1 << 17).collect();
        assert_eq!(boxes.iter().map(GridBox::len).sum::<usize>(), 25 * 14 * 18);
    }

    #[test]
    fn a_coarse_flow_is_enlarged_where_it_lies() {
        let fine = Grid::volume(48, 32, 20).unwrap();
        let coarse = shrunk_grid(&fine, [4, 2, 1]);
        // d = x along every axis, in fine voxels: a quarter, a half and all of it in coarse ones.
        let flow = Flow::from_fn(coarse.clone(), |x| {
            let x = coarse.world_from_voxel(x);
            [x[0] / 4.0, x[1] / 2.0, x[2]]
        });
        let part = GridBox { begin: [10, 5, 3], size: [20, 16, 9] };
        let found = [0, 1, 2].map(|axis| enlarge(&flow, [4, 2, 1], part, axis));
        for (i, x) in (0..part.len()).map(|i| (i, [10 + i % 20, 5 + i / 20 % 16, 3 + i / 320])) {
            (0..3).for_each(|a| assert!((found[a][i] - x[a] as f32).abs() < 1e-4));
        }
    }
}
