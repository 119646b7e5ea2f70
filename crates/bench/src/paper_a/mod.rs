//! The experiments of the first paper on this machine: whole runs, numbers of iterations, kernel sizes, components and
//! transfers, each on a GPU beside one thread and all threads of its host.
//!
//! *Paper*: J. Thiyagalingam, D. Goodman, J. A. Schnabel, A. Trefethen, V. Grau, "On the usage of GPUs for efficient motion
//! estimation in medical image sequences", Int. J. Biomedical Imaging 2011, doi:10.1155/2011/137604, section 5: Tables 2
//! and 3, Figures 5 to 9.
//!
//! *As in the paper*: the preset `paper` (Jacobi, differences of neighbours, linear warps, one level), a window of 15 taps, times of
//! computing without those of transfers, the middle of several measurements.
//!
//! *Where we differ*: the paper does not say how often it iterated, so times cannot be compared with its times, but
//! speed-ups can with its speed-ups; ways through memory (Figures 7a, 8, 9) are compared of smoothing and of the warp, not of whole
//! runs; textured pairs of our own; sizes on to 512³. Up to 128³ and in Figure 5 every time is
//! measured: Figure 5 has 64³ and 128³ (the paper: 128³ and 256³) and a fifth of the iterations, so that one thread ends.

mod components;
mod figures;
mod page;
mod published;
mod runs;
mod scene;
mod settings;
mod systems;
mod tables;
mod ways;
mod ways_tables;

use crate::experiments::{
    Event, ExperimentTable, Experiments, Machine, MachineRole, NotMeasured, Observer, Published, machines,
};
use crate::{BenchError, Figure, Session};
use components::Costs;
use runs::{Run, Time};
use scene::Scene;
use settings::{FIGURE_ITERATIONS, TAPS, WARPS, params};
use veloxel_core::SystemMemory;
use veloxel_gpu::{ComputeError, Device};
use veloxel_motion::MotionError;
use ways::Ways;

/// The extent of the experiments.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    /// Voxels along each axis of the whole runs of Tables 2 and 3.
    pub sizes: Vec<usize>,
    /// Voxels along each axis of the runs of Figure 5.
    pub figure_sizes: Vec<usize>,
    /// Values of R for Figure 5a.
    pub warps: Vec<usize>,
    /// Widths of K_ρ, taps, for Figure 5b; odd.
    pub taps: Vec<usize>,
    /// Voxels along each axis up to which a whole run is measured, however long it takes.
    pub measured_to: usize,
    /// Longest predicted time, seconds, of a larger whole run that is measured as it is; longer ones are scaled.
    pub longest_s: f64,
}

impl Plan {
    /// A plan of the paper's sizes, and on to 512³.
    pub fn full() -> Self {
        Self {
            sizes: vec![50, 75, 100, 125, 150, 175, 200, 225, 250, 300, 400, 512],
            figure_sizes: vec![64, 128],
            warps: vec![1, 2, 5, 10, 20],
            taps: vec![5, 9, 15, 31],
            measured_to: 128,
            longest_s: 6.0,
        }
    }
    /// A plan of two of the paper's sizes, in a minute on two cores.
    pub fn quick() -> Self {
        Self { sizes: vec![50, 75], figure_sizes: vec![48], ..Self::full() }
    }
}

/// All times of one size on one machine.
#[derive(Debug)]
struct Measured {
    costs: Costs,
    /// The time of Tables 2 and 3, if this size is one of theirs.
    whole: Option<Time>,
    /// Milliseconds for each R of Figure 5a, if this size is one of its sizes.
    warps: Vec<f64>,
    /// Milliseconds for each kernel of Figure 5b.
    taps: Vec<f64>,
    /// Ways through memory, of a GPU, if this size is one of Tables 2 and 3.
    ways: Option<Ways>,
}

/// The times of one size.
#[derive(Debug)]
struct Measurement {
    size: usize,
    /// The times of each role; none without such a machine, or with too little memory.
    by_role: [Option<Measured>; 3],
}

impl Measurement {
    fn of(&self, role: MachineRole) -> Option<&Measured> {
        self.by_role[role as usize].as_ref()
    }
    /// A time of each role.
    fn times(&self, of: impl Fn(&Measured) -> Option<Time>) -> [Option<Time>; 3] {
        MachineRole::ALL.map(|role| self.of(role).and_then(&of))
    }
}

/// The experiments' results.
#[derive(Debug)]
struct PaperA {
    plan: Plan,
    machines: Vec<Machine>,
    measurements: Vec<Measurement>,
    /// What could not be measured.
    left_out: Vec<NotMeasured>,
}

/// The bench `paper-a`.
pub(super) fn paper_a(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let plan = if session.is_quick { Plan::quick() } else { Plan::full() };
    Ok(Box::new(run_plan(session.device, plan, observer)?))
}

/// Measures everything of a plan, small sizes first; `observer` is called after each measurement.
///
/// # Errors
/// Whatever a run or the observer fails with. Sizes for which memory is too little are left out instead, and the tables say so.
fn run_plan(device: &Device, plan: Plan, observer: &mut Observer<'_>) -> Result<PaperA, BenchError> {
    let mut sizes: Vec<usize> = plan.sizes.iter().chain(&plan.figure_sizes).copied().collect();
    sizes.sort_unstable();
    sizes.dedup();
    let machines = machines(device)?;
    let mut result = PaperA { plan, machines, measurements: Vec::new(), left_out: Vec::new() };
    for size in sizes {
        if let Some(reason) = host_is_too_small(size) {
            result.left_out.push(NotMeasured::new(format!("{size}³"), reason));
            continue;
        }
        let scene = Scene::new(size)?;
        result.measurements.push(Measurement { size, by_role: [None, None, None] });
        for nth in 0..result.machines.len() {
            let machine = &result.machines[nth];
            let role = machine.role;
            observer(Event::Next(&format!("{size}³, {}", role.name())))?;
            let measured = match measure(machine, &scene, &result.plan) {
                Ok(measured) => measured,
                Err(error) if is_too_little_memory(&error) => {
                    let what = format!("{size}³, {}", role.name());
                    result.left_out.push(NotMeasured::new(what, error.to_string()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(measurement) = result.measurements.last_mut() {
                measurement.by_role[role as usize] = Some(measured);
            }
            let figures = figures::newest(&result, role);
            observer(Event::Measured { figures, so_far: &result })?;
        }
    }
    Ok(result)
}

impl Experiments for PaperA {
    /// The best speed-up is compared with the paper's if the paper's sizes were measured.
    fn figures(&self) -> Vec<Figure> {
        figures::figures(self)
    }
    fn published(&self) -> Vec<Published> {
        published::published()
    }
    fn not_measured(&self) -> Vec<NotMeasured> {
        let ecc = self.machines.last().map(|machine| systems::ecc_experiment(&machine.device));
        let ways = ways_tables::not_measured(self);
        self.left_out.iter().cloned().chain(ecc).chain(ways).collect()
    }
    fn tables(&self) -> Vec<ExperimentTable> {
        tables::tables(self)
    }
    fn notes(&self) -> Vec<String> {
        tables::notes(self)
    }
    fn html(&self) -> Result<String, BenchError> {
        page::html(self)
    }
}

impl PaperA {
    fn has(&self, role: MachineRole) -> bool {
        self.machines.iter().any(|m| m.role == role)
    }
    /// The machine that the paper's GPU is compared with: the GPU, or all threads without one.
    fn fastest(&self) -> MachineRole {
        if self.has(MachineRole::Gpu) { MachineRole::Gpu } else { MachineRole::AllThreads }
    }
}

fn measure(machine: &Machine, scene: &Scene, plan: &Plan) -> Result<Measured, BenchError> {
    let device = &machine.device;
    // Components first: a run's prediction needs what an iteration costs.
    let costs = components::costs(device, scene)?;
    let run = Run::new(device, scene, &costs)?;
    let longest_s = if scene.size <= plan.measured_to { f64::INFINITY } else { plan.longest_s };
    let whole = match plan.sizes.contains(&scene.size) {
        true => Some(run.whole(longest_s)?),
        false => None,
    };
    let (mut warps, mut taps) = (Vec::new(), Vec::new());
    if plan.figure_sizes.contains(&scene.size) {
        for &count in &plan.warps {
            warps.push(run.measured_ms(&params(count, FIGURE_ITERATIONS, TAPS))?);
        }
        for &width in &plan.taps {
            taps.push(run.measured_ms(&params(WARPS, FIGURE_ITERATIONS, width))?);
        }
    }
    drop(run);
    let ways = match device.is_gpu() && plan.sizes.contains(&scene.size) {
        true => Some(ways::ways(device, scene)?),
        false => None,
    };
    Ok(Measured { costs, whole, warps, taps, ways })
}

/// Number of volumes that a run holds at a time, with the images on the host.
const VOLUMES_HELD: usize = 34;

/// Why a size is not tried: systems that promise more memory than they have end the program.
fn host_is_too_small(size: usize) -> Option<String> {
    let needed = (VOLUMES_HELD * 4 * size.pow(3)) as u64;
    let free = SystemMemory::now()?.available_bytes;
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    (needed > free).then(|| format!("needs {:.0} GiB of memory, {:.0} GiB are free", gib(needed), gib(free)))
}

fn is_too_little_memory(error: &BenchError) -> bool {
    matches!(
        error,
        BenchError::Compute(ComputeError::OutOfMemory { .. } | ComputeError::BufferTooLarge { .. })
            | BenchError::Motion(MotionError::Compute(
                ComputeError::OutOfMemory { .. } | ComputeError::BufferTooLarge { .. }
            ))
    )
}

#[cfg(test)]
mod tests;
