//! Times of pairs: Table 1, and over numbers of elements.

use super::patient::{FRAMES, Patient, SLICES};
use super::{SIDE, accurate, descent, paper};
use crate::experiments::{Comparison, Machine, MachineRole, Row, middle};
use crate::{Bar, BenchError};
use std::time::{Duration, Instant};
use veloxel_core::{Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::finite_elements::parameters::ElementCover;
use veloxel_motion::{FiniteElements, FiniteElementsParams, Frame, ImagePair, PairMethod};
use veloxel_phantoms::Phantom;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Scale, Series};

/// Slices and frames of a batch.
const BATCH: usize = 10 * 30;
/// Slices and frames of a batch in the quick form.
const QUICK_BATCH: usize = 8;
/// Steps of gradient descent on a lattice.
const DESCENT_STEPS: usize = 200;
/// Runs before those that count, at most: the first ones make memory, kernels and recordings.
const WARM_UP: usize = 3;
/// Lengths of elements whose times are compared, pixels.
const LENGTHS: [f64; 5] = [32.0, 16.0, 8.0, 4.0, 2.0];
/// The paper's machines.
const PUBLISHED: &[&str] = &["Intel 3.4 GHz", "Intel 2.0 GHz", "7700 Go", "7950 GTX"];
/// The paper's times on them, ms a frame: Levenberg-Marquardt, and gradient descent.
const MARQUARDT_MS: [Option<f64>; 4] = [Some(2430.0), Some(2120.0), Some(850.0), Some(460.0)];
const DESCENT_MS: [Option<f64>; 4] = [None, None, Some(8700.0), None];

/// How much is measured of times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Slices and frames of the patient.
    pub slices: usize,
    pub frames: usize,
    /// Pixels of pictures along an axis.
    pub side: usize,
    /// Pairs of the batch.
    pub batch: usize,
    /// Steps of gradient descent on a lattice.
    pub descent_steps: usize,
    /// Number of measurements of a pair, of which the median counts; odd.
    pub runs: usize,
}

impl Extent {
    pub const FULL: Self = Self {
        slices: SLICES,
        frames: FRAMES,
        side: SIDE,
        batch: BATCH,
        descent_steps: DESCENT_STEPS,
        runs: 9,
    };
    pub const QUICK: Self = Self { slices: 1, frames: 4, batch: QUICK_BATCH, runs: 3, ..Self::FULL };

    /// Registrations forward and backward around the cycle of every slice.
    pub const fn registrations(&self) -> usize {
        2 * self.slices * self.frames
    }
}

/// Table 1: the patient as the paper registers it, and a textured pair by the preset `accurate`.
pub(super) fn table_1(
    machines: &[Machine],
    patient: &Patient,
    phantom: &Phantom,
    extent: Extent,
) -> Result<Comparison, BenchError> {
    let Extent { batch, runs, side, descent_steps: steps, .. } = extent;
    let all = |time: &dyn Fn(&Machine) -> Result<Option<f64>, BenchError>| -> Result<Vec<_>, BenchError> {
        machines.iter().map(time).collect()
    };
    let bars = |bar: fn(MachineRole) -> Option<f64>| {
        machines.iter().map(|machine| bar(machine.role).map(Bar::AtMost)).collect()
    };
    let registration = all(&|machine| Ok(Some(registration_ms(&machine.device, patient, extent)?)))?;
    let count = extent.registrations();
    let whole = registration.iter().map(|ms| ms.map(|ms| 1e-3 * ms * count as f64)).collect();
    let descending = FiniteElementsParams { steps, tolerance: 0.0, ..descent(&paper()) };
    let patients_pair = [&patient.slices[0][0], &patient.slices[0][1]];
    let patients_gradient =
        all(&|machine| Ok(Some(own_pair_ms(&machine.device, &descending, patients_pair, 1)?)))?;
    let pair = all(&|machine| Ok(Some(pair_ms(&machine.device, &accurate(), phantom, runs)?)))?;
    let descent = FiniteElementsParams { steps, ..descent(&accurate()) };
    let gradient = all(&|machine| Ok(Some(pair_ms(&machine.device, &descent, phantom, runs)?)))?;
    // One thread would work on a batch for minutes, at what a pair takes.
    let together = all(&|machine| match machine.role {
        MachineRole::OneThread => Ok(None),
        _ => Ok(Some(batch_ms(&machine.device, phantom, extent)?)),
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
            "LM: Levenberg-Marquardt; GD: gradient descent, {steps} steps a lattice here. The patient is {}; slices {}, frames {}, of {side} × {side} pixels by fe:paper, one registration after the other, frames on the device already. The paper's time of a frame is taken as that of a registration; its own patient had 6 slices × 19 frames. Its 2.0 GHz processor is a dual core.",
            patient.name, extent.slices, extent.frames
        ),
        measured: names(machines),
        published: PUBLISHED,
        rows: vec![
            Row::new("LM, a registration of the patient", "ms", registration).beside(MARQUARDT_MS),
            Row::new(format!("LM, {count} registrations, forward and backward"), "s", whole),
            Row::new("GD, a registration of the patient", "ms", patients_gradient).beside(DESCENT_MS),
            Row::new("LM by accurate, a textured pair", "ms", pair).held_against(bars(pair_bar)),
            Row::new("GD by accurate, a textured pair", "ms", gradient),
            Row::new(format!("LM by accurate, batch of {batch}, a frame"), "ms", together)
                .held_against(bars(|role| (role == MachineRole::Gpu).then_some(0.5))),
        ],
    })
}

/// Time over the number of elements, images of full size.
pub(super) fn complexity(
    machines: &[Machine],
    phantom: &Phantom,
    runs: usize,
) -> Result<(Comparison, LinePlot), BenchError> {
    let mut rows = Vec::new();
    let mut curves = vec![Vec::new(); machines.len()];
    for element in LENGTHS {
        let params = FiniteElementsParams { element, lattices: 1, tolerance: 0.0, ..accurate() };
        let elements = (phantom.grid().size()[0] as f64 / element).powi(2);
        let mut times = Vec::new();
        for (machine, curve) in machines.iter().zip(&mut curves) {
            let ms = pair_ms(&machine.device, &params, phantom, runs)?;
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

/// The mean time of a patient's registrations, forward and backward around each slice's cycle, one after the other.
fn registration_ms(device: &Device, patient: &Patient, extent: Extent) -> Result<f64, BenchError> {
    let mut method = FiniteElements::new(patient.slices[0][0].grid(), paper(), device)?;
    let (mut elapsed, mut is_warm) = (Duration::ZERO, false);
    for slice in &patient.slices[..extent.slices] {
        let frames = slice[..extent.frames].iter().map(|frame| Frame::upload(device, frame));
        let frames = frames.collect::<Result<Vec<_>, _>>()?;
        for (fixed, moving) in frames.iter().zip(frames.iter().cycle().skip(1)) {
            if !is_warm {
                method.estimate(ImagePair::new(fixed, moving))?.wait()?;
                is_warm = true;
            }
            device.synchronise()?;
            let start = Instant::now();
            method.estimate(ImagePair::new(fixed, moving))?.wait()?;
            method.estimate(ImagePair::new(moving, fixed))?.wait()?;
            elapsed += start.elapsed();
        }
    }
    Ok(1e3 * elapsed.as_secs_f64() / extent.registrations() as f64)
}

/// The time of two pictures by a method of their grid.
fn own_pair_ms(
    device: &Device,
    params: &FiniteElementsParams,
    pair: [&Volume<f32>; 2],
    runs: usize,
) -> Result<f64, BenchError> {
    let mut method = FiniteElements::new(pair[0].grid(), params.clone(), device)?;
    time_ms(device, &mut method, pair, runs)
}

/// The time of a pair that is on the device already, the flow left there.
fn pair_ms(
    device: &Device,
    params: &FiniteElementsParams,
    phantom: &Phantom,
    runs: usize,
) -> Result<f64, BenchError> {
    own_pair_ms(device, params, [&phantom.fixed, &phantom.moving], runs)
}

fn time_ms(
    device: &Device,
    method: &mut FiniteElements,
    [fixed, moving]: [&Volume<f32>; 2],
    runs: usize,
) -> Result<f64, BenchError> {
    let (fixed, moving) = (Frame::upload(device, fixed)?, Frame::upload(device, moving)?);
    let (mut times, warm_up) = (Vec::new(), runs.min(WARM_UP));
    for nth in 0..runs + warm_up {
        device.synchronise()?;
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        if nth >= warm_up {
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
    }
    Ok(middle(&mut times))
}

/// The time of one of many pairs that are worked on together: a stack whose slices are estimated separately.
fn batch_ms(device: &Device, phantom: &Phantom, extent: Extent) -> Result<f64, BenchError> {
    let Extent { batch, runs, .. } = extent;
    let [nx, ny, _] = phantom.grid().size();
    let grid = Grid::volume(nx, ny, batch)?;
    let stack = |image: &Volume<f32>| Volume::new(grid.clone(), image.data().repeat(batch));
    let (fixed, moving) = (stack(&phantom.fixed)?, stack(&phantom.moving)?);
    let params = FiniteElementsParams { cover: ElementCover::Slices, ..accurate() };
    let mut method = FiniteElements::new(&grid, params, device)?;
    Ok(time_ms(device, &mut method, [&fixed, &moving], runs)? / batch as f64)
}
