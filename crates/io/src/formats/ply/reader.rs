//! Points and faces of a PLY file.

use super::header::{Header, Property, Rows};
use super::numbers::{Numbers, is_corners};
use super::strips::strips;
use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::words::Words;

pub(super) fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_unmarked(context)?;
    let mut words = Words::new(&bytes, "the PLY file");
    let header = Header::read(&mut words, context)?;
    let mut numbers = Numbers { words, encoding: header.encoding };
    let count = |name: &str| header.elements.iter().find(|rows| rows.name == name).map_or(0, |e| e.count);
    for rows in &header.elements {
        numbers.require(rows, context)?;
    }
    let mut polygons = Polygons::with_room(count("vertex"), count("face"), context)?;
    for rows in &header.elements {
        match rows.name.as_str() {
            "vertex" => points(rows, &mut numbers, &mut polygons, context)?,
            "face" => faces(rows, &mut numbers, &mut polygons, context)?,
            "tristrips" => strips(rows, &mut numbers, &mut polygons, context)?,
            _ => {
                for _ in 0..rows.count {
                    rows.properties.iter().try_for_each(|p| numbers.values(p, context, |_| Ok(())))?;
                }
            }
        }
    }
    numbers.finish(context);
    polygons.decoded(context)
}

fn points(rows: &Rows, numbers: &mut Numbers, polygons: &mut Polygons, context: &Context) -> Result<()> {
    let axis_of = |property: &Property| ["x", "y", "z"].iter().position(|axis| property.name == *axis);
    let axes: Vec<Option<usize>> = rows.properties.iter().map(axis_of).collect();
    let is_whole = (0..3).all(|axis| axes.contains(&Some(axis)));
    context.require(is_whole, "PLY vertex", "properties x, y and z", "others")?;
    for _ in 0..rows.count {
        let mut point = [0.0; 3];
        for (property, axis) in rows.properties.iter().zip(&axes) {
            numbers.values(property, context, |value| {
                if let Some(axis) = axis {
                    point[*axis] = value;
                }
                Ok(())
            })?;
        }
        polygons.points.push(point);
    }
    Ok(())
}

fn faces(rows: &Rows, numbers: &mut Numbers, polygons: &mut Polygons, context: &Context) -> Result<()> {
    let has_corners = rows.properties.iter().any(is_corners);
    context.require(has_corners, "PLY face", "a list vertex_indices", "none")?;
    for _ in 0..rows.count {
        let before = polygons.corners.len();
        for property in &rows.properties {
            let is_corners = is_corners(property);
            numbers.values(property, context, |value| {
                if is_corners {
                    if value < 0.0 || value.fract() != 0.0 || value > f64::from(u32::MAX) {
                        return Err(context.malformed("a corner", "the index of a point", value));
                    }
                    polygons.corner(value as u32, context)?;
                }
                Ok(())
            })?;
        }
        polygons.counts.push((polygons.corners.len() - before) as u32);
    }
    Ok(())
}
