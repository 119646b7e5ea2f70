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

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::phase::gabor::{Levels, ORIENTATIONS, alternate};
use crate::shared::{EXPANSION, NAN, PHASES};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("phase flow", Bindings, [NAN, EXPANSION, PHASES], "phase_flow.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width and height of this level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Index of this level's first pixel in the phases (x).
            start: vec4<u32>,
            /// τ_l (x), smallest number of valid orientations (y), scale of the error (z). Angles have 2³² units per turn; x and
            /// z refer to squared angles.
            limits: vec4<f32>,
            /// The fractions 1/10, 1/5, 1/18. As constants in the source, a compiler would move them out of products.
            parts: vec4<f32>,
            /// The frequencies ω_x, ω_y, ω_x², ω_x ω_y and ω_y²: each for lanes 0, 2, 4, 6 and then for lanes 1, 3, 5, 7.
            frequencies: [vec4<f32>; 10],
        },
        frame0: may_read vec4<u32> as u16,
        frame1: may_read vec4<u32> as u16,
        frame2: may_read vec4<u32> as u16,
        frame3: may_read vec4<u32> as u16,
        frame4: may_read vec4<u32> as u16,
        coarser: may_read f32,
        out: write f32,
        confidence: write f32,
    }
}

/// How component velocities are weighted against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseWeighing {
    /// All valid ones count equally (the paper's weighting).
    Alike,
    /// Each counts by how well a line fits the phase: `1/(1 + 20 e)`.
    ByFit,
}

/// Where phases are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseSampling {
    /// At the position that the coarser estimate gives.
    Displaced,
    /// At the pixel itself: the images were warped before they were filtered.
    InPlace,
}

/// Which velocities count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraints {
    /// Mean squared error τ_l of a fit, radians², below which it counts; fits to two frames have no error.
    pub tau_l: f32,
    /// Number of orientations that must count.
    pub min_orientations: usize,
    /// Weighting of the velocities that count.
    pub weighing: PhaseWeighing,
}

/// A level of phases.
#[derive(Debug, Clone, Copy)]
pub struct PhaseLevel<'a> {
    /// How the phases lie in memory.
    pub levels: &'a Levels,
    /// Number of the level.
    pub level: usize,
    /// Where phases are sampled.
    pub sampling: PhaseSampling,
}

impl PhaseLevel<'_> {
    /// Width and height `(nx, ny)` of the level.
    pub(crate) fn size(&self) -> [usize; 2] {
        self.levels.size(self.level)
    }
    /// Width and height `(nx, ny)` of the next coarser level.
    pub(crate) fn coarser_size(&self) -> [usize; 2] {
        self.size().map(|n| n.div_ceil(2))
    }
    /// Number of pixels of the next coarser level.
    pub(crate) fn coarser_pixels(&self) -> usize {
        self.coarser_size().iter().product()
    }
}

/// Scale of the error of constraints, which count by 1/(1 + this · error).
pub(crate) const ERROR_SCALE: f32 = 20.0;
/// Determinant, radians⁴, below which the constraints leave a direction open.
pub(crate) const LEAST_DETERMINANT: f32 = 1e-6;

/// Estimates the flow of a level.
#[derive(Debug)]
pub struct PhaseFlow<'a> {
    /// The level.
    pub place: PhaseLevel<'a>,
    /// Which velocities count.
    pub constraints: Constraints,
    /// Phases of two, three or five frames, in the order of time.
    pub frames: &'a [&'a Buffer<u16>],
    /// The estimate of the next coarser level, of the size that [`Levels`] halves to.
    pub coarser: Option<&'a Buffer>,
    /// The estimate, two planes, pixels a frame.
    pub out: &'a mut Buffer,
    /// Confidence of the estimate, one plane.
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
        let frequencies = [wx, wy, xx, xy, yy].map(|lanes| alternate(&lanes));
        let block = Block {
            size: [nx, ny, cx, cy].into(),
            start: [place.levels.start(place.level)].into(),
            limits: [tau, constraints.min_orientations as f32, error_scale].into(),
            parts: [0.1, 0.2, 1.0 / 18.0].into(),
            frequencies: std::array::from_fn(|k| frequencies[k / 2][k % 2]),
        };
        let [frame0, frame1, frame2, frame3, frame4] = [0, 1, 2, 3, 4].map(|t| frames.get(t).copied());
        let (out, confidence) = (self.out, self.confidence);
        gpu.launch(&SOURCE, "phase_flow")
            .constant("FRAMES", frames.len())
            .constant("DISPLACED", place.sampling == PhaseSampling::Displaced)
            .constant("COARSER", coarser.is_some())
            .constant("BY_FIT", constraints.weighing == PhaseWeighing::ByFit)
            .bind(&Bindings { block, frame0, frame1, frame2, frame3, frame4, coarser, out, confidence })
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
