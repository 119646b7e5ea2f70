//! The experiments of the paper on the phase engine: accuracy, stages, speed and memory on this machine, beside the paper's
//! FPGA, GPU and processor.
//!
//! *Paper*: K. Pauwels, M. Tomasi, J. Díaz Alonso, E. Ros, M. M. Van Hulle, "A comparison of FPGA and GPU for real-time
//! phase-based optical flow, stereo, and local image features", IEEE Trans. Computers 61(7), 2012, doi 10.1109/TC.2011.120:
//! Tables 1 and 3 to 7, Figures 5 to 7.
//!
//! *As in the paper*: the preset `paper`; thresholds τ_l, sequences, sizes and numbers of scales of its tables; frames on the
//! device already.
//!
//! *Where we differ*: the picture of Figure 5 is one of our own; the share of errors below 5° is that at a threshold that
//! every velocity passes, as section 6.2.2 says.

mod accuracy;
mod page;
mod pictures;
mod published;
mod speed;
mod stages;
#[cfg(test)]
mod tests;

use crate::experiments::{
    Comparison, Event, ExperimentTable, Experiments, Machine, NotMeasured, Observer, Published, machines,
};
use crate::{BenchError, Figure, Session};
use pictures::Pictures;
use published::cannot_be_had;
use veloxel_core::Dimension;
use veloxel_motion::{PhaseParameters, PhasePreset};

/// The experiments' results.
#[derive(Debug)]
struct PaperD {
    machines: Vec<Machine>,
    /// One for each table, in the order of the paper.
    comparisons: Vec<Comparison>,
    pictures: Pictures,
    /// What this machine lacks the data for, and what no machine can measure.
    not_measured: Vec<NotMeasured>,
}

/// Extent of the experiments on times.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Sizes of frames.
    sizes: [[usize; 2]; 2],
    /// Seconds that a rate is measured for.
    span_s: f64,
    /// Number of measurements of a stage, of which the median counts; odd.
    runs: usize,
    /// Fewest frames that a rate is measured over.
    least_frames: usize,
    times_of: TimesOf,
}

/// The machines whose times are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimesOf {
    /// One thread, all threads, and the GPU if there is one.
    All,
    /// The GPU, or all threads without one.
    Fastest,
}

impl Extent {
    const FULL: Self =
        Self { sizes: published::SIZES, span_s: 3.0, runs: 9, least_frames: 8, times_of: TimesOf::All };
    const QUICK: Self =
        Self { span_s: 0.5, runs: 1, least_frames: 2, times_of: TimesOf::Fastest, ..Self::FULL };
}

/// The bench `paper-d`.
pub(super) fn paper_d(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let extent = if session.is_quick { Extent::QUICK } else { Extent::FULL };
    Ok(Box::new(run(session, extent, observer)?))
}

fn run(session: &Session<'_>, extent: Extent, observer: &mut Observer<'_>) -> Result<PaperD, BenchError> {
    let mut machines = machines(session.device)?;
    if extent.times_of == TimesOf::Fastest {
        machines.drain(..machines.len() - 1);
    }
    // What other benches lack stays missed.
    let missed_before = session.take_missing();
    let mut pictures = Pictures::default();
    let mut comparisons = Vec::new();
    observer(Event::Next("Table 1, simplifications of the FPGA"))?;
    comparisons.extend(accuracy::table_1(session)?);
    observer(Event::Next("Table 3, stages"))?;
    comparisons.push(stages::table_3(&machines, extent)?);
    observer(Event::Next("Section 7.2, memory"))?;
    comparisons.push(stages::memory(session.device, extent)?);
    observer(Event::Next("Table 4, local features"))?;
    comparisons.push(accuracy::table_4(session.device, &mut pictures)?);
    observer(Event::Next("Table 5, stereo"))?;
    comparisons.extend(accuracy::table_5(session, &mut pictures)?);
    observer(Event::Next("Table 6, optical flow"))?;
    comparisons.extend(accuracy::table_6(session, &mut pictures)?);
    observer(Event::Next("Table 7, speed"))?;
    comparisons.push(speed::table_7(&machines, extent)?);
    let lacking =
        |name: String| NotMeasured::new(name, "the folder that VELOXEL_DATA names does not have it");
    let lacked = session.take_missing();
    missed_before.into_iter().for_each(|name| session.miss(name));
    let not_measured = lacked.into_iter().map(lacking).chain(cannot_be_had()).collect();
    Ok(PaperD { machines, comparisons, pictures, not_measured })
}

/// The paper's parameters.
fn paper() -> PhaseParameters {
    PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)
}

impl Experiments for PaperD {
    fn figures(&self) -> Vec<Figure> {
        self.comparisons.iter().flat_map(Comparison::figures).collect()
    }
    fn published(&self) -> Vec<Published> {
        self.comparisons.iter().flat_map(Comparison::published).collect()
    }
    fn not_measured(&self) -> Vec<NotMeasured> {
        self.not_measured.clone()
    }
    fn tables(&self) -> Vec<ExperimentTable> {
        self.comparisons.iter().map(Comparison::table).collect()
    }
    fn notes(&self) -> Vec<String> {
        let machines = self.machines.iter().map(|m| format!("{}: {}.", m.role.name(), m.name));
        let how = [
            "The quick form measures times of the fastest machine alone, a few frames each.",
            "Accuracy was measured on the device that was asked for; times on each machine, frames on the device already and results left there.",
            "Published: the paper's FPGA is a Virtex-5, its GPU a GeForce GTX 280; it does not name the processor of its CPU columns.",
        ];
        machines.chain(how.map(str::to_owned)).collect()
    }
    fn html(&self) -> Result<String, BenchError> {
        page::html(self)
    }
}
