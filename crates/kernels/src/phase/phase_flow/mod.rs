//! Optical flow of one level from the phases of two, three or five frames.
//!
//! (Pauwels et al. 2012, section 5, eq. 12-16; after Gautama & Van Hulle 2002.) Phases of every frame are sampled where the
//! coarser estimate `d` sees the pixel at that time, `x + d t`: on a plane through the nearest pixel's phase and those of its two
//! neighbours on that side, differences wrapped; an orientation counts where the nearest pixel has a phase. It is unwrapped from
//! frame to frame around the centre and a line fitted to it; slopes ψ_q of fits with an error below τ_l constrain the rest of
//! the motion, `v·ω_q + ψ_q = 0`, and are solved by least squares.
//!
//! *Units*: pixels of the level a frame, radians. *In*: phases of frames in the order of time; the field belongs to the centre
//! one (of two: the first). *Out*: the sum of `d` and the increment, two planes in one buffer, NaN where there are too few
//! constraints; confidence `Σ_q [valid] 1/(1 + 20 e_q) / 8` with e_q the mean squared error of the fit, radians².
//! *Border*: samples outside are those of the border. *Halo*: `|d| t` + 1.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::phase::gabor::{Levels, ORIENTATIONS, alternate};
use crate::shared::{EXPANSION, NAN, PHASES};
use veloxel_gpu::{Bind, Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = wgsl!("phase flow", [NAN, EXPANSION, PHASES], "phase_flow.wgsl");

/// How component velocities are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighing {
    /// All that are valid alike (the paper's).
    Alike,
    /// By how well a line fits the phase: `1/(1 + 20 e)`.
    ByFit,
}

/// Where phases are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Where the coarser estimate says.
    Displaced,
    /// Where the pixel is: the images were warped before they were filtered.
    InPlace,
}

/// Which velocities count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraints {
    /// τ_l: mean squared error of a fit, radians², below which it counts; of two frames there is no error.
    pub tau_l: f32,
    /// Orientations that must count.
    pub min_orientations: usize,
    /// Their say.
    pub weighing: Weighing,
}

/// A level of phases.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// How the phases lie in memory.
    pub levels: &'a Levels,
    /// Which level.
    pub level: usize,
    /// Where they are sampled.
    pub sampling: Sampling,
}

impl Place<'_> {
    /// `(nx, ny)` of the level.
    pub(crate) fn size(&self) -> [usize; 2] {
        self.levels.size(self.level)
    }
    /// `(nx, ny)` of the next coarser level.
    pub(crate) fn coarser_size(&self) -> [usize; 2] {
        self.size().map(|n| n.div_ceil(2))
    }
    /// Pixels of the next coarser level.
    pub(crate) fn coarser_pixels(&self) -> usize {
        self.coarser_size().iter().product()
    }
}

/// Constraints count for 1/(1 + this · error).
pub(crate) const ERROR_SCALE: f32 = 20.0;
/// Determinant, radians⁴, below which the constraints leave a direction open.
pub(crate) const LEAST_DETERMINANT: f32 = 1e-6;

/// Estimates the flow of a level.
#[derive(Debug)]
pub struct PhaseFlow<'a> {
    /// The level.
    pub place: Place<'a>,
    /// Which velocities count.
    pub constraints: Constraints,
    /// Phases of two, three or five frames, in the order of time.
    pub frames: &'a [&'a Buffer<u16>],
    /// The estimate of the next coarser level, of the size that [`Levels`] halves to.
    pub coarser: Option<&'a Buffer>,
    /// The estimate, two planes, pixels a frame.
    pub out: &'a mut Buffer,
    /// One plane.
    pub confidence: &'a mut Buffer,
}

impl Kernel for PhaseFlow<'_> {
    const NAME: &'static str = "phase_flow";
    type Output = ();

    /// # Panics
    /// Unless there are two, three or five frames.
    fn check(&self, lengths: &mut Lengths) {
        assert!(matches!(self.frames.len(), 2 | 3 | 5), "flow needs two, three or five frames");
        let (levels, n) = (self.place.levels, self.place.levels.pixels(self.place.level));
        for frame in self.frames {
            lengths.of("phases", frame, ORIENTATIONS * levels.len());
        }
        lengths
            .optional("coarser", self.coarser, 2 * self.place.coarser_pixels())
            .of("out", self.out, 2 * n)
            .of("confidence", self.confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::phase_flow(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { place, constraints, frames, coarser, .. } = self;
        let ([nx, ny], [cx, cy]) = (place.size(), place.coarser_size());
        let cpu::Frequencies { along: [wx, wy], squares: [xx, xy, yy] } = cpu::Frequencies::new();
        let [tau, error_scale] = constraints.of_angles();
        let uniform = Uniform::new()
            .u4([nx, ny, cx, cy])
            .u4([place.levels.start(place.level)])
            .f4([tau, constraints.min_orientations as f32, error_scale])
            .f4([0.1, 0.2, 1.0 / 18.0]);
        gpu.launch(&SOURCE, "phase_flow")
            .constant("FRAMES", frames.len())
            .constant("DISPLACED", place.sampling == Sampling::Displaced)
            .constant("COARSER", coarser.is_some())
            .constant("BY_FIT", constraints.weighing == Weighing::ByFit)
            .uniform([wx, wy, xx, xy, yy].iter().fold(uniform, alternate))
            .bind_each((0..5).map(|t| Bind::optional(frames.get(t).copied())))
            .optional(coarser)
            .writes([self.out, self.confidence])
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
