//! The second GPU paper on this machine: block matching and Lucas-Kanade over sizes of pictures, and all distances between the
//! faces of meshes ([`distances`]), on a GPU beside one thread and all threads of its host.
//!
//! *Paper*: "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 5, Figures 3 to 5 and 7.
//!
//! *As in the paper*: block matching on five levels, Lucas-Kanade on three; images on the device already, times of computing;
//! the middle of several measurements. The paper's times are those of a GeForce GTX 260.
//!
//! *Where we differ*: textured pairs of our own, as contents hardly matter to the time; sizes down and up from the paper's
//! two, and Middlebury's pairs of these sizes, whose motion is known; beside the paper's way (preset `paper`) the preset `fast`,
//! which is more accurate. Figure 7 on meshes of the data folder and on grids; what follows the distances is timed as well.

mod distances;
mod inputs;
mod page;
mod shares;
mod speed_ups;
mod tables;
#[cfg(test)]
mod tests;

use crate::experiments::{
    Event, ExperimentTable, Experiments, Machine, MachineRole, NotMeasured, Observer, Published, machines,
    middle,
};
use crate::{BenchError, Figure, Session};
use distances::{DistanceTime, FULL_SIDES, QUICK_SIDES};
pub(crate) use distances::{matrix_ms, paths_ms, triangle_grid};
use inputs::{NamedMesh, Pictures};
use shares::Shares;
use speed_ups::published_speed_ups;
use std::time::Instant;
use veloxel_core::{Control, Grid};
use veloxel_gpu::Device;
use veloxel_measure::flow_error;
use veloxel_motion::{AnyMethod, DenseDraft, Frame, ImagePair, MethodOpening, MotionError, Pair, PairMethod};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

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

/// One way over one pair of pictures.
#[derive(Debug, Clone, PartialEq)]
struct Measurement {
    /// What the pictures are called.
    name: String,
    size: [usize; 2],
    way: Way,
    /// Milliseconds in each role.
    ms: [Option<f64>; 3],
    /// Mean end-point error, the same on every machine.
    error_px: f64,
}

/// The experiments' results.
#[derive(Debug)]
struct PaperB {
    machines: Vec<Machine>,
    measurements: Vec<Measurement>,
    distances: Vec<DistanceTime>,
    shares: Vec<Shares>,
    left_out: Vec<NotMeasured>,
}

/// The extent of the experiments.
#[derive(Debug, Clone, Copy)]
struct PaperBPlan<'a> {
    /// Sizes of pictures.
    pub sizes: &'a [[usize; 2]],
    /// Sides of grids of triangles, two a square.
    pub sides: &'a [usize],
    /// Files of meshes in the data folder.
    pub meshes: &'a [&'a str],
}

/// Meshes of the full experiment: 6, 18 and 20 thousand faces.
const FULL_MESHES: &[&str] = &["models/cow.obj", "psb/off/301.off", "models/rocker-arm.obj"];
/// The mesh of the quick experiment.
const QUICK_MESHES: &[&str] = &["models/cow.obj"];

/// What the data folder has.
#[derive(Debug, Default)]
struct PaperBData {
    pictures: Vec<Pictures>,
    meshes: Vec<NamedMesh>,
}

impl PaperBPlan<'static> {
    /// All sizes.
    pub const FULL: Self = Self { sizes: FULL_SIZES, sides: FULL_SIDES, meshes: FULL_MESHES };
    /// Small sizes.
    pub const QUICK: Self = Self { sizes: QUICK_SIZES, sides: QUICK_SIDES, meshes: QUICK_MESHES };
}

/// The bench `paper-b`.
pub(super) fn paper_b(
    session: &Session<'_>,
    observer: &mut Observer<'_>,
) -> Result<Box<dyn Experiments>, BenchError> {
    let plan = if session.is_quick { PaperBPlan::QUICK } else { PaperBPlan::FULL };
    // What other benches lack stays missed.
    let missed_before = session.take_missing();
    let data =
        PaperBData { pictures: inputs::pictures(session)?, meshes: inputs::meshes(session, plan.meshes)? };
    let lacked = session.take_missing();
    missed_before.into_iter().for_each(|name| session.miss(name));
    let mut result = run_plan(session.device, plan, data, observer)?;
    let lacking =
        |name: String| NotMeasured::new(name, "the folder that VELOXEL_DATA names does not have it");
    result.left_out.extend(lacked.into_iter().map(lacking));
    Ok(Box::new(result))
}

/// Measures pictures and graphs; the observer is told the name of each measurement before it starts.
fn run_plan(
    device: &Device,
    plan: PaperBPlan<'_>,
    data: PaperBData,
    observer: &mut Observer<'_>,
) -> Result<PaperB, BenchError> {
    let machines = machines(device)?;
    let graphs = distances::graphs(plan.sides, &data.meshes)?;
    let distances = distances::distance_times(&machines, &graphs, observer)?;
    let shares = shares::shares(&machines, &data.meshes, observer)?;
    let left_out = Vec::new();
    let mut result = PaperB { machines, measurements: Vec::new(), distances, shares, left_out };
    for pictures in data.pictures {
        result.measure(&pictures, observer)?;
    }
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    for &[nx, ny] in plan.sizes {
        result.measure(&Pictures::of_phantom(case.build(&Grid::image(nx, ny)?)), observer)?;
    }
    Ok(result)
}

/// A way, opened for the grid of some pictures.
fn opened(device: &Device, way: Way, pictures: &Pictures) -> Result<Box<dyn PairMethod>, BenchError> {
    let mut draft = DenseDraft::named(way.method).map_err(MotionError::from)?;
    draft.set_preset(way.preset).map_err(MotionError::from)?;
    draft.set("max_levels", way.levels.into(), "paper-b").map_err(MotionError::from)?;
    let grid = pictures.images[0].grid();
    let opening = MethodOpening { grid, image: grid, frames: 2, white: 255.0, draft: &draft, device };
    match opening.open()?.method {
        AnyMethod::Pair(method) => Ok(method),
        AnyMethod::Window(_) => unreachable!("a method of the paper should take pairs"),
    }
}

/// Mean end-point error of a way, px.
fn error_px(device: &Device, way: Way, pictures: &Pictures) -> Result<f64, BenchError> {
    let [fixed, moving] = &pictures.images;
    let found = opened(device, way, pictures)?.run(&Pair::new(fixed, moving))?;
    let within = pictures.within.as_ref();
    Ok(flow_error(&found.flow, &pictures.truth, within, &Control::default())?.end_point_vox.mean)
}

/// The time of a pair that is on the device already, the flow left there.
fn time_ms(device: &Device, way: Way, pictures: &Pictures) -> Result<f64, BenchError> {
    let mut method = opened(device, way, pictures)?;
    let [fixed, moving] = &pictures.images;
    let (fixed, moving) = (Frame::upload(device, fixed)?, Frame::upload(device, moving)?);
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
        let error = |m: &Measurement| Figure::new(format!("{}: end-point error", m.name()), m.error_px, "px");
        let errors = self.measurements.iter().map(error);
        let times = self.measurements.iter().flat_map(of);
        let distances = self.distance_figures().chain(self.speed_up_figures());
        times.chain(errors).chain(distances).chain(self.share_figures()).collect()
    }

    fn published(&self) -> Vec<Published> {
        let of = |m: &Measurement| {
            let value = m.way.published_ms(m.size)?;
            Some(Published { what: m.name(), by: GTX_260, value, unit: "ms", place: "Figures 3 to 5" })
        };
        self.measurements.iter().filter_map(of).chain(published_speed_ups()).collect()
    }

    fn not_measured(&self) -> Vec<NotMeasured> {
        let pictures = NotMeasured::new(
            "Figures 3 to 5, errors on Army, Schefflera and Urban",
            "the benchmark keeps the true motion of these; RubberWhale and Urban2 of its training set have their sizes",
        );
        self.left_out.iter().cloned().chain([pictures]).collect()
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
    /// The way and the pictures.
    fn name(&self) -> String {
        format!("{}, {}", self.way.name(), self.name)
    }
}

impl PaperB {
    /// Measures every way over a pair of pictures.
    fn measure(&mut self, pictures: &Pictures, observer: &mut Observer<'_>) -> Result<(), BenchError> {
        let (name, size) = (&pictures.name, pictures.size());
        for way in WAYS {
            let (mut ms, mut error) = ([None; 3], f64::NAN);
            for Machine { role, device, .. } in &self.machines {
                observer(Event::Next(&format!("{name}, {}, {}", way.name(), role.name())))?;
                ms[*role as usize] = Some(time_ms(device, way, pictures)?);
                if *role == self.fastest() {
                    error = error_px(device, way, pictures)?;
                }
            }
            self.measurements.push(Measurement { name: name.clone(), size, way, ms, error_px: error });
        }
        Ok(())
    }

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
