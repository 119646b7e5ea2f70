//! Veloxel's own form: outlines with all that is known of their cine.

use super::CinePlace;
use super::collection::Collection;
use super::spot::Spot;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use veloxel_core::{ContourSet, Dimension, Grid, Sequence, Structure};

const FORMAT: &str = "veloxel-contours";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    unit: Unit,
    #[serde(skip_serializing_if = "Option::is_none")]
    cine: Option<Cine>,
    contours: Vec<Entry>,
}

#[derive(Serialize, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    Px,
    Mm,
}

/// The cine; everything but its size may be missing.
#[derive(Serialize, Deserialize)]
struct Cine {
    size: Vec<usize>,
    frames: usize,
    frame_interval_ms: Option<f64>,
    spacing_mm: Option<[f64; 3]>,
    origin_mm: Option<[f64; 3]>,
    direction: Option<[[f64; 3]; 3]>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    structure: Structure,
    frame: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<usize>,
    points: Vec<Vec<f64>>,
}

pub(super) fn read(document: serde_json::Value, into: &mut Collection) -> Result<()> {
    let expected = "Veloxel's form of outlines (docs/formats/contours.md), or 3D Slicer's markups";
    let document: Document = serde_json::from_value(document)
        .map_err(|error| into.context.malformed("the outlines", expected, error))?;
    into.context.check()?;
    let is_known = document.format == FORMAT && document.version <= VERSION;
    let got = format!("{} {}", document.format, document.version);
    into.context.require(is_known, "the form", format!("{FORMAT} {VERSION}"), got)?;
    if let Some(cine) = document.cine {
        let place = place(cine).map_err(|reason| into.context.malformed("cine", "a grid", reason))?;
        into.describe(place)?;
    }
    for Entry { structure, frame, slice, points } in document.contours {
        into.context.check()?;
        let axes = if document.unit == Unit::Px { 2 } else { 3 };
        if let Some(bad) = points.iter().find(|p| p.len() != axes) {
            let what = format!("a point of {structure} on frame {frame}");
            return Err(into.context.malformed(what, format!("{axes} coordinates"), bad.len()));
        }
        if document.unit == Unit::Px {
            let slice = into.slice(slice, || format!("{structure} on frame {frame}"))?;
            let spot = Spot { structure, frame, slice };
            into.add(spot, points.iter().map(|p| [p[0], p[1]]).collect())?;
        } else {
            let points: Vec<_> = points.iter().map(|p| [p[0], p[1], p[2]]).collect();
            into.add_mm(structure, frame, &points)?;
        }
    }
    Ok(())
}

fn place(cine: Cine) -> Result<CinePlace, String> {
    let grid = match cine.size[..] {
        [nx, ny] => Grid::image(nx, ny),
        [nx, ny, nz] => Grid::volume(nx, ny, nz),
        _ => return Err(format!("a size of {} axes", cine.size.len())),
    };
    let grid = grid.and_then(|g| g.with_spacing_mm(cine.spacing_mm.unwrap_or([1.0; 3])));
    let grid = grid.and_then(|g| match cine.direction {
        Some(direction) => g.with_direction(direction),
        None => Ok(g),
    });
    let grid = grid.map_err(|error| error.to_string())?.with_origin_mm(cine.origin_mm.unwrap_or_default());
    if cine.frames == 0 {
        return Err("no frames".to_owned());
    }
    let frame_interval_ms = cine.frame_interval_ms;
    if frame_interval_ms.is_some_and(|ms| !Sequence::INTERVALS_MS.contains(&ms)) {
        return Err("a time between frames that is not possible".to_owned());
    }
    Ok(CinePlace { grid, frames: cine.frames, frame_interval_ms, images: Vec::new() })
}

/// The text of a file.
pub(super) fn text(contours: &ContourSet, place: &CinePlace) -> String {
    let grid = &place.grid;
    let axes = if grid.dimension() == Dimension::Two { 2 } else { 3 };
    let rounded = |v: f64| (1e4 * v).round() / 1e4;
    let entry = |c: &veloxel_core::Contour| Entry {
        structure: c.structure,
        frame: c.frame,
        slice: Some(c.slice),
        points: c.polygon.points_px().iter().map(|p| p.map(rounded).to_vec()).collect(),
    };
    let document = Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        unit: Unit::Px,
        cine: Some(Cine {
            size: grid.size()[..axes].to_vec(),
            frames: place.frames,
            frame_interval_ms: place.frame_interval_ms,
            spacing_mm: Some(grid.spacing_mm()),
            origin_mm: Some(grid.origin_mm()),
            direction: Some(grid.direction()),
        }),
        contours: contours.contours().iter().map(entry).collect(),
    };
    serde_json::to_string(&document).expect("numbers and words should have a JSON") + "\n"
}
