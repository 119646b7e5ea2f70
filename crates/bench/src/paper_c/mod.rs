//! The tables of the paper on finite-element registration on this machine: seconds a frame by Levenberg-Marquardt and by
//! gradient descent, steps to one energy, and what more elements cost.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, "GPU accelerated non-rigid registration for the evaluation of cardiac function",
//! MICCAI 2008, Table 1 and section 5.
//!
//! *As in the paper*: a region of 128 × 128 pixels; frames one after the other, and all of them together, 10 slices × 30
//! frames. The paper's frames are those of a patient; ours are a textured pair whose motion is known, as contents hardly matter
//! to a time.

mod optimisers;
mod page;
mod times;

use crate::experiments::{
    Comparison, Event, ExperimentTable, Experiments, Machine, NotMeasured, Observer, Published, machines,
};
use crate::{BenchError, Figure, Session};
use veloxel_core::{Dimension, Grid};
use veloxel_motion::finite_elements::parameters::Optimiser;
use veloxel_motion::{FiniteElementsParams, FiniteElementsPreset};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};
use veloxel_report::svg_plot::LinePlot;

/// Pixels of the paper's region along an axis.
const SIDE: usize = 128;

/// The experiments' results.
#[derive(Debug)]
struct PaperC {
    machines: Vec<Machine>,
    /// Table 1; steps of both optimisers; times over numbers of elements.
    comparisons: [Comparison; 3],
    /// Energy over steps, and time over elements.
    plots: [LinePlot; 2],
}

/// The bench `paper-c`.
pub(super) fn paper_c(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let phantom = phantom(SIDE)?;
    let machines = machines(session.device)?;
    let batch = if session.is_quick { times::QUICK_BATCH } else { times::BATCH };
    observer(Event::Next("Table 1, seconds a frame"))?;
    let table_1 = times::table_1(&machines, &phantom, batch)?;
    observer(Event::Next("steps of both optimisers"))?;
    let (steps, energy) = optimisers::steps(session.device, &phantom)?;
    observer(Event::Next("times over numbers of elements"))?;
    let (elements, cost) = times::complexity(&machines, &phantom)?;
    Ok(Box::new(PaperC { machines, comparisons: [table_1, steps, elements], plots: [energy, cost] }))
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

impl Experiments for PaperC {
    fn figures(&self) -> Vec<Figure> {
        self.comparisons.iter().flat_map(Comparison::figures).collect()
    }
    fn published(&self) -> Vec<Published> {
        self.comparisons.iter().flat_map(Comparison::published).collect()
    }
    fn not_measured(&self) -> Vec<NotMeasured> {
        Vec::new()
    }
    fn tables(&self) -> Vec<ExperimentTable> {
        self.comparisons.iter().map(Comparison::table).collect()
    }
    fn notes(&self) -> Vec<String> {
        let machines = self.machines.iter().map(|m| format!("{}: {}.", m.role.name(), m.name));
        let how = "Times are the middle of several after a warm-up, of a pair that is on the device already.";
        machines.chain([how.to_owned()]).collect()
    }
    fn html(&self) -> Result<String, BenchError> {
        page::html(self)
    }
}
