//! `veloxel track`: outlines of a heart followed over a cine.

use crate::compare::method;
use crate::output::print_lines;
use crate::progress::Progress;
use crate::run_arguments::{DeviceArguments, ReadingArguments, command_line, setting, written};
use crate::{Outcome, Run, warn};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use veloxel::io::{InnerContour, LabelMeaning, PlainNames, TextOrder};
use veloxel::jobs::{
    Cavities, ContourInput, MethodOptions, MotionSpace, Placement, RegionChoice, RunOptions, TrackJob, track,
};
use veloxel::motion::cycle::{CycleEstimate, Periodic};
use veloxel::report::TrackRun;
use veloxel::report::number::{counted, duration, percent};

/// Follow outlines of a heart over a cine: contours on every frame, fields, strain, volumes and ejection fraction.
///
/// CINE is a 4-D file, a folder of frames or of DICOM files, or the frames. DIR gets contours.json and .csv, labels.nii.gz, a field for every
/// frame, strain.csv, function.csv, report.json and report.html.
#[derive(Debug, Args)]
pub struct TrackArguments {
    /// A 4-D file, a folder of frames or of DICOM files, or the frames
    #[arg(value_name = "CINE", required = true)]
    cine: Vec<PathBuf>,

    /// Outlines to start from: .json, .csv, .mrk.json, a label image, a text or a folder of texts of `x y` lines; again for more.
    /// @N is the frame of those that say none
    #[arg(long, value_name = "FILE[@N]", required = true, value_parser = contour_input)]
    contours: Vec<ContourInput>,

    /// Frames whose outlines are carried along, the reference first; without it frame 0, or the only one with outlines
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    frame: Vec<usize>,

    /// Where everything goes, made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// True outlines: report and page then give the error
    #[arg(long, value_name = "FILE[@N]", value_parser = contour_input)]
    truth: Vec<ContourInput>,

    /// A method, with its preset: clg, clg:fast, block-matching, …; again for more, which the page compares; without it clg:cine, or
    /// clg:cine-apart where fewer than 16 frames are followed in planes
    #[arg(long, value_name = "METHOD[:PRESET]", value_parser = method, help_heading = "Method")]
    method: Vec<MethodOptions>,

    /// Change one parameter of the method
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Whether the last frame is followed by the first: one whole cycle
    #[arg(long, value_name = "auto|yes|no", value_parser = periodic(), default_value = "auto", help_heading = "Method")]
    periodic: Periodic,

    /// How motion is put together: forward or backward in time from frame to frame, both blended, the start frame to each, or (fe) all together
    #[arg(long, value_name = "WAY", value_parser = estimates(), default_value = "closed", help_heading = "Method")]
    estimate: CycleEstimate,

    /// Motion of each slice in its plane, or of all slices together, from which longitudinal strain comes
    #[arg(long, value_name = "SPACE", value_parser = spaces(), default_value = "in-plane", help_heading = "Method")]
    motion: MotionSpace,

    /// Where motion is estimated: auto (25 mm around the outlines, or the outlines of a region), all, X,Y,WIDTH,HEIGHT in pixels,
    /// or the rectangle around a mask, such as heart.nii.gz or labels.nii.gz=1,2
    #[arg(long, value_name = "REGION", default_value = "auto", help_heading = "Method")]
    region: RegionChoice,

    /// Outlines of the left ventricle on other frames: carried from where they were drawn; or, in a stack, shifted where a slice's
    /// lie beside its blood otherwise than those of the other slices
    #[arg(long, value_name = "drawn|stack", value_parser = placements(), default_value = "stack", help_heading = "Method")]
    placement: Placement,

    /// Outlines of cavities: moved, as the motion has them; or rim, half way from there to where as much of their inside is dark
    /// as on the seed. Strain is the motion's alone
    #[arg(long, value_name = "moved|rim", value_parser = cavities(), default_value = "rim", help_heading = "Method")]
    cavities: Cavities,

    /// Weight image on the cine's grid, of --method fe: how much each voxel's data count in every frame, from 0 to 1
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    weight: Option<PathBuf>,

    /// Also writes loop.gif: the outlines over the moving images
    #[arg(long)]
    gif: bool,

    /// What the labels of label images are
    #[arg(long, value_name = "LABELS", default_value = "rv=1,muscle=2,lv=3", help_heading = "Contours")]
    labels: LabelMeaning,

    #[command(flatten)]
    names: NameArguments,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    device: DeviceArguments,

    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

/// What the names of plain texts of outlines mean.
#[derive(Debug, Args)]
pub struct NameArguments {
    /// The slices of numbered texts: ascending from slice 0, or descending; without it as the numbers of DICOM files or the
    /// images say
    #[arg(long, value_name = "ORDER", help_heading = "Contours")]
    text_order: Option<TextOrder>,

    /// The ventricle that icontour and ocontour texts outline: lv or rv; without it rv for names as of RVSC (P09-…), else lv
    #[arg(long, value_name = "VENTRICLE", value_parser = ventricles(), help_heading = "Contours")]
    text_ventricle: Option<InnerContour>,
}

impl NameArguments {
    pub fn names(&self) -> PlainNames {
        PlainNames { order: self.text_order, inner: self.text_ventricle }
    }
}

fn ventricles() -> impl TypedValueParser<Value = InnerContour> {
    PossibleValuesParser::new(["lv", "rv"]).map(|word| match word.as_str() {
        "rv" => InnerContour::Rv,
        _ => InnerContour::Lv,
    })
}

fn periodic() -> impl TypedValueParser<Value = Periodic> {
    PossibleValuesParser::new(["auto", "yes", "no"]).map(|word| match word.as_str() {
        "yes" => Periodic::Yes,
        "no" => Periodic::No,
        _ => Periodic::Auto,
    })
}

fn estimates() -> impl TypedValueParser<Value = CycleEstimate> {
    PossibleValuesParser::new(["forward", "backward", "blended", "reference", "closed", "whole"]).map(
        |word| match word.as_str() {
            "forward" => CycleEstimate::Forward,
            "backward" => CycleEstimate::Backward,
            "reference" => CycleEstimate::Reference,
            "blended" => CycleEstimate::Blended,
            "whole" => CycleEstimate::Whole,
            _ => CycleEstimate::Closed,
        },
    )
}

fn placements() -> impl TypedValueParser<Value = Placement> {
    PossibleValuesParser::new([Placement::AsDrawn, Placement::ByStack].map(Placement::word)).map(|word| {
        match word == Placement::AsDrawn.word() {
            true => Placement::AsDrawn,
            false => Placement::ByStack,
        }
    })
}

fn cavities() -> impl TypedValueParser<Value = Cavities> {
    PossibleValuesParser::new([Cavities::Moved, Cavities::Rim].map(Cavities::word)).map(|word| {
        match word == Cavities::Moved.word() {
            true => Cavities::Moved,
            false => Cavities::Rim,
        }
    })
}

fn spaces() -> impl TypedValueParser<Value = MotionSpace> {
    PossibleValuesParser::new([MotionSpace::InPlane, MotionSpace::Volume].map(MotionSpace::word)).map(
        |word| match word == MotionSpace::Volume.word() {
            true => MotionSpace::Volume,
            false => MotionSpace::InPlane,
        },
    )
}

/// `FILE` or `FILE@3`.
fn contour_input(text: &str) -> Result<ContourInput, String> {
    let split = text.rsplit_once('@').and_then(|(path, frame)| Some((path, frame.parse().ok()?)));
    Ok(match split {
        Some((path, frame)) => ContourInput { path: path.into(), frame: Some(frame) },
        None => ContourInput { path: text.into(), frame: None },
    })
}

impl TrackArguments {
    fn methods(&self) -> Result<Vec<MethodOptions>, Box<dyn std::error::Error>> {
        let given = match self.method.is_empty() {
            true => vec![MethodOptions::new("clg")?.preset("cine")?],
            false => self.method.clone(),
        };
        let set = |method: MethodOptions| {
            self.set.iter().try_fold(method, |method, (name, value)| method.set(name, value))
        };
        Ok(given.into_iter().map(set).collect::<Result<_, _>>()?)
    }
}

impl Run for TrackArguments {
    fn run(self) -> Outcome {
        let (methods, preset_by_frames) = (self.methods()?, self.method.is_empty());
        let options = RunOptions {
            device: self.device.options(),
            reading: self.reading.reading(),
            command_line: command_line(),
            weight: self.weight,
            ..RunOptions::default()
        };
        let job = TrackJob {
            inputs: self.cine,
            contours: self.contours,
            truth: self.truth,
            frames: self.frame,
            labels: self.labels,
            names: self.names.names(),
            region: self.region,
            space: self.motion,
            placement: self.placement,
            cavities: self.cavities,
            periodic: self.periodic,
            estimate: self.estimate,
            methods,
            preset_by_frames,
            options,
            animation: self.gif,
            folder: self.output,
        };
        let progress = Progress::new(self.quiet);
        let run = track(&job, &progress)?;
        progress.finish();
        let report = &run.report;
        warn(&report.header.warnings);
        if self.quiet {
            return Ok(());
        }
        let cine = &report.cine;
        let size = format!("{} × {} × {}", cine.size[0], cine.size[1], cine.size[2]);
        let mut lines = vec![(
            "cine",
            format!(
                "{}, {size}, outlines in {}",
                counted(cine.frames, "frame"),
                counted(cine.slices.len(), "slice")
            ),
        )];
        lines.push(("motion", spoken(&cine.motion).to_owned()));
        for each in &report.runs {
            lines.push(("method", format!("{}, {}, {}", each.method, each.preset, duration(each.time_ms))));
            lines.extend(results(each));
        }
        lines.extend(written(&run));
        print_lines(&lines)
    }
}

/// What kind of motion was followed.
fn spoken(motion: &str) -> &'static str {
    match motion {
        "volume" => "of all slices together (--motion in-plane: each in its plane)",
        _ => "of each slice in its plane (--motion volume: of all together)",
    }
}

/// What a method found, line by line.
fn results(run: &TrackRun) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (name, chamber) in [("left", &run.ventricles.lv), ("right", &run.ventricles.rv)] {
        lines.extend(chamber.as_ref().map(|c| {
            let ef = 100.0 * c.ejection_fraction;
            (name, format!("EF {ef:.1} %, EDV {:.1} ml, ESV {:.1} ml", c.edv_ml, c.esv_ml))
        }));
    }
    lines.extend(run.strain.first().map(|all| {
        let [short, thick] = all.peaks().map(|s| 100.0 * s);
        let long = all.peak_longitudinal();
        let long = long.map_or(String::new(), |long| format!(", longitudinal {:+.1} %", 100.0 * long));
        ("strain", format!("circumferential {short:+.1} %, radial {thick:+.1} %{long}, at their peaks"))
    }));
    for s in run.distances.iter().flat_map(|d| &d.structures) {
        let text = format!(
            "{}: modified Hausdorff {:.2} mm (worst {:.2}), mean of {}",
            s.structure.title(),
            s.modified_hausdorff_mm,
            s.worst_modified_hausdorff_mm,
            s.count
        );
        lines.push(("distance", text));
    }
    lines.push(("folded", format!("{} of a frame at most", percent(run.worst_folding()))));
    lines
}
