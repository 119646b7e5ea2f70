//! Resamples a part of an image on the host, with the same bits that [`Resample`](super::Resample) gives for the whole image.

use super::cpu::{Stencil, between_planes, stencil};
use veloxel_core::Axes;

/// Where a part of an image lies in the whole of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOf {
    /// Voxels of the whole along each axis.
    pub whole: Axes<usize>,
    /// The part's first voxel.
    pub begin: Axes<usize>,
    /// Voxels of the part along each axis.
    pub size: Axes<usize>,
}

impl PartOf {
    /// The part that is the whole image.
    pub fn all(whole: Axes<usize>) -> Self {
        Self { whole, begin: [0; 3], size: whole }
    }

    /// Voxels of the part.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Whether the part has no voxel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part of an image of so many voxels that this part of the resampled image depends on.
    #[must_use]
    pub fn source(&self, whole: Axes<usize>) -> Self {
        let ends = [0, 1, 2].map(|a| {
            let Stencil { low, .. } = stencil(whole[a], self.whole[a]);
            let [first, last] = [self.begin[a], self.begin[a] + self.size[a] - 1].map(|at| low[at] as usize);
            [first, (last + 2).min(whole[a])]
        });
        Self { whole, begin: ends.map(|e| e[0]), size: ends.map(|[begin, end]| end - begin) }
    }
}

/// Samples a part of an image onto a part of another grid, times a factor; the input holds at least the [`PartOf::source`] of
/// that part.
///
/// # Panics
/// If the samples do not fit the part.
pub fn resample_part(input: &[f32], from: PartOf, to: PartOf, factor: f32) -> Vec<f32> {
    assert!(input.len() == from.len(), "samples should be those of the part");
    let axes = [0, 1, 2].map(|a| stencil(from.whole[a], to.whole[a]));
    // Lower and upper neighbour in the part, and the weight of the upper one.
    let at = |a: usize, x: usize| {
        let x = x + to.begin[a];
        let low = axes[a].low[x] as usize;
        let high = (low + 1).min(from.whole[a] - 1);
        (low - from.begin[a], high - from.begin[a], axes[a].weight[x])
    };
    let along_x: Vec<_> = (0..to.size[0]).map(|x| at(0, x)).collect();
    let [nx, ny, _] = from.size;
    let (mut out, mut line) = (Vec::with_capacity(to.len()), vec![0.0; nx]);
    for z in 0..to.size[2] {
        let (z, z1, wz) = at(2, z);
        for y in 0..to.size[1] {
            let (y, y1, wy) = at(1, y);
            let row = |y: usize, z: usize| &input[(z * ny + y) * nx..][..nx];
            let corners = [row(y, z), row(y1, z), row(y, z1), row(y1, z1)];
            between_planes(corners, [wy, wz], factor, &mut line);
            out.extend(along_x.iter().map(|&(x, x1, wx)| line[x] + wx * (line[x1] - line[x])));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::resample::Resample;
    use crate::kernel::Kernel;
    use std::slice::{from_mut, from_ref};
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Device;

    #[test]
    fn parts_are_those_of_the_whole() {
        let sizes = [([37, 21, 11], [19, 11, 6]), ([19, 11, 6], [37, 21, 11]), ([1, 9, 16], [1, 18, 8])];
        for (size, whole) in sizes {
            let [from, to] = [size, whole].map(|size| Shape { size, dimension: Dimension::Three });
            let samples: Vec<f32> = (0..from.len()).map(|i| (i as f32 * 0.37).sin() * 100.0).collect();
            let device = Device::cpu(1).unwrap();
            let (input, mut out) = (device.upload_copy(&samples).unwrap(), device.zeros(to.len()).unwrap());
            let (input, output) = (from_ref(&input), from_mut(&mut out));
            Resample { input, input_shape: from, output, output_shape: to, factor: 1.7 }
                .run(&device)
                .unwrap();
            let expected = device.download(out).unwrap();
            let part = PartOf { whole, begin: whole.map(|n| n / 3), size: whole.map(|n| n - n / 3 - n / 4) };
            let source = part.source(size);
            let pick = |all: &[f32], part: PartOf| -> Vec<f32> {
                let [nx, ny, _] = part.whole;
                let inside = |i: usize| {
                    let x = [
                        i % part.size[0],
                        i / part.size[0] % part.size[1],
                        i / (part.size[0] * part.size[1]),
                    ];
                    let x = [0, 1, 2].map(|a| x[a] + part.begin[a]);
                    all[(x[2] * ny + x[1]) * nx + x[0]]
                };
                (0..part.len()).map(inside).collect()
            };
            let found = resample_part(&pick(&samples, source), source, part, 1.7);
            assert_eq!(found, pick(&expected, part), "{size:?} to {whole:?}");
        }
    }
}
