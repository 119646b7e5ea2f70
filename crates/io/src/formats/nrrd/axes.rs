//! The axes of a NRRD file: which are of space, what the one other is, and where the voxels lie.

use super::header::vectors;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::{Axes, cross, length};
use crate::text::header::Fields;
use crate::text::quotation::quoted;
use veloxel_core::WarningKind;

/// What an axis that is not of space stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    Vector,
    Colour,
    Time,
}

/// The one axis that is not of space, first or last of `rank`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExtraAxis {
    pub axis: usize,
    pub rank: usize,
    pub what: Extra,
}

/// The one axis that is not of space, and what it stands for.
pub(super) fn extra_axis(
    fields: &Fields,
    rank: usize,
    directions: Option<&[Option<Vec<f64>>]>,
    time_axis: Option<usize>,
    context: &mut Context,
) -> Result<Option<ExtraAxis>> {
    let kinds = fields.words("kinds", rank, context)?;
    let mut found = Vec::new();
    for axis in 0..rank {
        if time_axis == Some(axis) {
            found.push((axis, Extra::Time));
            continue;
        }
        let kind = kinds.as_ref().map(|k| k[axis].to_lowercase());
        let what = match kind.as_deref() {
            Some("time") => Extra::Time,
            Some("list") => {
                let text = "an axis of kind list does not say what its images differ in: they are taken as frames without times";
                context.note(WarningKind::Header, text);
                Extra::Time
            }
            Some("rgb-color" | "rgba-color" | "3-color" | "4-color") => Extra::Colour,
            Some("vector" | "2-vector" | "3-vector" | "covariant-vector") => Extra::Vector,
            Some("none" | "???") | None if directions.is_some_and(|d| d[axis].is_none()) => {
                let what = if axis == 0 { Extra::Vector } else { Extra::Time };
                let name = if axis == 0 { "components" } else { "frames over time" };
                context.assume(format!("axis {axis} has neither kind nor direction: {name} are assumed"))?;
                what
            }
            Some("domain" | "space" | "none" | "???") | None => continue,
            Some(other) => {
                let hint = "one axis may be a vector, RGB-color, time or list";
                return Err(context.unsupported(format!("an axis of kind {other}"), hint));
            }
        };
        found.push((axis, what));
    }
    if found.is_empty() && rank == 4 {
        context.assume("4 axes without kinds: the last is assumed to be time")?;
        found.push((3, Extra::Time));
    }
    match found[..] {
        [] => Ok(None),
        [(axis, what)] if axis == 0 || axis == rank - 1 => Ok(Some(ExtraAxis { axis, rank, what })),
        _ => {
            let hint = "one axis beside those of space, first or last";
            Err(context.unsupported("this arrangement of axes", hint))
        }
    }
}

/// The world that directions and origin are given in.
pub(super) struct Space {
    /// Numbers of a vector: 2 or 3, or 4 where the last one is time.
    pub dimension: usize,
    /// What turns the file's world axes into LPS.
    pub signs: [f64; 3],
    /// Millimetres in the unit of each world axis.
    pub mm: [f64; 3],
}

impl Space {
    pub fn parse(fields: &Fields, context: &mut Context) -> Result<Self> {
        let Some(name) = fields.text("space") else {
            const NAME: &str = "space dimension";
            let dimension = fields.value(NAME, "2, 3 or 4", context)?.unwrap_or(3);
            context.require((2..=4).contains(&dimension), NAME, "2, 3 or 4", dimension)?;
            return Ok(Self { dimension, signs: [1.0; 3], mm: units(fields, dimension, context)? });
        };
        let name = name.to_lowercase();
        let (name, dimension) = match &*name {
            "lpst" | "rast" | "last" => (&name[..3], 4),
            _ => name.strip_suffix("-time").map_or((&*name, 3), |name| (name, 4)),
        };
        let signs = match name {
            "lps" | "left-posterior-superior" => [1.0; 3],
            "ras" | "right-anterior-superior" => [-1.0, -1.0, 1.0],
            "las" | "left-anterior-superior" => [1.0, -1.0, 1.0],
            "scanner-xyz" | "3d-right-handed" | "3d-left-handed" => {
                context.assume(format!("space {name} has no anatomy: LPS is assumed"))?;
                [1.0; 3]
            }
            other => return Err(context.unsupported(format!("space {other}"), "give LPS, RAS or LAS")),
        };
        Ok(Self { dimension, signs, mm: units(fields, dimension, context)? })
    }

    /// The axis whose direction is time, of a space that has it; that axis has no direction in space then.
    pub fn take_time(
        &self,
        directions: Option<&mut Vec<Option<Vec<f64>>>>,
        context: &Context,
    ) -> Result<Option<usize>> {
        let Some(directions) = directions.filter(|_| self.dimension == 4) else { return Ok(None) };
        let in_space = |vector: &[f64]| vector[..3].iter().any(|v| *v != 0.0);
        let leans = directions.iter().flatten().any(|vector| vector[3] != 0.0 && in_space(vector));
        context.support(
            !leans,
            "an axis that leads through space and time at once",
            "give time an axis of its own",
        )?;
        let time = directions.iter().position(|d| d.as_ref().is_some_and(|vector| vector[3] != 0.0));
        if let Some(axis) = time {
            directions[axis] = None;
        }
        Ok(time)
    }

    pub fn place(
        &self,
        axes: &mut Axes,
        spatial: &[usize],
        directions: &[Option<Vec<f64>>],
        context: &mut Context,
    ) -> Result<()> {
        let mut columns = [[0.0f64; 3]; 3];
        for (column, &axis) in columns.iter_mut().zip(spatial) {
            let Some(direction) = &directions[axis] else {
                let expected = "a vector for every axis of space";
                return Err(context.malformed("space directions", expected, "none"));
            };
            // Of a space with time the fourth number is 0.
            for (k, (value, d)) in column.iter_mut().zip(direction).enumerate() {
                *value = self.signs[k] * self.mm[k] * d;
            }
        }
        if spatial.len() == 2 {
            let [a, b, _] = columns;
            let normal = cross(a, b);
            // A picture in the xy plane keeps z as its third axis, mirrored or not.
            let flat = a[2] == 0.0 && b[2] == 0.0;
            columns[2] = if flat { [0.0, 0.0, 1.0] } else { normal.map(|x| x / length(normal)) };
        }
        for (axis, column) in columns.iter().enumerate() {
            let length = length(*column);
            axes.spacing_mm[axis] = length;
            for (row, value) in axes.direction.iter_mut().zip(column) {
                // A column without length is judged, once, as a spacing of 0.
                row[axis] = if length > 0.0 { value / length } else { row[axis] };
            }
        }
        Ok(())
    }

    pub(crate) fn put_origin(&self, axes: &mut Axes, fields: &Fields, context: &mut Context) -> Result<()> {
        let Some(origin) = vectors(fields, "space origin", self.dimension, context)? else { return Ok(()) };
        let [Some(origin)] = &origin[..] else {
            let got = quoted(fields.text("space origin").unwrap_or_default());
            return Err(context.malformed("space origin", "one vector", got));
        };
        for (k, (o, value)) in axes.origin_mm.iter_mut().zip(origin).enumerate() {
            *o = self.signs[k] * self.mm[k] * value;
        }
        Ok(())
    }
}

/// Millimetres in the unit of each axis of the world; of units that are no lengths a note says that they count as millimetres.
fn units(fields: &Fields, dimension: usize, context: &mut Context) -> Result<[f64; 3]> {
    let mut mm = [1.0; 3];
    let Some(units) = super::header::quoted(fields, "space units", dimension, context)? else {
        return Ok(mm);
    };
    for (mm, unit) in mm.iter_mut().zip(units) {
        *mm = length_mm(unit, context)?;
    }
    Ok(mm)
}

/// Millimetres in a unit.
pub(super) fn length_mm(unit: &str, context: &mut Context) -> Result<f64> {
    match unit.trim() {
        "m" | "meter" | "meters" | "metre" | "metres" => Ok(1e3),
        "cm" | "centimeter" | "centimeters" => Ok(10.0),
        "mm" | "millimeter" | "millimeters" | "" | "???" | "none" => Ok(1.0),
        "um" | "µm" | "μm" | "micron" | "microns" | "micrometer" | "micrometers" => Ok(1e-3),
        "nm" | "nanometer" | "nanometers" => Ok(1e-6),
        other => {
            context.assume(format!("{} is no length that is known: mm is assumed", quoted(other)))?;
            Ok(1.0)
        }
    }
}
