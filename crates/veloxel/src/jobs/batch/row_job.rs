//! What a row may ask for, as one type: its files, its run, and its result in numbers.

use crate::jobs::flow::LoadedFlow;
use crate::jobs::{
    FeaturesJob, FlowJob, LabelChoice, OutputContent, OutputPlan, OutputRole, SegmentJob, SequenceJob,
    StereoJob, TrackJob, WarpJob, WarpSampling,
};
use crate::jobs::{features, segment, sequence, stereo, track, warp_image, warp_labels, warp_points};
use crate::{Result, Session};
use std::collections::BTreeMap;
use std::path::PathBuf;
use veloxel_core::Warnings;
use veloxel_io::ContentKind;
use veloxel_report::{PairReport, RunReport, field_thumbnail};

/// The job of a row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RowJob {
    /// The flow of a pair, or of a window of frames.
    Flow(Box<FlowJob>),
    /// The fields of a sequence.
    Sequence(Box<SequenceJob>),
    /// Outlines followed over a cine.
    Track(Box<TrackJob>),
    /// A disparity.
    Stereo(Box<StereoJob>),
    /// Energy, orientation and phase of a picture.
    Features(Box<FeaturesJob>),
    /// A mesh in parts.
    Segment(Box<SegmentJob>),
    /// A field applied to an image.
    WarpImage(WarpJob, WarpSampling),
    /// A field applied to labels.
    WarpLabels(WarpJob, LabelChoice),
    /// A field applied to points.
    WarpPoints(WarpJob),
}

/// A row whose files were read ahead, where its job reads ahead.
pub(super) enum LoadedRow {
    Flow(Box<LoadedFlow>),
    /// The job reads when it runs.
    Nothing,
}

/// What came of a row.
#[derive(Debug, Default)]
pub(super) struct RowFound {
    /// The result in numbers, by names that end with their units.
    pub figures: BTreeMap<String, f64>,
    /// A small picture, as a data URI.
    pub picture: Option<String>,
    pub warnings: Warnings,
    pub written: Vec<(OutputRole, PathBuf)>,
}

impl RowJob {
    /// The plan of the row's files, not checked yet, once all is refused that can be without a file.
    ///
    /// # Errors
    /// As each job's own.
    pub fn plan(&self, session: &Session) -> Result<OutputPlan> {
        let image = OutputContent::Samples(ContentKind::Image);
        Ok(match self {
            Self::Flow(job) => {
                job.require_possible()?;
                job.plan(session)
            }
            Self::Sequence(job) => {
                job.require_possible()?;
                job.plan(session)?
            }
            Self::Track(job) => job.plan(session)?,
            Self::Stereo(job) => job.plan(session)?,
            Self::Features(job) => job.plan(session),
            Self::Segment(job) => job.plan(session),
            Self::WarpImage(job, _) | Self::WarpLabels(job, _) => job.plan(image, session),
            Self::WarpPoints(job) => {
                job.require_alike_points()?;
                job.plan(OutputContent::Points, session)
            }
        })
    }

    /// The same job, whose report names this command line.
    #[must_use]
    pub fn with_command_line(mut self, line: &str) -> Self {
        let own = match &mut self {
            Self::Flow(job) => &mut job.options.command_line,
            Self::Sequence(job) => &mut job.options.command_line,
            Self::Track(job) => &mut job.command_line,
            Self::Stereo(job) => &mut job.options.command_line,
            Self::Features(job) => &mut job.options.command_line,
            Self::Segment(job) => &mut job.command_line,
            Self::WarpImage(..) | Self::WarpLabels(..) | Self::WarpPoints(_) => return self,
        };
        line.clone_into(own);
        self
    }

    /// Reads the row's files where its job reads ahead.
    ///
    /// # Errors
    /// As each job's own.
    pub(super) fn load(&self, session: &Session) -> Result<LoadedRow> {
        Ok(match self {
            Self::Flow(job) => LoadedRow::Flow(Box::new(LoadedFlow::load(job, session)?)),
            _ => LoadedRow::Nothing,
        })
    }

    /// Runs the job and writes its outputs.
    ///
    /// # Errors
    /// As each job's own.
    pub(super) fn run(&self, loaded: LoadedRow, session: &Session) -> Result<RowFound> {
        match (self, loaded) {
            (Self::Flow(job), LoadedRow::Flow(loaded)) => {
                let thumbnail = |result: &crate::pipelines::PairResult| {
                    Ok(field_thumbnail(&result.found.flow, session.control())?)
                };
                let (run, picture) = loaded.run(job, session, thumbnail)?;
                Ok(RowFound { picture: Some(picture), ..of_flow(run.report, run.written) })
            }
            (Self::Flow(job), LoadedRow::Nothing) => {
                let run = crate::jobs::flow(job, session)?;
                Ok(of_flow(run.report, run.written))
            }
            (job, _) => job.run_all(session),
        }
    }

    /// Runs a job that reads when it runs.
    fn run_all(&self, session: &Session) -> Result<RowFound> {
        Ok(match self {
            Self::Flow(job) => {
                let run = crate::jobs::flow(job, session)?;
                of_flow(run.report, run.written)
            }
            Self::Sequence(job) => {
                let run = sequence(job, session)?;
                of_flow(run.report, run.written)
            }
            Self::Track(job) => {
                let run = track(job, session)?;
                RowFound { warnings: run.report.header.warnings, written: run.written, ..RowFound::default() }
            }
            Self::Stereo(job) => {
                let run = stereo(job, session)?;
                let report = run.report;
                let error = report.error.as_ref().map(|error| error.absolute_px.mean);
                let figures = [
                    ("matched_share", Some(report.valid_share)),
                    ("mean_confidence", Some(report.mean_confidence)),
                    ("median_disparity_px", report.disparity_px.map(|range| range.p50)),
                    ("error_px", error),
                ];
                found(figures, report.header.warnings, run.written)
            }
            Self::Features(job) => {
                let run = features(job, session)?;
                let phase = run.report.scales.first().map(|finest| finest.valid_share);
                found([("with_phase_share", phase)], run.report.header.warnings, run.written)
            }
            Self::Segment(job) => {
                let run = segment(job, session)?;
                let figures = [("parts", Some(run.report.parts as f64))];
                found(figures, run.report.header.warnings, run.written)
            }
            Self::WarpImage(job, sampling) => of_warp(job, warp_image(job, *sampling, session)?),
            Self::WarpLabels(job, choice) => of_warp(job, warp_labels(job, *choice, session)?),
            Self::WarpPoints(job) => {
                let (run, warnings) = warp_points(job, session)?;
                let figures = [("points", run.points), ("points_outside", run.outside)];
                let figures = figures.map(|(name, count)| (name, Some(count as f64)));
                found(figures, warnings, vec![(OutputRole::Output, job.output.clone())])
            }
        })
    }
}

fn of_warp(job: &WarpJob, warnings: Warnings) -> RowFound {
    found([], warnings, vec![(OutputRole::Output, job.output.clone())])
}

fn found<const N: usize>(
    figures: [(&str, Option<f64>); N],
    warnings: Warnings,
    written: Vec<(OutputRole, PathBuf)>,
) -> RowFound {
    let finite = |(name, value): (&str, Option<f64>)| {
        Some((name.to_owned(), value.filter(|value| value.is_finite())?))
    };
    RowFound { figures: figures.into_iter().filter_map(finite).collect(), picture: None, warnings, written }
}

/// The figures of a flow; of several fields the mean motion, and the worst of everything else.
fn of_flow(report: RunReport, written: Vec<(OutputRole, PathBuf)>) -> RowFound {
    let pairs = &report.pairs;
    let over = |of: fn(&PairReport) -> f64, join: fn(f64, f64) -> f64| pairs.iter().map(of).reduce(join);
    let sum = over(|pair| pair.motion.mean_vox, |a, b| a + b);
    let difference = |pair: &PairReport| {
        let brightness = &pair.statistics.brightness;
        brightness.mean_abs_after / brightness.mean_abs_before
    };
    let errors = pairs.iter().filter_map(|pair| pair.error.as_ref()).map(|error| error.end_point_vox.mean);
    let figures = [
        ("mean_motion_vox", sum.map(|sum| sum / pairs.len() as f64)),
        ("largest_motion_vox", over(|pair| pair.motion.max_vox, f64::max)),
        ("outside_share", over(|pair| pair.motion.outside_share, f64::max)),
        ("folded_share", over(|pair| pair.cells.asked().share_folded(), f64::max)),
        ("mean_confidence", over(|pair| pair.motion.mean_confidence, f64::min)),
        ("difference_left_share", pairs.iter().map(difference).reduce(f64::max)),
        ("error_vox", errors.reduce(f64::max)),
    ];
    found(figures, report.header.warnings, written)
}
