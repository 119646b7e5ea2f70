//! Unknown disparities take the smaller one of the nearest known ones to the left and to the right: what is hidden lies behind.
//!
//! (Hirschmüller 2008, section 2.5, along rows.) At the ends of a row the one side that is known counts; a row without any stays
//! unknown. Where matches have to lie inside, a disparity that leads more than half a pixel out of the right picture becomes
//! unknown afterwards. *Units*: pixels. *Out*: in place, NaN where unknown, the confidence 0 there; the confidence of what is filled
//! in stays what it is. *Halo*: a row.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_gpu::wgsl::vec2;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("row filling", Bindings, [NAN], "row_filling.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec2<u32>,
        },
        disparity: read f32,
        out: write f32,
        confidence: write f32,
    }
}

/// Where matches may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchesLie {
    /// Anywhere.
    Anywhere,
    /// Inside the right picture.
    Inside,
}

/// Fills rows.
#[derive(Debug)]
pub struct RowFilling<'a> {
    /// Width and height `(nx, ny)`.
    pub size: [usize; 2],
    /// Where matches may lie.
    pub matches: MatchesLie,
    /// Disparity, pixels, NaN where unknown.
    pub disparity: &'a Buffer,
    /// The filled disparity, pixels.
    pub out: &'a mut Buffer,
    /// Confidence, which becomes 0 where a match lies outside.
    pub confidence: &'a mut Buffer,
}

impl Kernel for RowFilling<'_> {
    const NAME: &'static str = "row_filling";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.size[0] * self.size[1];
        lengths.of("disparity", self.disparity, n).of("out", self.out, n).of(
            "confidence",
            self.confidence,
            n,
        );
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { size: [nx, ny], matches, disparity, out, confidence } = self;
        let disparity = disparity.host();
        let last = (nx - 1) as f32;
        cpu.split_rows([out.host_mut(), confidence.host_mut()], nx, 4 * nx * ny, |y, [out, confidence]| {
            let disparity = &disparity[y * nx..][..nx];
            let mut known = f32::NAN;
            for (out, &d) in out.iter_mut().zip(disparity) {
                known = if d.is_nan() { known } else { d };
                *out = known;
            }
            let mut known = f32::NAN;
            for x in (0..nx).rev() {
                known = if disparity[x].is_nan() { known } else { disparity[x] };
                // A comparison with what is unknown is false.
                let d = if out[x] <= known || known.is_nan() { out[x] } else { known };
                let at = x as f32 - d;
                let leaves = matches == MatchesLie::Inside && (at < -0.5 || at > last + 0.5);
                out[x] = if leaves { f32::NAN } else { d };
                confidence[x] = if leaves || d.is_nan() { 0.0 } else { confidence[x] };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { size: [nx, ny], matches, disparity, out, confidence } = self;
        gpu.launch(&SOURCE, "row_filling")
            .constant("INSIDE", matches == MatchesLie::Inside)
            .bind(&Bindings { block: Block { size: [nx, ny].into() }, disparity, out, confidence })
            .run([cover(ny, 32), 1, 1])
    }
}
