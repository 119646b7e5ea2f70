//! `veloxel track`: outlines of a heart followed over a cine.

mod summary;

use crate::commands::compare::method;
use crate::{
    Bar, ComputeArguments, Fallible, Outcome, RowArguments, Run, command_line, followed, print_lines,
    setting, warn, warn_and_note, words, written,
};
use clap::Args;
use std::path::{Path, PathBuf};
use summary::summary;
use veloxel::VeloxelError;
use veloxel::io::{InnerContour, LabelMeaning, PlainNames, TextOrder};
use veloxel::jobs::{
    ContourInput, DenseMethodOptions, FieldFormat, FilmChoice, RegionInput, RowJob, TrackJob, track,
};
use veloxel::pipelines::heart::{
    Cavities, CycleEstimate, MotionSpace, PeriodicChoice, Placement, PresetChoice,
};

/// Follow outlines of a heart over a cine: contours on every frame, fields, strain, volumes and ejection fraction.
///
/// CINE is a 4-D file, a folder of frames or of DICOM files, or the frames. DIR gets contours.json and .csv, labels.nii.gz, a
/// field for every frame, strain.csv, function.csv, expected_errors.csv (of clg and fe), report.json and report.html; with
/// --truth distances.csv, too.
#[derive(Debug, Args)]
pub struct TrackArguments {
    /// A 4-D file, a folder of frames or of DICOM files, or the frames; CINE@0:20 are its frames 0 to 19
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

    /// True outlines: report and page then give the error. Files that outline the same places are of several readers, whose
    /// differences are drawn beside it
    #[arg(long, value_name = "FILE[@N]", value_parser = contour_input)]
    truth: Vec<ContourInput>,

    /// A method, with its preset: clg, clg:fast, block-matching, …; again for more, which the page compares; without it
    /// clg:cine, or clg:cine-apart where fewer than 16 frames are followed in planes
    #[arg(long, value_name = "METHOD[:PRESET]", value_parser = method, help_heading = "Method")]
    method: Vec<DenseMethodOptions>,

    /// Change one parameter of the method
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Whether the last frame is followed by the first: one whole cycle
    #[arg(long, value_name = "auto|yes|no", value_parser = words(PeriodicChoice::ALL.map(|own| (own.word(), own))), default_value = "auto", help_heading = "Method")]
    periodic: PeriodicChoice,

    /// How motion is put together: forward or backward in time from frame to frame, both blended, the start frame to each, or
    /// (fe) all together
    #[arg(long, value_name = "WAY", value_parser = words(CycleEstimate::ALL.map(|own| (own.word(), own))), default_value = "closed", help_heading = "Method")]
    estimate: CycleEstimate,

    /// Motion of each slice in its plane, or of all slices together, from which longitudinal strain comes
    #[arg(long, value_name = "SPACE", value_parser = words([MotionSpace::InPlane, MotionSpace::Volume].map(|space| (space.word(), space))), default_value = "in-plane", help_heading = "Method")]
    motion: MotionSpace,

    /// Where motion is estimated: auto (25 mm around the outlines, or the outlines of a region), all, X,Y,WIDTH,HEIGHT in pixels,
    /// or the rectangle around a mask, such as heart.nii.gz or labels.nii.gz=1,2
    #[arg(long, value_name = "REGION", default_value = "auto", help_heading = "Method")]
    region: RegionInput,

    /// Outlines of the left ventricle on other frames: carried from where they were drawn; or, in a stack, shifted where a slice's
    /// lie beside its blood otherwise than those of the other slices
    #[arg(long, value_name = "drawn|stack", value_parser = words([Placement::AsDrawn, Placement::ByStack].map(|place| (place.word(), place))), default_value = "stack", help_heading = "Method")]
    placement: Placement,

    /// Outlines of cavities: moved by the motion alone; or rim, half way from there to where as much of their inside is dark as
    /// in the outline to start from. Strain comes from the motion in both cases
    #[arg(long, value_name = "moved|rim", value_parser = words([Cavities::Moved, Cavities::Rim].map(|how| (how.word(), how))), default_value = "rim", help_heading = "Method")]
    cavities: Cavities,

    /// Weight image on the cine's grid, of --method lucas-kanade and fe: how much each voxel's data count in every frame, from 0 to 1
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    weight: Option<PathBuf>,

    /// Format of the fields, such as nii.gz, mha, nrrd, npy or flo; without it .flo for one slice, .nii.gz for several
    #[arg(long, value_name = "EXTENSION")]
    field_format: Option<FieldFormat>,

    /// Write the outlines over the moving images as loop.gif, too
    #[arg(long)]
    gif: bool,

    /// What the labels of label images are
    #[arg(long, value_name = "LABELS", default_value = "rv=1,muscle=2,lv=3", help_heading = "Contours")]
    labels: LabelMeaning,

    #[command(flatten)]
    names: NameArguments,

    #[command(flatten)]
    compute: ComputeArguments,

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
    #[arg(long, value_name = "VENTRICLE", value_parser = words([("lv", InnerContour::Lv), ("rv", InnerContour::Rv)]), help_heading = "Contours")]
    text_ventricle: Option<InnerContour>,
}

impl NameArguments {
    pub fn names(&self) -> PlainNames {
        PlainNames { order: self.text_order, inner: self.text_ventricle }
    }
}

/// Reads an input of outlines: `FILE` or `FILE@3`; a file or folder of that very name comes first.
fn contour_input(text: &str) -> Result<ContourInput, String> {
    let named = text.rsplit_once('@').filter(|_| !Path::new(text).exists());
    let split = named.and_then(|(path, frame)| Some((path, frame.parse().ok()?)));
    let (path, frame) = split.map_or((text, None), |(path, frame)| (path, Some(frame)));
    Ok(ContourInput { path: path.into(), frame })
}

impl TrackArguments {
    fn job(mut self) -> Fallible<(TrackJob, Shown)> {
        self.cine = self.compute.inputs("track", self.cine)?;
        let presets = if self.method.is_empty() { PresetChoice::ByFrames } else { PresetChoice::AsGiven };
        let methods = self.methods()?;
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
            presets,
            weight: self.weight,
            reading: self.compute.reading()?,
            command_line: command_line(),
            field_format: self.field_format,
            film: if self.gif { FilmChoice::Written } else { FilmChoice::LeftOut },
            folder: self.output,
        };
        Ok((job, Shown { compute: self.compute, quiet: self.quiet }))
    }
}

/// Where a run is done, and whether it is shown.
struct Shown {
    compute: ComputeArguments,
    quiet: bool,
}

impl RowArguments for TrackArguments {
    fn row_job(self) -> Fallible<RowJob> {
        Ok(RowJob::Track(Box::new(self.job()?.0)))
    }
}

impl Run for TrackArguments {
    fn run(self) -> Outcome {
        let (job, Shown { compute, quiet }) = self.job()?;
        let bar = if quiet { Bar::Hidden } else { Bar::Shown };
        let run = followed(&compute.session(), bar, |session| track(&job, session))?;
        let report = &run.report;
        if quiet {
            warn(&report.header.warnings);
            return Ok(());
        }
        // Notes say where each outline went.
        warn_and_note(&report.header.warnings);
        let mut lines = summary(report);
        lines.extend(written(&run));
        print_lines(&lines)
    }
}

impl TrackArguments {
    /// The methods with their parameters.
    fn methods(&self) -> Result<Vec<DenseMethodOptions>, VeloxelError> {
        let mut methods = self.method.clone();
        if methods.is_empty() {
            methods.push(DenseMethodOptions::named("clg")?.preset("cine")?);
        }
        for method in &mut methods {
            let set = |method: DenseMethodOptions, (name, value): &(String, String)| {
                method.set_from(name, value, "--set")
            };
            *method = self.set.iter().try_fold(method.clone(), set)?;
        }
        Ok(methods)
    }
}
