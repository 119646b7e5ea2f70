//! Table 7: time of a frame with flow, stereo and features, on one scale and on six.

use super::published::{SPEED, SPEED_PLATFORMS};
use super::{Extent, paper};
use crate::BenchError;
use crate::experiments::{Comparison, Machine, Row};
use crate::phase::speed::pair;
use std::time::{Duration, Instant};
use veloxel_gpu::Device;
use veloxel_motion::{PhaseEngine, PhaseImage, PhaseParameters, PhaseWanted};

/// Scales of the paper.
pub(super) const SCALES: usize = 6;
/// Number of different frames, pushed in turn.
const FRAMES: usize = 6;
/// Frames after which the host waits for the device, so that it does not run away from the clock.
const TOGETHER: usize = 64;

/// The paper's engine: everything is found, and stereo is not checked.
pub(super) fn parameters(scales: usize) -> PhaseParameters {
    PhaseParameters { max_levels: scales, stereo_check_px: 0.0, ..paper() }
}

pub(super) fn table_7(machines: &[Machine], extent: Extent) -> Result<Comparison, BenchError> {
    let mut rows = Vec::new();
    for scales in [1, SCALES] {
        for (nth, size) in extent.sizes.into_iter().enumerate() {
            let times = machines.iter().map(|machine| frame_ms(&machine.device, size, scales, extent));
            let times = times.collect::<Result<Vec<f64>, _>>()?;
            let is_of_paper = |row: &&super::published::SpeedRow| {
                row.is_multiscale == (scales > 1) && row.size == super::published::SIZES[nth]
            };
            let published = SPEED.iter().find(is_of_paper).filter(|row| row.size == size);
            let [nx, ny] = size;
            let pixels = (nx * ny) as f64;
            let what = format!("{nx} × {ny}, {}", if scales > 1 { "six scales" } else { "one scale" });
            let values: [(&str, &'static str, &dyn Fn(f64) -> f64); 3] = [
                ("time of a frame", "ms", &|ms| ms),
                ("frames a second", "Hz", &|ms| 1e3 / ms),
                ("throughput", "MP/s", &|ms| 1e-3 * pixels / ms),
            ];
            for (column, (name, unit, value)) in values.into_iter().enumerate() {
                let ours = times.iter().map(|&ms| Some(value(ms))).collect();
                let theirs = published.into_iter().flat_map(|row| row.platforms.map(|of| Some(of[column])));
                rows.push(Row::new(format!("{what}: {name}"), unit, ours).beside(theirs));
            }
        }
    }
    Ok(Comparison {
        title: "Speed (Table 7)".to_owned(),
        place: "Table 7",
        note: "Flow of five frames, stereo without a check, and features of every frame of a stream."
            .to_owned(),
        measured: machines.iter().map(|machine| machine.role.name().to_owned()).collect(),
        published: SPEED_PLATFORMS,
        rows,
    })
}

/// Time of a frame in a stream whose frames are on the device already, milliseconds.
fn frame_ms(device: &Device, size: [usize; 2], scales: usize, extent: Extent) -> Result<f64, BenchError> {
    let wanted = PhaseWanted { flow: true, stereo: true, features: true };
    let mut engine = PhaseEngine::new(size, wanted, parameters(scales), device)?;
    let frames: Vec<_> = (0..FRAMES)
        .map(|t| {
            let [left, right] = pair(size, t as f32);
            Ok([engine.upload(PhaseImage::Bytes(&left))?, engine.upload(PhaseImage::Bytes(&right))?])
        })
        .collect::<Result<_, BenchError>>()?;
    let push = |engine: &mut PhaseEngine, t: usize| -> Result<(), BenchError> {
        let [left, right] = frames[t % FRAMES].each_ref().map(PhaseImage::Resident);
        engine.push(left, Some(right))?;
        Ok(())
    };
    // Compiled and allocated by the first; afterwards every push has results.
    for t in 0..FRAMES {
        push(&mut engine, t)?;
    }
    engine.synchronise()?;
    let (start, mut count) = (Instant::now(), 0);
    while count < extent.least_frames || start.elapsed() < Duration::from_secs_f64(extent.span_s) {
        push(&mut engine, count)?;
        count += 1;
        if count.is_multiple_of(TOGETHER) {
            engine.synchronise()?;
        }
    }
    engine.synchronise()?;
    Ok(1e3 * start.elapsed().as_secs_f64() / count as f64)
}
