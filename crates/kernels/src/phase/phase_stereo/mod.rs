//! Disparity of one level from the phase differences of two rectified images.
//!
//! (Pauwels et al. 2012, section 4, eq. 8-11.) `δ_q = [φ_R(x − d) − φ_L(x)] / (ω₀ cos θ_q)` around the coarser estimate `d`,
//! for every orientation except the one that does not respond to a horizontal shift, and the median over those with a phase on
//! both sides. With both views the right image's disparity is found as well, for the check of one against the other. A phase
//! between pixels lies on the line through the nearest one's and that of the next one on that side; it counts where the former
//! has one.
//!
//! *Units*: pixels of the level; positive for `x_right = x_left − d`. *Out*: one plane, or two in one buffer, of `d` and the
//! increment: NaN where the coarser estimate is unknown, where too few orientations have a phase, and where the match lies
//! outside the other image; confidence `Σ_q 1/(1 + 4 (δ_q − δ)²) / 7`. *Border*: samples outside are those of the border.
//! *Halo*: `|d|` + 1.

mod cpu;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::phase::gabor::{ORIENTATIONS, alternate};
use crate::phase::phase_flow::{PhaseLevel, PhaseSampling};
use crate::shared::{EXPANSION, NAN, PHASES};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("phase stereo", Bindings, [NAN, EXPANSION, PHASES], "phase_stereo.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width and height of this level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Index of this level's first pixel in the phases (x).
            start: vec4<u32>,
            /// Smallest number of valid orientations (x), scale of the spread (y).
            limits: vec4<f32>,
            /// Pixels per unit of angle for lanes 0, 2, 4, 6 and then 1, 3, 5, 7.
            per_angle: [vec4<f32>; 2],
        },
        left: read vec4<u32> as u16,
        right: read vec4<u32> as u16,
        coarser: may_read f32,
        out: write f32,
        confidence: write f32,
    }
}

/// The views whose disparity is estimated; each is one plane of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    /// The left image.
    Left = 1,
    /// The left image, then the right image.
    Both = 2,
}

impl Views {
    /// Number of planes of an estimate.
    pub fn count(self) -> usize {
        self as usize
    }
}

/// Which phase differences count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Votes {
    /// Number of orientations that must have a phase difference, at most seven.
    pub min_orientations: usize,
    /// The views whose disparity is estimated.
    pub views: Views,
}

/// Scale of the distance from the median, in pixels: an orientation counts by 1/(1 + this · distance²).
pub(crate) const SPREAD_SCALE: f32 = 4.0;

/// Estimates the disparity of a level.
#[derive(Debug)]
pub struct PhaseStereo<'a> {
    /// The level. If phases are sampled in place, the right ones belong to an image that was warped onto the left one, and only
    /// [`Views::Left`] is possible.
    pub place: PhaseLevel<'a>,
    /// Which phase differences count.
    pub votes: Votes,
    /// Phases of the left image.
    pub left: &'a Buffer<u16>,
    /// Phases of the right image.
    pub right: &'a Buffer<u16>,
    /// The estimates of the next coarser level, a plane a view.
    pub coarser: Option<&'a Buffer>,
    /// The estimates, a plane a view, pixels.
    pub out: &'a mut Buffer,
    /// The confidences, a plane a view.
    pub confidence: &'a mut Buffer,
}

impl Kernel for PhaseStereo<'_> {
    const NAME: &'static str = "phase_stereo";
    type Output = ();

    /// If both views of phases that are sampled in place are wanted.
    fn check(&self, lengths: &mut Lengths) {
        let (levels, views) = (self.place.levels, self.votes.views.count());
        assert!(views == 1 || self.place.sampling == PhaseSampling::Displaced, "a warped image has one view");
        let n = levels.pixels(self.place.level);
        lengths
            .of("left", self.left, ORIENTATIONS * levels.len())
            .of("right", self.right, ORIENTATIONS * levels.len())
            .optional("coarser", self.coarser, views * self.place.coarser_pixels())
            .of("out", self.out, views * n)
            .of("confidence", self.confidence, views * n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::phase_stereo(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { place, votes: Votes { min_orientations, views }, .. } = self;
        let ([nx, ny], [cx, cy]) = (place.size(), place.coarser_size());
        let block = Block {
            size: [nx, ny, cx, cy].into(),
            start: [place.levels.start(place.level)].into(),
            limits: [min_orientations.max(1) as f32, SPREAD_SCALE].into(),
            per_angle: alternate(&cpu::pixels_per_angle()),
        };
        let Self { left, right, coarser, out, confidence, .. } = self;
        gpu.launch(&SOURCE, "phase_stereo")
            .constant("DISPLACED", place.sampling == PhaseSampling::Displaced)
            .constant("COARSER", coarser.is_some())
            .bind(&Bindings { block, left, right, coarser, out, confidence })
            .run([cover(nx, 32), cover(ny, 4), views.count() as u32])
    }
}
