//! `track` and `demo`.

use super::flows::method;
use super::{Job, files_alone};
use crate::BenchError;
use crate::stops::inputs::Inputs;
use std::path::PathBuf;
use veloxel::jobs::{self, ContourInput, DemoJob, DenseMethodOptions, FilmChoice, RegionInput, TrackJob};
use veloxel::pipelines::heart::{Cavities, MotionSpace, Placement, PresetChoice};
use veloxel_core::ContourSet;
use veloxel_io::{ReadOptions, write_contours};
use veloxel_motion::over::cycle::{CycleEstimate, Periodic};

fn track(
    inputs: &Inputs<'_>,
    slices: usize,
    frames: usize,
    method: DenseMethodOptions,
) -> Result<Job, BenchError> {
    let (cine, phantom, place) = inputs.cine(slices, frames)?;
    let seeds = phantom.contours().contours().iter().filter(|outline| outline.frame == 0).cloned().collect();
    let seeds = ContourSet::new(seeds).map_err(|twice| BenchError::Missed {
        reason: format!("the phantom has two outlines of {} on one frame", twice.structure.word()),
    })?;
    let path = inputs.path("seeds.json");
    write_contours(&path, &seeds, &place)?;
    let job = TrackJob {
        inputs: vec![cine],
        contours: vec![ContourInput { path, frame: None }],
        truth: Vec::new(),
        frames: Vec::new(),
        labels: Default::default(),
        names: Default::default(),
        region: RegionInput::Auto,
        space: MotionSpace::InPlane,
        placement: Placement::ByStack,
        cavities: Cavities::Rim,
        periodic: Periodic::Auto,
        estimate: CycleEstimate::Closed,
        methods: vec![method],
        presets: PresetChoice::AsGiven,
        weight: None,
        reading: ReadOptions::default(),
        command_line: String::new(),
        film: FilmChoice::Written,
        folder: PathBuf::new(),
    };
    Ok(Box::new(move |session, out| {
        jobs::track(&TrackJob { folder: out.join("heart"), ..job.clone() }, session).map(files_alone)
    }))
}

pub(super) fn track_clg(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    track(inputs, 3, 8, method("clg", "cine")?)
}

pub(super) fn track_fe(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    track(inputs, 1, 4, method("fe", "fast")?)
}

pub(super) fn demo(_: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(Box::new(|session, out| {
        let job = DemoJob { folder: out.join("demo"), command_line: String::new() };
        jobs::demo(&job, session).map(files_alone)
    }))
}
