//! Gabor pyramid: an image (`f32`, or bytes) in, the responses of eight oriented quadrature pairs on every level out.
//!
//! (Pauwels, Tomasi, Díaz Alonso, Ros, Van Hulle, "A comparison of FPGA and GPU for real-time phase-based optical flow,
//! stereo, and local image features", IEEE Trans. Computers 61 (2012), section 2, eq. 1-2; filters of Sabatini et al. 2010.)
//!
//! *Pyramid*: (1 4 6 4 1)/16 per axis, then every second pixel: pixel `X` of a level lies at `2X` of the finer one.
//! *Filters*: `g(x) g(y) exp(jω₀(x cos θ + y sin θ))`, ω₀ = π/2, θ_q = qπ/8, 11×11, with `g` a Gaussian lowered so that it ends
//! at zero, as sums of products of one-dimensional ones: nine convolutions along y and seventeen along x. Even filters have no
//! response to a constant: one-dimensional ones with next to no constant part lose it; the diagonals, whose odd filters need
//! theirs, lose a share of the Gaussian instead. So orientations see long waves alike, and edges and lines do not seem turned.
//! *Gain*: a grating of amplitude 1 with the peak frequency has a response of magnitude 1. *Border*: the last pixel is
//! repeated. *Halo*: 5 pixels, 2 for the pyramid.
//!
//! *Lanes*: the orientations in the order q = 0, 1, 2, 3, 4, 7, 6, 5, so that lanes `k` and `k + 4` share their
//! one-dimensional filters. Responses are stored as the device likes them best: pixel by pixel on the processor (eight even,
//! eight odd ones), in four planes of four numbers (even and odd of lanes `k` and `k + 4`) on a GPU; [`planes`] gives both alike.

mod cpu;
mod directions;
mod gpu;
mod levels;

pub(crate) use directions::{
    BLOCK, Block, PerLane, Pixels, by_lane, each, over_lanes, pairs, per_lane, product_over_lanes,
    sum_over_lanes,
};
pub use levels::Levels;

use crate::device::Kind;
use crate::{Buffer, ComputeError, Device};
use std::f64::consts::{FRAC_PI_2, PI};

/// Orientations.
pub const ORIENTATIONS: usize = 8;
/// Numbers a pixel: an even and an odd response for every orientation.
pub const RESPONSES: usize = 2 * ORIENTATIONS;
/// The orientation q of each lane.
pub const LANE_ORIENTATIONS: [usize; ORIENTATIONS] = [0, 1, 2, 3, 4, 7, 6, 5];
/// ω₀ of the finest level, radians per pixel.
pub const PEAK_FREQUENCY: f64 = FRAC_PI_2;
/// Pixels on either side that a filter reaches.
pub(crate) const RADIUS: usize = 5;
/// One-dimensional filters: the Gaussian, then even and odd ones of the frequencies ω₀ cos(kπ/8), k = 0..4.
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
    /// What the diagonal even filters see of a constant, as a share of what the Gaussian along both axes sees.
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

/// An image in the memory of a device: samples, or bytes where the device reads them itself.
#[derive(Debug)]
pub struct Picture {
    buffer: Buffer,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Samples,
    /// Four bytes a number, the first in the lowest bits.
    Bytes,
}

impl Picture {
    /// Samples, row by row.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_samples(device: &Device, samples: &[f32]) -> Result<Self, ComputeError> {
        Ok(Self { buffer: device.upload_copy(samples)?, form: Form::Samples })
    }

    /// Bytes, row by row: a quarter of the transfer.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_bytes(device: &Device, bytes: &[u8]) -> Result<Self, ComputeError> {
        if !device.is_gpu() {
            let samples = bytes.iter().map(|&b| f32::from(b)).collect();
            return Ok(Self { buffer: device.upload(samples)?, form: Form::Samples });
        }
        let mut packed = vec![0.0f32; bytes.len().div_ceil(4)];
        bytemuck::cast_slice_mut::<f32, u8>(&mut packed)[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { buffer: device.upload(packed)?, form: Form::Bytes })
    }

    /// The image of a buffer.
    pub fn of(samples: Buffer) -> Self {
        Self { buffer: samples, form: Form::Samples }
    }
}

/// Writes the pyramids of one or two images, level after level, the finest first.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the levels.
pub fn pyramid(
    device: &Device,
    levels: &Levels,
    pictures: &[&Picture],
    out: &mut [&mut Buffer],
) -> Result<(), ComputeError> {
    assert!(
        matches!(pictures.len(), 1 | 2) && pictures.len() == out.len(),
        "one pyramid an image, two at most"
    );
    let pixels = levels.pixels(0);
    for (picture, out) in pictures.iter().zip(out.iter()) {
        let numbers = if picture.form == Form::Bytes { pixels.div_ceil(4) } else { pixels };
        picture.buffer.require(numbers, "pyramid", "picture")?;
        out.require(levels.len(), "pyramid", "out")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => {
            for (picture, out) in pictures.iter().zip(out.iter_mut()) {
                cpu::pyramid(cpu, levels, picture.buffer.host(), out.host_mut());
            }
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::pyramid(&**gpu, levels, pictures, out),
    }
}

/// Writes the responses of every level of a pyramid.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the levels.
pub fn responses(
    device: &Device,
    (levels, filters): (&Levels, &Filters),
    image: &Buffer,
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(levels.len(), "responses", "image")?;
    out.require(RESPONSES * levels.len(), "responses", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            cpu::responses(cpu, (levels, filters), image.host(), out.host_mut());
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::responses(&**gpu, (levels, filters), image, out),
    }
}

/// The responses of one level on the host: for every lane the even ones of all pixels, then the odd ones.
///
/// # Errors
/// As [`Device::read`].
pub fn planes(
    device: &Device,
    (levels, level): (&Levels, usize),
    responses: &Buffer,
) -> Result<Vec<f32>, ComputeError> {
    let all = device.read(responses)?;
    let (start, n) = (RESPONSES * levels.start(level), levels.pixels(level));
    let here = &all[start..start + RESPONSES * n];
    let index = |lane: usize, part: usize, i: usize| match device.is_gpu() {
        false => RESPONSES * i + ORIENTATIONS * part + lane,
        true => 4 * ((lane % 4) * n + i) + 2 * (lane / 4) + part,
    };
    let mut out = Vec::with_capacity(here.len());
    for lane in 0..ORIENTATIONS {
        for part in 0..2 {
            out.extend((0..n).map(|i| here[index(lane, part, i)]));
        }
    }
    Ok(out)
}
