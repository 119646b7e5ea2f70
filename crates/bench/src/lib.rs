//! Benchmarks with their required limits: each bench gives figures beside the bars that they must reach.

mod accuracy;
mod error;
mod experiments;
mod figure;
mod paper_a;
mod paper_b;
mod paper_c;
mod paper_d;
mod phase;
mod plots_page;
mod record;
mod scores;
mod session;
mod speed;
mod stops;
mod verdict;

pub use error::BenchError;
pub use experiments::{
    Event, ExperimentTable, Experiments, Findings, MergedRuns, NotMeasured, Observer, Published, SystemFact,
    system_facts,
};
pub use figure::{Bar, Figure};
pub use plots_page::plots_page;
pub use record::{Record, Scored};
pub use scores::{
    FurtherMeasure, Half, SETS, Score, ScoreFile, ScorePage, ScoreRequest, ScoreSet, ScoredWay, SetScores,
    SplitItem, Summary, score_table, scores, split,
};
pub use session::Session;
pub use speed::volumes::{InFreshProcess, VolumeCost, volume_cost};
pub use verdict::Verdict;

use accuracy::{
    acdc, best_parameters, cine, confidence, error_time, large_motion, local, matching, middlebury, nirep,
    phantoms, repeated_texture, segmentation, volume_preservation,
};
use speed::{gpu, kernels, multigrid, paths, rates, scaling, sessions, streams, tracking, volumes};

/// A group of measurements that runs on its own.
#[derive(Debug)]
pub struct Bench {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whether it runs when no bench is named: a bench does if it needs no other data, no GPU and not an hour.
    pub by_default: bool,
    /// How it is run.
    pub measure: Measure,
    /// Whether docs/status/accuracy.md scores it: then it belongs to the quick form, which measures accuracy alone.
    pub is_scored: bool,
    /// Whether the quick form has it although it is not scored: it shows that something works.
    pub shows_quickly: bool,
    /// Whether it draws plots, for a page.
    pub has_page: bool,
}

/// How a bench is run.
#[derive(Debug, Clone, Copy)]
pub enum Measure {
    /// It gives figures.
    Figures(MeasureFigures),
    /// It repeats a paper's experiments.
    Experiments(MeasureExperiments),
    /// It is the scoreboard: [`scores`].
    Scores,
}

/// Gives the figures of a bench.
pub type MeasureFigures = fn(&Session<'_>) -> Result<Vec<Figure>, BenchError>;
/// Repeats the experiments of a paper.
pub type MeasureExperiments = fn(&Session<'_>, &mut Observer<'_>) -> Result<Box<dyn Experiments>, BenchError>;

impl Bench {
    const fn new(name: &'static str, measure: MeasureFigures) -> Self {
        let measure = Measure::Figures(measure);
        Self { name, by_default: false, measure, is_scored: false, shows_quickly: false, has_page: false }
    }
    const fn of_paper(name: &'static str, measure: MeasureExperiments) -> Self {
        let bare = Self::new(name, |_| Ok(Vec::new()));
        Self { measure: Measure::Experiments(measure), has_page: true, ..bare }
    }
    const fn of_scores(name: &'static str) -> Self {
        Self { measure: Measure::Scores, ..Self::new(name, |_| Ok(Vec::new())) }
    }
    const fn by_default(self) -> Self {
        Self { by_default: true, ..self }
    }
    const fn scored(self) -> Self {
        Self { is_scored: true, ..self }
    }
    const fn shows_quickly(self) -> Self {
        Self { shows_quickly: true, ..self }
    }
    const fn with_page(self) -> Self {
        Self { has_page: true, ..self }
    }

    /// The bench of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        BENCHES.iter().find(|bench| bench.name == name)
    }
}

/// Every bench.
pub const BENCHES: &[Bench] = &[
    // Memory copy rate with the device's threads.
    Bench::new("copy", |session| rates::copy(session.device)).by_default(),
    // Every ground truth of the data: tuned on beside kept, error beside time, ours beside other programs'.
    Bench::of_scores("scores"),
    // A solver sweep over 256³ against the copy rate.
    Bench::new("sweep", |session| rates::sweep(session.device)).by_default(),
    // Every hot kernel against the copy rate.
    Bench::new("kernels", |session| kernels::kernels(session.device)).by_default(),
    // Speed of whole runs on a GPU.
    Bench::new("gpu", |session| gpu::gpu(session.device)),
    // One pair on one GPU and on several that work as one.
    Bench::new("scaling", scaling::scaling),
    // Fields of a device against the processor's, vector by vector.
    Bench::new("agreement", gpu::agreement),
    // The first paper's experiments: a GPU beside its host.
    Bench::of_paper("paper-a", paper_a::paper_a),
    // The second GPU paper: block matching and Lucas-Kanade over sizes of pictures, all distances over sizes of meshes.
    Bench::of_paper("paper-b", paper_b::paper_b),
    // Finite-element registration: seconds a frame, steps of both optimisers, and what more elements cost.
    Bench::of_paper("paper-c", paper_c::paper_c),
    // The phase engine: accuracy, stages, speed and memory beside the FPGA, the GPU and the processor of its paper.
    Bench::of_paper("paper-d", paper_d::paper_d),
    // Floyd-Warshall and dissection against their bars.
    Bench::new("paths", paths::paths),
    // NCC, SSD and SAD under noise, gain and offset; speckle.
    Bench::new("matching", matching::matching),
    // Multigrid against Jacobi on 128³.
    Bench::new("multigrid", |session| multigrid::multigrid(session.device)).by_default(),
    // Small pairs through one session, over bare calls of a method.
    Bench::new("session", sessions::sessions),
    // Volumes and pictures that arrive one by one: latency and rate.
    Bench::new("streams", |session| streams::streams(session.device)),
    // Every command, stopped at random moments: how long it takes, and what is left.
    Bench::new("stops", stops::stops).shows_quickly(),
    // Pairs of 64³, 128³ and 256³: time and memory.
    Bench::new("volumes", |session| volumes::volumes(session.in_fresh_process)).by_default(),
    // End-point errors on the phantoms.
    Bench::new("phantoms", phantoms::phantoms).by_default().scored(),
    // The phantoms with noise against the best values of all parameters, by a search that sees the truth.
    Bench::new("best-parameters", best_parameters::best_parameters),
    // Volume change in incompressible muscle with β on and off.
    Bench::new("volume-preservation", volume_preservation::volume_preservation).by_default().scored(),
    // The second paper's tables and speeds.
    Bench::new("phase", phase::phase).scored(),
    // Middlebury's four two-frame pairs.
    Bench::new("middlebury", middlebury::middlebury).scored(),
    // Error over time beside OpenCV's DIS, on the processor.
    Bench::new("error-time", error_time::error_time).with_page(),
    // Whether confidences rank errors: pictures, noisy volumes, the mouse ventricle.
    Bench::new("confidence", confidence::confidence).scored(),
    // Motion larger than a pyramid follows, with matches and without.
    Bench::new("large-motion", large_motion::large_motion),
    // Matches of textures that repeat do no harm.
    Bench::new("repeated-texture", repeated_texture::repeated_texture),
    // Methods of local windows: error, confidence and time.
    Bench::new("local", local::local),
    // 100,000 points followed between two pictures.
    Bench::new("tracking", tracking::tracking),
    // Parts of meshes beside those of people.
    Bench::new("segmentation", segmentation::segmentation),
    // ACDC: labels of hearts carried from end-diastole to end-systole.
    Bench::new("acdc", acdc::acdc),
    // Outlines of hearts followed over cines.
    Bench::new("cine", cine::cine).with_page(),
    // NIREP na02 → na01.
    Bench::new("nirep", nirep::nirep).scored(),
];
