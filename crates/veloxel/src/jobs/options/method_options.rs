//! A method, a preset and settings: what a face says before any file is read.

use crate::{Result, VeloxelError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;
use veloxel_core::Dimension;
use veloxel_core::parameters::{MethodDraft, MethodEntry, ParameterError, Parameters};
use veloxel_io::{self as io, Reading};
use veloxel_mesh::PartsMethod;
use veloxel_motion::DenseMethodEntry;

/// A method with its preset and settings, each checked when it is given; the last setting of a name counts.
///
/// Methods of flow and methods that find parts of meshes have two types of options, and a job takes but one of them:
///
/// ```
/// use veloxel::jobs::DenseMethodOptions;
/// use veloxel::{ClgParams, Dimension};
///
/// let options = DenseMethodOptions::named("clg")?.preset("fast")?.set("alpha", "0.2")?;
/// let params: ClgParams = options.build(Dimension::Three)?;
/// assert_eq!(params.alpha, 0.2);
/// assert!(options.set("alpha", "nan").is_err());
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// ```compile_fail,E0308
/// use veloxel::jobs::{DenseOptions, PartsMethodOptions};
///
/// let options = DenseOptions { method: PartsMethodOptions::default(), ..DenseOptions::default() };
/// ```
#[derive(Debug, PartialEq)]
pub struct MethodOptions<M: MethodEntry> {
    draft: MethodDraft<M>,
    files: Vec<PathBuf>,
}

/// A method of dense flow with its preset and settings.
pub type DenseMethodOptions = MethodOptions<DenseMethodEntry>;

/// A method that finds the parts of a mesh, with its preset and settings.
pub type PartsMethodOptions = MethodOptions<PartsMethod>;

/// The longest file of parameters.
const MOST_BYTES: u64 = 1 << 20;

impl<M: MethodEntry> Clone for MethodOptions<M> {
    fn clone(&self) -> Self {
        Self { draft: self.draft.clone(), files: self.files.clone() }
    }
}

impl<M: MethodEntry> Default for MethodOptions<M> {
    /// The default preset of the first method of its kind.
    fn default() -> Self {
        MethodDraft::default().into()
    }
}

impl<M: MethodEntry> From<MethodDraft<M>> for MethodOptions<M> {
    fn from(draft: MethodDraft<M>) -> Self {
        Self { draft, files: Vec::new() }
    }
}

impl<M: MethodEntry> MethodOptions<M> {
    /// The default preset of a method, which may be one that another crate declares.
    pub fn new(method: &'static M) -> Self {
        MethodDraft::new(method).into()
    }

    /// The default preset of a method by its name.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with the methods that there are.
    pub fn named(method: &str) -> Result<Self, ParameterError> {
        MethodDraft::named(method).map(Self::from)
    }

    /// Starts from another preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with the method's presets.
    pub fn preset(mut self, name: &str) -> Result<Self, ParameterError> {
        self.draft.set_preset(name)?;
        Ok(self)
    }

    /// Takes every `key = value` of a TOML file.
    ///
    /// # Errors
    /// [`VeloxelError::ParameterFile`] if it cannot be read or is no TOML, [`ParameterError`] with file and line for a name or a
    /// value that the method does not take.
    pub fn file(mut self, path: &Path) -> Result<Self> {
        let fail = |reason: String| VeloxelError::ParameterFile { path: path.to_owned(), reason };
        let text = io::read_text(path, MOST_BYTES, Reading::default())?;
        let line = |position: usize| text.as_bytes()[..position].iter().filter(|b| **b == b'\n').count() + 1;
        let table: BTreeMap<Spanned<String>, toml::Value> = toml::from_str(&text).map_err(|e| {
            let line = line(e.span().map_or(0, |span| span.start.min(text.len())));
            fail(format!("line {line}: {}", e.message().replace('\n', "; ")))
        })?;
        let mut settings: Vec<_> = table.into_iter().collect();
        settings.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in settings {
            let place = format!("{}, line {}", path.display(), line(name.span().start));
            self.draft.set(name.get_ref(), json(value), &place)?;
        }
        self.files.push(path.to_owned());
        Ok(self)
    }

    /// Takes a setting as text: TOML, JSON or a bare word.
    ///
    /// # Errors
    /// [`ParameterError`] for a name or a value that the method does not take.
    pub fn set(self, name: &str, text: &str) -> Result<Self, ParameterError> {
        self.set_from(name, text, "")
    }

    /// [`Self::set`] from `place`, which errors begin with: an option of a face, say.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn set_from(mut self, name: &str, text: &str, place: &str) -> Result<Self, ParameterError> {
        if text.contains(['\n', '\r']) {
            let (name, got) = (name.to_owned(), text.escape_debug().to_string());
            let (expected, place) = ("a value on one line".to_owned(), place.to_owned());
            return Err(ParameterError::Value { name, got, expected, place });
        }
        let toml = toml::from_str::<BTreeMap<String, toml::Value>>(&format!("value = {text}"));
        let value = match toml.ok().and_then(|mut table| table.remove("value")) {
            Some(value) => json(value),
            None => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        };
        self.draft.set(name, value, place)?;
        Ok(self)
    }

    /// The preset and the settings.
    pub fn draft(&self) -> &MethodDraft<M> {
        &self.draft
    }

    /// The files that settings were taken from.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The method's name.
    pub fn method_name(&self) -> &'static str {
        self.draft.method_name()
    }

    /// The preset's name.
    pub fn preset_name(&self) -> &'static str {
        self.draft.preset()
    }

    /// The parameters for images or for volumes.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if these are options of another method.
    pub fn build<P: Parameters>(&self, dimension: Dimension) -> Result<P, ParameterError> {
        self.draft.build(dimension)
    }

    /// The settings over a base other than the preset.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if these are options of another method, or the base is not valid.
    pub fn over<P: Parameters>(&self, base: &P) -> Result<P, ParameterError> {
        self.draft.over(base)
    }
}

/// A value of TOML as JSON, which has no word for NaN.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::Float(number) if !number.is_finite() => number.to_string().into(),
        toml::Value::Table(table) => table.into_iter().map(|(name, value)| (name, json(value))).collect(),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_motion::ClgParams;
    use veloxel_motion::clg::multigrid::Solver;
    use veloxel_motion::clg::parameters::Penaliser;

    fn clg(options: &DenseMethodOptions, dimension: Dimension) -> ClgParams {
        options.build(dimension).unwrap()
    }

    fn answer(name: &str, text: &str) -> String {
        DenseMethodOptions::default().set_from(name, text, "option").unwrap_err().to_string()
    }

    #[test]
    fn words_numbers_and_tables_are_understood() {
        let mut options = DenseMethodOptions::default();
        for (name, text) in [
            ("alpha", "0.25"),
            ("solver", "sor"),
            ("data_penaliser", "{ charbonnier = { epsilon = 0.002 } }"),
            ("smoothness_penaliser", r#"{"charbonnier": {"epsilon": 0.5}}"#),
            ("median", "\"off\""),
        ] {
            options = options.set(name, text).unwrap();
        }
        let params = clg(&options, Dimension::Three);
        assert_eq!((params.alpha, params.solver), (0.25, Solver::Sor));
        assert_eq!(params.data_penaliser, Penaliser::Charbonnier { epsilon: 0.002 });
        assert_eq!(params.smoothness_penaliser, Penaliser::Charbonnier { epsilon: 0.5 });
    }

    #[test]
    fn wrong_settings_are_answered_with_what_was_given_and_what_is_right() {
        let alpha = "expected a number from 1e-9 to 1e6";
        let text = answer("alpha", "1\nbeta = 2");
        assert!(text.contains("`alpha` is 1\\nbeta = 2, expected a value on one line"), "{text}");
        for (text, got) in
            [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf"), ("-1", "-1"), ("much", "much"), ("", "\"\"")]
        {
            assert_eq!(answer("alpha", text), format!("option: parameter `alpha` is {got}, {alpha}"));
        }
        assert_eq!(
            answer("warps", "2.5"),
            "option: parameter `warps` is 2.5, expected a whole number from 1 to 1000"
        );
        assert_eq!(
            answer("solver", "magic"),
            "option: parameter `solver` is magic, expected jacobi, sor or multigrid"
        );
        let text = answer("data_penaliser", "{ charbonnier = { epsilon = nan } }");
        assert!(
            text.contains("`data_penaliser.epsilon` is NaN, expected a number from 1e-6 to 1000"),
            "{text}"
        );
        assert!(!answer("data_penaliser", "{ charbonnier").contains('\n'));
    }

    #[test]
    fn mistakes_in_a_file_are_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tuned.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            DenseMethodOptions::default().file(&path)
        };
        let params = clg(&read("rho = 2\n# wide\nmedian.plain.radius = 2\n").unwrap(), Dimension::Two);
        assert_eq!((params.rho, params.median.name()), (2.0, "plain"));
        for (text, words) in [
            (
                "rho = 2\nalpha = nan\n",
                "line 2: parameter `alpha` is NaN, expected a number from 1e-9 to 1e6",
            ),
            ("\n\nalfa = 1\nzzz = 1", "line 3: clg has no parameter `alfa`, the nearest is `alpha`"),
            ("tau_l = 1", "line 1: clg has no parameter `tau_l`, which belongs to phase"),
            ("solver = \"magic\"", "line 1: parameter `solver` is magic, expected jacobi, sor or multigrid"),
            ("alpha = 0.1\nbeta = = 2\n", "line 2: "),
        ] {
            let text = read(text).unwrap_err().to_string();
            assert!(text.contains("tuned.toml") && text.contains(words) && !text.contains('\n'), "{text}");
        }
        let long = read(&format!("{} = 1\n", "a".repeat(2 << 20))).unwrap_err().to_string();
        assert!(long.contains("tuned.toml") && long.contains("1048576 bytes"), "{long}");
        let text =
            DenseMethodOptions::default().file(&folder.path().join("none.toml")).unwrap_err().to_string();
        assert!(text.contains("none.toml"), "{text}");
    }

    #[test]
    fn the_report_shows_the_digits_given() {
        let json =
            serde_json::to_string(&clg(&DenseMethodOptions::default(), Dimension::Three).to_json()).unwrap();
        assert!(!json.contains("00000"), "{json}");
    }
}
