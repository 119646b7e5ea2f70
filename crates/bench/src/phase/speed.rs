//! Frames a second and latency of flow, stereo and features together.

use crate::{BenchError, Figure};
use std::time::{Duration, Instant};
use veloxel_gpu::Device;
use veloxel_motion::phase::parameters::StereoSmoothing;
use veloxel_motion::{
    ConfidenceChoice, Delivery, FeatureScales, LeavingFields, PhaseEngine, PhaseFields, PhaseFrame,
    PhaseImage, PhaseOutputs, PhaseParameters, PhaseWanted,
};
use veloxel_report::LatencyReport;

/// Pixels of a frame; frames a second required of a GPU with frames on the device, and with their upload.
const SIZES: [([usize; 2], f64, Option<f64>); 2] =
    [([640, 512], 3000.0, None), ([1280, 1024], 1500.0, Some(1000.0))];
/// Frames a second required of two cores on the smaller size.
const PROCESSOR_FPS: f64 = 20.0;
/// Latency of the larger size on a GPU that 99 % of the frames keep, milliseconds.
const LATENCY_MS: f64 = 1.5;
/// The types in which all results of a frame are delivered; frames a second required of the larger size on a GPU, and the time
/// from host to host that 99 % of them keep, milliseconds.
const DELIVERED: [&str; 3] = ["f32", "f16", "f16,confidence=u8,orientation=u8,phase=u8"];
const DELIVERED_FPS: f64 = 700.0;
const DELIVERED_MS: f64 = 3.0;
/// Frames on their way from the device while the next one is pushed.
const UNDER_WAY: usize = 2;
/// Number of different frames, pushed in turn.
const FRAMES: usize = 8;
/// Time of each measurement, and its fewest and most frames.
const SPAN: Duration = Duration::from_millis(1500);
const LEAST: usize = 12;
const MOST: usize = 4000;

pub(super) fn speed(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (size, resident_fps, upload_fps) in SIZES {
        let [nx, ny] = size;
        let wanted = PhaseWanted { flow: true, stereo: true, features: true };
        let parameters =
            PhaseParameters { stereo_smoothing: StereoSmoothing::Off, ..PhaseParameters::default() };
        let mut engine = PhaseEngine::new(size, wanted, parameters, device)?;
        let pictures: Vec<[Vec<u8>; 2]> = (0..FRAMES).map(|t| pair(size, t as f32)).collect();
        let upload = |bytes: &[u8]| engine.upload(PhaseImage::Bytes(bytes));
        let resident: Vec<[PhaseFrame; 2]> = (pictures.iter())
            .map(|[left, right]| Ok::<_, BenchError>([upload(left)?, upload(right)?]))
            .collect::<Result<_, _>>()?;
        let on_device = |t: usize| resident[t % FRAMES].each_ref().map(PhaseImage::Resident);
        let from_host = |t: usize| pictures[t % FRAMES].each_ref().map(|bytes| PhaseImage::Bytes(bytes));

        let measured = frames_a_second(&mut engine, on_device)?;
        let figure = |what: &str, value, unit| Figure::new(format!("{nx} × {ny}, {what}"), value, unit);
        let sustained = figure("all three, frames resident", measured, "fps");
        figures.push(match (device.is_gpu(), nx) {
            (true, _) => sustained.at_least(resident_fps),
            (false, 640) => sustained.at_least(PROCESSOR_FPS),
            (false, _) => sustained,
        });
        let uploaded = figure("all three, with upload", frames_a_second(&mut engine, from_host)?, "fps");
        figures.push(match upload_fps.filter(|_| device.is_gpu()) {
            Some(least) => uploaded.at_least(least),
            None => uploaded,
        });
        let fetched = latencies(&mut engine, from_host, Until::OnHost, device)?;
        if let Some(latency) = latencies(&mut engine, from_host, Until::OnDevice, device)? {
            figures.push(figure("latency from host to results on the device, p50", latency.p50_ms, "ms"));
            let p99 = figure("latency from host to results on the device, p99", latency.p99_ms, "ms");
            figures.push(if device.is_gpu() && nx == 1280 { p99.at_most(LATENCY_MS) } else { p99 });
        }
        if let Some(latency) = fetched {
            figures.push(figure("latency from host to host, p50", latency.p50_ms, "ms"));
            figures.push(figure("latency from host to host, p99", latency.p99_ms, "ms"));
        }
        for types in DELIVERED {
            let Delivered { fps, latency } = delivered(&mut engine, from_host, types, device)?;
            let sustained = figure(&format!("host to host, {types}, sustained"), fps, "fps");
            let is_held = device.is_gpu() && nx == 1280;
            figures.push(if is_held { sustained.at_least(DELIVERED_FPS) } else { sustained });
            if let Some(latency) = latency {
                let p99 = figure(&format!("host to host, {types}, latency p99"), latency.p99_ms, "ms");
                figures.push(if is_held { p99.at_most(DELIVERED_MS) } else { p99 });
            }
        }
    }
    Ok(figures)
}

/// Left and right picture at a time, in 8 bits.
fn pair([nx, ny]: [usize; 2], t: f32) -> [Vec<u8>; 2] {
    [0.0, 4.0].map(|shift| {
        let at = |i: usize| texture((i % nx) as f32 - t + shift, (i / nx) as f32 + 0.5 * t);
        (0..nx * ny).map(|i| at(i).round().clamp(0.0, 255.0) as u8).collect()
    })
}

/// Waves of every octave, in directions that do not repeat; about 128 ± 100.
pub(crate) fn texture(x: f32, y: f32) -> f32 {
    let wave = |k: usize| {
        let (octave, k) = ((k % 6) as f32, k as f32);
        let frequency = 1.6 / (octave + 0.05 * k).exp2();
        (frequency * (x * (2.4 * k).cos() + y * (2.4 * k).sin()) + 1.7 * k).sin()
    };
    128.0 + 22.0 * (0..12).map(wave).sum::<f32>()
}

/// Frames a second if the device always has the next frame.
fn frames_a_second<'f>(
    engine: &mut PhaseEngine,
    frame: impl Fn(usize) -> [PhaseImage<'f>; 2],
) -> Result<f64, BenchError> {
    // Compiled and allocated by the first; afterwards every push has results.
    for t in 0..FRAMES {
        let [left, right] = frame(t);
        engine.push(left, Some(right))?;
    }
    engine.synchronise()?;
    let (start, mut count) = (Instant::now(), 0);
    while count < LEAST || (start.elapsed() < SPAN && count < MOST) {
        let [left, right] = frame(count);
        engine.push(left, Some(right))?;
        count += 1;
        // The host must not run away from the clock.
        if count.is_multiple_of(64) {
            engine.synchronise()?;
        }
    }
    engine.synchronise()?;
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

/// The moment at which a frame counts as done.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    OnDevice,
    OnHost,
}

fn latencies<'f>(
    engine: &mut PhaseEngine,
    frame: impl Fn(usize) -> [PhaseImage<'f>; 2],
    until: Until,
    device: &Device,
) -> Result<Option<LatencyReport>, BenchError> {
    let (start, mut times_ms) = (Instant::now(), Vec::new());
    while times_ms.len() < LEAST || (start.elapsed() < SPAN && times_ms.len() < MOST) {
        let [left, right] = frame(times_ms.len());
        let begin = Instant::now();
        let outputs = engine.push(left, Some(right))?;
        if let Some(outputs) = outputs.filter(|_| until == Until::OnHost) {
            fetched(&outputs)?.reuse(device);
        }
        engine.synchronise()?;
        times_ms.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(LatencyReport::of(&times_ms))
}

/// How all results of a stream arrive.
struct Delivered {
    fps: f64,
    /// From a frame in memory to its results in memory, where the engine has the frames that it needs.
    latency: Option<LatencyReport>,
}

/// Frames a second of which all results arrive in memory, fetched by a thread while the next frames are pushed; and the time of a
/// frame alone.
fn delivered<'f>(
    engine: &mut PhaseEngine,
    frame: impl Fn(usize) -> [PhaseImage<'f>; 2],
    types: &str,
    device: &Device,
) -> Result<Delivered, BenchError> {
    let types = types.parse().expect("the types should be some");
    let delivery = Delivery { types, confidences: ConfidenceChoice::Taken, scales: FeatureScales::Finest };
    let mut push = |t: usize| -> Result<Option<LeavingFields>, BenchError> {
        let [left, right] = frame(t);
        let outputs = engine.push(left, Some(right))?;
        Ok(outputs.map(|outputs| outputs.deliver(&delivery)).transpose()?)
    };
    let fetch = |leaving: LeavingFields| -> Result<(), BenchError> {
        leaving.fetch()?.reuse(device);
        Ok(())
    };
    let (start, mut times_ms) = (Instant::now(), Vec::new());
    while times_ms.len() < LEAST || (start.elapsed() < SPAN && times_ms.len() < MOST) {
        let begin = Instant::now();
        let Some(leaving) = push(times_ms.len())? else { continue };
        fetch(leaving)?;
        times_ms.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let (start, mut count) = (Instant::now(), 0);
    std::thread::scope(|scope| -> Result<(), BenchError> {
        let (send, receive) = std::sync::mpsc::sync_channel(UNDER_WAY);
        let fetching = scope.spawn(move || receive.into_iter().try_for_each(fetch));
        while count < LEAST || (start.elapsed() < SPAN && count < MOST) {
            let Some(leaving) = push(count)? else { continue };
            count += 1;
            if send.send(leaving).is_err() {
                break;
            }
        }
        drop(send);
        fetching.join().expect("the thread should not panic")
    })?;
    Ok(Delivered { fps: count as f64 / start.elapsed().as_secs_f64(), latency: LatencyReport::of(&times_ms) })
}

/// All that was found for a frame, at full resolution.
fn fetched(outputs: &PhaseOutputs<'_>) -> Result<PhaseFields, BenchError> {
    let (flow, stereo) = (outputs.flow()?, outputs.stereo()?);
    let (flow, flow_confidence) = flow.map(|found| (found.flow, found.confidence)).unzip();
    let (disparity_px, disparity_confidence) =
        stereo.map(|found| (found.disparity_px, found.confidence)).unzip();
    let mut features = outputs.features(1)?.map_or(Vec::new(), |found| found.levels).into_iter();
    let finest = features.next();
    let coarser_features = features.collect();
    Ok(PhaseFields {
        flow,
        flow_confidence,
        disparity_px,
        disparity_confidence,
        features: finest,
        coarser_features,
    })
}
