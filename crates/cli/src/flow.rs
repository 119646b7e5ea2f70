//! `veloxel flow`: two images to a field.

use crate::output::print_lines;
use crate::progress::Progress;
use crate::run_arguments::{DeviceArguments, command_line, setting, strictness};
use crate::wrong_usage;
use crate::{Outcome, Run, warn};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::path::PathBuf;
use veloxel::jobs::{
    Directions, FlowJob, FlowOutputs, FlowRun, ParameterChoice, PhaseChoice, PhaseFlowJob, RunChoice,
    SequenceJob, StartChoice, flow, flow_of_frames, sequence,
};
use veloxel::motion::clg::parameters::Intensity;
use veloxel::report::PairReport;
use veloxel::report::number::{counted, duration, percent, text};
use veloxel::{Dimension, SolveStatus};
use veloxel::{Extras, PhasePreset, Preset, SequenceMode, SequencePlan};

/// Estimate where every voxel of FIXED is found in MOVING.
///
/// The field lives on FIXED and points into MOVING: fixed(x) ≈ moving(x + d(x)).
/// It is written in pixels as .flo, KITTI .png or .pfm, and in millimetres (LPS) as .nii, .nii.gz, .mha, .mhd,
/// .nrrd or .nhdr, which SimpleITK, ANTs, greedy and 3D Slicer load as their own displacement field.
#[derive(Debug, Args)]
#[command(after_long_help = crate::parameter_help::of_flow())]
#[command(override_usage = "veloxel flow [OPTIONS] <FIXED> <MOVING> -o <FLOW>
       veloxel flow [OPTIONS] <SEQUENCE>... -o <DIR> --sequence <MODE>
       veloxel flow [OPTIONS] <FRAMES>... -o <FLOW> --method phase")]
pub struct FlowArguments {
    /// FIXED and MOVING; with --sequence a 4-D file, a folder of frames, or the frames; with --method phase 2, 3 or 5
    /// frames, or a folder, pattern or video of just these
    #[arg(value_name = "INPUT", num_args = 1.., required = true)]
    inputs: Vec<PathBuf>,

    /// Where the field goes; with --sequence the folder for all fields
    #[arg(short, long, value_name = "FLOW|DIR")]
    output: PathBuf,

    /// Fields between the frames of a sequence, with report.json, in one folder
    #[arg(long, value_enum, value_name = "MODE", help_heading = "Sequences")]
    sequence: Option<Mode>,

    /// The frame that reference fields live on
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sequence", help_heading = "Sequences")]
    reference: usize,

    /// Confidence of every vector, 0 to 1, as an image (0 to 255 in .png .pgm .bmp)
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    confidence: Option<PathBuf>,

    /// MOVING as seen from FIXED, as an image
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    warped: Option<PathBuf>,

    /// Device, parameters, levels, residuals, timings and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures and curves, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// The true field, on FIXED's grid: report and page then say how far off the found one is
    #[arg(long, value_name = "FLOW", conflicts_with = "sequence")]
    truth: Option<PathBuf>,

    /// Before the first step: none, centre-of-mass, affine, or a field's file
    #[arg(long, value_name = "none|centre-of-mass|affine|FLOW", default_value = "none", value_parser = start, conflicts_with = "sequence")]
    init: StartChoice,

    #[command(flatten)]
    run: RunArguments,
}

/// What pairs and sequences share.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// How to estimate
    #[arg(long, value_enum, default_value_t = Method::Clg, help_heading = "Method")]
    method: Method,

    /// What the parameters start from
    #[arg(long, value_enum, default_value_t = PresetName::Accurate, help_heading = "Method")]
    preset: PresetName,

    /// Change one parameter: the value is a number, a word, or TOML such as "{ charbonnier = { epsilon = 0.001 } }"
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Parameters from a TOML file, before --set
    #[arg(long, value_name = "FILE.toml", help_heading = "Method")]
    params: Option<PathBuf>,

    /// Exactly R warps on every level
    #[arg(long, value_name = "R", help_heading = "Method")]
    warps: Option<usize>,

    /// Exactly K iterations a linear solve
    #[arg(long, value_name = "K", help_heading = "Method")]
    iterations: Option<usize>,

    /// Estimate both directions; where they disagree the confidence falls
    #[arg(long, help_heading = "Method")]
    inverse_consistency: bool,

    /// Take intensities as they are, instead of mapping FIXED's percentiles to 0..1
    #[arg(long, help_heading = "Method")]
    raw_intensity: bool,

    /// Where data count, on FIXED's grid: inside is not 0 (with --method phase there is no vector outside)
    #[arg(long, value_name = "M")]
    mask: Option<PathBuf>,

    /// Where volume is preserved (with beta above 0): the muscle; without it wherever data count
    #[arg(long, value_name = "M")]
    volume_mask: Option<PathBuf>,

    /// Refuse headers that need an assumption, instead of warning
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    device: DeviceArguments,

    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    /// Every frame to the next
    Consecutive,
    /// The reference to every other frame
    Reference,
    /// Both, the last frame to the first, and the drift once around
    Both,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Method {
    /// Combined local-global flow
    Clg,
    /// Phase-based flow of 2, 3 or 5 pictures: the field of the centre one (the first of two)
    Phase,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PresetName {
    /// Little work for its accuracy
    Fast,
    /// The best accuracy at a few times the cost
    Accurate,
    /// Every choice as in the method's paper (Thiyagalingam et al. 2011, Pauwels et al. 2012)
    Paper,
    /// With --method phase: the FPGA of Pauwels et al. 2012 as a model
    Hardware,
}

impl RunArguments {
    pub fn choice(&self) -> RunChoice {
        RunChoice {
            parameters: ParameterChoice {
                preset: match self.preset {
                    PresetName::Fast => Preset::Fast,
                    // Hardware is refused before a run is put together.
                    PresetName::Accurate | PresetName::Hardware => Preset::Accurate,
                    PresetName::Paper => Preset::Paper,
                },
                file: self.params.clone(),
                intensity: self.raw_intensity.then_some(Intensity::Raw),
                warps: self.warps,
                iterations: self.iterations,
                settings: self.set.clone(),
            },
            device: self.device.choice(),
            directions: if self.inverse_consistency { Directions::Both } else { Directions::Forward },
            mask: self.mask.clone(),
            volume_mask: self.volume_mask.clone(),
            strictness: strictness(self.strict),
            command_line: command_line(),
        }
    }
}

impl Run for FlowArguments {
    fn run(&self) -> Outcome {
        if matches!((self.run.method, self.run.preset), (Method::Clg, PresetName::Hardware)) {
            let message = "--preset hardware belongs to --method phase";
            wrong_usage("flow", ErrorKind::ArgumentConflict, message)
        }
        let progress = Progress::new(self.run.quiet);
        let run = match (self.run.method, self.sequence) {
            (Method::Phase, _) => flow_of_frames(&phase_job(self))?,
            (Method::Clg, Some(mode)) => sequence(&sequence_job(self, mode), &progress)?,
            (Method::Clg, None) => flow(&flow_job(self), &progress)?,
        };
        progress.finish();
        warn(&run.report.warnings);
        if !self.run.quiet && std::io::stdout().is_terminal() {
            return print_lines(&summary(&run));
        }
        Ok(())
    }
}

fn sequence_job(arguments: &FlowArguments, mode: Mode) -> SequenceJob {
    SequenceJob {
        inputs: arguments.inputs.clone(),
        plan: SequencePlan {
            mode: match mode {
                Mode::Consecutive => SequenceMode::Consecutive,
                Mode::Reference => SequenceMode::Reference,
                Mode::Both => SequenceMode::Both,
            },
            reference: arguments.reference,
            extras: Extras::default(),
        },
        choice: arguments.run.choice(),
        folder: arguments.output.clone(),
        report: arguments.report.clone(),
        html: arguments.html.clone(),
    }
}

fn flow_job(arguments: &FlowArguments) -> FlowJob {
    let [fixed, moving] = arguments.inputs.as_slice() else {
        // A rule that clap cannot express: two inputs unless they are a sequence.
        let message = format!(
            "expected FIXED and MOVING, got {}; use --sequence for more or fewer",
            counted(arguments.inputs.len(), "input")
        );
        wrong_usage("flow", ErrorKind::WrongNumberOfValues, &message)
    };
    FlowJob {
        fixed: fixed.clone(),
        moving: moving.clone(),
        start: arguments.init.clone(),
        truth: arguments.truth.clone(),
        choice: arguments.run.choice(),
        outputs: arguments.outputs(),
    }
}

impl FlowArguments {
    fn outputs(&self) -> FlowOutputs {
        FlowOutputs {
            flow: self.output.clone(),
            confidence: self.confidence.clone(),
            warped: self.warped.clone(),
            report: self.report.clone(),
            html: self.html.clone(),
        }
    }

    /// An option that phase-based flow has no use for.
    fn option_of_another_method(&self) -> Option<&'static str> {
        let run = &self.run;
        [
            (self.sequence.is_some(), "--sequence (use `veloxel engine` for every frame of a video)"),
            (self.init != StartChoice::None, "--init"),
            (run.warps.is_some(), "--warps"),
            (run.iterations.is_some(), "--iterations"),
            (run.inverse_consistency, "--inverse-consistency (two frames are checked both ways as they are)"),
            (run.raw_intensity, "--raw-intensity (phase does not depend on it)"),
            (run.volume_mask.is_some(), "--volume-mask"),
            (matches!(run.preset, PresetName::Fast), "--preset fast (there are accurate and paper)"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }
}

fn phase_job(arguments: &FlowArguments) -> PhaseFlowJob {
    if let Some(option) = arguments.option_of_another_method() {
        let message = format!("--method phase does not go with {option}");
        wrong_usage("flow", ErrorKind::ArgumentConflict, &message)
    }
    let run = &arguments.run;
    PhaseFlowJob {
        frames: arguments.inputs.clone(),
        truth: arguments.truth.clone(),
        mask: run.mask.clone(),
        choice: PhaseChoice {
            preset: match run.preset {
                PresetName::Paper => PhasePreset::Paper,
                PresetName::Hardware => PhasePreset::Hardware,
                PresetName::Accurate | PresetName::Fast => PhasePreset::Accurate,
            },
            file: run.params.clone(),
            settings: run.set.clone(),
            device: run.device.choice(),
            strictness: strictness(run.strict),
            command_line: command_line(),
        },
        outputs: arguments.outputs(),
    }
}

/// A few lines for a person at a terminal; scripts take `--report`.
fn summary(run: &FlowRun) -> Vec<(&str, String)> {
    let report = &run.report;
    let unit = match report.inputs[0].dimension {
        Dimension::Two => "px",
        Dimension::Three => "voxels",
    };
    let mut lines = match report.pairs.as_slice() {
        [pair] => pair_lines(pair, unit),
        pairs => {
            let largest = pairs.iter().map(|p| p.motion.max_vox).fold(0.0, f64::max);
            let mut lines = vec![
                ("fields", pairs.len().to_string()),
                ("motion", format!("largest {} {unit}", text(largest))),
            ];
            lines.extend(
                report.cycle_closure_vox.map(|d| ("drift", format!("{} {unit} once around", text(d)))),
            );
            lines
        }
    };
    let total: f64 = report.stage_times.iter().map(|s| s.time_ms).sum();
    let solve: f64 = report.stage_times.iter().filter(|s| s.stage == "solve").map(|s| s.time_ms).sum();
    let (device, threads) = (&report.device.name, counted(report.device.threads, "thread"));
    let time = format!("{} (solve {}), {device}, {threads}", duration(total), duration(solve));
    lines.push(("time", time));
    lines.extend(run.written.iter().map(|(role, path)| (*role, path.display().to_string())));
    lines
}

fn pair_lines(pair: &PairReport, unit: &str) -> Vec<(&'static str, String)> {
    let status = match pair.statistics.status {
        SolveStatus::Done => "done",
        SolveStatus::LimitReached => "stopped at a limit",
        SolveStatus::NoContent => "no contrast to follow",
    };
    let (motion, jacobian, brightness) =
        (&pair.motion, &pair.statistics.jacobian, &pair.statistics.brightness);
    let (before, after) = (text(brightness.mean_abs_before), text(brightness.mean_abs_after));
    let (least, most) = (text(jacobian.min), text(jacobian.max));
    let mut lines = vec![
        ("status", status.to_owned()),
        ("motion", format!("mean {} {unit}, largest {}", text(motion.mean_vox), text(motion.max_vox))),
        ("brightness", format!("mean difference {before} → {after}")),
        ("Jacobian", format!("{least} to {most}, {} folded", percent(jacobian.share_folded))),
        ("confidence", format!("mean {}", text(motion.mean_confidence))),
    ];
    lines.extend(pair.error.as_ref().map(|error| {
        let (end_point, angle) = (text(error.end_point_vox.mean), text(error.angular_deg.mean));
        ("error", format!("mean {end_point} {unit}, {angle}°, at {}", percent(error.density)))
    }));
    lines
}

fn start(text: &str) -> Result<StartChoice, String> {
    Ok(match text {
        "" => return Err("expected none, centre-of-mass, affine, or a field's file".to_owned()),
        "none" => StartChoice::None,
        "centre-of-mass" => StartChoice::CentreOfMass,
        "affine" => StartChoice::Affine,
        path => StartChoice::Flow(path.into()),
    })
}
