//! Outlines followed over cines of real hearts: distances to given outlines, ejection fraction, a right ventricle.

use crate::{BenchError, Figure, Session};
use std::ops::RangeInclusive;
use std::path::Path;
use veloxel::jobs::{ContourInput, TrackJob, track};
use veloxel_core::{ContourSet, Structure, Warnings};
use veloxel_io::{
    CinePlace, ContourReading, IoError, PlainNames, TextOrder, inspect, read_contours, read_grid,
    write_contours,
};
use veloxel_measure::ContourDistances;
use veloxel_report::TrackRun;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};

/// Slices of the pig's heart, and the required distances of endocardium and epicardium there, mm.
const PIG: [(RangeInclusive<usize>, [f64; 2]); 2] = [(7..=10, [0.85, 0.50]), (6..=13, [1.20, 0.95])];
/// Patients of ACDC with their frames of end-diastole and end-systole.
const PATIENTS: [(&str, [&str; 2]); 6] = [
    ("001", ["01", "12"]),
    ("021", ["01", "13"]),
    ("041", ["01", "11"]),
    ("061", ["01", "10"]),
    ("081", ["01", "07"]),
    ("090", ["04", "11"]),
];
/// Greatest difference of ejection fractions between outlines and labels, percentage points.
const EF_POINTS: f64 = 4.0;
/// Required distance of the right ventricle, mm.
const RV_MM: f64 = 2.5;

/// `cine`: the pig's heart of ep-dataset, six patients of ACDC, a right ventricle of RVSC.
pub(crate) fn cine(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let scratch =
        tempfile::tempdir().map_err(|source| IoError::Write { path: std::env::temp_dir(), source })?;
    let mut figures = Vec::new();
    if let Some(folder) = session.data("cardiac/ep-dataset") {
        figures.extend(pig(session, &folder, scratch.path())?);
    }
    if let Some(folder) = session.data("cardiac/acdc/training") {
        for (patient, frames) in PATIENTS {
            figures.push(ejection(session, &folder, patient, frames, scratch.path())?);
        }
    }
    if let Some(folder) = session.data("cardiac/rvsc-p09/patient09") {
        figures.push(right_ventricle(session, &folder, scratch.path())?);
    }
    Ok(figures)
}

pub(crate) fn run(session: &Session<'_>, job: &TrackJob) -> Result<TrackRun, BenchError> {
    let mut run = track(job, &veloxel::Session::begin(&session.device_options))?;
    Ok(run.report.runs.remove(0))
}

/// The cine of ep-dataset.
pub(crate) const PIG_CINE: &str = "shortaxis_4d.nii.gz";

/// The outlines of ep-dataset on some slices, and the cine that they are of.
pub(crate) fn pig_outlines(
    folder: &Path,
    slices: &RangeInclusive<usize>,
) -> Result<(ContourSet, CinePlace), BenchError> {
    let (cine, mut warnings) = (folder.join(PIG_CINE), Warnings::new());
    let info = inspect(&cine, veloxel_io::Strictness::Lenient)?;
    let grid = read_grid(&cine, veloxel_io::Strictness::Lenient, &mut warnings)?;
    let place = CinePlace {
        grid,
        frames: info.frames,
        frame_interval_ms: info.frame_interval_ms,
        images: Vec::new(),
    };
    let names = PlainNames { order: Some(TextOrder::Descending), inner: None };
    let reading = ContourReading { names, ..ContourReading::default() };
    let given = read_contours(&folder.join("lvContours"), Some(&place), &reading, &mut warnings)?;
    let own = given.contours.into_iter().filter(|c| slices.contains(&c.slice)).collect();
    Ok((ContourSet::new(own).unwrap_or_default(), place))
}

/// Follows outlines of phase 0 through the cycle, and compares them with the given ones.
fn pig(session: &Session<'_>, folder: &Path, scratch: &Path) -> Result<Vec<Figure>, BenchError> {
    let (own, place) = pig_outlines(folder, &PIG[1].0)?;
    let (cine, file) = (folder.join(PIG_CINE), scratch.join("pig.json"));
    write_contours(&file, &own, &place)?;
    let truth = vec![ContourInput { path: file.clone(), frame: None }];
    let job = TrackJob { frames: vec![0], truth, ..TrackJob::new(vec![cine], file, scratch.join("pig")) };
    let found = run(session, &job)?;
    let Some(distances) = &found.distances else { return Ok(Vec::new()) };
    session.draw(over_time(distances, place.frames));
    let mut figures = Vec::new();
    for (slices, bars) in PIG {
        let own = distances.of(|c| slices.contains(&c.slice));
        for (structure, bar) in [Structure::Endo, Structure::Epi].into_iter().zip(bars) {
            let mean = own.structure(structure).map_or(f64::NAN, |s| s.modified_hausdorff_mm);
            let what =
                format!("ep-dataset, slices {} to {}: {}", slices.start(), slices.end(), structure.title());
            figures.push(Figure::new(what, mean, "mm").at_most(bar));
        }
    }
    Ok(figures)
}

/// The distances by frame, mean over the clean slices: figure 3 of the paper.
fn over_time(distances: &ContourDistances, frames: usize) -> LinePlot {
    let curve = |(nth, structure): (usize, Structure)| {
        let at = |frame: usize| {
            let own = distances.contours.iter().filter(|c| c.structure == structure && c.frame == frame);
            let own: Vec<f64> =
                own.filter(|c| PIG[0].0.contains(&c.slice)).map(|c| c.modified_hausdorff_mm).collect();
            (frame as f64, if own.is_empty() { 0.0 } else { own.iter().sum::<f64>() / own.len() as f64 })
        };
        let points = (0..frames).map(at).collect();
        Series { name: structure.title().to_owned(), ink: Ink::Numbered(nth), line: Line::Dotted, points }
    };
    let curves = [Structure::Endo, Structure::Epi].into_iter().enumerate().map(curve).collect();
    LinePlot::new(
        "Modified Hausdorff distance over the cycle",
        AxisLabels { x: "frame", y: "mm" },
        curves,
        &[0.0],
    )
}

/// Ejection fraction of outlines that were followed, against that of the labels, over the slices labelled at both times.
fn ejection(
    session: &Session<'_>,
    folder: &Path,
    patient: &str,
    frames: [&str; 2],
    scratch: &Path,
) -> Result<Figure, BenchError> {
    let path = |frame: &str, what: &str| {
        folder.join(format!("patient{patient}/patient{patient}_frame{frame}{what}.nii.gz"))
    };
    let labels = frames.map(|frame| path(frame, "_gt"));
    let mut job =
        TrackJob::new(frames.map(|f| path(f, "")).to_vec(), labels[0].clone(), scratch.join(patient));
    job.truth = vec![ContourInput { path: labels[1].clone(), frame: Some(1) }];
    let found = run(session, &job)?;
    let areas = |nth: usize| -> Result<Vec<Option<f64>>, BenchError> {
        let file = read_contours(&labels[nth], None, &ContourReading::default(), &mut Warnings::new())?;
        let slices = file.place.map_or(0, |place| place.grid.size()[2]);
        let area =
            |slice: usize| Some(file.contours.get(Structure::Endo, slice, 0)?.polygon.signed_area_px2());
        Ok((0..slices).map(area).collect())
    };
    let (first, last) = (areas(0)?, areas(1)?);
    let both: Vec<usize> = (0..first.len()).filter(|&s| first[s].is_some() && last[s].is_some()).collect();
    let sum = |areas: &[Option<f64>]| both.iter().filter_map(|&s| areas[s]).sum::<f64>();
    let of_labels = 1.0 - sum(&last) / sum(&first);
    let own =
        found.ventricles.areas.iter().filter(|a| a.structure == Structure::Endo && both.contains(&a.slice));
    let [ed, es] = own.fold([0.0; 2], |[ed, es], a| [ed + a.area_mm2[0], es + a.area_mm2[1]]);
    let of_outlines = 1.0 - es / ed;
    let what = format!(
        "ACDC {patient}: EF {:.1} % of outlines, {:.1} % of labels, apart",
        100.0 * of_outlines,
        100.0 * of_labels
    );
    Ok(Figure::new(what, 100.0 * (of_outlines - of_labels).abs(), "points").at_most(EF_POINTS))
}

/// The right ventricle at end-diastole carried to end-systole.
fn right_ventricle(session: &Session<'_>, folder: &Path, scratch: &Path) -> Result<Figure, BenchError> {
    let contours = folder.join("P09contours-manual");
    let images = ["P09-0022.dcm", "P09-0023.dcm"].map(|name| folder.join("P09dicom").join(name));
    let truth = vec![ContourInput { path: contours.clone(), frame: None }];
    let job =
        TrackJob { truth, frames: vec![0], ..TrackJob::new(images.to_vec(), contours, scratch.join("rv")) };
    let found = run(session, &job)?;
    let rv = found.distances.as_ref().and_then(|d| d.structure(Structure::Rv));
    let mean = rv.map_or(f64::NAN, |s| s.modified_hausdorff_mm);
    Ok(Figure::new("RVSC 09: right ventricle, end-diastole to end-systole", mean, "mm").at_most(RV_MM))
}
