//! Transformations between coordinate systems that are linear: scale, translation, rotation, affine, and sequences of them.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use crate::zarr::fields::Fields;
use serde_json::Value;

/// `matrix · x + offset`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linear {
    /// By rows.
    pub matrix: Vec<Vec<f64>>,
    pub offset: Vec<f64>,
}

impl Linear {
    pub fn identity(axes: usize) -> Self {
        Self::scale(&vec![1.0; axes])
    }

    fn scale(scale: &[f64]) -> Self {
        let row =
            |nth: usize| (0..scale.len()).map(|axis| if axis == nth { scale[nth] } else { 0.0 }).collect();
        Self { matrix: (0..scale.len()).map(row).collect(), offset: vec![0.0; scale.len()] }
    }

    /// First this one, then another.
    pub fn then(&self, next: &Self) -> Self {
        let dot = |row: &[f64], column: &dyn Fn(usize) -> f64| -> f64 {
            row.iter().enumerate().map(|(k, value)| if *value == 0.0 { 0.0 } else { value * column(k) }).sum()
        };
        let axes = self.offset.len();
        let row = |row: &Vec<f64>| (0..axes).map(|column| dot(row, &|k| self.matrix[k][column])).collect();
        let offset =
            next.matrix.iter().zip(&next.offset).map(|(row, offset)| dot(row, &|k| self.offset[k]) + offset);
        Self { matrix: next.matrix.iter().map(row).collect(), offset: offset.collect() }
    }

    /// A transformation of so many axes; none for one of a kind that is not linear.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) for one of another number of axes.
    pub fn parse(found: Fields, axes: usize, context: &Context) -> Result<Option<Self>> {
        let numbers = |member: &str| {
            let numbers = found.numbers(member, context)?;
            let is_right = numbers.len() == axes && numbers.iter().all(|number| number.is_finite());
            if is_right { Ok(numbers) } else { Err(found.wrong(member, &format!("{axes} numbers"), context)) }
        };
        let rows = |member: &str, columns: usize| {
            let rows = found.list(member, context)?;
            let row = |row: &Value| {
                row.as_array().and_then(|row| row.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>())
            };
            let rows: Option<Vec<Vec<f64>>> = rows.iter().map(row).collect();
            let is_right =
                |rows: &Vec<Vec<f64>>| rows.len() == axes && rows.iter().all(|row| row.len() == columns);
            let expected = format!("{axes} rows of {columns} numbers");
            rows.filter(is_right).ok_or_else(|| found.wrong(member, &expected, context))
        };
        let is_stored =
            found.get("path").is_some() && found.get("scale").or(found.get("translation")).is_none();
        Ok(Some(match found.text("type", context)? {
            "identity" => Self::identity(axes),
            "scale" | "translation" | "rotation" | "affine" if is_stored => return Ok(None),
            "scale" => Self::scale(&numbers("scale")?),
            "translation" => Self { offset: numbers("translation")?, ..Self::identity(axes) },
            "rotation" => Self { matrix: rows("rotation", axes)?, offset: vec![0.0; axes] },
            "affine" => {
                let mut matrix = rows("affine", axes + 1)?;
                let offset = matrix.iter_mut().map(|row| row.pop().unwrap_or_default()).collect();
                Self { matrix, offset }
            }
            "mapAxis" => {
                let places = found.sizes_from_zero("mapAxis", axes, context)?;
                let row = |from: &usize| (0..axes).map(|axis| f64::from(u8::from(axis == *from))).collect();
                Self { matrix: places.iter().map(row).collect(), offset: vec![0.0; axes] }
            }
            "sequence" => {
                let mut all = Self::identity(axes);
                for part in found.list("transformations", context)? {
                    let Some(part) = Self::parse(found.within(part), axes, context)? else { return Ok(None) };
                    all = all.then(&part);
                }
                all
            }
            _ => return Ok(None),
        }))
    }

    /// All transformations of a list, one after the other.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) for one that is not linear.
    pub fn of_list(found: Fields, axes: usize, context: &Context) -> Result<Self> {
        let mut all = Self::identity(axes);
        let list = found.get("coordinateTransformations").and_then(Value::as_array);
        for part in list.into_iter().flatten() {
            let part = found.within(part);
            let Some(parsed) = Self::parse(part, axes, context)? else {
                let kind = quoted(part.text("type", context)?);
                let what = format!("a transformation of an image by {kind}");
                return Err(context.unsupported(what, "give its scale and translation"));
            };
            all = all.then(&parsed);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;
    use serde_json::json;
    use std::path::Path;
    use veloxel_core::Warnings;

    fn parse(value: Value) -> Result<Option<Linear>> {
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.zarr"), Strictness::Lenient, &mut warnings);
        Linear::parse(Fields { value: &value, name: "zarr.json" }, 2, &context)
    }

    #[test]
    fn a_sequence_is_its_parts_one_after_the_other() {
        let scale = json!({"type": "scale", "scale": [2, 3]});
        let shift = json!({"type": "translation", "translation": [10, 20]});
        let turn = json!({"type": "rotation", "rotation": [[0, 1], [-1, 0]]});
        let all =
            parse(json!({"type": "sequence", "transformations": [scale, shift, turn]})).unwrap().unwrap();
        assert_eq!(all.matrix, [[0.0, 3.0], [-2.0, 0.0]]);
        assert_eq!(all.offset, [20.0, -10.0]);
        let affine = json!({"type": "affine", "affine": [[0, 3, 20], [-2, 0, -10]]});
        assert_eq!(parse(affine).unwrap().unwrap(), all);
        let swapped = parse(json!({"type": "mapAxis", "mapAxis": [1, 0]})).unwrap().unwrap();
        assert_eq!(swapped.matrix, [[0.0, 1.0], [1.0, 0.0]]);
    }

    #[test]
    fn other_numbers_of_axes_are_refused() {
        for wrong in [
            json!({"type": "scale", "scale": [2]}),
            json!({"type": "scale", "scale": [2, "3"]}),
            json!({"type": "affine", "affine": [[1, 0], [0, 1]]}),
            json!({"type": "mapAxis", "mapAxis": [1, 2]}),
            json!({"scale": [2, 3]}),
        ] {
            assert!(parse(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(parse(json!({"type": "displacements", "path": "0"})).unwrap(), None);
    }
}
