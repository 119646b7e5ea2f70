//! Pictures mapped, smoothed and sampled on a coarser grid in one launch: a step of the pyramids of both images of a pair. For
//! small pictures a launch of each kernel, for each image, takes longer than its work.
//!
//! *In*: pictures of one shape. *Out*: as many pictures of another shape, or of the same shape, for which pictures are only
//! smoothed. *Made of* [`Operation::MapAffine`](crate::image::pointwise::Operation), [`crate::image::convolve`] and
//! [`crate::image::resample`], with the borders and bits of these kernels. *Halo*: the filter's radius and a pixel.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::image::convolve::{Convolve, is_small_picture, quads};
use crate::image::pointwise::{CopyBuffer, Operation};
use crate::image::resample::{BETWEEN, Grids, Resample};
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::taps::Taps;
use crate::shared::{NAN, PLANE_TAPS};
use std::slice::{from_mut, from_ref};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::{vec2, vec4};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("shrink", Bindings, [NAN, PLANE_TAPS, BETWEEN], "shrink.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            grids: Grids,
            /// Gain and offset of the first image (x, y) and of the second one (z, w).
            maps: vec4<f32>,
            /// The numbers 0 (weight of the next plane) and 1 (factor), which a compiler must not know, as in resample.wgsl.
            plane: vec2<f32>,
            /// Weights of the filters, the centre first.
            taps_x: [vec4<f32>; 3],
            taps_y: [vec4<f32>; 3],
        },
        image_0: read f32,
        image_1: may_read f32,
        out[out_0, out_1]: write f32,
    }
}

/// Most pictures of one launch.
const MOST: usize = 2;
/// Width and height of the pixels that a workgroup makes.
const TILE: usize = 16;
/// Most pixels along an axis that a workgroup reads.
const MOST_READ: usize = 56;

/// Gain and offset of intensities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffineMap {
    /// Factor.
    pub gain: f32,
    /// Summand.
    pub offset: f32,
}

/// Maps, smooths and samples.
#[derive(Debug)]
pub struct Shrink<'a> {
    /// One or two pictures.
    pub images: &'a [&'a Buffer],
    /// Map of every picture; empty if intensities stay as they are.
    pub maps: &'a [AffineMap],
    /// The filter.
    pub taps: &'a Axes<Taps>,
    /// Shape of the pictures.
    pub from: Shape,
    /// The results, as many as there are pictures.
    pub out: &'a mut [Buffer],
    /// Shape of the results; [`is_supported`] says which are possible.
    pub to: Shape,
    /// Two buffers of the pictures' length, which a processor needs and a GPU does not.
    pub memory: &'a mut [Buffer],
}

/// Whether a workgroup has room for the pixels that a tile of the results needs.
pub fn is_supported(from: Shape, to: Shape, taps: &Axes<Taps>) -> bool {
    let reads = |axis: usize| span(from, to, axis) + 2 * taps[axis].radius();
    is_small_picture(from, [0, 1].map(|axis| taps[axis].radius()))
        && from.size[2] == 1
        && [0, 1].iter().all(|&axis| to.size[axis] <= from.size[axis] && reads(axis) <= MOST_READ)
}

/// Most samples along an axis between which a tile's results lie.
fn span(from: Shape, to: Shape, axis: usize) -> usize {
    if from == to { TILE } else { (TILE - 1) * from.size[axis] / to.size[axis] + 3 }
}

impl Kernel for Shrink<'_> {
    const NAME: &'static str = "shrink";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let count = self.images.len();
        lengths.count("images", count, 1..=MOST).count("memory", self.memory.len(), 0..=2);
        if !self.maps.is_empty() {
            lengths.count("maps", self.maps.len(), count..=count);
        }
        for image in self.images {
            lengths.of("image", image, self.from.len());
        }
        lengths.field("memory", self.memory, self.memory.len(), self.from.len());
        lengths.field("out", self.out, count, self.to.len());
    }
    /// Runs the kernels that this one is made of.
    fn on_cpu(self, cpu: &Cpu) {
        let Shrink { images, maps, taps, from, out, to, memory } = self;
        let [mapped, smooth] = memory else { panic!("a processor should have memory to work in") };
        for (nth, (image, out)) in images.iter().zip(out).enumerate() {
            CopyBuffer { from: image, to: mapped }.on_cpu(cpu);
            if let Some(&AffineMap { gain, offset }) = maps.get(nth) {
                Operation::MapAffine { gain, offset }.on(mapped).on_cpu(cpu);
            }
            let output = if from == to { &mut *out } else { &mut *smooth };
            Convolve { shape: from, taps, input: mapped, output }.on_cpu(cpu);
            if from != to {
                let (input, output) = (from_ref(smooth), from_mut(out));
                Resample { input, input_shape: from, output, output_shape: to, factor: 1.0 }.on_cpu(cpu);
            }
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Shrink { images, maps, taps: [x, y, _], from, out, to, .. } = self;
        let map = |nth: usize| maps.get(nth).map_or([1.0, 0.0], |map| [map.gain, map.offset]);
        let ([a, b], [c, d]) = (map(0), map(1));
        let block = Block {
            grids: Grids::of(from.size, to.size),
            maps: [a, b, c, d].into(),
            plane: [0.0, 1.0].into(),
            taps_x: quads(x.weights()),
            taps_y: quads(y.weights()),
        };
        let (image_0, image_1) = (images[0], images.get(1).copied());
        gpu.launch(&SOURCE, "shrink")
            .constant("MAPPED", !maps.is_empty())
            .constant("SAME", from == to)
            .constant("RADIUS_X", x.radius())
            .constant("RADIUS_Y", y.radius())
            .constant("SPAN_X", span(from, to, 0))
            .constant("SPAN_Y", span(from, to, 1))
            .bind(&Bindings { block, image_0, image_1, out })
            .run([cover(to.size[0], TILE), cover(to.size[1], TILE), images.len() as u32])
    }
}
