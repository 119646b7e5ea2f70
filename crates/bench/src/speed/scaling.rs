//! `scaling`: one pair of volumes on one GPU and on several that work as one device.

use super::scaling_model::{COUNTED, CountedRun, Rates};
use crate::{BenchError, Figure, Session};
use std::slice::{from_mut, from_ref};
use std::sync::Arc;
use std::time::Instant;
use veloxel_core::{Dimension, Shape, Volume};
use veloxel_gpu::{ComputeError, Device, LaunchCounts};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::resample::Resample;
use veloxel_motion::{Clg, ClgParams, ClgPreset, FlowExtras, Frame, ImagePair, MotionError, PairMethod};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_phantoms::{Noise, Phantom};

/// Lengths of the edges of the cubes, in voxels; those that a device has no memory for are left out.
const SIZES: [usize; 8] = [256, 384, 512, 768, 1024, 1280, 1472, 1536];
/// Lengths of the edges in the quick form.
const QUICK: [usize; 2] = [256, 512];
/// Length of the edge of the phantom that all cubes are interpolated from: its motion keeps its Jacobian, and so folds nowhere.
const PHANTOM: usize = 256;
/// Number of runs, of which the median counts.
const RUNS: usize = 5;
/// Bytes a voxel below which no run was seen: a device with less is not tried.
const LEAST_BYTES_PER_VOXEL: u64 = 64;

/// `scaling`: resident time on the device and on the first of its GPUs alone, and the samples in which the fields differ.
pub(crate) fn scaling(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let device = session.device;
    if !device.is_gpu() {
        return Err(BenchError::NeedsGpu { bench: "scaling", device: device.info().description });
    }
    let name = device.info().name;
    let one = Device::named(first_of(&name), 0)?;
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let phantom = case.build(&isotropic_grid(Dimension::Three, PHANTOM)?);
    let mut figures = Vec::new();
    let model = if session.predicts { Some(Model::of(device, &one, &phantom)?) } else { None };
    let sizes = if session.is_quick { &QUICK[..] } else { &SIZES };
    let is_asked = |name: &str| session.only.as_ref().is_none_or(|only| name.contains(only));
    for &size in sizes.iter().filter(|&&size| is_asked(&size.to_string()) && may_hold(device, size)) {
        let pair = enlarged(&phantom, size)?;
        let alone = if may_hold(&one, size) { timed(&one, &pair)? } else { None };
        let together = timed(device, &pair)?;
        if let Some(model) = &model {
            let gpus = [(1, &alone), (device.gpus(), &together)];
            let measured = gpus.iter().filter_map(|(gpus, timed)| Some((*gpus, timed.as_ref()?.ms)));
            figures.extend(measured.flat_map(|(gpus, ms)| model.beside(size, gpus, ms)));
        }
        let mut add = |what: &str, value: f64, unit: &'static str| {
            figures.push(Figure::new(format!("{size}³, {what}"), value, unit));
        };
        if let Some(Timed { ms, .. }) = &alone {
            add("resident on the first GPU", *ms, "ms");
        }
        if let Some(Timed { ms, bytes_per_voxel, .. }) = &together {
            add(&format!("resident on {name}"), *ms, "ms");
            add("memory", *bytes_per_voxel, "bytes a voxel");
        }
        if let (Some(alone), Some(together)) = (alone, together) {
            add("speed-up", alone.ms / together.ms, "×");
            let pairs = alone.field.iter().zip(&together.field);
            let differ = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
            figures
                .push(Figure::new(format!("{size}³, samples that differ"), differ as f64, "").at_most(0.0));
        }
    }
    if is_asked("sequence") {
        figures.extend(super::sequence_scaling::sequence(device, &one, session.is_quick)?);
    }
    figures.extend(model.iter().flat_map(Model::elsewhere));
    Ok(figures)
}

/// Whether a device may have the memory for a pair of cubes; what does not say how much it has is tried.
fn may_hold(device: &Device, size: usize) -> bool {
    let least = LEAST_BYTES_PER_VOXEL * (size as u64).pow(3);
    device.info().memory_bytes.is_none_or(|bytes| bytes > least)
}

/// The launches of a run, and the rates of this machine.
struct Model {
    run: CountedRun,
    rates: Rates,
}

impl Model {
    /// Counts the launches of a size, measures it and one of twice the edge on one GPU, and the rates of it and of all.
    fn of(device: &Device, one: &Device, phantom: &Phantom) -> Result<Self, BenchError> {
        let rates = Rates::measured(one, device)?;
        let counted = |size: usize| {
            let pair = enlarged(phantom, size)?;
            let counts = Arc::new(LaunchCounts::default());
            run_once(&one.counting(counts.clone()), &pair)?;
            Ok::<_, BenchError>((pair, counts))
        };
        let (pair, counts) = counted(COUNTED)?;
        let (larger, of_larger) = counted(2 * COUNTED)?;
        let ms = |pair| Ok::<_, BenchError>(timed(one, pair)?.map_or(f64::NAN, |timed| timed.ms));
        let (of_counted, of_larger) = (counts.at_least(0), of_larger.at_least(0));
        let rates = rates.fitted([(ms(&pair)?, of_counted), (ms(&larger)?, of_larger)]);
        let per_doubling = of_larger.launches.saturating_sub(of_counted.launches);
        Ok(Self { run: CountedRun { counts, per_doubling }, rates })
    }

    /// What the model says of a run that was measured.
    fn beside(&self, size: usize, gpus: usize, measured_ms: f64) -> [Figure; 2] {
        let predicted_ms = self.rates.predicted_ms(&self.run, size, gpus);
        let on = if gpus == 1 { "1 GPU".to_owned() } else { format!("{gpus} GPUs") };
        let ratio =
            Figure::new(format!("{size}³ on {on}, predicted over measured"), predicted_ms / measured_ms, "");
        [Figure::new(format!("{size}³ on {on}, predicted"), predicted_ms, "ms"), ratio.between(0.85, 1.15)]
    }

    /// The measured rates, and what the model says of larger cubes and more GPUs.
    fn elsewhere(&self) -> Vec<Figure> {
        let Rates { copy, share, launch_s, wait_s, link, .. } = self.rates;
        let mut figures = vec![
            Figure::new("copy on one GPU, read and written", copy / 1e9, "GB/s"),
            Figure::new("share of it that a run reaches", share, ""),
            Figure::new("start of a launch", 1e6 * launch_s, "µs"),
        ];
        if wait_s > 0.0 {
            figures.push(Figure::new("wait for each other", 1e6 * wait_s, "µs"));
            figures.push(Figure::new("link, read of another GPU", link / 1e9, "GB/s"));
        }
        for size in LARGER {
            for gpus in MORE {
                let ms = self.rates.predicted_ms(&self.run, size, gpus);
                figures.push(Figure::new(format!("{size}³ on {gpus} GPUs, predicted"), ms, "ms"));
            }
        }
        figures
    }
}

/// Edges of cubes, and numbers of GPUs, of which the model tells what was not measured.
const LARGER: [usize; 4] = [1024, 2048, 4096, 8192];
const MORE: [usize; 6] = [2, 4, 8, 64, 256, 1000];

/// Estimates the flow of a pair, and leaves it.
fn run_once(device: &Device, [fixed, moving]: &[Volume<f32>; 2]) -> Result<(), BenchError> {
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let mut method = Clg::new(fixed.grid(), params, device)?;
    let frames = [Frame::upload(device, fixed)?, Frame::upload(device, moving)?];
    Ok(method.estimate(ImagePair::new(&frames[0], &frames[1]))?.wait()?)
}

/// The name of the first GPU of a device.
fn first_of(name: &str) -> &str {
    match name {
        "cuda:all" => "cuda",
        several => several.split(',').next().unwrap_or(several),
    }
}

/// The pair of a phantom at another size, linearly interpolated.
fn enlarged(phantom: &Phantom, size: usize) -> Result<[Volume<f32>; 2], BenchError> {
    let (cpu, grid) = (Device::cpu(0)?, isotropic_grid(Dimension::Three, size)?);
    let [input_shape, output_shape] = [phantom.fixed.grid(), &grid].map(Shape::of);
    let of = |volume: &Volume<f32>| {
        let (input, mut output) = (cpu.upload_copy(volume.data())?, cpu.zeros::<f32>(grid.len())?);
        let (input, out) = (from_ref(&input), from_mut(&mut output));
        Resample { input, input_shape, output: out, output_shape, factor: 1.0 }.run(&cpu)?;
        Ok::<_, BenchError>(Volume::new(grid.clone(), cpu.download(output)?)?)
    };
    Ok([of(&phantom.fixed)?, of(&phantom.moving)?])
}

/// What a device found, and how long it took with both images in its memory.
struct Timed {
    ms: f64,
    bytes_per_voxel: f64,
    /// All components in voxels, one after the other.
    field: Vec<f32>,
}

/// Runs a pair; none if the device has not enough memory.
fn timed(device: &Device, [fixed, moving]: &[Volume<f32>; 2]) -> Result<Option<Timed>, BenchError> {
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let found = (|| {
        let mut method = Clg::new(fixed.grid(), params, device)?;
        let frames = [Frame::upload(device, fixed)?, Frame::upload(device, moving)?];
        let mut times_ms = Vec::new();
        let mut last = None;
        // The first run compiles and allocates.
        for _ in 0..=RUNS {
            drop(last.take());
            device.synchronise()?;
            let start = Instant::now();
            let found = method.estimate(ImagePair::new(&frames[0], &frames[1]))?;
            device.synchronise()?;
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
            last = Some(found);
        }
        let mut timed = times_ms.split_off(1);
        timed.sort_by(f64::total_cmp);
        let bytes_per_voxel = device.memory_stats().most_used_bytes as f64 / fixed.grid().len() as f64;
        let field = last.expect("a run leaves a field").finish(FlowExtras::default())?.flow.into_planar_vox();
        Ok::<_, MotionError>(Timed { ms: timed[RUNS / 2], bytes_per_voxel, field })
    })();
    device.release_kept();
    match found {
        Ok(timed) => Ok(Some(timed)),
        Err(MotionError::Compute(ComputeError::OutOfMemory { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_gpu_is_found_by_its_name() {
        let names =
            [("cuda:all", "cuda"), ("cuda:2,0", "cuda:2"), ("cuda:1", "cuda:1"), ("vulkan", "vulkan")];
        for (name, first) in names {
            assert_eq!(first_of(name), first);
        }
    }
}
