//! The metadata of what is written: Zarr 3, and OME-Zarr 0.5, or 0.6 for fields and for grids that lie obliquely in the world.

use super::axes::axis_names;
use super::levels::{LevelShape, Pyramid};
use crate::read::element::Element;
use crate::write::record::Record;
use crate::zarr::array::Array;
use serde_json::{Value, json};
use veloxel_core::matrix3::IDENTITY;

/// The name of the image's own coordinate system, and of the one that LPS is where that is another.
const INTRINSIC: &str = "intrinsic";
const WORLD: &str = "world";
/// How a level is made of the one before it.
const MERGED: &str = "pairs of voxels become one along the axes along which voxels lie closest";
/// That of a field's voxels without its components.
const PHYSICAL: &str = "physical";

/// An axis as metadata have it.
fn axis(name: &str, record: &Record) -> Value {
    match name {
        "t" if record.frame_interval_ms.is_some() => {
            json!({"name": "t", "type": "time", "unit": "millisecond"})
        }
        "t" => json!({"name": "t", "type": "time"}),
        "c" => json!({"name": "c", "type": "displacement", "discrete": true}),
        name => json!({"name": name, "type": "space", "unit": "millimeter"}),
    }
}

/// The metadata of an array.
pub(super) fn array(array: &Array) -> Value {
    let (is_float, size) = (!array.sample.is_whole(), array.sample.bytes());
    let shuffle = if size > 1 { "shuffle" } else { "noshuffle" };
    let blosc = json!({"cname": "lz4", "clevel": 5, "shuffle": shuffle, "typesize": size, "blocksize": 0});
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": array.shape,
        "data_type": array.sample.name(),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": array.chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": if is_float { json!(0.0) } else { json!(0) },
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "blosc", "configuration": blosc},
        ],
        "attributes": {},
        "dimension_names": array.names,
    })
}

/// The metadata of the group of an image.
pub(super) fn group(name: &str, record: &Record, pyramid: &Pyramid) -> Value {
    let is_oblique = record.grid.direction() != IDENTITY;
    let is_field = record.components > 1;
    let axes: Vec<Value> = axis_names(record).iter().map(|name| axis(name, record)).collect();
    let name = name.split('.').next().unwrap_or_default();
    let mut image = json!({"name": name, "type": merged_by(record), "metadata": {"description": MERGED}});
    let paths = 0..pyramid.levels.len();
    let mut ome = if is_oblique || is_field {
        let dataset = |level: usize| {
            let path = level.to_string();
            let steps = steps(record, &pyramid.levels[level], is_oblique);
            json!({"path": path, "coordinateTransformations": [{
                "type": "sequence",
                "input": {"path": path},
                "output": {"name": INTRINSIC},
                "transformations": steps,
            }]})
        };
        image["datasets"] = paths.map(dataset).collect();
        let (systems, steps) = systems(&axes, record, is_oblique);
        image["coordinateSystems"] = systems.into();
        image["coordinateTransformations"] = steps.into();
        json!({"version": "0.6"})
    } else {
        let dataset = |level: usize| {
            let steps = steps(record, &pyramid.levels[level], false);
            json!({"path": level.to_string(), "coordinateTransformations": steps})
        };
        image["axes"] = axes.into();
        image["datasets"] = paths.map(dataset).collect();
        json!({"version": "0.5"})
    };
    if record.element != Element::F32 {
        ome["image-label"] = json!({});
    }
    ome["multiscales"] = json!([image]);
    json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}})
}

/// How coarser levels are made.
fn merged_by(record: &Record) -> &'static str {
    if record.element == Element::F32 { "mean" } else { "mode" }
}

/// Scale and translation of a level. Voxels lie in the middle of those that they were made of.
fn steps(record: &Record, level: &LevelShape, is_oblique: bool) -> Value {
    let (spacing, origin) = (record.grid.spacing_mm(), record.grid.origin_mm());
    let of = |name: &&str| {
        let Some(a) = ["x", "y", "z"].iter().position(|own| own == name) else {
            let scale = if *name == "t" { record.frame_interval_ms.unwrap_or(1.0) } else { 1.0 };
            return [scale, 0.0];
        };
        let within = 0.5 * (level.factor[a] - 1) as f64 * spacing[a];
        [spacing[a] * level.factor[a] as f64, if is_oblique { within } else { origin[a] + within }]
    };
    let both: Vec<[f64; 2]> = axis_names(record).iter().map(of).collect();
    let [scale, translation] = [0, 1].map(|nth| both.iter().map(|pair| pair[nth]).collect::<Vec<f64>>());
    json!([{"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}])
}

/// The coordinate systems of 0.6, and the transformations between them.
fn systems(axes: &[Value], record: &Record, is_oblique: bool) -> (Vec<Value>, Vec<Value>) {
    let mut systems = vec![json!({"name": INTRINSIC, "axes": axes})];
    let mut steps = Vec::new();
    if is_oblique {
        systems.push(json!({"name": WORLD, "axes": axes}));
        steps.push(json!({
            "type": "affine",
            "input": {"name": INTRINSIC},
            "output": {"name": WORLD},
            "affine": affine(record),
        }));
    }
    if record.components > 1 {
        let space: Vec<&Value> = axes.iter().filter(|axis| axis["type"] == "space").collect();
        systems.push(json!({"name": PHYSICAL, "axes": space}));
        steps.push(json!({
            "type": "displacements",
            "path": "0",
            "interpolation": "linear",
            "input": {"name": PHYSICAL},
            "output": {"name": PHYSICAL},
        }));
    }
    (systems, steps)
}

/// The rows of LPS from the image's own coordinates, and the place of the first voxel.
fn affine(record: &Record) -> Vec<Vec<f64>> {
    let names = axis_names(record);
    let (direction, origin) = (record.grid.direction(), record.grid.origin_mm());
    let place = |name: &str| ["x", "y", "z"].iter().position(|own| *own == name);
    let row = |to: &&str| {
        let entry = |from: &&str| match (place(to), place(from)) {
            (Some(row), Some(column)) => direction[row][column],
            _ => f64::from(u8::from(to == from)),
        };
        names.iter().map(entry).chain([place(to).map_or(0.0, |row| origin[row])]).collect()
    };
    names.iter().map(row).collect()
}
