//! Metadata of version 3: `zarr.json`.

use super::{Array, ChunkKeys, Fill, Node, fields, parsed};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::text::quotation::quoted;
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::codecs::{Codecs, Sharding, Stage};
use crate::zarr::fields::Fields;
use crate::zarr::store::{Store, joined};
use serde_json::{Map, Value};

/// The node of a key; none if there is none.
pub(super) fn node(store: &Store, node: &str, context: &Context) -> Result<Option<Node>> {
    let key = joined(node, "zarr.json");
    let Some(value) = parsed(store, &key, context)? else { return Ok(None) };
    let found = fields(&value, &key);
    match found.text("node_type", context)? {
        "group" => {
            let attributes = found.get("attributes").cloned();
            Ok(Some(Node::Group(attributes.unwrap_or_else(|| Value::Object(Map::new())))))
        }
        "array" => array(found, node, context).map(|array| Some(Node::Array(Box::new(array)))),
        _ => Err(found.wrong("node_type", "\"group\" or \"array\"", context)),
    }
}

fn array(found: Fields, node: &str, context: &Context) -> Result<Array> {
    let Some(sample) = found.get("data_type").and_then(Value::as_str).and_then(SampleType::named) else {
        let what = format!("samples of type {}", quoted(&found.value["data_type"].to_string()));
        return Err(context.unsupported(what, "convert them to whole numbers or floats"));
    };
    let fill = Fill::parse(found.get("fill_value"), sample)
        .ok_or_else(|| found.wrong("fill_value", "a number of the array's type", context))?;
    let shape = found.sizes("shape", context)?;
    let names = match found.get("dimension_names").and_then(Value::as_array) {
        Some(names) if names.len() == shape.len() => {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        }
        _ => vec![None; shape.len()],
    };
    let grid = found.get("chunk_grid").map(|grid| found.within(grid));
    let grid = grid.ok_or_else(|| found.wrong("chunk_grid", "a regular grid", context))?;
    let is_regular = grid.text("name", context)? == "regular";
    context.support(
        is_regular,
        "a grid of chunks that is not regular",
        "write it with chunks of one size",
    )?;
    let configuration = grid.get("configuration").map(|value| grid.within(value));
    let configuration = configuration.ok_or_else(|| grid.wrong("configuration", "an object", context))?;
    let chunk = configuration.sizes("chunk_shape", context)?;
    if found.get("storage_transformers").and_then(Value::as_array).is_some_and(|all| !all.is_empty()) {
        return Err(context.unsupported("a storage transformer", "write the array without one"));
    }
    let codecs = codecs(found, "codecs", sample, &chunk, context)?;
    let keys = keys(found, context)?;
    let array = Array { node: node.to_owned(), shape, chunk, sample, fill, keys, codecs, names };
    array.checked(found.name, context)
}

fn keys(found: Fields, context: &Context) -> Result<ChunkKeys> {
    let Some(encoding) = found.get("chunk_key_encoding").map(|value| found.within(value)) else {
        return Ok(ChunkKeys { is_marked: true, separator: '/' });
    };
    let configuration = encoding.get("configuration").unwrap_or(&Value::Null);
    let separator = configuration.get("separator").and_then(Value::as_str);
    let (is_marked, usual) = match encoding.text("name", context)? {
        "default" => (true, "/"),
        "v2" => (false, "."),
        _ => return Err(encoding.wrong("name", "\"default\" or \"v2\"", context)),
    };
    match separator.unwrap_or(usual) {
        "/" => Ok(ChunkKeys { is_marked, separator: '/' }),
        "." => Ok(ChunkKeys { is_marked, separator: '.' }),
        _ => Err(encoding.within(configuration).wrong("separator", "\".\" or \"/\"", context)),
    }
}

/// The codecs of chunks of this shape.
fn codecs(
    found: Fields,
    member: &str,
    sample: SampleType,
    chunk: &[usize],
    context: &Context,
) -> Result<Codecs> {
    let mut codecs =
        Codecs { transposed: None, order: ByteOrder::Little, sharding: None, stages: Vec::new() };
    let mut is_bytes = false;
    for codec in found.list(member, context)? {
        let codec = found.within(codec);
        // A codec without configuration may be its name alone.
        let name = codec.value.as_str().map_or_else(|| codec.text("name", context), Ok)?;
        let configuration = codec.within(codec.get("configuration").unwrap_or(&Value::Null));
        let is_in_order = match name {
            "transpose" => !is_bytes && codecs.transposed.is_none(),
            "bytes" | "endian" | "sharding_indexed" => !is_bytes,
            _ => is_bytes,
        };
        let expected = "codecs of arrays, one that makes bytes, codecs of bytes";
        context.require(is_in_order, format!("{}: {member}", quoted(found.name)), expected, quoted(name))?;
        let stage = match name {
            "transpose" => {
                codecs.transposed = Some(transposed(configuration, chunk.len(), context)?);
                continue;
            }
            "bytes" | "endian" => {
                is_bytes = true;
                let endian = configuration.get("endian").and_then(Value::as_str);
                codecs.order = if endian == Some("big") { ByteOrder::Big } else { ByteOrder::Little };
                continue;
            }
            "sharding_indexed" => {
                is_bytes = true;
                let hint = "write shards without a transposition around them";
                context.support(codecs.transposed.is_none(), "a transposed shard", hint)?;
                codecs.sharding = Some(Box::new(sharding(configuration, sample, chunk, context)?));
                continue;
            }
            "gzip" => Stage::Gzip,
            "zlib" | "numcodecs.zlib" => Stage::Zlib,
            "zstd" => Stage::Zstandard,
            "blosc" => Stage::Blosc,
            "crc32c" => Stage::Checksum,
            other => {
                let what = format!("the Zarr codec {}", quoted(other));
                return Err(context.unsupported(what, "write it with gzip, zstd, blosc or no compression"));
            }
        };
        codecs.stages.push(stage);
    }
    context.require(
        is_bytes,
        format!("{}: {member}", quoted(found.name)),
        "a codec that makes bytes",
        "none",
    )?;
    Ok(codecs)
}

/// The axes in the order in which they are stored.
fn transposed(configuration: Fields, axes: usize, context: &Context) -> Result<Vec<usize>> {
    let order = configuration.list("order", context)?;
    let order: Option<Vec<usize>> =
        order.iter().map(|axis| axis.as_u64().map(|axis| axis as usize)).collect();
    let is_order = |order: &Vec<usize>| order.len() == axes && (0..axes).all(|axis| order.contains(&axis));
    order.filter(is_order).ok_or_else(|| configuration.wrong("order", "every axis once", context))
}

fn sharding(found: Fields, sample: SampleType, shard: &[usize], context: &Context) -> Result<Sharding> {
    let chunk = found.sizes("chunk_shape", context)?;
    let divides = chunk.len() == shard.len()
        && shard.iter().zip(&chunk).all(|(shard, chunk)| shard.is_multiple_of(*chunk));
    let expected = "sizes that divide those of the shard";
    context.require(
        divides,
        format!("{}: chunk_shape", quoted(found.name)),
        expected,
        format!("{chunk:?}"),
    )?;
    let inner = codecs(found, "codecs", sample, &chunk, context)?;
    context.support(inner.sharding.is_none(), "shards within shards", "write one level of shards")?;
    let index = codecs(found, "index_codecs", sample, &chunk, context)?;
    let is_index = index.stages.iter().all(|stage| *stage == Stage::Checksum) && index.sharding.is_none();
    context.support(
        is_index,
        "a compressed index of a shard",
        "write it with the codecs bytes and crc32c",
    )?;
    let is_at_start = match found.get("index_location").and_then(Value::as_str) {
        Some("start") => true,
        Some("end") | None => false,
        Some(_) => return Err(found.wrong("index_location", "\"start\" or \"end\"", context)),
    };
    Ok(Sharding {
        chunk,
        codecs: inner,
        index_order: index.order,
        index_checksums: index.stages.len(),
        is_at_start,
    })
}
