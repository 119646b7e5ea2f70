//! Required speeds of whole runs on a GPU, and the comparison of its results with the processor's.

use crate::accuracy::{middlebury, volume_preservation};
use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel_core::{Dimension, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, DenseFlow, FlowExtras, Frame, ImagePair, Pair, PairMethod, SequenceField,
    SequenceFrames, SequenceMode, SequencePlan, run_sequence,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_phantoms::{Noise, Phantom, catalogue};

/// Number of runs, of which the median counts.
const RUNS: usize = 7;
const PAIR_SIZE: usize = 256;
const SEQUENCE: (usize, usize) = (200, 20);
/// Sizes of the phantoms that are compared vector by vector.
const COMPARED: [(Dimension, usize); 2] = [(Dimension::Two, 96), (Dimension::Three, 64)];

/// `gpu`: speed of whole runs.
pub(crate) fn gpu(device: &Device) -> Result<Vec<Figure>, BenchError> {
    if !device.is_gpu() {
        return Err(BenchError::NeedsGpu { bench: "gpu", device: device.info().description });
    }
    let mut figures = resident_pair(device)?;
    figures.push(sequence(device)?);
    Ok(figures)
}

/// Two volumes that differ by a smooth motion.
fn sinusoid(size: usize) -> Result<Phantom, BenchError> {
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    Ok(case.build(&isotropic_grid(Dimension::Three, size)?))
}

fn run(
    fixed: &Volume<f32>,
    moving: &Volume<f32>,
    params: &ClgParams,
    device: &Device,
) -> Result<DenseFlow, BenchError> {
    let pair = Pair::new(fixed, moving);
    Ok(Clg::new(fixed.grid(), params.clone(), device)?.run(&pair)?)
}

/// The longest difference of two fields, voxels.
fn most_vox(a: &DenseFlow, b: &DenseFlow) -> f64 {
    let distance = |i: usize| {
        let (a, b) = (a.flow.vector_vox(i), b.flow.vector_vox(i));
        a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    };
    (0..a.flow.grid().len()).map(distance).fold(0.0, f64::max)
}

/// The bench `agreement`: every phantom, and every available pair of pictures and the ventricle, on the device and on the
/// processor.
pub(crate) fn agreement(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let device = session.device;
    let cpu = Device::cpu(0)?;
    let mut figures = Vec::new();
    for (dimension, size) in COMPARED {
        for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
            let params = ClgParams::preset(preset, dimension);
            let (mut most, mut changed) = (0.0f64, 0usize);
            for phantom in catalogue::all(dimension, size)? {
                let (fixed, moving) = (&phantom.fixed, &phantom.moving);
                let first = run(fixed, moving, &params, device)?;
                changed += usize::from(run(fixed, moving, &params, device)?.flow != first.flow);
                most = most.max(most_vox(&first, &run(fixed, moving, &params, &cpu)?));
            }
            let what = format!("{preset:?}, phantoms of {size}{}", if size == 96 { "²" } else { "³" });
            figures
                .push(Figure::new(format!("{what}: most from the processor"), most, "voxel").at_most(1e-3));
            figures.push(Figure::new(format!("{what}: runs that differ"), changed as f64, "").at_most(0.0));
        }
    }
    for (name, [fixed, moving]) in middlebury::pairs(session)? {
        let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Two);
        let [first, reference] = [device, &cpu].map(|device| run(&fixed, &moving, &params, device));
        let most = most_vox(&first?, &reference?);
        figures.push(Figure::new(format!("{name}: most from the processor"), most, "voxel").at_most(1e-3));
    }
    if let Some(mouse) = volume_preservation::mouse(session)? {
        let preserving =
            |device: &Device| volume_preservation::estimate(device, &mouse, volume_preservation::BETA);
        let most = most_vox(&preserving(device)?, &preserving(&cpu)?);
        let name = &mouse.name;
        figures.push(Figure::new(format!("{name}: most from the processor"), most, "voxel").at_most(1e-3));
    }
    Ok(figures)
}

/// Compares a pair that is on the device already with the processor, with one thread and with all.
fn resident_pair(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let phantom = sinusoid(PAIR_SIZE)?;
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let mut method = Clg::new(phantom.fixed.grid(), params.clone(), device)?;
    let (fixed, moving) = (Frame::upload(device, &phantom.fixed)?, Frame::upload(device, &phantom.moving)?);
    let mut once = || -> Result<f64, BenchError> {
        device.synchronise()?;
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    // Compiled and allocated by the first.
    once()?;
    let mut times_ms = (0..RUNS).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
    times_ms.sort_by(f64::total_cmp);
    let resident_ms = times_ms[RUNS / 2];
    let mut figures =
        vec![Figure::new(format!("{PAIR_SIZE}³ pair, fast, resident"), resident_ms, "ms").at_most(25.0)];
    let (fixed, moving) = (&phantom.fixed, &phantom.moving);
    let timed = |device: &Device| -> Result<f64, BenchError> {
        let mut best_ms = f64::INFINITY;
        for _ in 0..2 {
            let start = Instant::now();
            run(fixed, moving, &params, device)?;
            best_ms = best_ms.min(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(best_ms)
    };
    figures.push(Figure::new(format!("{PAIR_SIZE}³ pair, from host to host"), timed(device)?, "ms"));
    let (one_ms, all_ms) = (timed(&Device::cpu(1)?)?, timed(&Device::cpu(0)?)?);
    figures.push(Figure::new("processor, one thread", one_ms, "ms"));
    figures.push(Figure::new("processor, all threads", all_ms, "ms"));
    figures.push(Figure::new("one thread over resident", one_ms / resident_ms, "×").at_least(150.0));
    figures.push(Figure::new("all threads over resident", all_ms / resident_ms, "×"));
    Ok(figures)
}

/// Times frames that go to the device one by one, and fields that come back.
fn sequence(device: &Device) -> Result<Figure, BenchError> {
    let (size, count) = SEQUENCE;
    // Opened for this alone, so that a profile of it stands alone.
    let device = &Device::named(&device.info().name, 0)?;
    let phantom = sinusoid(size)?;
    let frames: Vec<Volume<f32>> =
        (0..count).map(|t| if t % 2 == 0 { phantom.fixed.clone() } else { phantom.moving.clone() }).collect();
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let plan = SequencePlan { mode: SequenceMode::Consecutive, reference: 0, extras: FlowExtras::default() };
    let mut best_s = f64::INFINITY;
    for _ in 0..3 {
        let mut method = Clg::new(phantom.fixed.grid(), params.clone(), device)?;
        let start = Instant::now();
        let frames = SequenceFrames::new(&frames);
        let mut deliver = |field: SequenceField| {
            field.output.reuse(device);
            Ok(())
        };
        run_sequence::<BenchError>(&mut method, frames, plan, &mut deliver)?;
        best_s = best_s.min(start.elapsed().as_secs_f64());
    }
    Ok(Figure::new(format!("{size}³ × {count} frames, transfers included"), best_s, "s").at_most(0.4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_refused_at_once() {
        let error = gpu(&Device::cpu(1).unwrap()).unwrap_err();
        assert!(matches!(error, BenchError::NeedsGpu { bench: "gpu", .. }));
        assert!(!error.to_string().contains('\n'));
    }
}
