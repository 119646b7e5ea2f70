//! Outlines as Python has them: tuples of a structure's word, frame, slice, and points in pixels.

use crate::error::{InputError, exception};
use pyo3::prelude::*;
use veloxel::pipelines::heart::{Contour, ContourSet, Polygon, Structure};

/// An outline: the structure's word, the frame, the slice, and points `(x, y)` in pixels.
#[derive(FromPyObject)]
pub struct OutlineIn(String, usize, usize, Vec<[f64; 2]>);

/// An outline as Python gets it: the fields of [`OutlineIn`], with the structure's word as a constant.
pub type OutlineOut = (&'static str, usize, usize, Vec<[f64; 2]>);

/// The outlines as one set.
///
/// # Errors
/// [`InputError`] for another word, points that enclose nothing, and two outlines in one place.
pub fn contours_of(outlines: Vec<OutlineIn>) -> PyResult<ContourSet> {
    let contours = outlines.into_iter().map(contour_of).collect::<PyResult<Vec<_>>>()?;
    ContourSet::new(contours).map_err(|Contour { structure, frame, slice, .. }| {
        let word = structure.word();
        InputError::new_err(format!("there are two outlines of {word} on frame {frame}, slice {slice}"))
    })
}

fn contour_of(OutlineIn(word, frame, slice, points_px): OutlineIn) -> PyResult<Contour> {
    let structure = Structure::ALL.into_iter().find(|own| own.word() == word).ok_or_else(|| {
        let all = Structure::ALL.map(Structure::word).join(", ");
        InputError::new_err(format!("an outline is of {all}, not {word:?}"))
    })?;
    let polygon = Polygon::new(points_px).map_err(|error| exception(&error))?;
    Ok(Contour { structure, frame, slice, polygon })
}

/// The outlines of a set.
pub fn outlines_of(contours: &ContourSet) -> Vec<OutlineOut> {
    let outline =
        |own: &Contour| (own.structure.word(), own.frame, own.slice, own.polygon.points_px().to_vec());
    contours.contours().iter().map(outline).collect()
}
