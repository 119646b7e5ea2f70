//! Results of a frame in types of their own, as arrays without a copy.

use crate::arrays::view;
use pyo3::prelude::*;
use pyo3::types::PyList;
use veloxel::pipelines::engine::DeliveredFields;
use veloxel::{DeliveredSamples, DeliveredType, Dimension};

/// All results of a frame; arrays made of them keep it alive.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct Delivered {
    fields: DeliveredFields,
}

/// A result: its name, its shape, and its samples; of the flow those of each component.
type Named<'a> = (String, Vec<usize>, Vec<&'a DeliveredSamples>);

impl Delivered {
    pub fn of(fields: DeliveredFields) -> Self {
        Self { fields }
    }

    fn named(&self) -> Vec<Named<'_>> {
        let DeliveredFields { grid, flow, flow_confidence, disparity_px, disparity_confidence, features } =
            &self.fields;
        let [nx, ny, nz] = grid.size();
        let shape = match grid.dimension() {
            Dimension::Two => vec![ny, nx],
            Dimension::Three => vec![nz, ny, nx],
        };
        let flow = flow.as_ref().map(|flow| ("flow".to_owned(), shape.clone(), flow.iter().collect()));
        let maps = [
            ("confidence", flow_confidence),
            ("disparity", disparity_px),
            ("disparity_confidence", disparity_confidence),
        ];
        let maps = maps
            .into_iter()
            .filter_map(|(name, map)| Some((name.to_owned(), shape.clone(), vec![map.as_ref()?])));
        let scales = features.iter().enumerate().flat_map(|(level, maps)| {
            let rest = if level == 0 { String::new() } else { format!("_{level}") };
            let named =
                [("energy", &maps.energy), ("orientation", &maps.orientation), ("phase", &maps.phase)];
            let [nx, ny] = maps.size;
            named.map(|(name, map)| (format!("{name}{rest}"), vec![ny, nx], vec![map]))
        });
        flow.into_iter().chain(maps).chain(scales).collect()
    }
}

#[pymethods]
impl Delivered {
    /// `(name, type of NumPy, shape, bytes of each component)` of every result.
    fn arrays<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(this.py());
        for (name, shape, planes) in this.get().named() {
            let kind = match planes.first().map_or(DeliveredType::F32, |plane| plane.kind()) {
                DeliveredType::F32 => "float32",
                DeliveredType::F16 => "float16",
                DeliveredType::U8 => "uint8",
            };
            let bytes = planes.iter().map(|plane| {
                // SAFETY: the samples belong to `this`, which is frozen.
                unsafe { view(plane.as_bytes(), this.clone().into_any()) }
            });
            list.append((name, kind, shape, bytes.collect::<Vec<_>>()))?;
        }
        Ok(list)
    }
}
