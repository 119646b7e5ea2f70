//! Steps of Levenberg-Marquardt and of gradient descent on one lattice, and the energy after each.

use super::{accurate, descent};
use crate::experiments::{Comparison, Row};
use crate::{Bar, BenchError};
use veloxel_gpu::Device;
use veloxel_motion::{FiniteElements, FiniteElementsParams, Pair, PairMethod};
use veloxel_phantoms::Phantom;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Scale, Series};

/// Most steps of gradient descent.
const MOST_DESCENT_STEPS: usize = 2000;
/// Share of the energy that Levenberg-Marquardt removes that counts as the same energy.
const SAME: f64 = 0.999;

/// Energy before and after the steps, on the only lattice.
fn descended(
    device: &Device,
    params: &FiniteElementsParams,
    phantom: &Phantom,
) -> Result<[f64; 2], BenchError> {
    let pair = Pair::new(&phantom.fixed, &phantom.moving);
    let found = FiniteElements::new(phantom.grid(), params.clone(), device)?.run(&pair)?;
    let level = &found.statistics.method.json["levels"][0];
    Ok([0, 1].map(|end: usize| level["energy"][end].as_f64().unwrap_or(f64::NAN)))
}

/// Steps of both optimisers on one lattice, and the energy after each.
pub(super) fn steps(device: &Device, phantom: &Phantom) -> Result<(Comparison, LinePlot), BenchError> {
    let one = FiniteElementsParams { lattices: 1, element: 8.0, alpha: 0.001, tolerance: 0.0, ..accurate() };
    let of = |params: &FiniteElementsParams, steps: usize| {
        descended(device, &FiniteElementsParams { steps, ..params.clone() }, phantom)
    };
    let energy = of(&one, 20)?;
    let target = energy[0] - SAME * (energy[0] - energy[1]);
    let reaching = |params: &FiniteElementsParams, counts: &[usize]| -> Result<_, BenchError> {
        let mut curve = vec![(0.0, energy[0])];
        for &count in counts {
            let [_, after] = of(params, count)?;
            curve.push((count as f64, after));
            if after <= target {
                return Ok((curve, Some(count as f64)));
            }
        }
        Ok((curve, None))
    };
    let few: Vec<usize> = (1..=20).collect();
    let many: Vec<usize> =
        (1..60).map(|k| (1.15f64.powi(k) + 2.0) as usize).take_while(|n| *n <= MOST_DESCENT_STEPS).collect();
    let (marquardt, own) = reaching(&one, &few)?;
    let (gradient, other) = reaching(&descent(&one), &many)?;
    let most = other.unwrap_or(MOST_DESCENT_STEPS as f64);
    let what = match other {
        Some(_) => "GD, steps to 99.9 % of what LM gains",
        None => "GD, steps that did not suffice",
    };
    let comparison = Comparison {
        title: "Steps of both optimisers (section 4)".to_owned(),
        place: "section 4",
        note: "One lattice, elements of 8 px, to 99.9 % of the energy that 20 steps of Levenberg-Marquardt remove.".to_owned(),
        measured: vec!["this machine".to_owned()],
        published: &[],
        rows: vec![
            Row::new("LM, steps to 99.9 % of what it gains", "steps", vec![own]),
            Row::new(what, "steps", vec![Some(most)]),
            Row::new("GD over LM, steps", "×", vec![own.map(|own| most / own)])
                .held_against(vec![Some(Bar::AtLeast(10.0))]),
        ],
    };
    Ok((comparison, plot(marquardt, gradient)))
}

fn plot(marquardt: Vec<(f64, f64)>, gradient: Vec<(f64, f64)>) -> LinePlot {
    let series = |name: &str, nth: usize, points| Series {
        name: name.to_owned(),
        ink: Ink::Numbered(nth),
        line: Line::Dotted,
        points,
    };
    let curves = vec![series("Levenberg-Marquardt", 0, marquardt), series("gradient descent", 1, gradient)];
    let labels = AxisLabels { x: "steps", y: "energy" };
    let plot = LinePlot::new("Energy over steps, 8 px elements", labels, curves, &[0.0]);
    LinePlot { x_scale: Scale::Linear, ..plot }
}
