//! Points moved by a field.

use crate::error::InputError;
use crate::fields::field::Field;
use crate::running::run;
use crate::session::Session;
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Moves points `(x, y, z)`, a row each: pixels for fields of pictures, whose z is 0, LPS millimetres for volumes; NaN where the
/// field is unknown. The result has the rows one after the other.
#[pyfunction]
pub fn move_points<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    field: &Bound<'py, Field>,
    points: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    if points.shape()[1] != 3 {
        return Err(InputError::new_err(format!(
            "points have three columns, these have {}",
            points.shape()[1]
        )));
    }
    let rows: Vec<Option<[f64; 3]>> = points
        .as_array()
        .rows()
        .into_iter()
        .map(|row| {
            let point = [row[0], row[1], row[2]];
            point.iter().all(|c| c.is_finite()).then_some(point)
        })
        .collect();
    let flow = &field.get().flow;
    let moved = session.get().lend(|library| {
        run(py, library, None, |library| veloxel::pipelines::move_points(flow, &rows, library))
    })?;
    let rows = moved.points.into_iter().flat_map(|point| point.unwrap_or([f64::NAN; 3])).collect();
    Ok(PyArray1::from_vec(py, rows))
}
