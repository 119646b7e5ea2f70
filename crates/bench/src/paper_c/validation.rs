//! Figure 3: outlines tracked by the paper's elements and weights, forward and backward blended, against those that were drawn on
//! every frame; started at end-diastole and at end-systole.
//!
//! *As in the paper*: outlines are carried by motion alone, from where they were drawn. *Where we differ*: one heart, of
//! ep-dataset, whose outlines on slices 7 to 10 one reader's program drew; the difference between the paper's readers stands
//! beside it.

use crate::accuracy::cine::{PIG_CINE, pig_outlines, run};
use crate::experiments::{Comparison, Row};
use crate::{Bar, BenchError, Session};
use std::path::{Path, PathBuf};
use veloxel::jobs::{ContourInput, DenseMethodOptions, TrackJob};
use veloxel::pipelines::heart::{Cavities, CycleEstimate, PeriodicChoice, Placement, PresetChoice};
use veloxel_core::{ContourSet, Structure};
use veloxel_io::write_contours;
use veloxel_measure::DistanceCurve;
use veloxel_motion::MotionError;
use veloxel_report::TrackRun;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};

/// The slices that ep-dataset outlines well.
const SLICES: std::ops::RangeInclusive<usize> = 7..=10;
/// Structures with the greatest mean distance allowed, and the paper's difference between its readers, mm.
const BARS: [(Structure, f64, f64); 2] = [(Structure::Endo, 1.0, 2.1), (Structure::Epi, 0.6, 1.9)];
/// The paper's largest mean distance of a frame, mm.
const LARGEST_MM: f64 = 2.0;
/// The paper's columns.
const PUBLISHED: &[&str] = &["between its readers", "tracked from ED"];

/// A run from a frame.
pub(super) struct Started {
    pub name: &'static str,
    pub found: TrackRun,
}

/// The figure, as a table and a plot for each structure.
pub(super) struct Validation {
    pub started: Vec<Started>,
    pub comparison: Comparison,
    pub plots: Vec<LinePlot>,
}

/// A run as the paper's: `fe:paper`, blended, outlines as they move.
pub(super) fn paper_job(
    inputs: Vec<PathBuf>,
    contours: PathBuf,
    folder: PathBuf,
) -> Result<TrackJob, BenchError> {
    let method =
        DenseMethodOptions::named("fe").and_then(|fe| fe.preset("paper")).map_err(MotionError::from)?;
    Ok(TrackJob {
        methods: vec![method],
        presets: PresetChoice::AsGiven,
        estimate: CycleEstimate::Blended,
        cavities: Cavities::Moved,
        placement: Placement::AsDrawn,
        ..TrackJob::new(inputs, contours, folder)
    })
}

/// Tracks the outlines of ep-dataset; none without it.
pub(super) fn validation(session: &Session<'_>, scratch: &Path) -> Result<Option<Validation>, BenchError> {
    let Some(folder) = session.data("cardiac/ep-dataset") else { return Ok(None) };
    let (outlines, place) = pig_outlines(&folder, &SLICES)?;
    let file = scratch.join("drawn.json");
    write_contours(&file, &outlines, &place)?;
    let all = [("from ED", 0), ("from ES", end_systole(&outlines, place.frames))];
    let used = if session.is_quick { &all[..1] } else { &all[..] };
    let mut started = Vec::new();
    for &(name, frame) in used {
        let cine = vec![folder.join(PIG_CINE)];
        let job = TrackJob {
            truth: vec![ContourInput { path: file.clone(), frame: None }],
            frames: vec![frame],
            periodic: PeriodicChoice::Yes,
            ..paper_job(cine, file.clone(), scratch.join(format!("from_{frame}")))?
        };
        started.push(Started { name, found: run(session, &job)? });
    }
    let plots = BARS.map(|(structure, ..)| plot(structure, &started)).into();
    Ok(Some(Validation { comparison: comparison(&started), plots, started }))
}

/// The frame of the smallest cavity of all slices together.
fn end_systole(outlines: &ContourSet, frames: usize) -> usize {
    let area = |frame: &usize| -> f64 {
        let own = outlines.contours().iter();
        let own = own.filter(|c| c.structure == Structure::Endo && c.frame == *frame);
        own.map(|c| c.polygon.signed_area_px2()).sum()
    };
    (0..frames).min_by(|a, b| area(a).total_cmp(&area(b))).unwrap_or(0)
}

/// The curve of a structure against the outlines that were drawn.
fn curve(run: &TrackRun, structure: Structure) -> Option<&DistanceCurve> {
    run.readers.first()?.curves.iter().find(|curve| curve.structure == structure)
}

fn comparison(started: &[Started]) -> Comparison {
    let mut rows = Vec::new();
    for (structure, bar, readers) in BARS {
        let mean = |run: &TrackRun| Some(run.distances.as_ref()?.structure(structure)?.modified_hausdorff_mm);
        let largest = |run: &TrackRun| {
            let all = &curve(run, structure)?.modified_hausdorff_mm;
            all.iter().flatten().copied().reduce(f64::max)
        };
        let title = structure.title();
        let means = started.iter().map(|one| mean(&one.found)).collect();
        // The figure is that from end-diastole.
        let bars = vec![Some(Bar::AtMost(bar))];
        rows.push(
            Row::new(format!("{title}, mean"), "mm", means).beside([Some(readers), None]).held_against(bars),
        );
        let largest = started.iter().map(|one| largest(&one.found)).collect();
        let row = Row::new(format!("{title}, largest mean of a frame"), "mm", largest);
        rows.push(row.beside([None, Some(LARGEST_MM)]));
    }
    Comparison {
        title: "Distance to drawn outlines over the cycle (Fig. 3)".to_owned(),
        place: "Fig. 3 and section 4",
        note: format!(
            "Modified Hausdorff distance on slices {} to {} of ep-dataset, a pig's heart, by fe:paper, forward and backward blended; means without the frame that was started from. The figure is that from end-diastole, which the bars are for; the paper has the other start in words. Its figures are of 36 patients.",
            SLICES.start(),
            SLICES.end()
        ),
        measured: started.iter().map(|one| one.name.to_owned()).collect(),
        published: PUBLISHED,
        rows,
    }
}

fn plot(structure: Structure, started: &[Started]) -> LinePlot {
    let series = |(nth, one): (usize, &Started)| {
        let values = curve(&one.found, structure)?.modified_hausdorff_mm.iter().enumerate();
        let points = values.map(|(frame, mm)| (frame as f64, mm.unwrap_or(f64::NAN))).collect();
        Some(Series {
            name: format!("tracked {}", one.name),
            ink: Ink::Numbered(nth),
            line: Line::Dotted,
            points,
        })
    };
    let mut curves: Vec<Series> = started.iter().enumerate().filter_map(series).collect();
    let readers = BARS.iter().find(|(own, ..)| *own == structure).map(|(.., mm)| *mm);
    let frames = curves.first().map_or(0, |curve| curve.points.len());
    curves.extend(readers.map(|mm| Series {
        name: "between the paper's readers, published".to_owned(),
        ink: Ink::Numbered(started.len()),
        line: Line::Dashed,
        points: vec![(0.0, mm), (frames.saturating_sub(1) as f64, mm)],
    }));
    LinePlot::new(structure.title(), AxisLabels { x: "frame", y: "mm" }, curves, &[0.0])
}
