//! Parameters from a preset, a file and single settings, in this order; the last word wins.

use crate::VeloxelError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use veloxel_core::Dimension;
use veloxel_core::parameters::Parameters;
use veloxel_motion::clg::parameters::Intensity;
use veloxel_motion::{ClgParams, Preset};

/// Where the parameters of [`Clg`](veloxel_motion::Clg) come from.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterChoice {
    /// What everything starts from.
    pub preset: Preset,
    /// TOML: `key = value`.
    pub file: Option<PathBuf>,
    /// How intensities are mapped, if not as the preset does.
    pub intensity: Option<Intensity>,
    /// Exactly so many warps on every level.
    pub warps: Option<usize>,
    /// Exactly so many iterations a solve.
    pub iterations: Option<usize>,
    /// `key`, `value`: the value as TOML, JSON or a bare word.
    pub settings: Vec<(String, String)>,
}

impl Default for ParameterChoice {
    fn default() -> Self {
        Self {
            preset: Preset::Accurate,
            file: None,
            intensity: None,
            warps: None,
            iterations: None,
            settings: Vec::new(),
        }
    }
}

impl ParameterChoice {
    /// The preset's name, as on the command line.
    pub fn preset_name(&self) -> &'static str {
        match self.preset {
            Preset::Fast => "fast",
            Preset::Accurate => "accurate",
            Preset::Paper => "paper",
        }
    }

    /// The parameters for images of this dimension, checked.
    ///
    /// # Errors
    /// [`VeloxelError::UnknownParameter`] with the nearest one, [`VeloxelError::ParameterValue`],
    /// [`VeloxelError::ParameterFile`], or [`VeloxelError::Parameter`] for a value out of range.
    pub fn resolve(&self, dimension: Dimension) -> Result<ClgParams, VeloxelError> {
        let mut draft = Draft::new(&ClgParams::preset(self.preset, dimension))?;
        draft.read(self.file.as_deref())?;
        if let Some(count) = self.warps {
            for (key, value) in [
                ("warps", count.into()),
                ("finest_warps", count.into()),
                ("matched_warps", count.into()),
                ("warp_tol", 0.into()),
                ("refine_mismatch", 0.into()),
            ] {
                draft.set(key, value)?;
            }
        }
        if let Some(count) = self.iterations {
            for (key, value) in [("iterations", count.into()), ("rtol", 0.into())] {
                draft.set(key, value)?;
            }
        }
        let mut params: ClgParams = draft.finish(&self.settings)?;
        params.intensity = self.intensity.unwrap_or(params.intensity);
        params.validate()?;
        Ok(params)
    }
}

/// Every parameter's name, as in files and settings.
pub fn parameter_names() -> Vec<String> {
    as_json(&ClgParams::default()).map_or_else(|_| Vec::new(), |values| values.keys().cloned().collect())
}

/// Parameters as JSON with the digits that they were given with.
pub(crate) fn as_json(params: &impl Serialize) -> Result<Map<String, Value>, VeloxelError> {
    // By way of text, because 0.1 as f32 is 0.10000000149 as f64.
    serde_json::to_string(params)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|source| VeloxelError::Json { source })
}

/// Parameters of any method on their way from a preset to what is run.
pub(super) struct Draft<P> {
    values: Map<String, Value>,
    method: PhantomData<P>,
}

impl<P: Serialize + DeserializeOwned> Draft<P> {
    pub fn new(preset: &P) -> Result<Self, VeloxelError> {
        Ok(Self { values: as_json(preset)?, method: PhantomData })
    }

    /// Takes what a TOML file says, where there is one.
    pub fn read(&mut self, file: Option<&Path>) -> Result<(), VeloxelError> {
        let Some(path) = file else { return Ok(()) };
        let fail = |reason: String| VeloxelError::ParameterFile { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        for (key, value) in parse_toml(&text).map_err(fail)? {
            self.set(&key, value)?;
        }
        Ok(())
    }

    /// The parameters after single settings: `key`, `value`.
    pub fn finish(mut self, settings: &[(String, String)]) -> Result<P, VeloxelError> {
        for (key, text) in settings {
            self.set(key, parse_value(text))?;
        }
        self.params().map_err(|source| VeloxelError::Json { source })
    }

    fn params(&self) -> Result<P, serde_json::Error> {
        serde_json::from_value(Value::Object(self.values.clone()))
    }

    /// Replaces one value; what does not fit is told with its key.
    pub fn set(&mut self, key: &str, value: Value) -> Result<(), VeloxelError> {
        if !self.values.contains_key(key) {
            return Err(VeloxelError::UnknownParameter {
                key: key.to_owned(),
                nearest: nearest(key, self.values.keys()),
                known: self.values.keys().cloned().collect::<Vec<_>>().join(", "),
            });
        }
        let got = value.to_string();
        self.values.insert(key.to_owned(), value);
        self.params().map(|_| ()).map_err(|e| VeloxelError::ParameterValue {
            key: key.to_owned(),
            got,
            reason: e.to_string(),
        })
    }
}

/// A TOML table; a failure is one line with its place.
fn parse_toml(text: &str) -> Result<Map<String, Value>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("line {line}: {}", e.message().replace('\n', "; "))
    })?;
    match serde_json::to_value(table) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("expected lines of the form key = value".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

/// TOML, JSON, or else a bare word.
fn parse_value(text: &str) -> Value {
    if let Some(value) = parse_toml(&format!("value = {text}")).ok().and_then(|mut t| t.remove("value")) {
        return value;
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The name that takes the fewest edits to get to.
fn nearest<'a>(key: &str, names: impl Iterator<Item = &'a String>) -> String {
    names.min_by_key(|name| edits(key, name)).cloned().unwrap_or_default()
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_motion::clg::parameters::Penaliser;
    use veloxel_motion::multigrid::Solver;

    fn with(settings: &[(&str, &str)]) -> Result<ClgParams, VeloxelError> {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        ParameterChoice { settings, ..ParameterChoice::default() }.resolve(Dimension::Three)
    }

    #[test]
    fn words_numbers_and_tables_are_understood() {
        let params = with(&[
            ("alpha", "0.25"),
            ("solver", "sor"),
            ("data_penaliser", "{ charbonnier = { epsilon = 0.002 } }"),
            ("smoothness_penaliser", r#"{"charbonnier": {"epsilon": 0.5}}"#),
        ])
        .unwrap();
        assert_eq!((params.alpha, params.solver), (0.25, Solver::Sor));
        assert_eq!(params.data_penaliser, Penaliser::Charbonnier { epsilon: 0.002 });
        assert_eq!(params.smoothness_penaliser, Penaliser::Charbonnier { epsilon: 0.5 });
    }

    #[test]
    fn mistakes_are_told_with_the_way_out() {
        let text = |settings: &[(&str, &str)]| with(settings).unwrap_err().to_string();
        let unknown = text(&[("alfa", "1")]);
        assert!(unknown.contains("`alpha`") && unknown.contains("warp_tol"), "{unknown}");
        assert!(text(&[("solver", "magic")]).contains("multigrid"));
        assert!(text(&[("warps", "-3")]).contains("warps"));
        assert!(matches!(with(&[("rho", "99")]), Err(VeloxelError::Parameter(_))));
        assert!(!text(&[("data_penaliser", "{ charbonnier")]).contains('\n'));
    }

    #[test]
    fn fixed_counts_turn_the_tolerances_off() {
        let choice = ParameterChoice { warps: Some(7), iterations: Some(3), ..ParameterChoice::default() };
        let params = choice.resolve(Dimension::Two).unwrap();
        assert_eq!((params.warps, params.finest_warps, params.warp_tol), (7, 7, 0.0));
        assert_eq!((params.iterations, params.rtol, params.refine_mismatch), (3, 0.0, 0.0));
    }

    #[test]
    fn the_report_shows_the_digits_given() {
        let json = serde_json::to_string(&as_json(&ClgParams::default()).unwrap()).unwrap();
        assert!(!json.contains("00000"), "{json}");
    }
}
