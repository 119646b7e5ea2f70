//! `veloxel flow`: two images to a field.

mod register;
mod summary;

use super::Entry;
use crate::chosen_inputs::ChosenFrames;
use crate::commands::dry_run;
use crate::shortcuts::{self, Shortcut};
use crate::{
    DrawingArguments, Fallible, MethodArguments, Outcome, RowArguments, Run, allocator, bytes, followed, say,
    words, wrong_usage,
};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};
use summary::summary;
use veloxel::io::is_named_transform;
use veloxel::jobs::{
    DenseMethodOptions, DenseOptions, Directions, FieldFormat, FlowJob, FlowOutputs, MaskFile, OutsideFill,
    Refinement, RowJob, SequenceJob, StartFrom, sequence, sequence_dry_run,
};
use veloxel::method::{DenseMethodEntry, METHODS, TakenImages};
use veloxel::report::number::counted;
use veloxel::{SequenceMode, Session};

/// `veloxel register` in the list of commands.
pub(super) const REGISTER: Entry =
    Entry::of_rows::<register::RegisterArguments>("register", "registration reg align demons");

/// Estimate where every voxel of FIXED is found in MOVING.
///
/// The field lives on FIXED and points into MOVING: fixed(x) ≈ moving(x + d(x)).
/// It is written in pixels as .flo, KITTI .png, .pfm or .npy, and in millimetres (LPS) as .nii, .nii.gz, .mha, .mhd,
/// .nrrd or .nhdr, which SimpleITK, ANTs, greedy and 3D Slicer load as their own displacement field, or as .ome.zarr.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("clg"))]
#[command(override_usage = "veloxel flow [OPTIONS] <FIXED> <MOVING> -o <FLOW>
       veloxel flow [OPTIONS] -f <FIXED> -m <MOVING> -o <FLOW>
       veloxel flow [OPTIONS] <SEQUENCE>... -o <DIR> --sequence <MODE>
       veloxel flow [OPTIONS] <FRAMES>... -o <FLOW> --method phase")]
pub struct FlowArguments {
    /// The command that these are the options of.
    #[arg(skip = "flow")]
    command: &'static str,

    /// FIXED and MOVING; with --sequence a 4-D file, a folder of frames, or the frames; with --method phase 2, 3 or 5
    /// frames, or a folder, pattern or video of just these. INPUT@5 is its frame 5, INPUT@0:10 its frames 0 to 9
    #[arg(value_name = "INPUT", num_args = 1.., required_unless_present = "fixed")]
    inputs: Vec<PathBuf>,

    /// FIXED, instead of the first of two inputs
    #[arg(short, long, value_name = "IMAGE", requires = "moving", conflicts_with_all = ["inputs", "sequence"])]
    fixed: Option<PathBuf>,

    /// MOVING, instead of the second
    #[arg(short, long, value_name = "IMAGE", requires = "fixed", conflicts_with = "inputs")]
    moving: Option<PathBuf>,

    /// Where the field goes; with --sequence the folder for all fields
    #[arg(short, long, value_name = "FLOW|DIR")]
    output: PathBuf,

    /// Fields between the frames of a sequence, with report.json, in one folder
    #[arg(long, value_parser = modes(), value_name = "MODE", help_heading = "Sequences")]
    sequence: Option<SequenceMode>,

    /// The frame that reference fields live on; without it the first
    #[arg(long, value_name = "N", requires = "sequence", help_heading = "Sequences")]
    reference: Option<usize>,

    /// Frames of the sequence: BEGIN:END:STEP, without END; each part may be left out. Without --sequence the frames of one input
    /// that are FIXED and MOVING, such as 0,5
    #[arg(long, value_name = "0:10:2", help_heading = "Sequences")]
    frames: Option<ChosenFrames>,

    /// Format of the fields of a sequence, such as nii.gz, mha, nrrd, npy or flo; without it .flo for pictures, .nii.gz for volumes
    #[arg(long, value_name = "EXTENSION", requires = "sequence", help_heading = "Sequences")]
    field_format: Option<FieldFormat>,

    /// Confidence of every vector, 0 to 1, as an image (0 to 255 in .png .pgm .bmp); with --sequence a 4-D file, or a folder
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    confidence: Option<PathBuf>,

    /// Expected length of every vector's error, in pixels or voxels, as an image: what its confidence means
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    expected_error: Option<PathBuf>,

    /// Covariance of every vector's error, in squared pixels or voxels: a symmetric matrix (xx, xy, yy, or xx, xy, xz, yy, yz, zz) whose
    /// ellipse of 90 % held nine of ten errors where the motion was known
    #[arg(long, value_name = "OUT.npy", conflicts_with = "sequence", help_heading = "Outputs")]
    covariance: Option<PathBuf>,

    /// Probability of every vector, 0 to 1, that its error is below --within, as an image (0 to 255 in .png .pgm .bmp)
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    probability: Option<PathBuf>,

    /// The error that --probability is about, pixels or voxels, from 0.125 to 4; without it 0.5
    #[arg(long, value_name = "VOXELS", requires = "probability", help_heading = "Outputs")]
    within: Option<f32>,

    /// The field back, from MOVING to FIXED, of a symmetric method
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    inverse: Option<PathBuf>,

    /// The linear transform that the run began from (--init rigid, similarity, affine, centre-of-mass or TRANSFORM), from points of FIXED
    /// to those of MOVING, LPS mm: ITK's .tfm, greedy's .mat (RAS), or a 4×4 .txt
    #[arg(long, value_name = "OUT.tfm", conflicts_with = "sequence", help_heading = "Outputs")]
    transform: Option<PathBuf>,

    /// Where FIXED is hidden in MOVING or outside of it, 1 (255 in .png .pgm .bmp) or 0, as an image; with --init matches
    #[arg(long, value_name = "OUT", conflicts_with = "sequence", help_heading = "Outputs")]
    occlusion: Option<PathBuf>,

    /// MOVING as seen from FIXED, as an image; with --sequence a 4-D file, or a folder
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    warped: Option<PathBuf>,

    /// What --warped holds where MOVING has no sample: a value, nan, or edge (the nearest sample)
    #[arg(
        long,
        value_name = "VALUE|nan|edge",
        default_value = "0",
        requires = "warped",
        allow_hyphen_values = true,
        help_heading = "Outputs"
    )]
    outside: OutsideFill,

    /// The field in colours, as a picture: hue is the direction, strength the length; of a volume one plane
    #[arg(long, value_name = "OUT.png|jpg", conflicts_with = "sequence", help_heading = "Outputs")]
    picture: Option<PathBuf>,

    #[command(flatten)]
    drawing: DrawingArguments,

    /// Device, parameters, levels, residuals, timings and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures and curves, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// The true field, on FIXED's grid: report and page then give the error; with --sequence a folder of
    /// them, named as the run's own or in their order
    #[arg(long, value_name = "FLOW|DIR")]
    truth: Option<PathBuf>,

    /// What the estimate starts from: none (no motion), centre-of-mass, rigid, similarity or affine (found first), matches (motion of any size), a linear transform (.tfm .mat .txt) or a field
    #[arg(long, value_name = "none|centre-of-mass|rigid|similarity|affine|matches|TRANSFORM|FLOW", default_value = "none", value_parser = start, conflicts_with = "sequence")]
    init: StartFrom,

    /// Print the memory, tiles, time and files that the run would need; only headers are read; with --report as JSON
    #[arg(long, conflicts_with = "html", help_heading = "Memory")]
    dry_run: bool,

    /// How to estimate
    #[arg(long, value_parser = methods(), default_value = METHODS[0].name(), help_heading = "Method")]
    method: String,

    /// Register by a middle of both images: a field and its inverse that do not fold, as --method symmetric
    #[arg(long, help_heading = "Method")]
    symmetric: bool,

    /// Exactly R warps on every level
    #[arg(long, value_name = "R", help_heading = "Method")]
    warps: Option<usize>,

    /// Exactly K iterations per linear solve
    #[arg(long, value_name = "K", help_heading = "Method")]
    iterations: Option<usize>,

    /// Estimate both directions; where they disagree the confidence falls
    #[arg(long, help_heading = "Method")]
    inverse_consistency: bool,

    /// Refine the flow: every vector becomes a mean of its neighbours, weighted by confidence and by likeness of FIXED;
    /// unknown vectors among certain ones are filled
    #[arg(long, help_heading = "Method")]
    refine: bool,

    /// Take intensities as they are, instead of mapping FIXED's percentiles to 0..1
    #[arg(long, help_heading = "Method")]
    raw_intensity: bool,

    /// Mask on FIXED's grid: voxels that are not 0 (of labels.nii.gz=2,3 those with such a label) are used; with --method
    /// phase there is no vector outside; transparent pixels of FIXED count as masked out, with a mask and without
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse)]
    mask: Option<MaskFile>,

    /// Mask on MOVING's grid: what lies outside is left out of the data, as samples that are NaN are, and vectors that lead there have
    /// confidence 0
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse, conflicts_with = "sequence")]
    moving_mask: Option<MaskFile>,

    /// Mask of the volume constraint (with beta above 0), such as the heart's muscle; without it --mask, or all voxels
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse)]
    volume_mask: Option<MaskFile>,

    /// Weight image on FIXED's grid, of --method lucas-kanade and fe: how much each voxel's data count, from 0 to 1
    #[arg(long, value_name = "FILE")]
    weight: Option<PathBuf>,

    /// Memory that the run may take, such as 500M or 2GiB: of the whole process on the processor, of the device on a GPU; larger
    /// images are estimated in tiles, and on the processor those that do not fit at all are read in parts, into a field named .ome.zarr;
    /// frames of a sequence that do not fit are taken pair by pair
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,

    #[command(flatten)]
    run: MethodArguments,
}

/// The modes of `--sequence`, each with its description.
fn modes() -> impl TypedValueParser<Value = SequenceMode> {
    let both = "Both, and the last frame to the first, with the drift over the whole cycle";
    let mode = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    words([
        (mode("consecutive", "Every frame to the next"), SequenceMode::Consecutive),
        (mode("reference", "The reference to every other frame"), SequenceMode::Reference),
        (mode("both", both), SequenceMode::Both),
    ])
}

impl FlowArguments {
    /// The options of the run.
    fn options(&self) -> Fallible<DenseOptions> {
        let shortcuts = self.shortcuts();
        let options = self.run.options(self.command, DenseMethodOptions::named(self.method())?, &shortcuts);
        let directions = if self.inverse_consistency { Directions::Both } else { Directions::Forward };
        let refinement = if self.refine { Refinement::Bilateral } else { Refinement::None };
        let (mask, volume_mask, weight) = (self.mask.clone(), self.volume_mask.clone(), self.weight.clone());
        let moving_mask = self.moving_mask.clone();
        let options =
            DenseOptions { directions, refinement, mask, moving_mask, volume_mask, weight, ..options? };
        self.require_what_goes_together(&options)?;
        Ok(options)
    }

    /// The options that stand for settings of CLG.
    fn shortcuts(&self) -> Vec<Shortcut> {
        let raw = self.raw_intensity.then(shortcuts::raw_intensity);
        let counts =
            self.warps.map(shortcuts::warps).into_iter().chain(self.iterations.map(shortcuts::iterations));
        counts.chain(raw).flatten().collect()
    }

    /// The same options of a command of another name.
    pub fn named(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// The name of the method.
    fn method(&self) -> &str {
        if self.symmetric { "symmetric" } else { &self.method }
    }

    /// Rules that clap cannot express: they depend on what the method takes.
    fn require_what_goes_together(&self, options: &DenseOptions) -> Result<(), clap::Error> {
        let count = self.inputs.len();
        let conflict = |message: &str| Err(wrong_usage(self.command, ErrorKind::ArgumentConflict, message));
        if self.symmetric && ![METHODS[0].name(), "symmetric"].contains(&self.method.as_str()) {
            return conflict(&format!(
                "--method {} has no symmetric form: leave --method or --symmetric out",
                self.method
            ));
        }
        match options.method.draft().method().takes {
            TakenImages::Pairs if self.sequence.is_none() && count != 2 => {
                let given = counted(count, "input");
                let message =
                    format!("expected FIXED and MOVING, got {given}; use --sequence for more or fewer");
                Err(wrong_usage(self.command, ErrorKind::WrongNumberOfValues, &message))
            }
            TakenImages::Pairs if self.occlusion.is_some() && self.init != StartFrom::Matches => {
                conflict("--occlusion needs --init matches, which looks both ways")
            }
            TakenImages::Pairs => Ok(()),
            TakenImages::Windows { .. } => {
                let is_reference = self.sequence.is_some_and(|mode| mode != SequenceMode::Consecutive);
                let of_pairs = [
                    (is_reference, "--sequence reference or both"),
                    (self.occlusion.is_some(), "--occlusion"),
                    (self.moving_mask.is_some(), "--moving-mask"),
                ];
                let given = of_pairs.into_iter().find(|(given, _)| *given);
                given.map_or(Ok(()), |(_, option)| {
                    conflict(&format!("--method {} does not go with {option}", self.method))
                })
            }
        }
    }

    /// What is asked for, and how the run is shown.
    fn asked(mut self) -> Fallible<Asked> {
        self.inputs.extend(self.fixed.take().into_iter().chain(self.moving.take()));
        self.inputs = self.run.inputs(self.command, self.inputs)?;
        if let Some(frames) = self.frames.as_ref().filter(|_| self.sequence.is_none()) {
            self.inputs = frames.of_input(self.command, &self.inputs)?;
        }
        let options = self.options()?;
        let (is_dry, max_memory, shows_png) = (self.dry_run, self.max_memory, self.picture.is_none());
        let Self {
            command, inputs, output, truth, confidence, warped, outside, report, html, drawing, ..
        } = self;
        let (picture, occlusion, inverse, method) = (self.picture, self.occlusion, self.inverse, self.run);
        let job = match self.sequence {
            Some(mode) => {
                let frames = self.frames.map(|frames| frames.of_sequence(command)).transpose()?;
                RowJob::Sequence(Box::new(SequenceJob {
                    inputs,
                    frames: frames.unwrap_or_default(),
                    mode,
                    reference: self.reference,
                    truth,
                    options,
                    folder: output,
                    field_format: self.field_format,
                    confidence,
                    warped,
                    outside,
                    report,
                    html,
                }))
            }
            None => {
                let (expected_error, drawing) = (self.expected_error, drawing.drawing());
                let maps = FlowOutputs { flow: output, confidence, occlusion, ..FlowOutputs::default() };
                let maps = FlowOutputs { warped, outside, transform: self.transform, ..maps };
                let (covariance, probability, within_vox) = (self.covariance, self.probability, self.within);
                let maps = FlowOutputs { covariance, probability, within_vox, ..maps };
                let outputs = FlowOutputs { expected_error, inverse, picture, drawing, report, html, ..maps };
                RowJob::Flow(Box::new(FlowJob { inputs, start: self.init, truth, options, outputs }))
            }
        };
        Ok(Asked { job, method, is_dry, max_memory, shows_png })
    }
}

/// What a line of `veloxel flow` asks for.
struct Asked {
    job: RowJob,
    method: MethodArguments,
    is_dry: bool,
    max_memory: Option<u64>,
    /// Whether a field in a PNG is taken for a picture by nothing else that is said.
    shows_png: bool,
}

impl Asked {
    fn dry_run(&self, session: &Session) -> Outcome {
        let (run, report) = match &self.job {
            RowJob::Sequence(job) => (sequence_dry_run(job, session)?, job.report.as_deref()),
            RowJob::Flow(job) => (veloxel::jobs::dry_run(job, session)?, job.outputs.report.as_deref()),
            _ => return Ok(()),
        };
        dry_run::show(&run, report, session)
    }
}

impl RowArguments for FlowArguments {
    fn row_job(self) -> Fallible<RowJob> {
        Ok(self.asked()?.job)
    }
}

impl Run for FlowArguments {
    fn run(self) -> Outcome {
        let asked = self.asked()?;
        let session = asked.method.session().with_max_memory(asked.max_memory);
        if asked.max_memory.is_some() {
            allocator::keep_little();
        }
        let bar = asked.method.bar();
        if asked.is_dry {
            return followed(&session, bar, |session| asked.dry_run(session));
        }
        let run = followed(&session, bar, |session| match &asked.job {
            RowJob::Sequence(job) => sequence(job, session),
            RowJob::Flow(job) => veloxel::jobs::flow(job, session),
            _ => unreachable!("a line of flow should ask for a flow or a sequence"),
        })?;
        let shows_png = asked.shows_png && !asked.method.quiet;
        if let Some((_, path)) = run.written.first().filter(|_| shows_png) {
            say_what_a_png_is(path);
        }
        asked.method.show(&run, &run.report.header, summary(&run.report))
    }
}

/// Names of the methods, each with its description.
pub(super) fn methods() -> PossibleValuesParser {
    let help = |method: &DenseMethodEntry| format!("{}: {}", method.title, method.summary);
    METHODS.iter().map(|method| PossibleValue::new(method.name()).help(help(method))).into()
}

/// Says that a PNG holds a field, because it looks like a broken picture.
fn say_what_a_png_is(output: &Path) {
    if output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        let holds = "holds the field in KITTI's 16-bit format; --picture OUT.png draws it in colours";
        say(&format!("note: {} {holds}", output.display()));
    }
}

fn start(text: &str) -> Result<StartFrom, String> {
    // A word that names no file is a start that there is not, such as `afine`.
    let is_word = !text.contains(['.', '@', '/', '\\']) && !Path::new(text).exists();
    Ok(match text {
        "none" => StartFrom::None,
        "centre-of-mass" => StartFrom::CentreOfMass,
        "rigid" => StartFrom::Rigid,
        "similarity" => StartFrom::Similarity,
        "affine" => StartFrom::Affine,
        "matches" => StartFrom::Matches,
        _ if is_word => {
            return Err("expected none, centre-of-mass, rigid, similarity, affine, matches, or the file of a transform or a field".to_owned());
        }
        path if is_named_transform(Path::new(path)) => StartFrom::Transform(path.into()),
        path => StartFrom::Flow(path.into()),
    })
}
