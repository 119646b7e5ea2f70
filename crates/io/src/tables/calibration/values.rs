//! Values of a calibration by name: numbers and matrices, however they are nested, refused with the file and the name.

use crate::error::{IoError, Result};
use crate::text::quotation::quoted;
use serde_json::Value;
use std::path::{Path, PathBuf};
use veloxel_core::{CoreError, Lens};

/// The values of a file.
pub(super) struct Document {
    pub path: PathBuf,
    pub value: Value,
}

/// A value by its name in a file, for messages.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub path: &'a Path,
    pub name: &'a str,
    pub value: &'a Value,
}

impl Document {
    /// The names at the top of the file, for messages.
    pub fn keys(&self) -> String {
        match &self.value {
            Value::Object(map) if map.is_empty() => "no key".to_owned(),
            Value::Object(map) => map.keys().cloned().collect::<Vec<_>>().join(", "),
            other => quoted(&other.to_string()),
        }
    }

    /// All of the file.
    pub fn root(&self) -> Named<'_> {
        Named { path: &self.path, name: "calibration", value: &self.value }
    }
}

/// A name in small letters, without `_`, `-` and blanks.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

impl<'a> Named<'a> {
    /// The member that has one of these names, written in any case and with or without `_`; the first name goes first.
    pub fn find(self, names: &[&str]) -> Option<Named<'a>> {
        let Value::Object(map) = self.value else { return None };
        names.iter().find_map(|name| {
            let (name, value) = map.iter().find(|(key, _)| plain(key) == *name)?;
            Some(Named { name, value, ..self })
        })
    }

    /// The member that has one of these names.
    ///
    /// # Errors
    /// [`IoError::Malformed`] with `what`.
    pub fn require(self, names: &[&str], what: &str) -> Result<Named<'a>> {
        self.find(names).ok_or_else(|| IoError::malformed(self.path, what, "a value", "none"))
    }

    /// Numbers of a given count, as a list, a nested list, or OpenCV's matrix with `data`.
    ///
    /// # Errors
    /// [`IoError::Malformed`].
    pub fn numbers<const N: usize>(self) -> Result<[f64; N]> {
        let numbers = self.list()?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| self.malformed(&format!("{N} numbers"), &format!("{count} numbers")))
    }

    /// All numbers, as [`numbers`](Self::numbers) takes them.
    ///
    /// # Errors
    /// [`IoError::Malformed`].
    pub fn list(self) -> Result<Vec<f64>> {
        let mut numbers = Vec::new();
        self.collect(self.find(&["data"]).map_or(self.value, |data| data.value), &mut numbers)?;
        Ok(numbers)
    }

    fn collect(self, value: &Value, numbers: &mut Vec<f64>) -> Result<()> {
        match value {
            Value::Array(values) => values.iter().try_for_each(|value| self.collect(value, numbers)),
            Value::Number(number) => {
                numbers.extend(number.as_f64());
                Ok(())
            }
            other => Err(self.malformed("numbers", &other.to_string())),
        }
    }

    /// Rows of a 3 × 3 matrix.
    ///
    /// # Errors
    /// [`IoError::Malformed`].
    pub fn matrix(self) -> Result<[[f64; 3]; 3]> {
        let m = self.numbers::<9>()?;
        Ok([0, 1, 2].map(|r| [0, 1, 2].map(|c| m[3 * r + c])))
    }

    /// Focal lengths and principal point of a camera matrix.
    ///
    /// # Errors
    /// [`IoError::Malformed`] for a matrix of another kind; [`IoError::Unsupported`] for pixels that are no rectangles.
    pub fn intrinsics(self) -> Result<([f64; 2], [f64; 2])> {
        let [[fx, skew, cx], [zero, fy, cy], last] = self.matrix()?;
        if zero != 0.0 || last != [0.0, 0.0, 1.0] {
            return Err(self.malformed("fx 0 cx, 0 fy cy, 0 0 1", &self.value.to_string()));
        }
        if skew.abs() > 1e-9 * fx.abs() {
            let what = format!("a skew of {skew} in {}", self.name);
            return Err(IoError::unsupported(self.path, what, "calibrate without skew"));
        }
        Ok(([fx, fy], [cx, cy]))
    }

    /// A whole number of pixels each.
    ///
    /// # Errors
    /// [`IoError::Malformed`].
    pub fn size(self) -> Result<[usize; 2]> {
        let size = self.numbers::<2>()?;
        let is_size = size.iter().all(|n| n.fract() == 0.0 && (1.0..=1e6).contains(n));
        if is_size {
            Ok(size.map(|n| n as usize))
        } else {
            Err(self.malformed("width and height", &self.value.to_string()))
        }
    }

    /// The text of a word.
    pub fn word(self) -> Option<String> {
        self.value.as_str().map(plain)
    }

    pub fn malformed(self, expected: &str, got: &str) -> IoError {
        IoError::malformed(self.path, self.name, expected, quoted(got))
    }

    /// The error of the cameras' own checks.
    pub fn core(self) -> impl Fn(CoreError) -> IoError + 'a {
        move |error| IoError::core(self.path)(error)
    }
}

/// The lens of a model's name and coefficients.
///
/// # Errors
/// [`IoError::Unsupported`] for another model; [`IoError::Core`] for a wrong number of coefficients.
pub(super) fn lens(model: Option<Named<'_>>, coefficients: Named<'_>) -> Result<Lens> {
    let numbers = coefficients.list()?;
    let word = model.and_then(Named::word).unwrap_or_default();
    let lens = match &*word {
        "" | "none" | "radtan" | "plumbbob" | "rationalpolynomial" | "brown" | "pinhole" => {
            Lens::radial_tangential(&numbers)
        }
        "equidistant" | "equi" | "fisheye" | "kannalabrandt4" => Lens::equidistant(&numbers),
        _ => {
            let what = format!("the lens model {}", quoted(&word));
            let way = "calibrate with radtan (plumb_bob, rational_polynomial) or equidistant (fisheye)";
            return Err(IoError::unsupported(coefficients.path, what, way));
        }
    };
    lens.map_err(coefficients.core())
}
