//! `warp`, `filter` and `evaluate`.

use super::{Job, files_alone, told};
use crate::BenchError;
use crate::stops::inputs::Inputs;
use std::f64::consts::TAU;
use std::path::PathBuf;
use veloxel::jobs::{
    self, ClaimFiles, DisparityScales, EvaluateJob, EvaluateSegmentationJob, FilterJob, LabelChoice,
    OutsideFill, WarpJob,
};
use veloxel::pipelines::filter::FilterSettings;
use veloxel::pipelines::{FinerImage, Interpolation};
use veloxel_core::{Contour, ContourSet, Flow, Grid, Polygon, Structure, Volume, Warnings};
use veloxel_io::{self as io, CinePlace, PlainNames, ReadOptions};

/// Voxels an axis of volumes that are warped or measured.
const SIDE: usize = 192;
/// Voxels an axis of labels whose surfaces are measured, which takes longer.
const LABELS_SIDE: usize = 96;

/// A field that moves everything by so many voxels along x, and a little less at the end.
fn field(inputs: &Inputs<'_>, name: &str, shift_vox: f64) -> Result<PathBuf, BenchError> {
    let side = inputs.side(SIDE);
    let path = inputs.path(name);
    let along = |[x, y, z]: [f64; 3]| [shift_vox - 0.001 * x, 0.3 * (0.1 * y).sin(), 0.2 * (0.1 * z).cos()];
    io::write_flow(&path, &Flow::from_fn(Grid::volume(side, side, side)?, along))?;
    Ok(path)
}

fn warp(flow: PathBuf, input: PathBuf) -> WarpJob {
    WarpJob { flow, input, output: PathBuf::new(), reading: ReadOptions::default() }
}

pub(super) fn warp_image(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = warp(field(inputs, "field.nii", 1.5)?, inputs.volumes(SIDE)?.moving);
    Ok(Box::new(move |session, out| {
        let job = WarpJob { output: out.join("warped.nii"), ..job.clone() };
        let (interpolation, outside) = (Interpolation::CubicSpline, OutsideFill::default());
        let sampling = jobs::WarpSampling { interpolation, finer: FinerImage::Sampled, outside };
        jobs::warp_image(&job, sampling, session).map(files_alone)
    }))
}

pub(super) fn warp_labels(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = warp(field(inputs, "field.nii", 1.5)?, inputs.labels("labels.nii", SIDE, 0.0)?);
    Ok(Box::new(move |session, out| {
        let job = WarpJob { output: out.join("warped.nii"), ..job.clone() };
        jobs::warp_labels(&job, LabelChoice::MostWeight, session).map(files_alone)
    }))
}

pub(super) fn filter(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let settings = FilterSettings { sigma_vox: Some(vec![4.0]), ..FilterSettings::default() };
    let input = inputs.volumes(SIDE)?.moving;
    Ok(Box::new(move |session, out| {
        let (name, output) = ("gaussian".to_owned(), out.join("smooth.nii"));
        let (input, settings, reading) = (input.clone(), settings.clone(), ReadOptions::default());
        jobs::filter(&FilterJob { name, settings, input, output, reading }, session).map(files_alone)
    }))
}

fn evaluate(result: PathBuf, truth: PathBuf) -> EvaluateJob {
    EvaluateJob { result, truth, ..EvaluateJob::default() }
}

pub(super) fn flow(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = evaluate(field(inputs, "result.nii", 1.5)?, field(inputs, "truth.nii", 1.0)?);
    Ok(Box::new(move |session, _| {
        jobs::evaluate_flow(&job, &ClaimFiles::default(), &mut Warnings::new(), session).map(told)
    }))
}

pub(super) fn disparity(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let [nx, ny] = [3840, 2160].map(|side| inputs.side(side));
    let grid = Grid::image(nx, ny)?;
    let write = |name: &str, shift: f32| -> Result<PathBuf, BenchError> {
        let path = inputs.path(name);
        let at =
            |[x, y, _]: [usize; 3]| shift + 20.0 + 8.0 * (0.01 * x as f32).sin() * (0.013 * y as f32).cos();
        io::write_disparity(&path, &Volume::from_fn(grid.clone(), at))?;
        Ok(path)
    };
    let job = evaluate(write("result.pfm", 0.25)?, write("truth.pfm", 0.0)?);
    Ok(Box::new(move |session, _| {
        let warnings = &mut Warnings::new();
        jobs::evaluate_disparity(&job, DisparityScales::default(), warnings, session).map(told)
    }))
}

pub(super) fn labels(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = evaluate(
        inputs.labels("result.nii", LABELS_SIDE, 1.0)?,
        inputs.labels("truth.nii", LABELS_SIDE, 0.0)?,
    );
    Ok(Box::new(move |session, _| jobs::evaluate_labels(&job, &mut Warnings::new(), session).map(told)))
}

/// A thousand outlines, of so many points each.
pub(super) fn contours(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    const SLICES: usize = 25;
    const POINTS: usize = 400;
    let frames = inputs.side(160) / 4;
    let grid = Grid::volume(256, 256, SLICES)?.with_spacing_mm([1.25, 1.25, 8.0])?;
    let place = CinePlace { grid, frames, frame_interval_ms: Some(40.0), images: Vec::new() };
    let write = |name: &str, radius: f64| -> Result<PathBuf, BenchError> {
        let mut outlines = Vec::new();
        for (frame, slice) in (0..frames * SLICES).map(|i| (i / SLICES, i % SLICES)) {
            let radius = radius + 0.2 * frame as f64;
            let point = |i: usize| {
                let angle = TAU * i as f64 / POINTS as f64;
                let wave = radius * (1.0 + 0.05 * (7.0 * angle).sin());
                [128.0 + wave * angle.cos(), 128.0 + wave * angle.sin()]
            };
            let polygon = Polygon::new((0..POINTS).map(point).collect())?;
            outlines.push(Contour { structure: Structure::Endo, frame, slice, polygon });
        }
        let path = inputs.path(name);
        let outlines = ContourSet::new(outlines)
            .map_err(|_| BenchError::Missed { reason: "an outline was made twice".to_owned() })?;
        io::write_contours(&path, &outlines, &place)?;
        Ok(path)
    };
    let job = evaluate(write("result.json", 80.0)?, write("truth.json", 78.0)?);
    Ok(Box::new(move |session, _| {
        let warnings = &mut Warnings::new();
        jobs::evaluate_contours(&job, None, PlainNames::default(), warnings, session).map(told)
    }))
}

pub(super) fn segmentation(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let (mesh, faces) = inputs.body(100_000)?;
    let write = |name: &str, shift: usize| -> Result<PathBuf, BenchError> {
        let path = inputs.path(name);
        let labels: Vec<u32> =
            (0..faces).map(|face| (12 * ((face + shift) % faces) / faces) as u32).collect();
        io::write_face_labels(&path, &labels)?;
        Ok(path)
    };
    let mut truths = Vec::new();
    for nth in 1..=4 {
        truths.push(write(&format!("truth{nth}.seg"), nth * faces / 100)?);
    }
    let job = EvaluateSegmentationJob {
        result: write("result.seg", 0)?,
        truths,
        mesh: Some(mesh),
        ..EvaluateSegmentationJob::default()
    };
    Ok(Box::new(move |session, _| jobs::evaluate_segmentation(&job, &mut Warnings::new(), session).map(told)))
}
