//! Times of pairs: Table 1, and over numbers of elements.

use super::{SIDE, accurate, descent};
use crate::experiments::{Comparison, Machine, MachineRole, Row, middle};
use crate::{Bar, BenchError};
use std::time::Instant;
use veloxel_core::{Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::finite_elements::parameters::ElementCover;
use veloxel_motion::{FiniteElements, FiniteElementsParams, Frame, ImagePair, PairMethod};
use veloxel_phantoms::Phantom;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Scale, Series};

/// Slices and frames of a batch.
pub(super) const BATCH: usize = 10 * 30;
/// Slices and frames of a batch in the quick form.
pub(super) const QUICK_BATCH: usize = 8;
/// Number of measurements, of which the median counts.
const RUNS: usize = 9;
/// Lengths of elements whose times are compared, pixels.
const LENGTHS: [f64; 5] = [32.0, 16.0, 8.0, 4.0, 2.0];
/// The paper's machines.
const PUBLISHED: &[&str] = &["Intel 3.4 GHz", "Intel 2.0 GHz", "7700 Go", "7950 GTX"];
/// The paper's times on them, ms a frame: Levenberg-Marquardt, and gradient descent.
const MARQUARDT_MS: [Option<f64>; 4] = [Some(2430.0), Some(2120.0), Some(850.0), Some(460.0)];
const DESCENT_MS: [Option<f64>; 4] = [None, None, Some(8700.0), None];

/// Table 1.
pub(super) fn table_1(
    machines: &[Machine],
    phantom: &Phantom,
    batch: usize,
) -> Result<Comparison, BenchError> {
    let all = |time: &dyn Fn(&Machine) -> Result<Option<f64>, BenchError>| -> Result<Vec<_>, BenchError> {
        machines.iter().map(time).collect()
    };
    let bars = |bar: fn(MachineRole) -> Option<f64>| {
        machines.iter().map(|machine| bar(machine.role).map(Bar::AtMost)).collect()
    };
    let pair = all(&|machine| Ok(Some(pair_ms(&machine.device, &accurate(), phantom)?)))?;
    let descent = FiniteElementsParams { steps: 200, ..descent(&accurate()) };
    let gradient = all(&|machine| Ok(Some(pair_ms(&machine.device, &descent, phantom)?)))?;
    // One thread would work on a batch for minutes, at what a pair takes.
    let together = all(&|machine| match machine.role {
        MachineRole::OneThread => Ok(None),
        _ => Ok(Some(batch_ms(&machine.device, phantom, batch)?)),
    })?;
    let pair_bar = |role| match role {
        MachineRole::Gpu => Some(3.0),
        MachineRole::AllThreads => Some(40.0),
        MachineRole::OneThread => None,
    };
    Ok(Comparison {
        title: "Times of a frame (Table 1)".to_owned(),
        place: "Table 1",
        note: format!(
            "A textured pair of {SIDE} × {SIDE} pixels. LM: Levenberg-Marquardt; GD: gradient descent, 200 steps a lattice here. The paper's 2.0 GHz processor is a dual core."
        ),
        measured: names(machines),
        published: PUBLISHED,
        rows: vec![
            Row::new("LM, one pair", "ms", pair).beside(MARQUARDT_MS).held_against(bars(pair_bar)),
            Row::new("GD, one pair", "ms", gradient).beside(DESCENT_MS),
            Row::new(format!("LM, batch of {batch}, a frame"), "ms", together)
                .held_against(bars(|role| (role == MachineRole::Gpu).then_some(0.5))),
        ],
    })
}

/// Time over the number of elements, images of full size.
pub(super) fn complexity(
    machines: &[Machine],
    phantom: &Phantom,
) -> Result<(Comparison, LinePlot), BenchError> {
    let mut rows = Vec::new();
    let mut curves = vec![Vec::new(); machines.len()];
    for element in LENGTHS {
        let params = FiniteElementsParams { element, lattices: 1, tolerance: 0.0, ..accurate() };
        let elements = (SIDE as f64 / element).powi(2);
        let mut times = Vec::new();
        for (machine, curve) in machines.iter().zip(&mut curves) {
            let ms = pair_ms(&machine.device, &params, phantom)?;
            curve.push((elements, ms));
            times.push(Some(ms));
        }
        rows.push(Row::new(format!("6 steps, elements of {element} px"), "ms", times));
    }
    let growth = curves.iter().map(|curve| Some(curve.last()?.1 / curve.first()?.1)).collect();
    rows.push(Row::new("time with 256 times the elements", "×", growth));
    let named = machines.iter().map(|machine| machine.role.name().to_owned()).zip(curves).enumerate();
    let series = named
        .map(|(nth, (name, points))| Series { name, ink: Ink::Numbered(nth), line: Line::Dotted, points })
        .collect();
    let labels = AxisLabels { x: "elements", y: "time of a pair, ms" };
    let plot = LinePlot::new("What more elements cost, 128 × 128 pixels", labels, series, &[0.0]);
    let plot = LinePlot { x_scale: Scale::Logarithmic, y_scale: Scale::Logarithmic, ..plot };
    let comparison = Comparison {
        title: "Time over the number of elements (section 5)".to_owned(),
        place: "section 5",
        note: "The paper: the cost of a step on a GPU does not depend on the model's complexity.".to_owned(),
        measured: names(machines),
        published: &[],
        rows,
    };
    Ok((comparison, plot))
}

fn names(machines: &[Machine]) -> Vec<String> {
    machines.iter().map(|machine| machine.role.name().to_owned()).collect()
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
