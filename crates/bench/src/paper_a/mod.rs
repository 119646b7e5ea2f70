//! The experiments of the first paper on this machine: whole runs, numbers of iterations, kernel sizes, components and
//! transfers, each on a GPU beside one thread and all threads of its host.
//!
//! *Paper*: J. Thiyagalingam, D. Goodman, J. A. Schnabel, A. Trefethen, V. Grau, "On the usage of GPUs for efficient motion
//! estimation in medical image sequences", Int. J. Biomedical Imaging 2011, doi:10.1155/2011/137604, section 5: Tables 2
//! and 3, Figures 5 to 9.
//!
//! *As in the paper*: the preset `paper` (Jacobi, forward differences, linear warps, one level), a window of 15 taps, times of
//! computing without those of transfers, the middle of several measurements.
//!
//! *Where we differ*: the paper does not say how often it iterated, so times cannot be compared with its times, but
//! speed-ups can with its speed-ups; textured pairs of our own; sizes on to 512³.

mod components;
mod figures;
mod page;
mod published;
mod runs;
mod scene;
mod settings;
mod tables;

use crate::BenchError;
use crate::Figure;
use components::Costs;
pub(crate) use components::middle;
use runs::{Run, Time};
use scene::Scene;
pub use tables::ExperimentTable;
use veloxel_core::SystemMemory;
use veloxel_gpu::{ComputeError, Device};
use veloxel_motion::MotionError;

/// The extent of the experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperAPlan {
    /// Voxels along each axis of the whole runs of Tables 2 and 3.
    pub sizes: Vec<usize>,
    /// Voxels along each axis of the runs of Figure 5.
    pub figure_sizes: Vec<usize>,
    /// Values of R for Figure 5a.
    pub warps: Vec<usize>,
    /// Widths of K_ρ, taps, for Figure 5b; odd.
    pub taps: Vec<usize>,
    /// Longest predicted time, seconds, of a whole run that is measured as it is; longer ones are scaled.
    pub longest_s: f64,
    /// Longest predicted time, seconds, of a point of Figure 5 that is measured as it is; longer ones are scaled.
    pub longest_in_figures_s: f64,
}

impl PaperAPlan {
    /// A plan of the paper's sizes, and on to 512³.
    pub fn full() -> Self {
        Self {
            sizes: vec![50, 75, 100, 125, 150, 175, 200, 225, 250, 300, 400, 512],
            figure_sizes: vec![128, 256],
            warps: vec![1, 2, 5, 10, 20],
            taps: vec![5, 9, 15, 31],
            longest_s: 6.0,
            longest_in_figures_s: 1.5,
        }
    }
    /// A plan of sizes up to 100³.
    pub fn quick() -> Self {
        Self {
            sizes: vec![50, 75, 100],
            figure_sizes: vec![64],
            longest_s: 2.0,
            longest_in_figures_s: 0.5,
            ..Self::full()
        }
    }
}

/// The machine that a run is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PaperAMachine {
    /// The paper's sequential version.
    OneThread,
    /// The paper's multicore version.
    AllThreads,
    /// The paper's GPU version.
    Gpu,
}

impl PaperAMachine {
    pub const ALL: [Self; 3] = [Self::OneThread, Self::AllThreads, Self::Gpu];
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneThread => "1 thread",
            Self::AllThreads => "all threads",
            Self::Gpu => "GPU",
        }
    }
    /// The role's name at the begin of a title.
    const fn title(self) -> &'static str {
        match self {
            Self::OneThread => "One thread",
            Self::AllThreads => "All threads",
            Self::Gpu => "GPU",
        }
    }
}

/// A device in its role.
#[derive(Debug)]
pub(crate) struct Machine {
    pub role: PaperAMachine,
    pub device: Device,
    /// Description of the machine, for people.
    pub name: String,
}

/// All times of one size on one machine.
#[derive(Debug)]
struct Measured {
    costs: Costs,
    /// The time of Tables 2 and 3, if this size is one of theirs.
    whole: Option<Time>,
    /// One time for each R of Figure 5a, if this size is one of its sizes.
    warps: Vec<Time>,
    /// One time for each kernel of Figure 5b.
    taps: Vec<Time>,
}

/// The times of one size.
#[derive(Debug)]
struct Measurement {
    size: usize,
    /// The times of each role; none without such a machine, or with too little memory.
    by_role: [Option<Measured>; 3],
}

impl Measurement {
    fn of(&self, role: PaperAMachine) -> Option<&Measured> {
        self.by_role[role as usize].as_ref()
    }
    /// A time of each role.
    fn times(&self, of: impl Fn(&Measured) -> Option<Time>) -> [Option<Time>; 3] {
        PaperAMachine::ALL.map(|role| self.of(role).and_then(&of))
    }
}

/// The experiments' results.
#[derive(Debug)]
pub struct PaperA {
    plan: PaperAPlan,
    machines: Vec<Machine>,
    measurements: Vec<Measurement>,
    /// Names of what could not be measured, with the reason.
    left_out: Vec<String>,
}

/// Progress of the measurement.
#[derive(Debug)]
pub enum PaperAEvent<'a> {
    /// A size and a machine that are measured next.
    Next(&'a str),
    /// The last one was measured: its figures, and all results so far.
    Measured {
        /// Figures of this size on this machine; after the last machine, the speed-ups too.
        figures: Vec<Figure>,
        /// The result, if nothing more were measured.
        so_far: &'a PaperA,
    },
}

/// Measures everything of a plan, small sizes first; `observer` is called after each measurement.
///
/// # Errors
/// Whatever a run or the observer fails with. Sizes for which memory is too little are left out instead, and the tables say so.
pub fn paper_a(
    device: &Device,
    plan: PaperAPlan,
    observer: &mut dyn FnMut(PaperAEvent<'_>) -> Result<(), BenchError>,
) -> Result<PaperA, BenchError> {
    let mut sizes: Vec<usize> = plan.sizes.iter().chain(&plan.figure_sizes).copied().collect();
    sizes.sort_unstable();
    sizes.dedup();
    let machines = machines(device)?;
    let mut result = PaperA { plan, machines, measurements: Vec::new(), left_out: Vec::new() };
    for size in sizes {
        if let Some(reason) = host_is_too_small(size) {
            result.left_out.push(format!("{size}³: {reason}"));
            continue;
        }
        let scene = Scene::new(size)?;
        result.measurements.push(Measurement { size, by_role: [None, None, None] });
        for nth in 0..result.machines.len() {
            let machine = &result.machines[nth];
            let role = machine.role;
            observer(PaperAEvent::Next(&format!("{size}³, {}", role.name())))?;
            let measured = match measure(machine, &scene, &result.plan) {
                Ok(measured) => measured,
                Err(error) if is_too_little_memory(&error) => {
                    result.left_out.push(format!("{size}³, {}: {error}", role.name()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(measurement) = result.measurements.last_mut() {
                measurement.by_role[role as usize] = Some(measured);
            }
            let figures = figures::newest(&result, role);
            observer(PaperAEvent::Measured { figures, so_far: &result })?;
        }
    }
    Ok(result)
}

impl PaperA {
    /// Every result as a figure; the best speed-up is compared with the paper's if the paper's sizes were measured.
    pub fn figures(&self) -> Vec<Figure> {
        figures::figures(self)
    }
    /// The tables and the figures' data, for people.
    pub fn tables(&self) -> Vec<ExperimentTable> {
        tables::tables(self)
    }
    /// A page with plots and tables, in one file.
    ///
    /// # Errors
    /// [`BenchError::Report`] should not occur.
    pub fn html(&self) -> Result<String, BenchError> {
        page::html(self)
    }
    /// Notes for the tables: devices, how it was measured, what was scaled or left out.
    pub fn notes(&self) -> Vec<String> {
        tables::notes(self)
    }

    fn has(&self, role: PaperAMachine) -> bool {
        self.machines.iter().any(|m| m.role == role)
    }
    /// The machine that the paper's GPU is compared with: the GPU, or all threads without one.
    fn fastest(&self) -> PaperAMachine {
        if self.has(PaperAMachine::Gpu) { PaperAMachine::Gpu } else { PaperAMachine::AllThreads }
    }
}

/// One thread, all threads, and the device if it is a GPU.
pub(crate) fn machines(device: &Device) -> Result<Vec<Machine>, BenchError> {
    let all = if device.is_gpu() { Device::cpu(0)? } else { device.clone() };
    let devices = [(PaperAMachine::OneThread, Device::cpu(1)?), (PaperAMachine::AllThreads, all)];
    let gpu = device.is_gpu().then(|| (PaperAMachine::Gpu, device.clone()));
    let machine = |(role, device): (PaperAMachine, Device)| {
        let description = device.info().description;
        // What a processor is begins with its threads, which a single one need not say.
        let name = match role {
            PaperAMachine::OneThread => description.rsplit(", ").next().unwrap_or_default().to_owned(),
            _ => description,
        };
        Machine { role, device, name }
    };
    Ok(devices.into_iter().chain(gpu).map(machine).collect())
}

fn measure(machine: &Machine, scene: &Scene, plan: &PaperAPlan) -> Result<Measured, BenchError> {
    let device = &machine.device;
    // Components first: a run's prediction needs what an iteration costs.
    let costs = components::costs(device, scene)?;
    let run = Run::new(device, scene, &costs)?;
    let standard = run.predict(settings::TAPS)?;
    let whole = match plan.sizes.contains(&scene.size) {
        true => Some(run.time(settings::WARPS, &standard, plan.longest_s)?),
        false => None,
    };
    let (mut warps, mut taps) = (Vec::new(), Vec::new());
    if plan.figure_sizes.contains(&scene.size) {
        let longest_s = plan.longest_in_figures_s;
        for &count in &plan.warps {
            warps.push(run.time(count, &standard, longest_s)?);
        }
        for &width in &plan.taps {
            taps.push(run.time(settings::WARPS, &run.predict(width)?, longest_s)?);
        }
    }
    Ok(Measured { costs, whole, warps, taps })
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
