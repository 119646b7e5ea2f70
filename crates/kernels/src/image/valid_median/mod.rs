//! Medians of estimates that may be unknown, over windows of 3×3 or 5×5 pixels of which the majority is known.
//!
//! (Pauwels et al. 2012, section 4.) *In*: planes of one size in one buffer, NaN where unknown. *Out*: the median of the
//! window's known samples (of an even number the mean of the middle two) where they are more than half of it; elsewhere twice
//! the coarser level's estimate, where one is given and known; else NaN. *Border*: the window is cut, and the majority is that
//! of the cut window.
//! *Halo*: the radius.

mod cpu;
mod of_five;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{EXPANSION, NAN};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("valid median", Bindings, [NAN, EXPANSION], "valid_median.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width and height of this level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Number of planes of the confidence.
            planes: u32,
        },
        estimates: read f32,
        coarser: may_read f32,
        out: write f32,
        confidence: may_write f32,
    }
}

/// The window of a median.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MedianWindow {
    /// The pixel itself: nothing is filtered.
    One = 0,
    /// Radius 1.
    Three = 1,
    /// Radius 2.
    Five = 2,
}

impl MedianWindow {
    pub(crate) fn radius(self) -> usize {
        self as usize
    }
}

/// Planes of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// Width and height, `(nx, ny)`.
    pub size: [usize; 2],
    /// Number of planes.
    pub count: usize,
}

impl Planes {
    fn pixels(self) -> usize {
        self.size[0] * self.size[1]
    }
    /// Width and height of the next coarser level.
    fn coarser_size(self) -> [usize; 2] {
        self.size.map(|n| n.div_ceil(2))
    }
}

/// Filters estimates.
#[derive(Debug)]
pub struct ValidMedian<'a> {
    /// Size and number of the planes of estimates.
    pub planes: Planes,
    /// The window of the medians.
    pub window: MedianWindow,
    /// The estimates, NaN where unknown.
    pub estimates: &'a Buffer,
    /// The same planes of the next coarser level, if unknown samples are to be filled from them.
    pub coarser: Option<&'a Buffer>,
    /// The filtered estimates.
    pub out: &'a mut Buffer,
    /// Confidence, one plane or as many as there are; it becomes 0 where the result is unknown.
    pub confidence: Option<&'a mut Buffer>,
}

impl Kernel for ValidMedian<'_> {
    const NAME: &'static str = "valid_median";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (count, plane) = (self.planes.count, self.planes.pixels());
        let coarser_plane = self.planes.coarser_size().iter().product::<usize>();
        let confidence = self.confidence.as_deref();
        lengths
            .of("estimates", self.estimates, count * plane)
            .optional("coarser", self.coarser, count * coarser_plane)
            .of("out", self.out, count * plane);
        let planes_of_confidence = if confidence.is_some_and(|c| c.len() == plane) { 1 } else { count };
        lengths.optional("confidence", confidence, planes_of_confidence * plane);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::valid_median(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [cx, cy]) = (self.planes.size, self.planes.coarser_size());
        let side = 2 * self.window.radius() + 1;
        let confidence = self.confidence.as_deref();
        let planes = confidence.map_or(0, |c| c.len() / (nx * ny));
        let block = Block { size: [nx, ny, cx, cy].into(), planes };
        let Self { estimates, coarser, out, .. } = self;
        gpu.launch(&SOURCE, "valid_median")
            .constant("RADIUS", self.window.radius())
            .constant("HALF", (side * side).div_ceil(2))
            .constant("SIDE", side)
            .constant("COARSER", self.coarser.is_some())
            .bind(&Bindings { block, estimates, coarser, out, confidence })
            .run([cover(nx, 32), cover(ny, 4), self.planes.count as u32])
    }
}
