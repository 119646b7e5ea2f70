//! A method, its preset and its parameters by name, as keyword arguments give them.

use crate::error::{InputError, ParameterError, exception};
use pyo3::prelude::*;
use veloxel::parameters::MethodDraft;
use veloxel::pipelines::DenseDraft;

/// A method's name, its preset, and its parameters as a JSON object.
#[derive(Debug, Clone, FromPyObject)]
pub struct Settings(String, Option<String>, String);

impl Settings {
    /// The method with its settings, checked.
    ///
    /// # Errors
    /// [`ParameterError`], which says what there is.
    pub fn draft<M: veloxel::parameters::MethodEntry>(&self) -> PyResult<MethodDraft<M>> {
        let Self(method, preset, parameters) = self;
        let mut draft = MethodDraft::named(method).map_err(|error| exception(&error))?;
        if let Some(preset) = preset {
            draft.set_preset(preset).map_err(|error| exception(&error))?;
        }
        let values: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(parameters).map_err(|error| ParameterError::new_err(error.to_string()))?;
        for (name, value) in values {
            draft.set(&name, value, "").map_err(|error| exception(&error))?;
        }
        Ok(draft)
    }
}

/// One of a few values by its word.
///
/// # Errors
/// [`InputError`] with all words.
pub fn chosen<T: Copy, const N: usize>(name: &str, word: &str, all: [(&str, T); N]) -> PyResult<T> {
    let found = all.iter().find(|(own, _)| *own == word).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let all: Vec<_> = all.iter().map(|(own, _)| *own).collect();
        InputError::new_err(format!("{name} is one of {}, not {word:?}", all.join(", ")))
    })
}

/// The names of all dense methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    veloxel::method::METHODS.iter().map(|entry| entry.parameters.method).collect()
}

/// The parameters of a method in force, as JSON, for a preset and two or three axes.
#[pyfunction]
pub fn parameters(settings: Settings, axes: usize) -> PyResult<String> {
    let draft: DenseDraft = settings.draft()?;
    let dimension = if axes == 2 { veloxel::Dimension::Two } else { veloxel::Dimension::Three };
    let values = draft.values(dimension).map_err(|error| exception(&error))?;
    serde_json::to_string(&values).map_err(|error| ParameterError::new_err(error.to_string()))
}
