//! `segment` and `distances`.

use super::{Job, files_alone};
use crate::BenchError;
use crate::stops::inputs::Inputs;
use std::path::PathBuf;
use veloxel::jobs::{self, DistancesJob, PartsMethodOptions, SegmentJob, SegmentOutputs};
use veloxel_core::GraphKind;
use veloxel_io::ReadOptions;
use veloxel_mesh::{DistanceMethod, DistancePrecision, PartCount};
use veloxel_motion::MotionError;

fn segment(inputs: &Inputs<'_>, faces: usize, method: &str, count: PartCount) -> Result<Job, BenchError> {
    let (mesh, _) = inputs.body(faces)?;
    let job = SegmentJob {
        mesh,
        count,
        method: PartsMethodOptions::named(method).map_err(MotionError::from)?,
        reading: ReadOptions::default(),
        command_line: String::new(),
        outputs: SegmentOutputs::default(),
    };
    Ok(Box::new(move |session, out| {
        let outputs = SegmentOutputs {
            painted: out.join("parts.ply"),
            labels: Some(out.join("parts.seg")),
            membership: job.method.method_name().eq("fuzzy").then(|| out.join("membership.npy")),
            html: Some(out.join("page.html")),
            parts: Some(out.join("parts")),
            ..SegmentOutputs::default()
        };
        jobs::segment(&SegmentJob { outputs, ..job.clone() }, session).map(files_alone)
    }))
}

pub(super) fn cuts(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    segment(inputs, 10_000, "cuts", PartCount::Chosen)
}

pub(super) fn fuzzy(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    segment(inputs, 4_000, "fuzzy", PartCount::Given(8))
}

fn distances(
    inputs: &Inputs<'_>,
    side: usize,
    algorithm: DistanceMethod,
    precision: DistancePrecision,
) -> Result<Job, BenchError> {
    let job = DistancesJob {
        graph: inputs.streets(side)?,
        lengths: None,
        kind: GraphKind::Undirected,
        sources: None,
        algorithm,
        precision,
        output: PathBuf::new(),
        report: None,
    };
    Ok(Box::new(move |session, out| {
        jobs::distances(&DistancesJob { output: out.join("distances.npy"), ..job.clone() }, session)
            .map(files_alone)
    }))
}

pub(super) fn distances_auto(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    distances(inputs, 100, DistanceMethod::Auto, DistancePrecision::U16)
}

pub(super) fn floyd_warshall(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    distances(inputs, 44, DistanceMethod::FloydWarshall, DistancePrecision::F32)
}
