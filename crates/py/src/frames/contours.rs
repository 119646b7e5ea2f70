//! Outlines of files, of labels and of clicks.

use crate::error::{InputError, exception};
use crate::fields::flow::told;
use crate::frames::outlines::{OutlineIn, OutlineOut, contours_of, outlines_of};
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::Warnings;
use veloxel::io::{self, CinePlace, ContourReading, CurvePoints, LabelMeaning, ReadOptions};
use veloxel::jobs::{EvaluateJob, place_of, told_place};
use veloxel::pipelines::heart::{Contour, ContourSet};
use veloxel::pipelines::{EvaluateRequest, GuidePointFit, GuidePointsRequest};

/// What a file of outlines does not say itself, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Unsaid {
    /// An image of the cine.
    cine: Option<PathBuf>,
    /// The frame of outlines that come without one.
    frame: usize,
    /// Whether curves are taken as the points that were clicked.
    clicked: bool,
    /// The labels of the right cavity, the muscle and the left cavity.
    labels: [Option<i32>; 3],
}

/// Outlines, the distances of pixels along x and y where they are known, millimetres, and warnings.
type Read = (Vec<OutlineOut>, Option<[f64; 2]>, Py<PyList>);

/// Reads outlines.
#[pyfunction]
pub fn read_contours(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
    unsaid: Unsaid,
) -> PyResult<Read> {
    let Unsaid { cine, frame, clicked, labels: [rv, muscle, lv] } = unsaid;
    let (contours, place, warnings) = session.get().lend(|library| {
        run(py, library, None, |library| {
            let (mut warnings, reading) = (Warnings::new(), library.reading(ReadOptions::default()));
            let options = ContourReading {
                frame,
                labels: LabelMeaning { rv, muscle, lv },
                curves: if clicked { CurvePoints::Clicked } else { CurvePoints::Smooth },
                reading: reading.clone(),
                ..ContourReading::default()
            };
            let place = match &cine {
                Some(cine) => Some(place_of(cine, &reading, &mut warnings)?),
                None => told_place(&[&path], &options)?,
            };
            let file = io::read_contours(&path, place.as_ref(), &options, &mut warnings)?;
            Ok((file.contours, place, warnings))
        })
    })?;
    let spacing = place.map(|place| place.grid.spacing_mm()).map(|[sx, sy, _]| [sx, sy]);
    Ok((outlines_of(&contours), spacing, told(py, warnings.urgent())?.unbind()))
}

/// The outlines of a label image, with what was left out.
#[pyfunction]
pub fn label_outlines(
    labels: &Bound<'_, Image>,
    frame: usize,
    meaning: [Option<i32>; 3],
) -> PyResult<(Vec<OutlineOut>, Vec<String>)> {
    let [rv, muscle, lv] = meaning;
    let found = io::label_outlines(&labels.get().volume, frame, LabelMeaning { rv, muscle, lv })
        .map_err(|error| exception(&error))?;
    let left_out = found.left_out();
    let twice = |Contour { structure, .. }: Contour| {
        InputError::new_err(format!("there are two outlines of {} in one place", structure.word()))
    };
    Ok((outlines_of(&ContourSet::new(found.contours).map_err(twice)?), left_out))
}

/// Lays outlines through clicks; distances of pixels along x and y, millimetres.
#[pyfunction]
pub fn fit_contours(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    clicks: Vec<OutlineIn>,
    spacing: [f64; 2],
    elements: usize,
    smoothness: f64,
) -> PyResult<Vec<OutlineOut>> {
    let clicks = contours_of(clicks)?;
    let fit = GuidePointFit { elements, smoothness };
    let found = session.get().lend(|library| {
        run(py, library, None, |library| {
            let request = GuidePointsRequest { clicks: &clicks, spacing_mm: spacing, fit };
            veloxel::pipelines::guide_points(&request, library)
        })
    })?;
    Ok(outlines_of(&found))
}

/// Writes outlines, `.json` or `.csv`, of a cine with so many frames on the grid of an image.
#[pyfunction]
pub fn write_contours(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
    outlines: Vec<OutlineIn>,
    frame: &Bound<'_, Image>,
    frames: usize,
) -> PyResult<()> {
    let (outlines, grid) = (contours_of(outlines)?, frame.get().volume.grid().clone());
    let place = CinePlace { grid, frames, frame_interval_ms: None, images: Vec::new() };
    session.get().lend(|library| {
        run(py, library, None, |library| {
            Ok(io::write_contours(library.files().target(&path), &outlines, &place)?)
        })
    })
}

/// Distances of outlines, as JSON.
#[pyfunction]
pub fn evaluate_contours(
    session: &Bound<'_, Session>,
    result: Vec<OutlineIn>,
    truth: Vec<OutlineIn>,
    spacing: [f64; 2],
) -> PyResult<String> {
    let (result, truth) = (contours_of(result)?, contours_of(truth)?);
    let found = session.get().lend(|library| {
        run(session.py(), library, None, |library| {
            veloxel::pipelines::evaluate_contours(&EvaluateRequest::new(&result, &truth), spacing, library)
        })
    })?;
    Ok(serde_json::to_string(&found).unwrap_or_default())
}

/// Distances of outlines of files, as JSON, and warnings.
#[pyfunction]
#[pyo3(signature = (session, result, truth, cine=None))]
pub fn evaluate_contour_files(
    session: &Bound<'_, Session>,
    result: PathBuf,
    truth: PathBuf,
    cine: Option<PathBuf>,
) -> PyResult<(String, Py<PyList>)> {
    let job = EvaluateJob { result, truth, ..EvaluateJob::default() };
    let (found, warnings) = session.get().lend(|library| {
        run(session.py(), library, None, |library| {
            let mut warnings = Warnings::new();
            let names = io::PlainNames::default();
            let found =
                veloxel::jobs::evaluate_contours(&job, cine.as_deref(), names, &mut warnings, library)?;
            Ok((found, warnings))
        })
    })?;
    let warnings = told(session.py(), warnings.urgent())?.unbind();
    Ok((serde_json::to_string(&found).unwrap_or_default(), warnings))
}
