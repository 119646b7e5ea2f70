//! Transformations between coordinate systems that are linear, as metadata say them: identity, scale, translation, rotation, affine,
//! mapAxis, byDimension, bijection, and sequences of them.
//!
//! *Specification*: OME-Zarr 0.6 (RFC-5), coordinate transformations. A matrix may lie in an array of the store.
//! *Limits*: displacements and coordinates are not linear, and are left to who asks.

mod linear;

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use crate::zarr::array::Node;
use crate::zarr::fields::Fields;
use crate::zarr::region::{self, Destination, Region, Tally, stored_strides};
use crate::zarr::store::{Store, joined, plain};
use serde_json::Value;

pub(crate) use linear::Linear;

/// Sequences within sequences go no deeper.
const MOST_DEPTH: usize = 16;
/// A matrix has no more rows or columns.
const MOST_AXES: usize = 16;

/// A linear transformation with the way back, where there is one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transformation {
    pub forward: Linear,
    pub inverse: Option<Linear>,
}

impl From<Linear> for Transformation {
    fn from(forward: Linear) -> Self {
        Self { inverse: forward.inverse(), forward }
    }
}

/// Where metadata lie, and how their reader refuses.
#[derive(Clone, Copy)]
pub(crate) struct Parser<'p, 's, 'c> {
    /// The store, and the group whose metadata are read.
    pub store: &'p Store<'s>,
    pub node: &'p str,
    pub context: &'p Context<'c>,
}

impl Parser<'_, '_, '_> {
    /// A transformation of points of so many axes; none for one of a kind that is not linear.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) for one of another number of axes.
    pub fn parse(&self, found: Fields, axes: usize) -> Result<Option<Transformation>> {
        self.nested(found, axes, 0)
    }

    fn nested(&self, found: Fields, axes: usize, depth: usize) -> Result<Option<Transformation>> {
        let context = self.context;
        if depth > MOST_DEPTH {
            return Err(found.wrong("transformations", &format!("at most {MOST_DEPTH} levels"), context));
        }
        let numbers = |member: &str| {
            let numbers = found.numbers(member, context)?;
            let is_right = numbers.len() == axes && numbers.iter().all(|number| number.is_finite());
            if is_right { Ok(numbers) } else { Err(found.wrong(member, &format!("{axes} numbers"), context)) }
        };
        let linear: Linear = match found.text("type", context)? {
            "identity" => Linear::identity(axes),
            // Scales and translations are lists alone in 0.6.
            "scale" | "translation" if self.is_stored(found) => return Ok(None),
            "scale" => Linear::scale(&numbers("scale")?),
            "translation" => Linear { offset: numbers("translation")?, ..Linear::identity(axes) },
            "rotation" => Linear::without_offset(self.rows(found, "rotation", Some(axes), axes)?),
            "affine" => {
                let mut matrix = self.rows(found, "affine", None, axes + 1)?;
                let offset = matrix.iter_mut().map(|row| row.pop().unwrap_or_default()).collect();
                Linear { matrix, offset }
            }
            "mapAxis" => {
                let places = found.sizes_from_zero("mapAxis", axes, context)?;
                let row = |from: &usize| (0..axes).map(|axis| f64::from(u8::from(axis == *from))).collect();
                Linear::without_offset(places.iter().map(row).collect())
            }
            "sequence" => return self.sequence(found, axes, depth),
            "byDimension" => return self.by_dimension(found, axes, depth),
            "bijection" => return self.bijection(found, axes, depth),
            _ => return Ok(None),
        };
        Ok(Some(linear.into()))
    }

    fn sequence(&self, found: Fields, axes: usize, depth: usize) -> Result<Option<Transformation>> {
        let mut all = Transformation::from(Linear::identity(axes));
        for part in found.list("transformations", self.context)? {
            let part = self.nested(found.within(part), all.forward.outputs(), depth + 1)?;
            let Some(Transformation { forward, inverse }) = part else { return Ok(None) };
            all.forward = all.forward.then(&forward);
            all.inverse = all.inverse.zip(inverse).map(|(all, own)| own.then(&all));
        }
        Ok(Some(all))
    }

    /// Each part takes axes of the input to axes of the output, by their numbers.
    fn by_dimension(&self, found: Fields, axes: usize, depth: usize) -> Result<Option<Transformation>> {
        let context = self.context;
        let parts = found.list("transformations", context)?;
        let count = |part: &Value| part.get("output_axes").and_then(Value::as_array).map_or(0, Vec::len);
        let outputs: usize = parts.iter().map(count).sum();
        let expected = format!("parts of at most {MOST_AXES} axes");
        let is_small = outputs <= MOST_AXES;
        let refused = || found.wrong("transformations", &expected, context);
        is_small.then_some(()).ok_or_else(refused)?;
        let mut forward = Linear::without_offset(vec![vec![0.0; axes]; outputs]);
        let mut back = (outputs == axes).then(|| Linear::without_offset(vec![vec![0.0; outputs]; axes]));
        let mut filled = vec![false; outputs];
        for part in parts {
            let part = found.within(part);
            let own = part.axes_below("input_axes", axes, context)?;
            let to = part.axes_below("output_axes", outputs, context)?;
            // The published 0.6 has the transformation as a member, earlier texts beside the axes.
            let within = part.get("transformation").map_or(part, |inner| part.within(inner));
            let Some(parsed) = self.nested(within, own.len(), depth + 1)? else { return Ok(None) };
            let got = parsed.forward.outputs();
            if got != to.len() {
                return Err(part.wrong("output_axes", &format!("{got} numbers of axes"), context));
            }
            placed(&mut forward, &parsed.forward, &own, &to);
            back = back.zip(parsed.inverse).map(|(mut back, inverse)| {
                placed(&mut back, &inverse, &to, &own);
                back
            });
            to.iter().for_each(|axis| filled[*axis] = true);
        }
        let is_whole = filled.iter().all(|filled| *filled);
        is_whole.then_some(()).ok_or_else(|| found.wrong("transformations", "each axis once", context))?;
        // Inputs that nothing reads have no way back.
        let inverse = back.filter(|back| back.matrix.iter().all(|row| row.iter().any(|v| *v != 0.0)));
        Ok(Some(Transformation { forward, inverse }))
    }

    fn bijection(&self, found: Fields, axes: usize, depth: usize) -> Result<Option<Transformation>> {
        let part = |member: &str, axes: usize| {
            let part = found.get(member).map(|part| found.within(part));
            let part = part.ok_or_else(|| found.wrong(member, "a transformation", self.context))?;
            self.nested(part, axes, depth + 1)
        };
        let Some(there) = part("forward", axes)? else { return Ok(None) };
        let Some(back) = part("inverse", there.forward.outputs())? else { return Ok(None) };
        let expected = format!("a transformation to {axes} axes");
        let is_back = back.forward.outputs() == axes;
        is_back.then_some(()).ok_or_else(|| found.wrong("inverse", &expected, self.context))?;
        Ok(Some(Transformation { forward: there.forward, inverse: Some(back.forward) }))
    }

    fn is_stored(&self, found: Fields) -> bool {
        found.get("path").is_some() && found.get("scale").or(found.get("translation")).is_none()
    }

    /// The rows of a matrix: those of a member, or of the array that `path` names.
    fn rows(
        &self,
        found: Fields,
        member: &str,
        rows: Option<usize>,
        columns: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let context = self.context;
        let expected = match rows {
            Some(rows) => format!("{rows} rows of {columns} numbers"),
            None => format!("rows of {columns} numbers"),
        };
        let stored = found.get("path").filter(|_| found.get(member).is_none()).and_then(Value::as_str);
        let all = match stored {
            Some(path) => Some(self.stored_rows(path, &expected)?),
            None => {
                let row = |row: &Value| {
                    row.as_array().and_then(|row| row.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>())
                };
                found.list(member, context)?.iter().map(row).collect()
            }
        };
        let is_right = |all: &Vec<Vec<f64>>| {
            let is_count = rows.map_or((1..=MOST_AXES).contains(&all.len()), |rows| all.len() == rows);
            is_count && all.iter().all(|row| row.len() == columns && row.iter().all(|v| v.is_finite()))
        };
        all.filter(is_right).ok_or_else(|| found.wrong(member, &expected, context))
    }

    fn stored_rows(&self, path: &str, expected: &str) -> Result<Vec<Vec<f64>>> {
        let key = joined(self.node, &plain(path, "the path of a matrix", self.context)?);
        let name = quoted(&key);
        let Some(Node::Array(array)) = Node::at(self.store, &key, self.context)? else {
            return Err(self.context.malformed(name, "an array", "none"));
        };
        let [rows, columns] = array.shape[..] else {
            let got = format!("{} axes", array.shape.len());
            return Err(self.context.malformed(name, expected, got));
        };
        let is_small = rows <= MOST_AXES && columns <= MOST_AXES + 1;
        self.context.require(is_small, name, expected, format!("{rows} rows of {columns}"))?;
        let mut samples = vec![0.0f64; rows * columns];
        let region = Region { start: vec![0; 2], size: array.shape.clone() };
        let strides = stored_strides(&array.shape, None);
        let into = Destination { samples: &mut samples, strides: &strides };
        region::read(&array, self.store, &region, into, &mut Tally::default(), self.context)?;
        Ok(samples.chunks_exact(columns).map(<[f64]>::to_vec).collect())
    }

    /// All transformations of a list, one after the other, of as many axes as they began with.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) for one that is not linear.
    pub fn of_list(&self, found: Fields, axes: usize) -> Result<Linear> {
        let mut all = Linear::identity(axes);
        let list = found.get("coordinateTransformations").and_then(Value::as_array);
        for part in list.into_iter().flatten() {
            let part = found.within(part);
            let Some(parsed) = self.parse(part, axes)? else {
                let kind = quoted(part.text("type", self.context)?);
                let what = format!("a transformation of an image by {kind}");
                return Err(self.context.unsupported(what, "give its scale and translation"));
            };
            let got = parsed.forward.outputs();
            self.context.require(got == axes, "the axes of a transformation", axes.to_string(), got)?;
            all = all.then(&parsed.forward);
        }
        Ok(all)
    }
}

/// Puts a part into a transformation, from and to these of its axes.
fn placed(into: &mut Linear, part: &Linear, from: &[usize], to: &[usize]) {
    for (row, &to) in to.iter().enumerate() {
        into.offset[to] = part.offset[row];
        from.iter().enumerate().for_each(|(column, &from)| into.matrix[to][from] = part.matrix[row][column]);
    }
}

#[cfg(test)]
mod tests;
