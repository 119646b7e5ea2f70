//! A flow field, as a class.

use crate::arrays::{planar_mm, samples_f32, shape_of, view};
use crate::error::{InputError, exception};
use crate::image::{Place, grid_of, place, shape};
use numpy::{PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use veloxel::Flow;

/// Displacements in voxels on the grid of the fixed image; they never change.
#[pyclass(frozen, module = "veloxel._veloxel")]
#[derive(Debug, Clone)]
pub struct Field {
    pub flow: Flow,
}

#[pymethods]
impl Field {
    /// Copies an array of axes `(component, y, x)` or `(component, z, y, x)`; components along x, y, z, in voxels.
    #[new]
    fn new(array: &Bound<'_, PyUntypedArray>, place: Place) -> PyResult<Self> {
        let shape = shape_of(array);
        let (&components, rest) =
            shape.split_first().ok_or_else(|| InputError::new_err("the field is empty"))?;
        let grid = grid_of(rest, &place)?;
        if components != grid.dimension().count() {
            let text =
                format!("a field on {} axes has as many components, this one has {components}", rest.len());
            return Err(InputError::new_err(text));
        }
        let flow = Flow::from_planar_vox(grid, samples_f32(array)?).map_err(|error| exception(&error))?;
        Ok(Self { flow })
    }

    /// Copies an array of three axes or four, the components along x, y, z in LPS millimetres first: always three of them.
    #[staticmethod]
    fn of_mm(array: &Bound<'_, PyUntypedArray>, place: Place) -> PyResult<Self> {
        let shape = shape_of(array);
        let Some((&3, rest)) = shape.split_first() else {
            return Err(InputError::new_err(format!(
                "vectors have three components, not the shape {shape:?}"
            )));
        };
        let grid = grid_of(rest, &place)?;
        let mut x = samples_f32(array)?;
        let mut y = x.split_off(grid.len());
        let z = y.split_off(grid.len());
        let flow = Flow::from_displacement_mm(grid, &[x, y, z]).map_err(|error| exception(&error))?;
        Ok(Self { flow })
    }

    /// All components, voxels, along x first, as an array of one axis, without a copy.
    fn planar_vox<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray1<f32>> {
        // SAFETY: the class is frozen, and its samples are never written.
        unsafe { view(this.get().flow.planar_vox(), this.clone().into_any()) }
    }

    /// Displacements in world coordinates, LPS millimetres: three components, x first, as an array of one axis.
    fn planar_mm<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(PyArray1::from_vec(py, planar_mm(&self.flow)?))
    }

    /// The shape of a component.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        shape(self.flow.grid())
    }

    /// Spacing, origin and direction.
    #[getter]
    fn place(&self) -> ([f64; 3], [f64; 3], [[f64; 3]; 3]) {
        place(self.flow.grid())
    }
}
