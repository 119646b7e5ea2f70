//! The tables and figures of the paper on finite-element registration on this machine: distances of tracked outlines over the cycle,
//! seconds a frame by Levenberg-Marquardt and by gradient descent, steps to one energy, and what more elements cost.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, "GPU accelerated non-rigid registration for the evaluation of cardiac function",
//! MICCAI 2008, Fig. 3, Table 1, sections 4 and 5.
//!
//! *As in the paper*: the preset `paper`, motion forward and backward blended; a region of 128 × 128 pixels, 6 slices × 19 frames
//! of one heart, one registration after the other. *Beside it*: the preset `accurate` on a textured pair, and a batch of 10
//! slices × 30 frames together.

mod cohort;
mod optimisers;
mod page;
mod patient;
#[cfg(test)]
mod tests;
mod times;
mod validation;

use crate::experiments::{
    Comparison, Event, ExperimentTable, Experiments, Machine, NotMeasured, Observer, Published, machines,
};
use crate::{BenchError, Figure, Session};
use times::Extent;
use veloxel_core::{Dimension, Grid};
use veloxel_io::IoError;
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
    /// Tables with their plots, in the order of the paper.
    parts: Vec<Part>,
    not_measured: Vec<NotMeasured>,
}

/// A table, and the plots that belong to it.
#[derive(Debug)]
struct Part {
    comparison: Comparison,
    plots: Vec<LinePlot>,
}

/// The bench `paper-c`.
pub(super) fn paper_c(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let extent = if session.is_quick { Extent::QUICK } else { Extent::FULL };
    Ok(Box::new(run(session, extent, observer)?))
}

fn run(session: &Session<'_>, extent: Extent, observer: &mut Observer<'_>) -> Result<PaperC, BenchError> {
    // What other benches lack stays missed.
    let missed_before = session.take_missing();
    let (phantom, machines) = (phantom(extent.side)?, machines(session.device)?);
    let mut parts = tracked(session, observer)?;
    observer(Event::Next("Table 1, seconds a frame"))?;
    let table_1 = times::table_1(&machines, &patient::patient(session, extent.side)?, &phantom, extent)?;
    parts.push(Part { comparison: table_1, plots: Vec::new() });
    observer(Event::Next("steps of both optimisers"))?;
    let (comparison, energy) = optimisers::steps(session.device, &phantom)?;
    parts.push(Part { comparison, plots: vec![energy] });
    observer(Event::Next("times over numbers of elements"))?;
    let (comparison, cost) = times::complexity(&machines, &phantom, extent.runs)?;
    parts.push(Part { comparison, plots: vec![cost] });
    let lacking =
        |name: String| NotMeasured::new(name, "the folder that VELOXEL_DATA names does not have it");
    let lacked = session.take_missing();
    missed_before.into_iter().for_each(|name| session.miss(name));
    let not_measured = lacked.into_iter().map(lacking).chain(cannot_be_had()).collect();
    Ok(PaperC { machines, parts, not_measured })
}

/// Figure 3, and the patients on generic frames, as far as their data are there.
fn tracked(session: &Session<'_>, observer: &mut Observer<'_>) -> Result<Vec<Part>, BenchError> {
    let scratch =
        tempfile::tempdir().map_err(|source| IoError::Write { path: std::env::temp_dir(), source })?;
    let mut parts = Vec::new();
    observer(Event::Next("Fig. 3, distances over the cycle"))?;
    let validation = validation::validation(session, scratch.path())?;
    observer(Event::Next("patients on generic frames"))?;
    let started = validation.as_ref().and_then(|found| found.started.first());
    let cohort = cohort::cohort(session, started, scratch.path())?;
    parts.extend(validation.map(|found| Part { comparison: found.comparison, plots: found.plots }));
    parts.extend(cohort.map(|found| Part { comparison: found.comparison, plots: vec![found.plot] }));
    Ok(parts)
}

/// What of the paper no run of this program can measure.
fn cannot_be_had() -> impl Iterator<Item = NotMeasured> {
    [
        ("Section 4: the 36 patients of ONTARGET", "their images were never published; other hearts stand for them"),
        ("Section 4: two expert observers", "no other data here have outlines of two readers; `veloxel track` draws their difference where two are given"),
        ("Table 1: Intel 3.4 GHz, Intel dual core 2.0 GHz, NVIDIA 7700 Go and 7950 GTX", "they are machines of 2008; the published columns are the paper's"),
    ]
    .into_iter()
    .map(|(what, because)| NotMeasured::new(what, because))
}

fn phantom(side: usize) -> Result<Phantom, BenchError> {
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    Ok(case.build(&Grid::image(side, side)?))
}

fn accurate() -> FiniteElementsParams {
    FiniteElementsParams::preset(FiniteElementsPreset::Accurate, Dimension::Two)
}

/// The paper's elements and weights, in a picture.
fn paper() -> FiniteElementsParams {
    FiniteElementsParams::preset(FiniteElementsPreset::Paper, Dimension::Two)
}

fn descent(params: &FiniteElementsParams) -> FiniteElementsParams {
    FiniteElementsParams { optimiser: Optimiser::GradientDescent, damping: 1.0, ..params.clone() }
}

impl Experiments for PaperC {
    fn figures(&self) -> Vec<Figure> {
        self.parts.iter().flat_map(|part| part.comparison.figures()).collect()
    }
    fn published(&self) -> Vec<Published> {
        self.parts.iter().flat_map(|part| part.comparison.published()).collect()
    }
    fn not_measured(&self) -> Vec<NotMeasured> {
        self.not_measured.clone()
    }
    fn tables(&self) -> Vec<ExperimentTable> {
        self.parts.iter().map(|part| part.comparison.table()).collect()
    }
    fn notes(&self) -> Vec<String> {
        let machines = self.machines.iter().map(|m| format!("{}: {}.", m.role.name(), m.name));
        let how = [
            "Times of pairs are the middle of several after a warm-up, those of the patient the mean of its registrations.",
            "The quick form tracks from end-diastole alone, leaves ACDC's patients out, registers 1 slice × 4 frames of the patient, and measures times three times.",
        ];
        machines.chain(how.map(str::to_owned)).collect()
    }
    fn html(&self) -> Result<String, BenchError> {
        page::html(self)
    }
}
