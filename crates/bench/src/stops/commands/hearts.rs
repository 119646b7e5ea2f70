//! `track`, `contours fit` and `demo`.

use super::flows::method;
use super::{Job, files_alone};
use crate::BenchError;
use crate::stops::inputs::Inputs;
use std::path::PathBuf;
use veloxel::jobs::{self, ContoursFitJob, DemoJob, DenseMethodOptions, FilmChoice, TrackJob};
use veloxel::pipelines::GuidePointFit;
use veloxel::pipelines::heart::PresetChoice;
use veloxel_core::ContourSet;
use veloxel_io::{PlainNames, ReadOptions, write_contours};

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
    let (methods, presets, film) = (vec![method], PresetChoice::AsGiven, FilmChoice::Written);
    let job = TrackJob { methods, presets, film, ..TrackJob::new(vec![cine], path, PathBuf::new()) };
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

/// Outlines of all frames as clicks.
pub(super) fn contours_fit(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let (cine, phantom, place) = inputs.cine(3, 8)?;
    let clicks = inputs.path("clicks.json");
    write_contours(&clicks, &phantom.contours(), &place)?;
    let job = ContoursFitJob {
        clicks,
        cine: Some(cine),
        frame: 0,
        names: PlainNames::default(),
        fit: GuidePointFit::default(),
        output: PathBuf::new(),
        reading: ReadOptions::default(),
    };
    Ok(Box::new(move |session, out| {
        let job = ContoursFitJob { output: out.join("outlines.json"), ..job.clone() };
        jobs::contours_fit(&job, session).map(files_alone)
    }))
}

pub(super) fn demo(_: &Inputs<'_>) -> Result<Job, BenchError> {
    Ok(Box::new(|session, out| {
        let job = DemoJob { folder: out.join("demo"), command_line: String::new() };
        jobs::demo(&job, session).map(files_alone)
    }))
}
