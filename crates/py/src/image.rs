//! An image or a mask with its place in space, as a class.

use crate::arrays::{mapped, shape_of, view, volume_f32};
use crate::error::{InputError, exception};
use numpy::{PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use veloxel::{CoreError, Grid, Mask, Volume};

/// Where voxels lie, as a tuple: spacing and origin `(x, y, z)`, LPS millimetres, and the direction matrix row by row, whose columns
/// are the directions of the axes; `None` where nothing is known.
#[derive(Debug, Clone, FromPyObject)]
pub struct Place(Option<[f64; 3]>, Option<[f64; 3]>, Option<[[f64; 3]; 3]>);

/// The grid of an array: `(y, x)` is a picture, `(z, y, x)` a volume.
///
/// # Errors
/// [`InputError`] for another number of axes, an empty axis, or an impossible place.
pub fn grid_of(shape: &[usize], place: &Place) -> PyResult<Grid> {
    let grid = match *shape {
        [ny, nx] => Grid::image(nx, ny),
        [nz, ny, nx] => Grid::volume(nx, ny, nz),
        _ => {
            let text = format!("an image has axes (y, x) or (z, y, x), this array has the shape {shape:?}");
            return Err(InputError::new_err(text));
        }
    };
    placed(grid, place).map_err(|error| exception(&error))
}

fn placed(grid: Result<Grid, CoreError>, place: &Place) -> Result<Grid, CoreError> {
    let (mut grid, Place(spacing, origin, direction)) = (grid?, place);
    if let Some(spacing) = spacing {
        grid = grid.with_spacing_mm(*spacing)?;
    }
    if let Some(origin) = origin {
        grid = grid.with_origin_mm(*origin);
    }
    match direction {
        Some(direction) => grid.with_direction(*direction),
        None => Ok(grid),
    }
}

/// Number of voxels along the axes of an array: `(y, x)` or `(z, y, x)`.
pub fn shape(grid: &Grid) -> Vec<usize> {
    let [nx, ny, nz] = grid.size();
    [nz, ny, nx].into_iter().skip(3 - grid.dimension().count()).collect()
}

/// `(spacing, origin, direction)` of a grid, as [`Place`] has them.
pub type PlaceOut = ([f64; 3], [f64; 3], [[f64; 3]; 3]);

/// Where a grid lies.
pub fn place(grid: &Grid) -> PlaceOut {
    (grid.spacing_mm(), grid.origin_mm(), grid.direction())
}

/// Samples on a grid; they never change.
#[pyclass(frozen, module = "veloxel._veloxel")]
#[derive(Debug, Clone)]
pub struct Image {
    pub volume: Volume<f32>,
}

#[pymethods]
impl Image {
    /// Copies an array of axes `(y, x)` or `(z, y, x)`.
    #[new]
    fn new(array: &Bound<'_, PyUntypedArray>, place: Place) -> PyResult<Self> {
        let grid = grid_of(&shape_of(array), &place)?;
        Ok(Self { volume: volume_f32(grid, array)? })
    }

    /// All samples as an array of one axis, without a copy.
    fn samples<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray1<f32>> {
        // SAFETY: the class is frozen, and its samples are never written.
        unsafe { view(this.get().volume.data(), this.clone().into_any()) }
    }

    /// The array's shape.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        shape(self.volume.grid())
    }

    /// Spacing, origin and direction.
    #[getter]
    fn place(&self) -> PlaceOut {
        place(self.volume.grid())
    }
}

impl Image {
    pub fn of(volume: Volume<f32>) -> Self {
        Self { volume }
    }

    /// The voxels that are not 0.
    pub fn mask(&self) -> Mask {
        mapped(&self.volume, |v| v.is_finite() && v != 0.0)
            .unwrap_or_else(|_| Mask::from_nonzero(&self.volume))
    }
}
