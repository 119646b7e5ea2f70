//! A run over the pairs of a sequence, one after the other: each is a flow of two files, and its field gets its name when it is whole.

use super::pairs::{FramePair, Pairs};
use crate::Session;
use crate::boxes::{FoundFields, input_state};
use crate::jobs::flow::flow;
use crate::jobs::flow_in_parts::{forget_tiles, is_in_parts, kept_flow_in_parts};
use crate::jobs::{FlowRun, Result};
use crate::pipelines::PartsKey;
use crate::pipelines::account::Stages;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use veloxel_core::{FlowStatistics, WarningKind};
use veloxel_io::{self as io, OutputFolder};
use veloxel_measure::FoldingCertificate;
use veloxel_report::{MotionReport, PairReport, ReportError, RunHeader, RunReport};

/// What is noted of a field that has its name: all that the report of the run says of it.
#[derive(Serialize, Deserialize)]
struct FoundPair {
    header: RunHeader,
    statistics: FlowStatistics,
    motion: MotionReport,
    cells: FoldingCertificate,
}

impl FoundPair {
    fn of(run: &FlowRun) -> Self {
        let PairReport { statistics, motion, cells, .. } = run.report.pairs[0].clone();
        Self { header: run.report.header.clone(), statistics, motion, cells }
    }

    fn report(self, title: String, frames: [usize; 2]) -> PairReport {
        let Self { statistics, motion, cells, .. } = self;
        let frames = Some(frames);
        PairReport {
            title,
            frames,
            statistics,
            motion,
            cells,
            error: None,
            sparsification: None,
            reliability: None,
        }
    }
}

/// Estimates the fields of a sequence pair by pair.
///
/// # Errors
/// As [`sequence`](super::sequence).
pub(super) fn run(pairs: &Pairs<'_>, session: &Session) -> Result<FlowRun> {
    let job = pairs.job;
    let plan = job.plan(session)?;
    plan.check()?;
    plan.check_grid(&pairs.grid)?;
    drop(plan);
    let target = |path: &PathBuf| session.files().target(path);
    let folders = [Some(&job.folder), job.confidence.as_ref(), job.warped.as_ref()].into_iter().flatten();
    let _folders = folders.map(|folder| OutputFolder::make(target(folder))).collect::<Result<Vec<_>, _>>()?;
    let mut notes = FoundFields::open(&target(&job.folder.join("fields")), &key(pairs, session)?)?;
    let (mut found, mut count_before) = (Vec::new(), 0);
    for pair in &pairs.pairs {
        let there = || notes.of::<FoundPair>(&pair.label.name()).filter(|_| has_outputs(pair));
        match there() {
            Some(before) => {
                forget_tiles(&pair.job, session)?;
                count_before += 1;
                found.push(before);
            }
            None => found.push(estimated(pair, &mut notes, session)?),
        }
    }
    let run = published(pairs, found, count_before, session)?;
    notes.remove()?;
    Ok(run)
}

/// Whether all files of a pair have their names.
fn has_outputs(pair: &FramePair) -> bool {
    let outputs = &pair.job.outputs;
    let mut all =
        [Some(&outputs.flow), outputs.confidence.as_ref(), outputs.warped.as_ref()].into_iter().flatten();
    all.all(|path| path.exists())
}

fn estimated(pair: &FramePair, notes: &mut FoundFields, session: &Session) -> Result<FoundPair> {
    let name = pair.label.name();
    let mut keep = |run: &FlowRun| notes.keep(&name, &FoundPair::of(run));
    let run = if is_in_parts(&pair.job, session)? {
        kept_flow_in_parts(&pair.job, session, keep)?
    } else {
        let run = flow(&pair.job, session)?;
        keep(&run)?;
        run
    };
    Ok(FoundPair::of(&run))
}

/// All that decides the fields, but the samples of the frames, which are not read for it.
fn key(pairs: &Pairs<'_>, session: &Session) -> Result<PartsKey> {
    let (job, value) = (pairs.job, |value: serde_json::Result<Value>| value.map_err(ReportError::from));
    let mut files: Vec<PathBuf> = pairs.frames.iter().map(|frame| io::named_file(frame)).collect();
    files.dedup();
    let states = files.iter().map(|file| input_state(file, session)).collect::<Result<Vec<_>>>()?;
    let options = &job.options;
    let masks = [options.mask.as_ref(), options.volume_mask.as_ref()].map(|mask| mask.map(|mask| &mask.path));
    let beside = masks.into_iter().chain([options.weight.as_ref()]).map(|path| match path {
        Some(path) => input_state(path, session),
        None => Ok(Value::Null),
    });
    let choice = options.choice();
    let opened = choice.open(&pairs.grid, 255.0, 2, session.device()?)?;
    let method = json!({
        "name": choice.draft.method_name(),
        "parameters": value(serde_json::to_value(&opened.parameters))?,
        "directions": format!("{:?}", choice.directions),
        "refinement": format!("{:?}", choice.refinement),
    });
    let outputs = pairs.pairs.iter().map(|pair| {
        let outputs = &pair.job.outputs;
        json!([&pair.label.name(), &outputs.flow, &outputs.confidence, &outputs.warped])
    });
    let entries = [
        ("device", json!(session.device_report()?.name)),
        ("list of frames", json!([pairs.frames, states])),
        ("list of fields", Value::from_iter(outputs)),
        ("method", method),
        ("mask or weight", Value::from(beside.collect::<Result<Vec<_>>>()?)),
        ("plan of tiles", value(serde_json::to_value(&pairs.memory.tiles))?),
    ];
    Ok(PartsKey::of(entries.map(|(name, value)| (name.to_owned(), value))))
}

/// The report of all, in its place.
fn published(
    pairs: &Pairs<'_>,
    found: Vec<FoundPair>,
    count_before: usize,
    session: &Session,
) -> Result<FlowRun> {
    let mut plan = pairs.job.plan(session)?.checked()?;
    let outputs = |pair: &FramePair| {
        let outputs = &pair.job.outputs;
        [Some(outputs.flow.clone()), outputs.confidence.clone(), outputs.warped.clone()].into_iter().flatten()
    };
    plan.published = pairs.pairs.iter().flat_map(outputs).collect();
    let mut header = found[0].header.clone();
    header.inputs = plan.input_reports(|_| &pairs.grid);
    let mut stages = Stages::default();
    for pair in &found {
        stages.merge(Stages(pair.header.stage_times.clone()));
        header.warnings.extend(pair.header.warnings.clone());
    }
    header.stage_times = stages.0;
    if count_before > 0 {
        let text = format!("goes on with a run that was ended: {count_before} of its fields are there");
        header.warnings.push(WarningKind::Note, text);
    }
    let reports = found.into_iter().zip(&pairs.pairs).map(|(found, FramePair { label, .. })| {
        found.report(pairs.names.title(label.role, [label.fixed, label.moving]), label.numbers)
    });
    let report = RunReport {
        header,
        method_title: pairs.job.options.method_title(),
        pairs: reports.collect(),
        cycle_closure_vox: None,
        label_overlap: None,
    };
    plan.publish(report, |_| unreachable!("a page should be refused before the run"))
}
