//! The least disparity of every pixel's band: whole numbers around what the next coarser level found.
//!
//! With `d` the coarser pixel's disparity in pixels of this level, twice what it is there, and `[a, b]` the disparities of the
//! coarser pixels around it (3×3), the middle of the band is `(a + b)/2`, no further from `d` than half of the band less
//! [`MARGIN`]: at an edge both sides are inside if the band is wide enough. *Units*: pixels. *In*: NaN where the coarser level
//! knows nothing; a pixel with none around it has its band around 0. *Out*: `⌊middle − count/2 + ½⌋`. *Border*: the window is
//! cut. *Halo*: one pixel of the coarser level.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("disparity band", Bindings, [NAN], "disparity_band.wgsl");

/// Disparities that a band has at least on each side of the coarser pixel's own.
pub const MARGIN: usize = 4;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width and height of this level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Half of the band (x), and how far its middle may lie from the pixel's own disparity (y).
            reach: vec4<f32>,
        },
        coarser: read f32,
        base: write f32,
    }
}

/// Writes where bands begin.
#[derive(Debug)]
pub struct DisparityBand<'a> {
    /// Width and height of this level.
    pub size: [usize; 2],
    /// Number of disparities of a band, even, at least twice [`MARGIN`].
    pub count: usize,
    /// Disparity of the next coarser level, pixels of that level, NaN where unknown.
    pub coarser: &'a Buffer,
    /// Least disparity of every pixel's band, whole numbers.
    pub base: &'a mut Buffer,
}

impl DisparityBand<'_> {
    fn coarser_size(&self) -> [usize; 2] {
        self.size.map(|n| n.div_ceil(2))
    }
    /// Half of the band, and how far its middle may lie from the pixel's own disparity.
    fn reach(&self) -> [f32; 2] {
        let half = self.count / 2;
        [half as f32, (half - MARGIN) as f32]
    }
}

impl Kernel for DisparityBand<'_> {
    const NAME: &'static str = "disparity_band";
    type Output = ();

    /// If the band is odd or too narrow.
    fn check(&self, lengths: &mut Lengths) {
        assert!(self.count.is_multiple_of(2) && self.count >= 2 * MARGIN, "a band should have two sides");
        lengths.of("coarser", self.coarser, self.coarser_size().iter().product());
        lengths.of("base", self.base, self.size.iter().product());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let ([nx, ny], [cx, cy], [half, most]) = (self.size, self.coarser_size(), self.reach());
        let coarser = self.coarser.host();
        cpu.split_rows([self.base.host_mut()], nx, 20 * nx * ny, |y, [out]| {
            let rows = (y / 2).saturating_sub(1)..(y / 2 + 2).min(cy);
            for (x, out) in out.iter_mut().enumerate() {
                let columns = (x / 2).saturating_sub(1)..(x / 2 + 2).min(cx);
                let (mut least, mut greatest) = (f32::MAX, -f32::MAX);
                for row in rows.clone() {
                    for &d in &coarser[row * cx..][columns.clone()] {
                        // A comparison with what is unknown is false.
                        least = if d < least { d } else { least };
                        greatest = if d > greatest { d } else { greatest };
                    }
                }
                let between = if least <= greatest { least + greatest } else { 0.0 };
                let own = 2.0 * coarser[y / 2 * cx + x / 2];
                let own = if own.is_nan() { between } else { own };
                let low = if between < own - most { own - most } else { between };
                let middle = if low > own + most { own + most } else { low };
                *out = (middle - half + 0.5).floor();
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [cx, cy], reach) = (self.size, self.coarser_size(), self.reach());
        let block = Block { size: [nx, ny, cx, cy].into(), reach: reach.into() };
        gpu.launch(&SOURCE, "disparity_band")
            .bind(&Bindings { block, coarser: self.coarser, base: self.base })
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
