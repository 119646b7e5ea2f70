//! `flow` and `compare`.

use super::{Job, files_alone};
use crate::BenchError;
use crate::stops::inputs::{Inputs, PairFiles};
use std::path::{Path, PathBuf};
use veloxel::jobs::{
    self, CompareJob, DenseMethodOptions, DenseOptions, FlowJob, FlowOutputs, OutsideFill, Refinement,
    SequenceJob, StartFrom,
};
use veloxel_motion::{MotionError, SequenceMode};

/// A method with a preset, as `--method` and `--preset` name them.
pub(super) fn method(name: &str, preset: &str) -> Result<DenseMethodOptions, BenchError> {
    Ok(DenseMethodOptions::named(name).and_then(|method| method.preset(preset)).map_err(MotionError::from)?)
}

fn options(name: &str, preset: &str) -> Result<DenseOptions, BenchError> {
    Ok(DenseOptions { method: method(name, preset)?, ..DenseOptions::default() })
}

/// A run of `flow` whose outputs are told by the folder that they go to.
fn flow(job: FlowJob, outputs: fn(&Path) -> FlowOutputs) -> Job {
    Box::new(move |session, out| {
        let job = FlowJob { outputs: outputs(out), ..job.clone() };
        jobs::flow(&job, session).map(files_alone)
    })
}

fn of_pair(pair: PairFiles, options: DenseOptions) -> FlowJob {
    FlowJob { inputs: vec![pair.fixed, pair.moving], options, ..FlowJob::default() }
}

/// The field of pictures, and nothing else.
fn field(out: &Path) -> FlowOutputs {
    FlowOutputs { flow: out.join("flow.flo"), ..FlowOutputs::default() }
}

/// The field of volumes, and a page.
fn volume_with_page(out: &Path) -> FlowOutputs {
    FlowOutputs { flow: out.join("field.nii"), html: Some(out.join("page.html")), ..FlowOutputs::default() }
}

/// Everything that a run writes of pictures.
fn all_of_pictures(out: &Path) -> FlowOutputs {
    FlowOutputs {
        confidence: Some(out.join("confidence.png")),
        picture: Some(out.join("flow.png")),
        warped: Some(out.join("warped.pfm")),
        report: Some(out.join("report.json")),
        html: Some(out.join("page.html")),
        ..field(out)
    }
}

pub(super) fn pictures(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let pair = inputs.pictures([1536, 1152])?;
    let truth = Some(pair.truth.clone());
    Ok(flow(FlowJob { truth, ..of_pair(pair, options("clg", "fast")?) }, all_of_pictures))
}

pub(super) fn volumes(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(flow(of_pair(inputs.volumes(128)?, options("clg", "fast")?), volume_with_page))
}

pub(super) fn affine(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = of_pair(inputs.volumes(96)?, options("clg", "fast")?);
    Ok(flow(FlowJob { start: StartFrom::Affine, ..job }, |out| FlowOutputs {
        flow: out.join("field.nii"),
        transform: Some(out.join("start.tfm")),
        warped: Some(out.join("warped.nii")),
        ..FlowOutputs::default()
    }))
}

pub(super) fn matches(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = of_pair(inputs.pictures([640, 480])?, options("clg", "fast")?);
    Ok(flow(FlowJob { start: StartFrom::Matches, ..job }, |out| FlowOutputs {
        occlusion: Some(out.join("hidden.png")),
        ..field(out)
    }))
}

/// A budget of memory that asks for tiles, bytes.
pub(super) const TILES_BYTES: u64 = 128 << 20;

pub(super) fn tiles(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(flow(of_pair(inputs.pictures([1536, 1536])?, options("clg", "fast")?), field))
}

pub(super) fn phase(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let folder = inputs.frames("frames", [1024, 768], 5, 0.0)?;
    let options = DenseOptions {
        method: DenseMethodOptions::named("phase").map_err(MotionError::from)?,
        ..DenseOptions::default()
    };
    Ok(flow(FlowJob { inputs: vec![folder], options, ..FlowJob::default() }, all_of_pictures))
}

pub(super) fn lucas_kanade(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(flow(of_pair(inputs.pictures([1536, 1152])?, options("lucas-kanade", "fast")?), field))
}

pub(super) fn block_matching(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let options = DenseOptions { refinement: Refinement::Bilateral, ..options("block-matching", "fast")? };
    Ok(flow(of_pair(inputs.pictures([640, 480])?, options), field))
}

pub(super) fn finite_elements(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(flow(of_pair(inputs.volumes(64)?, options("fe", "fast")?), volume_with_page))
}

fn sequence(
    inputs: &Inputs<'_>,
    mode: SequenceMode,
    outputs: fn(&Path, SequenceJob) -> SequenceJob,
) -> Result<Job, BenchError> {
    let (cine, ..) = inputs.cine(8, 4)?;
    let job = SequenceJob {
        inputs: vec![cine],
        frames: veloxel_io::FrameSelection::default(),
        field_format: None,
        mode,
        reference: None,
        truth: None,
        options: options("clg", "fast")?,
        folder: PathBuf::new(),
        confidence: None,
        warped: None,
        outside: OutsideFill::default(),
        report: None,
        html: None,
    };
    Ok(Box::new(move |session, out| {
        let job = outputs(out, SequenceJob { folder: out.join("fields"), ..job.clone() });
        jobs::sequence(&job, session).map(files_alone)
    }))
}

pub(super) fn sequence_both(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let page = |out: &Path, job| SequenceJob { html: Some(out.join("fields/page.html")), ..job };
    sequence(inputs, SequenceMode::Both, page)
}

pub(super) fn sequence_reference(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let warped = |out: &Path, job| SequenceJob { warped: Some(out.join("warped.nii")), ..job };
    sequence(inputs, SequenceMode::Reference, warped)
}

pub(super) fn compare(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let pair = inputs.pictures([320, 240])?;
    let job = CompareJob {
        fixed: pair.fixed,
        moving: pair.moving,
        truth: Some(pair.truth),
        ..CompareJob::default()
    };
    Ok(Box::new(move |session, out| {
        let (html, report) = (out.join("methods.html"), Some(out.join("report.json")));
        jobs::compare(&CompareJob { html, report, ..job.clone() }, session).map(files_alone)
    }))
}
