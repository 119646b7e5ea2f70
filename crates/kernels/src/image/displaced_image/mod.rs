//! An image of a pyramid's level, warped by the coarser level's estimate: `out(x) = image(x + f d(x))`.
//!
//! Hardware without memory for warped filter responses does this before it filters (Pauwels et al. 2012, sections 4.2, 5.2).
//! *In*: a pyramid, and the estimate of the next coarser level, of one plane (along x) or two. *Where it is unknown* the pixel
//! stays where it is. *Sampling*: bilinear; a position outside moves to the border. *Halo*: `|f d|` + 1.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::phase::gabor::Levels;
use crate::shared::expansion::Coarser;
use crate::shared::gather::corner_of;
use crate::shared::{CORNER, EXPANSION, NAN};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource =
    wgsl!("displaced image", Bindings, [NAN, EXPANSION, CORNER], "displaced_image.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width and height of this level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Index of this level's first sample.
            start: u32,
            factor: f32,
        },
        image: read f32,
        coarser: read f32,
        out: write f32,
    }
}

/// Writes one level of an image pyramid, warped.
#[derive(Debug)]
pub struct DisplacedImage<'a> {
    /// How the pyramid lies in memory.
    pub levels: &'a Levels,
    /// Number of the level.
    pub level: usize,
    /// The factor f of the estimate.
    pub factor: f32,
    /// The pyramid.
    pub image: &'a Buffer,
    /// The next coarser level's estimate, one plane or two.
    pub coarser: &'a Buffer,
    /// The warped image of the level.
    pub out: &'a mut Buffer,
}

impl DisplacedImage<'_> {
    fn coarser_size(&self) -> [usize; 2] {
        self.levels.size(self.level).map(|n| n.div_ceil(2))
    }
    /// Number of planes of the estimate.
    fn planes(&self) -> usize {
        let [cx, cy] = self.coarser_size();
        if self.coarser.len() == 2 * cx * cy { 2 } else { 1 }
    }
}

impl Kernel for DisplacedImage<'_> {
    const NAME: &'static str = "displaced_image";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let [cx, cy] = self.coarser_size();
        lengths
            .of("image", self.image, self.levels.len())
            .of("coarser", self.coarser, self.planes() * cx * cy)
            .of("out", self.out, self.levels.pixels(self.level));
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (factor, size) = (self.factor, self.coarser_size());
        let [nx, ny] = self.levels.size(self.level);
        let image = &self.image.host()[self.levels.start(self.level)..][..nx * ny];
        let planes = self.coarser.host().chunks_exact(size[0] * size[1]);
        let planes: Vec<_> = planes.map(|samples| Coarser { size, samples }).collect();
        cpu.split_rows([self.out.host_mut()], nx, 4 * nx * ny, |y, [out]| {
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
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [cx, cy]) = (self.levels.size(self.level), self.coarser_size());
        let (size, start) = ([nx, ny, cx, cy].into(), self.levels.start(self.level));
        let block = Block { size, start, factor: self.factor };
        gpu.launch(&SOURCE, "displaced_image")
            .constant("PLANES", self.planes())
            .bind(&Bindings { block, image: self.image, coarser: self.coarser, out: self.out })
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
