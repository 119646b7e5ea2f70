//! The coarser levels of both images and of the mask on the host, made slab by slab: the bits of pyramids of the whole images.

use crate::error::Result;
use crate::steps::buffers::convolved;
use crate::steps::image_pyramids::{presmoothed, presmoothing_vox};
use crate::steps::intensity::IntensityMap;
use crate::steps::pyramid::{LevelGeometry, shrinking_taps};
use std::borrow::Cow;
use veloxel_core::{Axes, GridBox, Shape};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::resample::{PartOf, resample_part};

/// Samples of an image, as they came or prepared.
pub(super) struct Samples<'a> {
    pub data: Cow<'a, [f32]>,
    pub size: Axes<usize>,
    /// What is still to be done to them.
    pub open: Option<Open>,
}

/// What is done to an image as it came.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub map: IntensityMap,
    /// Standard deviation of the smoothing, voxels.
    pub presmooth: f64,
}

impl<'a> Samples<'a> {
    /// Samples of an image of a size, to which nothing is to be done.
    pub fn new(data: impl Into<Cow<'a, [f32]>>, size: Axes<usize>) -> Self {
        Self { data: data.into(), size, open: None }
    }

    /// A part on the device, prepared; what lies within the reach of the smoothing from the part's borders is wrong unless the
    /// image ends there.
    pub fn part(&self, device: &Device, part: GridBox, like: Shape) -> Result<veloxel_gpu::Buffer> {
        let mut samples = device.upload(part.of(&self.data, self.size))?;
        let Some(Open { map, presmooth }) = self.open else { return Ok(samples) };
        let (gain, offset) = map.gain_and_offset();
        Operation::MapAffine { gain, offset }.on(&mut samples).run(device)?;
        presmoothed(device, presmooth, samples, Shape { size: part.size, ..like })
    }
}

/// An image at the next coarser size, of so many samples at a time.
pub(super) fn shrunk(
    device: &Device,
    image: &Samples<'_>,
    [from, to]: [&LevelGeometry; 2],
    most_samples: usize,
) -> Result<Vec<f32>> {
    let (from, to) = (from.shape, to.shape);
    let axis = from.components() - 1;
    let taps = shrinking_taps([from, to], 0.6);
    let margin = taps[axis].radius() + image.open.map_or(0, |open| presmoothing_vox(open.presmooth));
    let across = from.len() / from.size[axis];
    let ratio = from.size[axis].div_ceil(to.size[axis]);
    let thickness = (most_samples / (3 * across)).saturating_sub(2 * margin) / ratio;
    let thickness = thickness.clamp(1, to.size[axis]);
    let mut out = Vec::with_capacity(to.len());
    for begin in (0..to.size[axis]).step_by(thickness) {
        let mut own = PartOf::all(to.size);
        own.begin[axis] = begin;
        own.size[axis] = thickness.min(to.size[axis] - begin);
        let mut source = PartOf::all(from.size);
        let rows = own.source(from.size);
        (source.begin[axis], source.size[axis]) = (rows.begin[axis], rows.size[axis]);
        let mut seen = GridBox { begin: source.begin, size: source.size };
        seen.begin[axis] = source.begin[axis].saturating_sub(margin);
        let end = (source.begin[axis] + source.size[axis] + margin).min(from.size[axis]);
        seen.size[axis] = end - seen.begin[axis];
        let shape = Shape { size: seen.size, ..from };
        let input = image.part(device, seen, from)?;
        let smooth = device.download(convolved(device, &input, shape, &taps)?)?;
        let first = (source.begin[axis] - seen.begin[axis]) * across;
        let inner = &smooth[first..first + source.len()];
        out.extend(resample_part(inner, source, own, 1.0));
    }
    Ok(out)
}
