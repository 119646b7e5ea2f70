//! Gabor pyramid: an image (`f32`, or bytes) in; the phases of the responses of eight oriented quadrature pairs on every level
//! out, and local features: energy, orientation and phase of every pixel.
//!
//! (Pauwels, Tomasi, Díaz Alonso, Ros, Van Hulle, "A comparison of FPGA and GPU for real-time phase-based optical flow,
//! stereo, and local image features", IEEE Trans. Computers 61 (2012), sections 2 and 3, eq. 1-7; filters of Sabatini et al.
//! 2010.)
//!
//! *Pyramid*: (1 4 6 4 1)/16 per axis, then every second pixel: pixel `X` of a level lies at `2X` of the finer one.
//! *Filters*: `g(x) g(y) exp(jω₀(x cos θ + y sin θ))`, ω₀ = π/2, θ_q = qπ/8, 11×11, with `g` a Gaussian lowered so that it ends
//! at zero, as sums of products of one-dimensional ones: nine convolutions along y and seventeen along x. Even filters have no
//! response to a constant: for one-dimensional filters with next to no constant part it is removed; the diagonals, whose odd
//! filters need theirs, lose a share of the Gaussian instead. All orientations then respond equally to long waves, and edges
//! and lines do not seem turned.
//! *Gain*: a grating of amplitude 1 with the peak frequency has a response of magnitude 1. *Border*: the last pixel is
//! repeated. *Halo*: 5 pixels, 2 for the pyramid.
//!
//! *Lanes*: the orientations in the order q = 0, 4, 1, 7, 2, 6, 3, 5, so that lanes `2k` and `2k + 1` share their
//! one-dimensional filters.
//!
//! *Phases*: a pixel has sixteen bytes, two for each lane: in the upper fifteen bits the phase as a fraction of a turn, in the
//! lowest whether the response has one. So differences wrap as angles do, and are the same integers everywhere. Shaders read
//! them as four words a pixel, lane `2k` in the lower half of word `k`; [`turns`] makes fractions of them.
//!
//! *Features*: `E = Σ ρ²`, `θ = ½ arg Σ ρ e^{2jθ_q}` in [0, π), `φ = atan2(S, C)` in (−π, π] with
//! `S = Σ S_q ρ² cos(θ_q − θ)` and `C = Σ C_q ρ² |cos(θ_q − θ)|`: 0 on a bright line, ±π/2 on edges, π on a dark line;
//! intensity² and radians. Orientation and phase are NaN where no response has a phase.

mod cpu;
mod directions;
mod features;
mod gpu;
mod levels;

pub(crate) use directions::{
    BLOCK, Block, PerLane, Pixels, alternate, by_lane, per_lane, product_over_lanes, sum_over_lanes,
};
pub use levels::{Levels, MOST_LEVELS};

use crate::image::quantise::FixedPoint;
use crate::kernel::{Kernel, Launcher, Lengths};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Device};

/// Number of orientations.
pub const ORIENTATIONS: usize = 8;
/// The orientation q of each lane.
pub(crate) const LANE_ORIENTATIONS: [usize; ORIENTATIONS] = [0, 4, 1, 7, 2, 6, 3, 5];
/// The peak frequency ω₀ of the finest level, radians per pixel.
pub(crate) const PEAK_FREQUENCY: f64 = FRAC_PI_2;
/// Number of pixels on either side that a filter reaches.
pub(crate) const RADIUS: usize = 5;
/// Number of one-dimensional filters: the Gaussian, then even and odd ones of the frequencies ω₀ cos(kπ/8), k = 0..4.
pub(crate) const FILTERS: usize = 9;

/// Cosine and sine of a lane's orientation.
pub fn direction(lane: usize) -> [f64; 2] {
    let q = LANE_ORIENTATIONS[lane];
    // Exactly across: the vertical orientation sees no horizontal shift.
    let cos = if q == 4 { 0.0 } else { (q as f64 * PI / 8.0).cos() };
    let sin = if q == 0 { 0.0 } else { (q as f64 * PI / 8.0).sin() };
    [cos, sin]
}

/// The one-dimensional filters, weights from the centre outwards; odd ones belong to `f(+k) − f(−k)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Filters {
    pub(crate) weights: [[f32; RADIUS + 1]; FILTERS],
    /// Response of the diagonal even filters to a constant, as a share of the response of the Gaussian along both axes.
    pub(crate) diagonal_constant: f32,
}

impl Filters {
    /// Filters of a standard deviation, pixels.
    pub fn new(sigma_px: f64) -> Self {
        let at = |k: f64| (-0.5 * (k / sigma_px).powi(2)).exp();
        // Zero on the first pixel that is not there: a step at the end leaks, and moves features three times as far.
        let gauss = |k: usize| at(k as f64) - at((RADIUS + 1) as f64);
        let sum = |f: &dyn Fn(usize) -> f64| f(0) + 2.0 * (1..=RADIUS).map(f).sum::<f64>();
        let total = sum(&gauss);
        // Twice the mean of a cosine's square: a grating of amplitude 1 is answered by 1.
        let gain = 2f64.sqrt() / total;
        let mut weights = [[0.0; RADIUS + 1]; FILTERS];
        weights[0] = std::array::from_fn(|k| (gain * gauss(k)) as f32);
        let mut shares = [0.0; 4];
        for (order, share) in shares.iter_mut().enumerate() {
            let frequency = PEAK_FREQUENCY * (order as f64 * PI / 8.0).cos();
            let even = |k: usize| gauss(k) * (frequency * k as f64).cos();
            *share = sum(&even) / total;
            // Under half a per cent at the two highest frequencies: no filter made of them misses it.
            let constant = if order < 2 { *share } else { 0.0 };
            weights[1 + 2 * order] = std::array::from_fn(|k| (gain * (even(k) - constant * gauss(k))) as f32);
            weights[2 + 2 * order] =
                std::array::from_fn(|k| (-gain * gauss(k) * (frequency * k as f64).sin()) as f32);
        }
        Self { weights, diagonal_constant: (shares[2] * shares[2]) as f32 }
    }
}

/// How the responses across orientations become one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    /// Sums weighted by energy and by orientation (eq. 6-7).
    Weighted,
    /// The plain sums `S = Σ S_q`, `C = Σ C_q` (section 3.2: the hardware's), in which odd responses of opposite directions
    /// cancel.
    Plain,
}

/// Filters, and how their responses are used.
#[derive(Debug, Clone, PartialEq)]
pub struct Bank {
    /// The one-dimensional filters.
    pub filters: Filters,
    /// The rounding of responses; none for exact ones.
    pub rounding: Option<FixedPoint>,
    /// Magnitude above which a response has a phase.
    pub least_magnitude: f32,
    /// The sums that features are made of.
    pub sums: Sums,
}

/// An image in the memory of a device, samples or bytes; cheap to clone.
#[derive(Debug, Clone)]
pub enum Picture {
    /// Samples, one a pixel, row by row.
    Samples(Arc<Buffer>),
    /// Bytes, one a pixel, row by row.
    Bytes(Arc<Buffer<u8>>),
}

impl Picture {
    /// An image of samples, row by row.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_samples(device: &Device, samples: &[f32]) -> Result<Self, ComputeError> {
        Ok(Self::of(device.upload_copy(samples)?))
    }

    /// An image of bytes, row by row: a quarter of the transfer.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_bytes(device: &Device, bytes: &[u8]) -> Result<Self, ComputeError> {
        Ok(Self::Bytes(Arc::new(device.upload_copy(bytes)?)))
    }

    /// The image of samples in a buffer.
    pub fn of(samples: Buffer) -> Self {
        Self::Samples(Arc::new(samples))
    }
}

/// Writes the pyramids of one or two images, level after level, the finest first.
#[derive(Debug)]
pub struct Pyramid<'a, 'b> {
    /// Sizes of the levels.
    pub levels: &'a Levels,
    /// One image or two.
    pub pictures: &'a [&'a Picture],
    /// A pyramid for each image.
    pub out: &'a mut [&'b mut Buffer],
}

impl Kernel for Pyramid<'_, '_> {
    const NAME: &'static str = "pyramid";
    type Output = ();

    /// # Panics
    /// Unless there are one or two images, and a pyramid for each.
    fn check(&self, lengths: &mut Lengths) {
        let (count, pixels) = (self.pictures.len(), self.levels.pixels(0));
        assert!(matches!(count, 1 | 2) && count == self.out.len(), "one pyramid an image, two at most");
        for (picture, out) in self.pictures.iter().zip(self.out.iter()) {
            match picture {
                Picture::Samples(samples) => lengths.of("picture", samples, pixels),
                Picture::Bytes(bytes) => lengths.of("picture", bytes, pixels),
            };
            lengths.of("out", out, self.levels.len());
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (picture, out) in self.pictures.iter().zip(self.out) {
            let out = out.host_mut();
            match picture {
                Picture::Samples(samples) => out[..samples.len()].copy_from_slice(samples.host()),
                Picture::Bytes(bytes) => {
                    out.iter_mut().zip(bytes.host()).for_each(|(sample, &byte)| *sample = f32::from(byte));
                }
            }
            cpu::pyramid(cpu, self.levels, out);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::pyramid(gpu, self.levels, self.pictures, self.out)
    }
}

/// The results wanted of every level of an image pyramid; pixels of all levels follow each other.
#[derive(Debug)]
pub struct LocalPhaseOutputs<'a> {
    /// Phases, [`ORIENTATIONS`] a pixel, one for each lane.
    pub phases: Option<&'a mut Buffer<u16>>,
    /// Energy, orientation and phase.
    pub features: Option<&'a mut [Buffer; 3]>,
}

/// Filters every level of an image pyramid and writes the results that are wanted.
#[derive(Debug)]
pub struct LocalPhase<'a> {
    /// Sizes of the levels.
    pub levels: &'a Levels,
    /// Filters, and how their responses are used.
    pub bank: &'a Bank,
    /// The image pyramid.
    pub image: &'a Buffer,
    /// Where results are written.
    pub out: LocalPhaseOutputs<'a>,
}

impl Kernel for LocalPhase<'_> {
    const NAME: &'static str = "local_phase";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.levels.len();
        lengths.of("image", self.image, n).optional("phases", self.out.phases.as_deref(), ORIENTATIONS * n);
        if let Some(features) = &self.out.features {
            lengths.field("features", &features[..], 3, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::local_phase(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::local_phase(gpu, self)
    }
}

/// The phases of one level on the host, in turns from 0 to 1: all pixels lane by lane, NaN where a response has no phase.
///
/// # Errors
/// As [`Device::read`].
pub fn turns(
    device: &Device,
    levels: &Levels,
    level: usize,
    phases: &Buffer<u16>,
) -> Result<Vec<f32>, ComputeError> {
    let (start, n) = (levels.start(level), levels.pixels(level));
    let part = ORIENTATIONS * start..ORIENTATIONS * (start + n);
    let phases = device.read_parts(&[(phases, part)])?.concat();
    let turn = |phase: u16| if phase & 1 == 1 { f32::from(phase & !1) / 65_536.0 } else { f32::NAN };
    let lane = |lane: usize| phases[lane..].iter().step_by(ORIENTATIONS).map(|&phase| turn(phase));
    Ok((0..ORIENTATIONS).flat_map(lane).collect())
}
