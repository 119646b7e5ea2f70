//! The second GPU paper on this machine: block matching and Lucas-Kanade over sizes of pictures, and all distances between the
//! faces of meshes ([`distances`]), on a GPU beside one thread and all threads of its host.
//!
//! *Paper*: "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 5, Figures 3 to 5 and 7.
//!
//! *As in the paper*: block matching on five levels, Lucas-Kanade on three; images on the device already, times of computing;
//! the middle of several measurements. The paper's times are those of a GeForce GTX 260.
//!
//! *Where we differ*: textured pairs of our own, as contents hardly matter to the time; sizes down and up from the paper's
//! two; beside the paper's way (preset `paper`) the preset `fast`, which is more accurate.

mod distances;
mod page;
mod tables;
#[cfg(test)]
mod tests;

use crate::experiments::{
    Event, ExperimentTable, Experiments, Machine, MachineRole, NotMeasured, Observer, Published, machines,
    middle,
};
use crate::{BenchError, Figure, Session};
use distances::DistanceTime;
use distances::{FULL_SIDES, QUICK_SIDES};
pub(crate) use distances::{matrix_ms, paths_ms, triangle_grid};
use std::time::Instant;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_motion::{AnyMethod, DenseDraft, Frame, ImagePair, MethodOpening, MotionError};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};

/// A method with its preset and levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Way {
    method: &'static str,
    preset: &'static str,
    levels: u32,
}

const WAYS: [Way; 4] = [
    Way { method: "block-matching", preset: "paper", levels: 5 },
    Way { method: "block-matching", preset: "fast", levels: 5 },
    Way { method: "lucas-kanade", preset: "paper", levels: 3 },
    Way { method: "lucas-kanade", preset: "fast", levels: 3 },
];

/// The paper's GPU.
const GTX_260: &str = "GTX 260";
/// The paper's times on it, ms: size, block matching, Lucas-Kanade.
const PUBLISHED: [([usize; 2], f64, f64); 2] = [([584, 388], 2.0, 0.788), ([640, 480], 3.0, 0.6)];

impl Way {
    fn name(self) -> String {
        format!("{} ({})", self.method, self.preset)
    }

    /// The paper's time, ms.
    fn published_ms(self, size: [usize; 2]) -> Option<f64> {
        let (_, matching, lucas_kanade) = PUBLISHED.into_iter().find(|row| row.0 == size)?;
        Some(if self.method == WAYS[0].method { matching } else { lucas_kanade })
    }
}

/// Sizes of pictures, small ones first, on to four times full HD.
const FULL_SIZES: &[[usize; 2]] =
    &[[320, 240], [584, 388], [640, 480], [1280, 720], [1920, 1080], [3840, 2160]];
/// The paper's two sizes, and a smaller one.
const QUICK_SIZES: &[[usize; 2]] = &[[320, 240], [584, 388], [640, 480]];
/// Most measurements of a run; an odd number.
const RUNS: usize = 9;
/// Time from which on a run is measured once, ms.
const LONG_MS: f64 = 400.0;

/// Times of one way over one size: milliseconds in each role.
#[derive(Debug, Clone, PartialEq)]
struct Measurement {
    size: [usize; 2],
    way: Way,
    ms: [Option<f64>; 3],
}

/// The experiments' results.
#[derive(Debug)]
struct PaperB {
    machines: Vec<Machine>,
    measurements: Vec<Measurement>,
    distances: Vec<DistanceTime>,
}

/// The extent of the experiments.
#[derive(Debug, Clone, Copy)]
struct PaperBPlan<'a> {
    /// Sizes of pictures.
    pub sizes: &'a [[usize; 2]],
    /// Sides of grids of triangles, two a square.
    pub sides: &'a [usize],
}

impl PaperBPlan<'static> {
    /// All sizes.
    pub const FULL: Self = Self { sizes: FULL_SIZES, sides: FULL_SIDES };
    /// Small sizes.
    pub const QUICK: Self = Self { sizes: QUICK_SIZES, sides: QUICK_SIDES };
}

/// The bench `paper-b`.
pub(super) fn paper_b(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let plan = if session.is_quick { PaperBPlan::QUICK } else { PaperBPlan::FULL };
    Ok(Box::new(run_plan(session.device, plan, observer)?))
}

/// Measures pictures and graphs of some sizes; the observer is told the name of each measurement before it starts.
fn run_plan(
    device: &Device,
    plan: PaperBPlan<'_>,
    observer: &mut Observer<'_>,
) -> Result<PaperB, BenchError> {
    let machines = machines(device)?;
    let distances = distances::distance_times(&machines, plan.sides, observer)?;
    let mut result = PaperB { machines, measurements: Vec::new(), distances };
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    for &[nx, ny] in plan.sizes {
        let phantom = case.build(&Grid::image(nx, ny)?);
        for way in WAYS {
            let mut ms = [None; 3];
            for Machine { role, device, .. } in &result.machines {
                observer(Event::Next(&format!("{nx}×{ny}, {}, {}", way.name(), role.name())))?;
                ms[*role as usize] = Some(time_ms(device, way, &phantom)?);
            }
            result.measurements.push(Measurement { size: [nx, ny], way, ms });
        }
    }
    Ok(result)
}

/// The time of a pair that is on the device already, the flow left there.
fn time_ms(device: &Device, way: Way, phantom: &Phantom) -> Result<f64, BenchError> {
    let mut draft = DenseDraft::named(way.method).map_err(MotionError::from)?;
    draft.set_preset(way.preset).map_err(MotionError::from)?;
    draft.set("max_levels", way.levels.into(), "paper-b").map_err(MotionError::from)?;
    let opening = MethodOpening { grid: phantom.grid(), frames: 2, white: 255.0, draft: &draft, device };
    let AnyMethod::Pair(mut method) = opening.open()?.method else {
        unreachable!("a method of the paper should take pairs")
    };
    let (fixed, moving) = (Frame::upload(device, &phantom.fixed)?, Frame::upload(device, &phantom.moving)?);
    let mut times = Vec::new();
    // The first run makes memory and, on a GPU, kernels.
    for nth in 0..=RUNS {
        device.synchronise()?;
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        let ms = 1e3 * start.elapsed().as_secs_f64();
        if nth > 0 {
            times.push(ms);
        }
        if ms > LONG_MS && !times.is_empty() {
            break;
        }
    }
    Ok(middle(&mut times))
}

impl Experiments for PaperB {
    fn figures(&self) -> Vec<Figure> {
        let of = |m: &Measurement| -> Vec<Figure> {
            let figure = |role: MachineRole| {
                let what = format!("{}, {}", m.name(), role.name());
                Some(Figure::new(what, m.ms[role as usize]?, "ms"))
            };
            MachineRole::ALL.into_iter().filter_map(figure).collect()
        };
        self.measurements.iter().flat_map(of).chain(self.distance_figures()).collect()
    }

    fn published(&self) -> Vec<Published> {
        let of = |m: &Measurement| {
            let value = m.way.published_ms(m.size)?;
            Some(Published { what: m.name(), by: GTX_260, value, unit: "ms", place: "Figures 3 to 5" })
        };
        self.measurements.iter().filter_map(of).collect()
    }

    fn not_measured(&self) -> Vec<NotMeasured> {
        Vec::new()
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

impl Measurement {
    /// The way and the size.
    fn name(&self) -> String {
        let [nx, ny] = self.size;
        format!("{}, {nx}×{ny}", self.way.name())
    }
}

impl PaperB {
    fn has(&self, role: MachineRole) -> bool {
        self.machines.iter().any(|machine| machine.role == role)
    }

    /// The roles that exist on this machine.
    fn roles(&self) -> impl Iterator<Item = MachineRole> + Clone {
        MachineRole::ALL.into_iter().filter(|role| self.has(*role))
    }

    /// The role of the fastest machine: the GPU, or all threads without one.
    fn fastest(&self) -> MachineRole {
        if self.has(MachineRole::Gpu) { MachineRole::Gpu } else { MachineRole::AllThreads }
    }

    fn of(&self, way: Way) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(move |m| m.way == way)
    }
}
