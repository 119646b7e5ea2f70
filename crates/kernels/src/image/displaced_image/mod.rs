//! An image of a pyramid's level, warped by the coarser level's estimate: `out(x) = image(x + f d(x))`.
//!
//! What hardware without memory for warped filter responses does before it filters (Pauwels et al. 2012, sections 4.2, 5.2).
//! *In*: a pyramid, and the estimate of the next coarser level, of one plane (along x) or two. *Where it is unknown* the pixel stays
//! where it is. *Sampling*: bilinear; a position outside moves to the border. *Halo*: `|f d|` + 1.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::phase::gabor::Levels;
use crate::shared::{CORNER, EXPANSION, NAN};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("displaced image", &[NAN, EXPANSION, CORNER, include_str!("displaced_image.wgsl")]);

/// Writes one level of an image pyramid, warped.
#[derive(Debug)]
pub struct DisplacedImage<'a> {
    /// How the pyramid lies in memory.
    pub levels: &'a Levels,
    /// Which level.
    pub level: usize,
    /// f, what the estimate is multiplied by.
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
    /// Planes of the estimate.
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
        cpu::displaced_image(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [cx, cy]) = (self.levels.size(self.level), self.coarser_size());
        gpu.launch(&SOURCE, "displaced_image")
            .constant("PLANES", self.planes())
            .uniform(Uniform::new().u4([nx, ny, cx, cy]).u(self.levels.start(self.level)).f(self.factor))
            .input(self.image)
            .input(self.coarser)
            .output(self.out)
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
