//! The tables of the paper on finite-element registration on this machine: seconds a frame by Levenberg-Marquardt and by
//! gradient descent, steps to one energy, and what more elements cost.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, "GPU accelerated non-rigid registration for the evaluation of cardiac function",
//! MICCAI 2008, Table 1 and section 5.
//!
//! *As in the paper*: a region of 128 × 128 pixels; frames one after the other, and all of them together, 10 slices × 30
//! frames. The paper's frames are those of a patient; ours are a textured pair whose motion is known, as contents hardly matter
//! to a time.

use crate::paper_a::{Machine, PaperAMachine, machines, middle};
use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel_core::{Dimension, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::finite_elements::parameters::{ElementCover, Optimiser};
use veloxel_motion::{
    FiniteElements, FiniteElementsParams, FiniteElementsPreset, Frame, ImagePair, Pair, PairMethod,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Scale, Series};

/// Pixels of the paper's region along an axis.
const SIDE: usize = 128;
/// Slices and frames of a batch.
const BATCH: usize = 10 * 30;
/// Slices and frames of a batch in the quick form.
const QUICK_BATCH: usize = 8;
/// Number of measurements, of which the median counts.
const RUNS: usize = 9;
/// Most steps of gradient descent.
const MOST_DESCENT_STEPS: usize = 2000;
/// Share of the energy that Levenberg-Marquardt removes that counts as the same energy.
const SAME: f64 = 0.999;
/// Lengths of elements whose times are compared, pixels.
const LENGTHS: [f64; 5] = [32.0, 16.0, 8.0, 4.0, 2.0];
/// The paper's times, s a frame: Levenberg-Marquardt on a processor and two GPUs, gradient descent on one of them.
const PUBLISHED: [(&str, f64); 4] =
    [("LM, 2.0 GHz", 2.12), ("LM, 7700 Go", 0.85), ("LM, 7950 GTX", 0.46), ("GD, 7700 Go", 8.7)];

/// The bench `paper-c`.
pub(super) fn paper_c(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let phantom = phantom(SIDE)?;
    let mut figures: Vec<Figure> =
        PUBLISHED.iter().map(|(what, s)| Figure::new(format!("paper, {what}"), 1e3 * s, "ms")).collect();
    let machines = machines(session.device)?;
    for Machine { role, device, .. } in &machines {
        let name = role.name();
        let bar = match role {
            PaperAMachine::Gpu => Some(3.0),
            PaperAMachine::AllThreads => Some(40.0),
            PaperAMachine::OneThread => None,
        };
        let ms = pair_ms(device, &accurate(), &phantom)?;
        let figure = Figure::new(format!("LM, one pair, {name}"), ms, "ms");
        figures.push(bar.map_or(figure.clone(), |bar| figure.at_most(bar)));
        let descent = FiniteElementsParams { steps: 200, ..descent(&accurate()) };
        let ms = pair_ms(device, &descent, &phantom)?;
        figures.push(Figure::new(format!("GD, one pair, 200 steps a lattice, {name}"), ms, "ms"));
        if *role != PaperAMachine::OneThread {
            let batch = if session.is_quick { QUICK_BATCH } else { BATCH };
            let ms = batch_ms(device, &phantom, batch)?;
            let figure = Figure::new(format!("LM, batch of {batch}, a frame, {name}"), ms, "ms");
            figures.push(if *role == PaperAMachine::Gpu { figure.at_most(0.5) } else { figure });
        }
    }
    figures.extend(steps(session, &phantom)?);
    figures.extend(complexity(session, &machines, &phantom)?);
    Ok(figures)
}

fn phantom(side: usize) -> Result<Phantom, BenchError> {
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    Ok(case.build(&Grid::image(side, side)?))
}

fn accurate() -> FiniteElementsParams {
    FiniteElementsParams::preset(FiniteElementsPreset::Accurate, Dimension::Two)
}

fn descent(params: &FiniteElementsParams) -> FiniteElementsParams {
    FiniteElementsParams { optimiser: Optimiser::GradientDescent, damping: 1.0, ..params.clone() }
}

/// The time of a pair that is on the device already, the flow left there.
fn pair_ms(device: &Device, params: &FiniteElementsParams, phantom: &Phantom) -> Result<f64, BenchError> {
    let mut method = FiniteElements::new(phantom.grid(), params.clone(), device)?;
    time_ms(device, &mut method, [&phantom.fixed, &phantom.moving])
}

fn time_ms(
    device: &Device,
    method: &mut FiniteElements,
    [fixed, moving]: [&Volume<f32>; 2],
) -> Result<f64, BenchError> {
    let (fixed, moving) = (Frame::upload(device, fixed)?, Frame::upload(device, moving)?);
    let mut times = Vec::new();
    // The first runs make memory, kernels and recordings.
    for nth in 0..RUNS + 3 {
        device.synchronise()?;
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        if nth > 2 {
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
    }
    Ok(middle(&mut times))
}

/// The time of one of many pairs that are worked on together: a stack whose slices are estimated separately.
fn batch_ms(device: &Device, phantom: &Phantom, batch: usize) -> Result<f64, BenchError> {
    let grid = Grid::volume(SIDE, SIDE, batch)?;
    let stack = |image: &Volume<f32>| Volume::new(grid.clone(), image.data().repeat(batch));
    let (fixed, moving) = (stack(&phantom.fixed)?, stack(&phantom.moving)?);
    let params = FiniteElementsParams { cover: ElementCover::Slices, ..accurate() };
    let mut method = FiniteElements::new(&grid, params, device)?;
    Ok(time_ms(device, &mut method, [&fixed, &moving])? / batch as f64)
}

/// Energy before and after, and number of steps, on the only lattice.
fn descended(
    device: &Device,
    params: &FiniteElementsParams,
    phantom: &Phantom,
) -> Result<([f64; 2], f64), BenchError> {
    let pair = Pair::new(&phantom.fixed, &phantom.moving);
    let found = FiniteElements::new(phantom.grid(), params.clone(), device)?.run(&pair)?;
    let level = &found.statistics.method.json["levels"][0];
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
    Ok(([number(&level["energy"][0]), number(&level["energy"][1])], number(&level["taken"])))
}

/// Steps of both optimisers on one lattice, and the energy after each.
fn steps(session: &Session<'_>, phantom: &Phantom) -> Result<Vec<Figure>, BenchError> {
    let one = FiniteElementsParams { lattices: 1, element: 8.0, alpha: 0.001, tolerance: 0.0, ..accurate() };
    let of = |params: &FiniteElementsParams, steps: usize| {
        descended(session.device, &FiniteElementsParams { steps, ..params.clone() }, phantom)
    };
    let (energy, _) = of(&one, 20)?;
    let target = energy[0] - SAME * (energy[0] - energy[1]);
    let reaching = |params: &FiniteElementsParams, counts: &[usize]| -> Result<_, BenchError> {
        let mut curve = vec![(0.0, energy[0])];
        let mut reached = None;
        for &count in counts {
            let ([_, after], _) = of(params, count)?;
            curve.push((count as f64, after));
            if after <= target {
                reached = Some(count);
                break;
            }
        }
        Ok((curve, reached))
    };
    let few: Vec<usize> = (1..=20).collect();
    let many: Vec<usize> =
        (1..60).map(|k| (1.15f64.powi(k) + 2.0) as usize).take_while(|n| *n <= MOST_DESCENT_STEPS).collect();
    let (marquardt, own) = reaching(&one, &few)?;
    let (gradient, other) = reaching(&descent(&one), &many)?;
    let series = |name: &str, nth: usize, points: Vec<(f64, f64)>| Series {
        name: name.to_owned(),
        ink: Ink::Numbered(nth),
        line: Line::Dotted,
        points,
    };
    let curves = vec![series("Levenberg-Marquardt", 0, marquardt), series("gradient descent", 1, gradient)];
    let plot = LinePlot::new(
        "Energy over steps, 8 px elements",
        AxisLabels { x: "steps", y: "energy" },
        curves,
        &[0.0],
    );
    session.draw(LinePlot { x_scale: Scale::Linear, ..plot });
    let own = own.map_or(f64::NAN, |steps| steps as f64);
    let most = other.unwrap_or(MOST_DESCENT_STEPS) as f64;
    let what = match other {
        Some(_) => "GD, steps to 99.9 % of what LM gains",
        None => "GD, steps that did not suffice",
    };
    Ok(vec![
        Figure::new("LM, steps to 99.9 % of what it gains", own, "steps"),
        Figure::new(what, most, "steps"),
        Figure::new("GD over LM, steps", most / own, "×").at_least(10.0),
    ])
}

/// Time over the number of elements, images of full size.
fn complexity(
    session: &Session<'_>,
    machines: &[Machine],
    phantom: &Phantom,
) -> Result<Vec<Figure>, BenchError> {
    let (mut figures, mut curves) = (Vec::new(), Vec::new());
    for (nth, Machine { role, device, .. }) in machines.iter().enumerate() {
        let mut points = Vec::new();
        for element in LENGTHS {
            let params = FiniteElementsParams { element, lattices: 1, tolerance: 0.0, ..accurate() };
            let ms = pair_ms(device, &params, phantom)?;
            points.push(((SIDE as f64 / element).powi(2), ms));
            let what = format!("6 steps, elements of {element} px, {}", role.name());
            figures.push(Figure::new(what, ms, "ms"));
        }
        let [first, last] = [points[0].1, points[points.len() - 1].1];
        let what = format!("{}: time with {} times the elements", role.name(), 256);
        figures.push(Figure::new(what, last / first, "×"));
        curves.push(Series {
            name: role.name().to_owned(),
            ink: Ink::Numbered(nth),
            line: Line::Dotted,
            points,
        });
    }
    let labels = AxisLabels { x: "elements", y: "time of a pair, ms" };
    let plot = LinePlot::new("What more elements cost, 128 × 128 pixels", labels, curves, &[0.0]);
    session.draw(LinePlot { x_scale: Scale::Logarithmic, y_scale: Scale::Logarithmic, ..plot });
    Ok(figures)
}
