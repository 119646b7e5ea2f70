//! Time and memory of pairs of volumes, preset `fast`.

use crate::{BenchError, Figure};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use veloxel_core::{Control, Dimension};
use veloxel_gpu::Device;
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, Pair, PairMethod};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};

/// The cost of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VolumeCost {
    /// Voxels along each axis.
    pub size: usize,
    /// Seconds from images in memory to field, confidence and statistics: the faster of two runs.
    pub time_s: f64,
    /// Most memory that the process held while it ran, images included, in volumes of `f32`; none if unknown.
    pub peak_volumes: Option<f64>,
    /// Mean end-point error in the interior, voxels.
    pub error_vox: f64,
}

/// Runs a pair of volumes of this size in a fresh process, which has memory of its own.
pub type InFreshProcess<'a> = &'a dyn Fn(usize) -> Result<VolumeCost, BenchError>;

/// Runs a pair of `size`³; the memory is that of the pair only in a process of its own.
///
/// # Errors
/// Whatever the run fails with.
pub fn volume_cost(size: usize, device: &Device) -> Result<VolumeCost, BenchError> {
    let grid = isotropic_grid(Dimension::Three, size)?;
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let phantom = case.build(&grid);
    let (fixed, moving) = (phantom.fixed, phantom.moving);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let pair = Pair::new(&fixed, &moving);
    // The truth and the masks are not the method's memory.
    let held = veloxel_held_bytes(&phantom.truth, &phantom.interior);
    reset_peak();
    let mut time_s = f64::INFINITY;
    let mut last = None;
    for _ in 0..2 {
        // Given back first: two results at once are not one pair's memory.
        drop(last.take());
        let start = Instant::now();
        let mut method = Clg::new(&grid, params.clone(), device)?;
        last = Some(method.run(&pair)?);
        time_s = time_s.min(start.elapsed().as_secs_f64());
    }
    let volume_bytes = 4.0 * grid.len() as f64;
    let peak_volumes = peak_bytes().map(|peak| (peak - held) / volume_bytes);
    let error_vox = match &last {
        Some(output) => {
            flow_error(&output.flow, &phantom.truth, Some(&phantom.interior), &Control::default())?
                .end_point_vox
                .mean
        }
        None => f64::NAN,
    };
    Ok(VolumeCost { size, time_s, peak_volumes, error_vox })
}

/// `volumes`: 64³, 128³ and 256³.
pub(crate) fn volumes(cost: InFreshProcess<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let mut smallest_per_voxel = f64::INFINITY;
    let mut largest_per_voxel: f64 = 0.0;
    for (size, most_s) in [(64, 0.1), (128, 0.7), (256, 6.0)] {
        let cost = cost(size)?;
        let per_voxel_ns = cost.time_s * 1e9 / (size as f64).powi(3);
        smallest_per_voxel = smallest_per_voxel.min(per_voxel_ns);
        largest_per_voxel = per_voxel_ns;
        figures.push(Figure::new(format!("{size}³, fast"), cost.time_s, "s").at_most(most_s));
        figures.push(Figure::new(format!("{size}³, per voxel"), per_voxel_ns, "ns"));
        figures.push(Figure::new(format!("{size}³, mean end-point error"), cost.error_vox, "voxels"));
        if let Some(peak) = cost.peak_volumes {
            let peak = Figure::new(format!("{size}³, peak memory"), peak, "volumes of f32");
            figures.push(if size == 256 { peak.at_most(24.0) } else { peak });
        }
    }
    let ratio = largest_per_voxel / smallest_per_voxel;
    figures.push(Figure::new("256³ over the best, per voxel", ratio, "×").at_most(1.15));
    Ok(figures)
}

/// Number of bytes of the truth's components and of the interior's mask.
fn veloxel_held_bytes(truth: &veloxel_core::Flow, interior: &veloxel_core::Mask) -> f64 {
    (12 * truth.grid().len() + interior.data().len()) as f64
}

/// Resets the peak of memory, on systems that can (Linux).
fn reset_peak() {
    // Without it the peak includes the phantom's making: too large, never too small.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory held so far (Linux).
fn peak_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}
