//! Volumes and pictures that arrive one by one: latency, rate, and what is allocated on the way.

use crate::{BenchError, Figure};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use veloxel::pipelines::engine::{Engine, EngineFrame, EngineImage, EngineRequest};
use veloxel::pipelines::{DenseDraft, MethodChoice, PairRequest, pair};
use veloxel_core::{Dimension, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_report::LatencyReport;

/// What is streamed, and the bars of its latency (ms, 99 %) and rate (fields a second) on a GPU.
struct Stream {
    name: &'static str,
    dimension: Dimension,
    side: usize,
    method: &'static str,
    bars: Option<[f64; 2]>,
}

/// Milliseconds that a volume of 128³ may take on two cores.
const PROCESSOR_MS: f64 = 1500.0;
const STREAMS: [Stream; 5] = [
    volumes("volumes of 128³, clg fast", 128, Some([10.0, 100.0])),
    volumes("volumes of 64³, clg fast", 64, None),
    pictures("pictures of 512², clg fast", "clg"),
    pictures("pictures of 512², lucas-kanade fast", "lucas-kanade"),
    pictures("pictures of 512², block-matching fast", "block-matching"),
];
/// Time of each measurement, and its fewest and most fields.
const SPAN: Duration = Duration::from_secs(2);
const LEAST: usize = 6;
const MOST: usize = 1000;
/// Fields before the clock runs: kernels are compiled and memory is allocated.
const WARM: usize = 3;
/// Results on the way from the device.
const IN_FLIGHT: usize = 2;

const fn volumes(name: &'static str, side: usize, bars: Option<[f64; 2]>) -> Stream {
    Stream { name, dimension: Dimension::Three, side, method: "clg", bars }
}

const fn pictures(name: &'static str, method: &'static str) -> Stream {
    Stream { name, dimension: Dimension::Two, side: 512, method, bars: None }
}

/// The bench `streams`: every stream from frames in host memory to fields in host memory.
pub(crate) fn streams(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for stream in &STREAMS {
        figures.extend(stream.measure(device)?);
    }
    Ok(figures)
}

/// Latencies, and allocations on the device a field.
struct Paced {
    latency: Option<LatencyReport>,
    allocations: f64,
}

impl Stream {
    fn measure(&self, device: &Device) -> Result<Vec<Figure>, BenchError> {
        let grid = isotropic_grid(self.dimension, self.side)?;
        let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
        let phantom = case.build(&grid);
        // There and back again.
        let frames = [phantom.fixed, phantom.moving];
        let mut draft = DenseDraft::named(self.method).map_err(veloxel::VeloxelError::from)?;
        draft.set_preset("fast").map_err(veloxel::VeloxelError::from)?;
        let differing = differing(&draft, &frames, device)?;
        let Paced { latency, allocations } = paced(&draft, &frames, device)?;
        let rate = rate(&draft, &frames, device)?;
        let figure = |what: &str, value, unit| Figure::new(format!("{}: {what}", self.name), value, unit);
        let gpu_bars = self.bars.filter(|_| device.is_gpu());
        let mut figures = Vec::new();
        if let Some(latency) = latency {
            figures.push(figure("latency from host to host, p50", latency.p50_ms, "ms"));
            let p99 = figure("latency from host to host, p99", latency.p99_ms, "ms");
            figures.push(match (gpu_bars, self.bars) {
                (Some([most_ms, _]), _) => p99.at_most(most_ms),
                (None, Some(_)) => p99.at_most(PROCESSOR_MS),
                (None, None) => p99,
            });
        }
        let rate = figure("rate, every field on the host", rate, "fields/s");
        figures.push(match gpu_bars {
            Some([_, least]) => rate.at_least(least),
            None => rate,
        });
        let allocations = figure("allocations a field after the second", allocations, "");
        // Results leave a processor with their memory.
        figures.push(if device.is_gpu() { allocations.at_most(0.0) } else { allocations });
        figures.push(figure("samples that differ from those of `flow`", differing, "").at_most(0.0));
        Ok(figures)
    }
}

fn image(draft: &DenseDraft, frames: &[Volume<f32>; 2], t: usize) -> Result<EngineImage, BenchError> {
    let image = EngineImage::for_method(draft, &frames[t % 2], "frame", &mut Warnings::new());
    Ok(image.map_err(veloxel::VeloxelError::from)?)
}

/// How many samples of the streamed fields differ from those of the same pairs.
fn differing(draft: &DenseDraft, frames: &[Volume<f32>; 2], device: &Device) -> Result<f64, BenchError> {
    let session = veloxel::Session::on(device.clone());
    let method = MethodChoice::new(draft.clone());
    let mut engine = Engine::new(EngineRequest::of_flow(draft), &session)?;
    let mut count = 0;
    for t in 0..3 {
        let Some(found) = engine.push(image(draft, frames, t)?, None)? else { continue };
        let Some(flow) = found.fetch()?.fields.and_then(|fields| fields.flow) else { continue };
        let [fixed, moving] = [t - 1, t].map(|t| &frames[t % 2]);
        let pair = pair(&PairRequest::new(fixed, moving, &method), &session)?;
        let both = flow.planar_vox().iter().zip(pair.found.flow.planar_vox());
        count += both.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    }
    Ok(count as f64)
}

/// Frame by frame: the next one comes once the field is there.
fn paced(draft: &DenseDraft, frames: &[Volume<f32>; 2], device: &Device) -> Result<Paced, BenchError> {
    let session = veloxel::Session::on(device.clone());
    let mut engine = Engine::new(EngineRequest::of_flow(draft), &session)?;
    let (mut start, mut times_ms, mut before) = (Instant::now(), Vec::new(), 0);
    for t in 0.. {
        let begin = Instant::now();
        let found = engine.push(image(draft, frames, t)?, None)?.map(EngineFrame::fetch).transpose()?;
        if t >= WARM {
            times_ms.push(begin.elapsed().as_secs_f64() * 1e3);
        } else {
            (start, before) = (Instant::now(), device.memory_stats().allocations);
        }
        if let Some(found) = found {
            found.reuse(device);
        }
        if times_ms.len() >= MOST || (times_ms.len() >= LEAST && start.elapsed() >= SPAN) {
            break;
        }
    }
    let allocations = (device.memory_stats().allocations - before) as f64 / times_ms.len().max(1) as f64;
    Ok(Paced { latency: LatencyReport::of(&times_ms), allocations })
}

/// Fields a second if the next frame is always there: one thread prepares frames, this one pushes them, another one fetches.
fn rate(draft: &DenseDraft, frames: &[Volume<f32>; 2], device: &Device) -> Result<f64, BenchError> {
    let session = veloxel::Session::on(device.clone());
    let mut engine = Engine::new(EngineRequest::of_flow(draft), &session)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<EngineFrame>(IN_FLIGHT);
        let fetching = scope.spawn(move || {
            let (mut start, mut count) = (Instant::now(), 0);
            for (nth, frame) in receiver.into_iter().enumerate() {
                frame.fetch()?.reuse(device);
                if nth + 1 > WARM { count += 1 } else { start = Instant::now() }
            }
            Ok::<_, veloxel::VeloxelError>(f64::from(count) / start.elapsed().as_secs_f64())
        });
        let (prepare, prepared) = sync_channel(IN_FLIGHT);
        scope.spawn(move || {
            // Until whoever pushes has had enough, or has failed.
            let mut images = (0..MOST).map(|t| image(draft, frames, t));
            while images.next().is_some_and(|image| prepare.send(image).is_ok()) {}
        });
        let start = Instant::now();
        for (t, image) in prepared.into_iter().enumerate() {
            let found = engine.push(image?, None)?;
            // Whoever fetches has failed, and says so itself.
            let has_failed = found.is_some_and(|found| sender.send(found).is_err());
            if has_failed || (t > WARM + LEAST && start.elapsed() >= SPAN) {
                break;
            }
        }
        drop(sender);
        Ok(fetching.join().expect("fetching fields should not panic")?)
    })
}
