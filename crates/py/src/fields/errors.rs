//! What a confidence means: expected errors, covariances and probabilities, by the curves of a method and preset.

use crate::arrays::mapped;
use crate::error::{InputError, exception};
use crate::fields::field::Field;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use veloxel::{Dimension, ErrorCurves, Volume};

/// The curves of a method and preset; a name without them is a `KeyError`.
fn curves(method: &str, preset: &str, dimension: Dimension) -> PyResult<ErrorCurves> {
    let curves = ErrorCurves::of(method, preset, dimension);
    curves.ok_or_else(|| PyKeyError::new_err(format!("no curve of {method} {preset}")))
}

/// The expected error of every vector, voxels, by the curve of a method and preset; `errors` of what was found names them.
///
/// A name without a curve is a `KeyError`.
#[pyfunction]
pub fn expected_error(method: &str, preset: &str, confidence: &Image) -> PyResult<Image> {
    let confidence = &confidence.volume;
    let curves = curves(method, preset, confidence.grid().dimension())?;
    Ok(Image::of(mapped(confidence, |confidence| curves.expected_vox(confidence))?))
}

/// The probability that the error of every vector is below a threshold, voxels.
///
/// A name without a curve is a `KeyError`, a threshold at which nothing was measured an `InputError`.
#[pyfunction]
pub fn probability(method: &str, preset: &str, confidence: &Image, within: f32) -> PyResult<Image> {
    let confidence = &confidence.volume;
    let curves = curves(method, preset, confidence.grid().dimension())?;
    if !ErrorCurves::is_measured(within) {
        let text = format!("within= is from 0.125 to 4 voxels, where errors were measured, not {within}");
        return Err(InputError::new_err(text));
    }
    Ok(Image::of(mapped(confidence, |confidence| curves.probability(confidence, within))?))
}

/// The covariance of the error of every vector, squared voxels: an image for each entry, xx, xy, yy or xx, xy, xz, yy, yz, zz.
///
/// A name without a curve is a `KeyError`.
#[pyfunction]
pub fn covariance(
    session: &Bound<'_, Session>,
    method: &str,
    preset: &str,
    fixed: &Bound<'_, Image>,
    field: &Bound<'_, Field>,
    confidence: &Bound<'_, Image>,
) -> PyResult<Vec<Image>> {
    let (fixed, flow, confidence) = (&fixed.get().volume, &field.get().flow, &confidence.get().volume);
    let curves = curves(method, preset, flow.grid().dimension())?;
    let found = session.get().lend(|library| {
        run(session.py(), library, None, |library| {
            Ok(curves.covariances(library.device()?, fixed, flow, confidence)?)
        })
    })?;
    let entries = found.planar_vox2().chunks_exact(flow.grid().len());
    let entries = entries.map(|entry| Volume::new(flow.grid().clone(), entry.to_vec()).map(Image::of));
    entries.collect::<Result<_, _>>().map_err(|error| exception(&error))
}
