//! Launch of `shrink.wgsl`.

use super::{MOST, Shrink, TILE, span};
use crate::image::convolve::with_weights;
use crate::image::resample::{BETWEEN, sizes};
use crate::kernel::Launcher;
use crate::shared::{NAN, PLANE_TAPS};
use veloxel_gpu::{Bind, ComputeError, ShaderSource, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("shrink", &[NAN, PLANE_TAPS, BETWEEN, include_str!("shrink.wgsl")]);

pub(super) fn shrink(gpu: &Launcher<'_>, args: Shrink<'_>) -> Result<(), ComputeError> {
    let Shrink { images, maps, taps, from, out, to, .. } = args;
    let [x, y, _] = taps;
    let map = |nth: usize| maps.get(nth).map_or([1.0, 0.0], |map| [map.gain, map.offset]);
    let ([a, b], [c, d]) = (map(0), map(1));
    let uniform =
        with_weights(sizes(from.size, to.size).f4([a, b, c, d]).f4([0.0, 1.0, 0.0, 0.0]), x.weights(), 3);
    gpu.launch(&SOURCE, "shrink")
        .constant("MAPPED", !maps.is_empty())
        .constant("SAME", from == to)
        .constant("RADIUS_X", x.radius())
        .constant("RADIUS_Y", y.radius())
        .constant("SPAN_X", span(from, to, 0))
        .constant("SPAN_Y", span(from, to, 1))
        .uniform(with_weights(uniform, y.weights(), 3))
        .bind(images.iter().copied().map(Bind::input))
        .absent(MOST - images.len())
        .outputs(out, MOST)
        .run([cover(to.size[0], TILE), cover(to.size[1], TILE), images.len() as u32])
}
