//! Processor text of [`super::DisplacedImage`].

use super::DisplacedImage;
use crate::shared::expansion::Coarser;
use crate::shared::gather::corner_of;
use veloxel_gpu::Cpu;

pub(super) fn displaced_image(cpu: &Cpu, args: DisplacedImage<'_>) {
    let ([nx, ny], size) = (args.levels.size(args.level), args.coarser_size());
    let image = &args.image.host()[args.levels.start(args.level)..][..nx * ny];
    let planes: Vec<Coarser<'_>> = args
        .coarser
        .host()
        .chunks_exact(size[0] * size[1])
        .map(|samples| Coarser { size, samples })
        .collect();
    let factor = args.factor;
    cpu.split_rows([args.out.host_mut()], nx, 4 * nx * ny, |y, [out]| {
        for (x, out) in out.iter_mut().enumerate() {
            let mut displacement = [0.0; 2];
            for (out, plane) in displacement.iter_mut().zip(&planes) {
                let d = plane.at(x, y);
                *out = if d.is_nan() { 0.0 } else { factor * d };
            }
            let [(x0, x1, wx), (y0, y1, wy)] = corner_of([x, y], displacement, [nx, ny]);
            let sample = |x: usize, y: usize| image[y * nx + x];
            let top = sample(x0, y0) + wx * (sample(x1, y0) - sample(x0, y0));
            let bottom = sample(x0, y1) + wx * (sample(x1, y1) - sample(x0, y1));
            *out = top + wy * (bottom - top);
        }
    });
}
