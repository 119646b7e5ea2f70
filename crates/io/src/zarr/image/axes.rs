//! The axes of an image, and what each of them is.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use crate::zarr::fields::Fields;
use serde_json::Value;

/// What runs along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AxisKind {
    Space,
    Time,
    Channel,
    /// Components of a displacement, in the order of the axes of space.
    Displacement,
    Other,
}

/// An axis of a coordinate system.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub name: String,
    pub kind: AxisKind,
    pub unit: Option<String>,
    /// Anatomical direction in which coordinates grow: `right-to-left`.
    pub orientation: Option<String>,
}

impl Axis {
    /// An axis without more than its name.
    pub fn named(name: &str) -> Self {
        let kind = match name.to_lowercase().as_str() {
            "x" | "y" | "z" => AxisKind::Space,
            "t" | "time" => AxisKind::Time,
            "c" | "channel" => AxisKind::Channel,
            _ => AxisKind::Other,
        };
        Self { name: name.to_owned(), kind, unit: None, orientation: None }
    }

    /// An axis of metadata: an object, or a name alone (OME-Zarr 0.3).
    fn parse(found: Fields, context: &Context) -> Result<Self> {
        if let Some(name) = found.value.as_str() {
            return Ok(Self::named(name));
        }
        let name = found.text("name", context)?;
        let by_name = Self::named(name);
        let kind = match found.get("type").and_then(Value::as_str) {
            Some("space") => AxisKind::Space,
            Some("time") => AxisKind::Time,
            Some("channel") => AxisKind::Channel,
            Some("displacement") => AxisKind::Displacement,
            Some("coordinate") => {
                let hint = "write displacements, or convert the field";
                return Err(context.unsupported("a field of coordinates", hint));
            }
            Some(_) => AxisKind::Other,
            None => by_name.kind,
        };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let orientation = found.get("orientation").filter(|orientation| {
            orientation.get("type").is_none_or(|kind| kind.as_str() == Some("anatomical"))
        });
        let orientation = text(orientation.and_then(|found| found.get("value")));
        Ok(Self { kind, unit: text(found.get("unit")), orientation, ..by_name })
    }
}

/// The axes in the order of the array's.
pub(crate) fn parse(found: Fields, context: &Context) -> Result<Vec<Axis>> {
    let axes = found.list("axes", context)?;
    let axes: Vec<Axis> =
        axes.iter().map(|axis| Axis::parse(found.within(axis), context)).collect::<Result<_>>()?;
    let is_twice = |axis: &&Axis| axes.iter().filter(|other| other.name == axis.name).count() > 1;
    match axes.iter().find(is_twice) {
        Some(twice) => Err(found.wrong("axes", &format!("one axis {}", quoted(&twice.name)), context)),
        None => Ok(axes),
    }
}

/// The axes of space of the array that are the grid's x, y and z; none where there is no such axis.
pub(super) fn grid_axes(axes: &[Axis], context: &Context) -> Result<[Option<usize>; 3]> {
    let space: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis].kind == AxisKind::Space).collect();
    let what = format!("an image with {} axes of space", space.len());
    context.support((2..=3).contains(&space.len()), what, "images have two or three axes of space")?;
    let by_name = ["x", "y", "z"]
        .map(|name| space.iter().copied().find(|&axis| axes[axis].name.eq_ignore_ascii_case(name)));
    if by_name.iter().flatten().count() == space.len() {
        return Ok(by_name);
    }
    // The last one runs fastest.
    Ok([0, 1, 2].map(|nth| space.len().checked_sub(nth + 1).map(|at| space[at])))
}
