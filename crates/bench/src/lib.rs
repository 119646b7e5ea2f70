//! What must be reached, measured: each bench gives figures beside the bars they are held against.

mod data;
mod error;
mod gpu;
mod kernels;
mod middlebury;
mod multigrid;
mod nirep;
mod paper_a;
mod phantoms;
mod phase;
mod rates;
mod volume_preservation;
mod volumes;

pub use error::BenchError;
pub use paper_a::{Event, PaperA, Plan, paper_a};
pub use veloxel_report::experiment::ExperimentTable;
pub use volumes::{VolumeCost, volume_cost};

use serde::Serialize;
use veloxel_gpu::Device;

/// A figure and the bar that it is held against.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it must reach; none for figures that only inform.
    pub bar: Option<Bar>,
    /// Whether the bar is reached.
    pub reached: Option<bool>,
}

/// Which side of a value is good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bar {
    /// The figure may not exceed this.
    AtMost(f64),
    /// The figure may not fall below this.
    AtLeast(f64),
    /// The figure should lie between these: another's result, repeated.
    Between(f64, f64),
}

impl Figure {
    fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, bar: None, reached: None }
    }
    fn held_against(mut self, bar: Bar) -> Self {
        self.bar = Some(bar);
        self.reached = Some(match bar {
            Bar::AtMost(limit) => self.value <= limit,
            Bar::AtLeast(limit) => self.value >= limit,
            Bar::Between(low, high) => (low..=high).contains(&self.value),
        });
        self
    }
    fn at_most(self, limit: f64) -> Self {
        self.held_against(Bar::AtMost(limit))
    }
    fn between(self, low: f64, high: f64) -> Self {
        self.held_against(Bar::Between(low, high))
    }
    fn at_least(self, limit: f64) -> Self {
        self.held_against(Bar::AtLeast(limit))
    }
}

/// A group of measurements that runs on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bench {
    /// Memory copy rate with the device's threads.
    Copy,
    /// A solver sweep over 256³ against the copy rate.
    Sweep,
    /// Every hot kernel against the copy rate.
    Kernels,
    /// Speed of whole runs on a GPU.
    Gpu,
    /// Fields of a device against the processor's, vector by vector.
    Agreement,
    /// The first paper's experiments: a GPU beside its host.
    PaperA,
    /// Multigrid against Jacobi on 128³.
    Multigrid,
    /// Pairs of 64³, 128³ and 256³: time and memory.
    Volumes,
    /// End-point errors on the phantoms.
    Phantoms,
    /// Volume change in incompressible muscle with β on and off.
    VolumePreservation,
    /// The second paper's tables and speeds.
    Phase,
    /// Middlebury's four two-frame pairs.
    Middlebury,
    /// NIREP na02 → na01.
    Nirep,
}

/// Runs `cost` of a volume pair somewhere with memory of its own: a fresh process.
pub type InFreshProcess<'a> = &'a dyn Fn(usize) -> Result<VolumeCost, BenchError>;

impl Bench {
    /// All, those that need no data first.
    pub const ALL: [Self; 13] = [
        Self::Copy,
        Self::Sweep,
        Self::Kernels,
        Self::Gpu,
        Self::Agreement,
        Self::PaperA,
        Self::Multigrid,
        Self::Volumes,
        Self::Phantoms,
        Self::VolumePreservation,
        Self::Phase,
        Self::Middlebury,
        Self::Nirep,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Sweep => "sweep",
            Self::Kernels => "kernels",
            Self::Gpu => "gpu",
            Self::Agreement => "agreement",
            Self::PaperA => "paper-a",
            Self::Multigrid => "multigrid",
            Self::Volumes => "volumes",
            Self::Phantoms => "phantoms",
            Self::VolumePreservation => "volume-preservation",
            Self::Phase => "phase",
            Self::Middlebury => "middlebury",
            Self::Nirep => "nirep",
        }
    }

    /// Measures.
    ///
    /// # Errors
    /// [`BenchError::NoData`] if it needs the data folder (`VELOXEL_DATA`) and there is none; whatever a run fails with.
    pub fn run(self, device: &Device, volumes: InFreshProcess<'_>) -> Result<Vec<Figure>, BenchError> {
        match self {
            Self::Copy => rates::copy(device),
            Self::Sweep => rates::sweep(device),
            Self::Kernels => kernels::kernels(device),
            Self::Gpu => gpu::gpu(device),
            Self::Agreement => gpu::agreement(device),
            Self::PaperA => Ok(paper_a(device, Plan::full(), &mut |_| Ok(()))?.figures()),
            Self::Multigrid => multigrid::multigrid(device),
            Self::Volumes => volumes::volumes(volumes),
            Self::Phantoms => phantoms::phantoms(device),
            Self::VolumePreservation => volume_preservation::volume_preservation(device),
            Self::Phase => phase::phase(device),
            Self::Middlebury => middlebury::middlebury(device),
            Self::Nirep => nirep::nirep(device),
        }
    }
}
