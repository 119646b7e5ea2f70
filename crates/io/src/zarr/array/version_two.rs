//! Metadata of version 2: `.zarray`, `.zgroup`, `.zattrs`.

use super::{Array, ChunkKeys, Fill, Node, fields, parsed};
use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::codecs::{Codecs, Stage};
use crate::zarr::fields::Fields;
use crate::zarr::store::{Store, joined};
use serde_json::{Map, Value};

/// The node of a key; none if there is none.
pub(super) fn node(store: &Store, node: &str, context: &Context) -> Result<Option<Node>> {
    let key = joined(node, ".zarray");
    if let Some(value) = parsed(store, &key, context)? {
        return array(&value, &key, node, context).map(|array| Some(Node::Array(Box::new(array))));
    }
    let is_group = parsed(store, &joined(node, ".zgroup"), context)?.is_some();
    let attributes = parsed(store, &joined(node, ".zattrs"), context)?;
    let none = || is_group.then(|| Value::Object(Map::new()));
    Ok(attributes.or_else(none).map(Node::Group))
}

fn array(value: &Value, key: &str, node: &str, context: &Context) -> Result<Array> {
    let found = fields(value, key);
    let dtype = found.get("dtype").and_then(Value::as_str);
    let known = dtype.and_then(SampleType::of_numpy);
    let Some((sample, order)) = known else {
        let what = format!("samples of type {}", quoted(&value["dtype"].to_string()));
        return Err(context.unsupported(what, "convert them to whole numbers or floats"));
    };
    let fill = Fill::parse(value.get("fill_value"), sample)
        .ok_or_else(|| found.wrong("fill_value", "a number of the array's type", context))?;
    let separator = match found.get("dimension_separator").and_then(Value::as_str) {
        Some("/") => '/',
        Some(".") | None => '.',
        Some(_) => return Err(found.wrong("dimension_separator", "\".\" or \"/\"", context)),
    };
    let shape = found.sizes("shape", context)?;
    let transposed = match found.get("order").and_then(Value::as_str) {
        Some("F") => Some((0..shape.len()).rev().collect()),
        Some("C") | None => None,
        Some(_) => return Err(found.wrong("order", "\"C\" or \"F\"", context)),
    };
    let array = Array {
        node: node.to_owned(),
        chunk: found.sizes("chunks", context)?,
        names: vec![None; shape.len()],
        shape,
        sample,
        fill,
        keys: ChunkKeys { is_marked: false, separator },
        codecs: Codecs { transposed, order, sharding: None, stages: stages(found, sample, context)? },
    };
    array.checked(key, context)
}

/// Filters, in the order in which they were applied, and the compressor.
fn stages(found: Fields, sample: SampleType, context: &Context) -> Result<Vec<Stage>> {
    let filters = found.get("filters").and_then(Value::as_array).into_iter().flatten();
    let all = filters.chain(found.get("compressor"));
    let stage = |codec: &Value| {
        let id = found.within(codec).text("id", context)?;
        Ok(match id {
            "gzip" => Stage::Gzip,
            "zlib" => Stage::Zlib,
            "zstd" => Stage::Zstandard,
            "blosc" => Stage::Blosc,
            "crc32c" => Stage::Checksum,
            "shuffle" => {
                let size = codec.get("elementsize").and_then(Value::as_u64);
                Stage::Shuffle(size.map_or(sample.bytes(), |size| size as usize))
            }
            other => {
                let what = format!("the Zarr codec {}", quoted(other));
                return Err(
                    context.unsupported(what, "write it with gzip, zlib, zstd, blosc or no compression")
                );
            }
        })
    };
    all.map(stage).collect()
}
