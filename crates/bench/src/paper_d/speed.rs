//! Table 7: time of a frame with flow, stereo and features, on one scale and on six.

use super::published::{SPEED, SPEED_PLATFORMS};
use super::{Extent, paper};
use crate::BenchError;
use crate::experiments::{Comparison, Machine, Row};
use crate::phase::speed::texture;
use std::time::{Duration, Instant};
use veloxel_gpu::Device;
use veloxel_motion::{PhaseEngine, PhaseImage, PhaseParameters, PhaseWanted};

/// Scales of the paper.
pub(super) const SCALES: usize = 6;
/// Number of different frames, pushed in turn.
const FRAMES: usize = 6;
/// Distance of both cameras' pictures, pixels.
const DISPARITY_PX: usize = 4;
/// Frames after which the host waits for the device, so that it does not run away from the clock.
const TOGETHER: usize = 64;

/// The paper's engine: everything is found, and stereo is not checked.
pub(super) fn parameters(scales: usize) -> PhaseParameters {
    PhaseParameters { max_levels: scales, stereo_check_px: 0.0, ..paper() }
}

/// Left and right frames of a moving texture, 8 bits a pixel: parts of one picture, as contents hardly matter to a time.
pub(super) fn film([nx, ny]: [usize; 2]) -> Vec<[Vec<u8>; 2]> {
    let width = nx + FRAMES + DISPARITY_PX;
    let sample = |i: usize| texture((i % width) as f32, (i / width) as f32).round().clamp(0.0, 255.0) as u8;
    let picture: Vec<u8> = (0..width * (ny + FRAMES)).map(sample).collect();
    let part = |left: usize, top: usize| -> Vec<u8> {
        let row = |y: usize| &picture[(top + y) * width + left..][..nx];
        (0..ny).flat_map(row).copied().collect()
    };
    (0..FRAMES).map(|t| [part(FRAMES - t, t / 2), part(FRAMES - t + DISPARITY_PX, t / 2)]).collect()
}

pub(super) fn table_7(machines: &[Machine], extent: Extent) -> Result<Comparison, BenchError> {
    let films = extent.sizes.map(film);
    let mut rows = Vec::new();
    for scales in [1, SCALES] {
        for (nth, size) in extent.sizes.into_iter().enumerate() {
            let time = |machine: &Machine| {
                let mut engine = engine(&machine.device, size, scales)?;
                frame_ms(&mut engine, &films[nth], extent)
            };
            let times = machines.iter().map(time);
            let times = times.collect::<Result<Vec<f64>, _>>()?;
            let is_of_paper = |row: &&super::published::SpeedRow| {
                row.is_multiscale == (scales > 1) && row.size == super::published::SIZES[nth]
            };
            let published = SPEED.iter().find(is_of_paper).filter(|row| row.size == size);
            let [nx, ny] = size;
            let pixels = (nx * ny) as f64;
            let what = format!("{nx} × {ny}, {}", if scales > 1 { "six scales" } else { "one scale" });
            let values = |of: &dyn Fn(f64) -> f64| times.iter().map(|&ms| Some(of(ms))).collect();
            let columns = [
                ("time of a frame", "ms", values(&|ms| ms)),
                ("frames a second", "Hz", values(&|ms| 1e3 / ms)),
                ("throughput", "MP/s", values(&|ms| 1e-3 * pixels / ms)),
            ];
            for (column, (name, unit, ours)) in columns.into_iter().enumerate() {
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

fn engine(device: &Device, size: [usize; 2], scales: usize) -> Result<PhaseEngine, BenchError> {
    let wanted = PhaseWanted { flow: true, stereo: true, features: true };
    Ok(PhaseEngine::new(size, wanted, parameters(scales), device)?)
}

/// Time of a frame in a stream whose frames are on the device already, milliseconds.
fn frame_ms(engine: &mut PhaseEngine, film: &[[Vec<u8>; 2]], extent: Extent) -> Result<f64, BenchError> {
    let upload = |bytes: &Vec<u8>| engine.upload(PhaseImage::Bytes(bytes));
    let frames: Vec<_> = (film.iter())
        .map(|[left, right]| Ok([upload(left)?, upload(right)?]))
        .collect::<Result<_, BenchError>>()?;
    let push = |engine: &mut PhaseEngine, t: usize| -> Result<(), BenchError> {
        let [left, right] = frames[t % FRAMES].each_ref().map(PhaseImage::Resident);
        engine.push(left, Some(right))?;
        Ok(())
    };
    // Compiled and allocated by the first; afterwards every push has results.
    for t in 0..FRAMES {
        push(engine, t)?;
    }
    engine.synchronise()?;
    let (start, mut count) = (Instant::now(), 0);
    while count < extent.least_frames || start.elapsed() < Duration::from_secs_f64(extent.span_s) {
        push(engine, count)?;
        count += 1;
        if count.is_multiple_of(TOGETHER) {
            engine.synchronise()?;
        }
    }
    engine.synchronise()?;
    Ok(1e3 * start.elapsed().as_secs_f64() / count as f64)
}
