//! Methods whose vectors come from windows of their own: error, density and confidence of pictures, and the time of a pair.

use crate::accuracy::confidence::over_random;
use crate::accuracy::middlebury::{NamedPair, pairs, truth};
use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel_core::{Control, Volume};
use veloxel_gpu::Device;
use veloxel_measure::flow_error;
use veloxel_motion::{AnyMethod, DenseDraft, Frame, ImagePair, MethodOpening, PairMethod};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

/// A method, and its required results.
struct Bars {
    method: &'static str,
    /// Mean end-point error of the accurate preset, px.
    error_px: f64,
    /// Greatest time of the fast preset, ms: on two cores where a copy runs at 40 GB/s, and on a GPU.
    times_ms: [f64; 2],
    /// Levels of the pyramid for the bar of GPUs.
    levels: usize,
}

const BARS: [Bars; 2] = [
    Bars { method: "lucas-kanade", error_px: 0.30, times_ms: [60.0, 0.15], levels: 3 },
    Bars { method: "block-matching", error_px: 0.40, times_ms: [250.0, 0.5], levels: 5 },
];
/// Greatest error of Lucas-Kanade as in the paper on this pair, px.
const PAPER: (&str, f64) = ("RubberWhale", 0.30);
/// Greatest area under the sparsification curve over that of a random order.
const CONFIDENCE: f64 = 0.6;
/// Least share of the pixels that have a vector.
const DENSITY: f64 = 0.95;
const PRESETS: [&str; 2] = ["accurate", "fast"];
/// The size of a picture whose time is measured.
const PICTURE: [usize; 2] = [640, 480];
/// Number of runs, of which the fastest counts: other programs may have slowed the others.
const RUNS: usize = 30;

/// `local`: every method's figures.
pub(crate) fn local(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let pictures = pairs(session)?;
    figures.extend(of_the_paper(session, &pictures)?);
    for bars in &BARS {
        for preset in PRESETS {
            figures.extend(accuracy(session, bars, preset, &pictures)?);
        }
        if !session.is_quick {
            for preset in PRESETS {
                let setup = Setup { method: bars.method, preset, levels: None };
                figures.push(time(session.device, bars, setup)?);
            }
            if session.device.is_gpu() {
                let setup = Setup { method: bars.method, preset: "fast", levels: Some(bars.levels) };
                figures.push(time(session.device, bars, setup)?);
            }
        }
    }
    Ok(figures)
}

/// The error of Lucas-Kanade as in the paper.
fn of_the_paper(session: &Session<'_>, pictures: &[NamedPair]) -> Result<Option<Figure>, BenchError> {
    let (name, most_px) = PAPER;
    let Some((_, [fixed, moving])) = pictures.iter().find(|(pair, _)| *pair == name) else { return Ok(None) };
    let Some(truth) = truth(session, name)? else { return Ok(None) };
    let setup = Setup { method: BARS[0].method, preset: "paper", levels: None };
    let found = opened(session.device, setup, fixed)?.run(&veloxel_motion::Pair::new(fixed, moving))?;
    let error = flow_error(&found.flow, &truth, None, &Control::default())?.end_point_vox.mean;
    let what = format!("{} paper, {name}: end-point error", setup.method);
    Ok(Some(Figure::new(what, error, "px").at_most(most_px)))
}

/// A method, its preset, and its most levels, if they differ from those of the preset.
#[derive(Clone, Copy)]
struct Setup<'a> {
    method: &'a str,
    preset: &'a str,
    levels: Option<usize>,
}

/// A method, opened for an image's grid.
fn opened(device: &Device, setup: Setup<'_>, image: &Volume<f32>) -> Result<Box<dyn PairMethod>, BenchError> {
    let mut draft = DenseDraft::named(setup.method).map_err(veloxel_motion::MotionError::from)?;
    draft.set_preset(setup.preset).map_err(veloxel_motion::MotionError::from)?;
    if let Some(levels) = setup.levels {
        draft.set("max_levels", levels.into(), "").map_err(veloxel_motion::MotionError::from)?;
    }
    let opening = MethodOpening {
        grid: image.grid(),
        image: image.grid(),
        frames: 2,
        white: 255.0,
        draft: &draft,
        device,
    };
    match opening.open()?.method {
        AnyMethod::Pair(method) => Ok(method),
        AnyMethod::Window(_) => unreachable!("a local method should take pairs"),
    }
}

/// Errors, densities and quality of confidences, pair by pair and in the mean.
fn accuracy(
    session: &Session<'_>,
    bars: &Bars,
    preset: &str,
    pictures: &[NamedPair],
) -> Result<Vec<Figure>, BenchError> {
    let (mut figures, mut sums) = (Vec::new(), [0.0; 2]);
    let mut least_density = 1.0f64;
    for (name, [fixed, moving]) in pictures {
        let Some(truth) = truth(session, name)? else { continue };
        let setup = Setup { method: bars.method, preset, levels: None };
        let mut method = opened(session.device, setup, fixed)?;
        let found = method.run(&veloxel_motion::Pair::new(fixed, moving))?;
        let error = flow_error(&found.flow, &truth, None, &Control::default())?;
        let ratio = over_random(&found, &truth, None)?;
        let unknown = found.flow.component_vox(0).iter().filter(|v| v.is_nan()).count();
        least_density = least_density.min(1.0 - unknown as f64 / fixed.grid().len() as f64);
        sums = [sums[0] + error.end_point_vox.mean, sums[1] + ratio];
        let what = format!("{} {preset}, {name}", bars.method);
        figures.push(Figure::new(format!("{what}: end-point error"), error.end_point_vox.mean, "px"));
        figures.push(Figure::new(format!("{what}: confidence over random"), ratio, ""));
    }
    if figures.is_empty() {
        return Ok(figures);
    }
    let [error, ratio] = sums.map(|sum| sum / pictures.len() as f64);
    let what = format!("{} {preset}, mean", bars.method);
    let mean = Figure::new(format!("{what}: end-point error"), error, "px");
    figures.push(if preset == PRESETS[0] { mean.at_most(bars.error_px) } else { mean });
    figures.push(Figure::new(format!("{what}: confidence over random"), ratio, "").at_most(CONFIDENCE));
    let what = format!("{} {preset}: least density", bars.method);
    figures.push(Figure::new(what, least_density, "").at_least(DENSITY));
    Ok(figures)
}

/// The time of a pair that is on the device already.
fn time(device: &Device, bars: &Bars, setup: Setup<'_>) -> Result<Figure, BenchError> {
    let Setup { method: name, preset, levels } = setup;
    let [nx, ny] = PICTURE;
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let phantom = case.build(&veloxel_core::Grid::image(nx, ny)?);
    let mut method = opened(device, setup, &phantom.fixed)?;
    let (fixed, moving) = (Frame::upload(device, &phantom.fixed)?, Frame::upload(device, &phantom.moving)?);
    let mut least_ms = f64::INFINITY;
    for _ in 0..RUNS {
        device.synchronise()?;
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        least_ms = least_ms.min(start.elapsed().as_secs_f64() * 1e3);
    }
    let levels_said = levels.map_or(String::new(), |levels| format!(", {levels} levels"));
    let what = format!("{name} {preset}, {nx}×{ny}{levels_said}, resident");
    let figure = Figure::new(what, least_ms, "ms");
    let [processor_ms, gpu_ms] = bars.times_ms;
    Ok(match (preset, levels, device.is_gpu()) {
        ("fast", None, false) => figure.at_most(processor_ms),
        (_, Some(_), _) => figure.at_most(gpu_ms),
        _ => figure,
    })
}
