//! Points or corners followed through frames.

use crate::error::InputError;
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use veloxel::Volume;
use veloxel::pipelines::{EndedTracks, PointTracks, TrackingParameters, TracksBegin, TracksRequest};

/// How points are followed, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Following<'py> {
    /// Rows `(x, y)`; none: corners.
    points: Option<PyReadonlyArray2<'py, f64>>,
    corners: usize,
    corner_distance: f32,
    replenish: bool,
    /// Side of the window, odd.
    window: usize,
    levels: usize,
    check: f32,
    progress: Option<Bound<'py, PyAny>>,
}

/// The columns of a table of tracks, and how many of them there are.
#[pyclass(frozen, module = "veloxel._veloxel", get_all)]
pub struct Tracks {
    frame: Py<PyArray1<u64>>,
    id: Py<PyArray1<u64>>,
    x: Py<PyArray1<f32>>,
    y: Py<PyArray1<f32>>,
    status: Vec<&'static str>,
    error: Py<PyArray1<f32>>,
    forward_backward: Py<PyArray1<f32>>,
    expected_error: Py<PyArray1<f32>>,
    expected_drift: Py<PyArray1<f32>>,
    frames: usize,
    tracks: usize,
    /// Tracks that reach the last frame.
    alive: usize,
    /// `(kind, message)` each.
    warnings: Py<PyList>,
}

/// The positions that tracks begin at.
fn points_of(following: &Following<'_>) -> PyResult<Option<Vec<Option<[f64; 3]>>>> {
    let Some(points) = &following.points else { return Ok(None) };
    if points.shape()[1] != 2 {
        let text = format!("points have two columns, x and y, these have {}", points.shape()[1]);
        return Err(InputError::new_err(text));
    }
    let point = |x: f64, y: f64| (x.is_finite() && y.is_finite()).then_some([x, y, 0.0]);
    Ok(Some(points.as_array().rows().into_iter().map(|row| point(row[0], row[1])).collect()))
}

/// Follows points through frames.
#[pyfunction]
pub fn track_points(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    frames: Vec<Bound<'_, Image>>,
    following: Following<'_>,
) -> PyResult<Tracks> {
    let frames: Vec<&Volume<f32>> = frames.iter().map(|frame| &frame.get().volume).collect();
    let Some((first, later)) = frames.split_first() else {
        return Err(InputError::new_err("there is no frame: points are followed through two or more"));
    };
    if following.window.is_multiple_of(2) || !(3..=31).contains(&following.window) {
        return Err(InputError::new_err("window is an odd number from 3 to 31: the side of it in pixels"));
    }
    let points = points_of(&following)?;
    let request = TracksRequest {
        begin: match &points {
            Some(points) => TracksBegin::Points(points),
            None => TracksBegin::Corners(following.corners),
        },
        corner_distance_px: following.corner_distance,
        ended: if following.replenish { EndedTracks::AreReplaced } else { EndedTracks::Stay },
        parameters: TrackingParameters {
            radius: following.window / 2,
            levels: following.levels,
            check_px: following.check,
            ..TrackingParameters::default()
        },
    };
    let result = session.get().lend(|library| {
        run(py, library, following.progress.as_ref(), |library| {
            let mut tracks = PointTracks::begin(*first, &request, library)?;
            later.iter().try_for_each(|frame| tracks.push(*frame))?;
            tracks.finish()
        })
    })?;
    let floats = |value: fn(&veloxel::report::TrackRow) -> f32| {
        PyArray1::from_iter(py, result.table.iter().map(value)).unbind()
    };
    let counts = |value: fn(&veloxel::report::TrackRow) -> usize| {
        PyArray1::from_iter(py, result.table.iter().map(|row| value(row) as u64)).unbind()
    };
    Ok(Tracks {
        frame: counts(|row| row.frame),
        id: counts(|row| row.id),
        x: floats(|row| row.at_px[0]),
        y: floats(|row| row.at_px[1]),
        status: result.table.iter().map(|row| row.status).collect(),
        error: floats(|row| row.error),
        forward_backward: floats(|row| row.forward_backward_px),
        expected_error: floats(|row| row.expected_error_px),
        expected_drift: floats(|row| row.expected_drift_px),
        frames: result.frames,
        tracks: result.tracks,
        alive: result.alive,
        warnings: told(py, result.account.warnings.urgent())?.unbind(),
    })
}
