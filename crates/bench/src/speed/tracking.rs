//! Points followed between two pictures that are on the device already.

use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel_core::Grid;
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::matching::sparse_lucas_kanade::{PointSearch, SparseLucasKanade};
use veloxel_kernels::phase::gabor::{Levels, Picture, Pyramid};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

const PICTURE: [usize; 2] = [1920, 1080];
const POINTS: usize = 100_000;
const LEVELS: usize = 4;
/// Half width of a window, and the required times of two cores and a GPU, ms.
const WINDOWS: [(usize, [f64; 2]); 2] = [(4, [180.0, 0.3]), (10, [700.0, 1.0])];
/// Number of runs, of which the fastest counts.
const RUNS: usize = 7;

/// The bench `tracking`: 100,000 points of a picture of 1920×1080, windows of 9² and 21²; pyramids are made before.
pub(crate) fn tracking(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let device = session.device;
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let phantom = case.build(&Grid::image(PICTURE[0], PICTURE[1])?);
    let white = phantom.fixed.data().iter().copied().fold(0.0, f32::max);
    let mut figures = Vec::new();
    for (radius, [processor_ms, gpu_ms]) in WINDOWS {
        let levels = Levels::new(PICTURE, 2 * radius + 1, LEVELS);
        let pyramid = |samples: &[f32]| -> Result<Buffer, BenchError> {
            let picture = Picture::from_samples(device, samples)?;
            let mut out = device.scratch(levels.len())?;
            Pyramid { levels: &levels, pictures: &[&picture], out: &mut [&mut out] }.run(device)?;
            Ok(out)
        };
        let pyramids = [pyramid(phantom.fixed.data())?, pyramid(phantom.moving.data())?];
        let search = PointSearch {
            radius,
            iterations: 20,
            tolerance_px: 0.01,
            least_eigenvalue: 1.5e-6 * white * white,
        };
        let time_ms = fastest_ms(device, &levels, search, pyramids.each_ref())?;
        let side = 2 * radius + 1;
        let figure =
            Figure::new(format!("{POINTS} points, window {side}², 4 levels, resident"), time_ms, "ms");
        figures.push(figure.at_most(if device.is_gpu() { gpu_ms } else { processor_ms }));
    }
    Ok(figures)
}

fn fastest_ms(
    device: &Device,
    levels: &Levels,
    search: PointSearch,
    [first, second]: [&Buffer; 2],
) -> Result<f64, BenchError> {
    // Points on a lattice, between pixels.
    let across = (POINTS as f64 * PICTURE[0] as f64 / PICTURE[1] as f64).sqrt().ceil() as usize;
    let down = POINTS.div_ceil(across);
    let along = |k: usize, count: usize, side: usize| (k as f32 + 0.5) * side as f32 / count as f32;
    let x = device.upload((0..POINTS).map(|i| along(i % across, across, PICTURE[0])).collect())?;
    let y = device.upload((0..POINTS).map(|i| along(i / across, down, PICTURE[1])).collect())?;
    let mut out: Vec<Buffer> = (0..4).map(|_| device.scratch(POINTS)).collect::<Result<_, _>>()?;
    let mut fastest_ms = f64::INFINITY;
    for _ in 0..RUNS {
        let [moved_x, moved_y, error, fate] = &mut out[..] else { unreachable!("there are four") };
        device.synchronise()?;
        let start = Instant::now();
        let kernel = SparseLucasKanade {
            levels,
            search,
            first,
            second,
            points: [&x, &y],
            guesses: None,
            moved: [moved_x, moved_y],
            error,
            fate,
        };
        kernel.run(device)?;
        device.synchronise()?;
        fastest_ms = fastest_ms.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(fastest_ms)
}
