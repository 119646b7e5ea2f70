//! The triangles of a scene.

use super::{F32, U8, U16, U32, buffers};
use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::read::polygons::Triangles;
use serde_json::Value;
use std::borrow::Cow;

/// Corners that are read between two questions whether to go on.
const CORNERS_BETWEEN: usize = 1 << 14;
/// Nodes below one another.
const MOST_DEPTH: usize = 64;

/// Primitives in all places of their meshes: 20,000 nodes of one mesh of 20,000 empty primitives fit into a file of 1 MB.
const MOST_PRIMITIVES: usize = 1 << 18;

/// A map of points: the rows of a 3 × 4 matrix.
type Placement = [[f64; 4]; 3];
const IDENTITY: Placement = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// The triangles of a scene. `binary` is the first buffer, where it has no address of its own.
pub(in crate::formats) fn read_scene(
    json: &[u8],
    binary: Option<&[u8]>,
    context: &mut Context,
) -> Result<Decoded> {
    let json = crate::text::json::parse(json, "the JSON of a scene", "glTF", context)?;
    let version = &json["asset"]["version"];
    let is_known = version.as_str().is_none_or(|version| version.starts_with("2."));
    context.support(is_known, format!("glTF version {version}"), "write version 2")?;
    let buffers = buffers::read(&json, binary, context)?;
    let nodes_left = json["nodes"].as_array().map_or(0, Vec::len);
    let surface = Triangles::default();
    let primitives_left = MOST_PRIMITIVES;
    let mut scene = Scene { json: &json, buffers: &buffers, context, surface, nodes_left, primitives_left };
    let nodes = json["scenes"][json["scene"].as_u64().unwrap_or(0) as usize]["nodes"].as_array();
    for node in nodes.into_iter().flatten() {
        scene.node(node, &IDENTITY, 0)?;
    }
    scene.surface.decoded(context)
}

struct Scene<'a> {
    json: &'a Value,
    buffers: &'a [Cow<'a, [u8]>],
    context: &'a Context<'a>,
    surface: Triangles,
    /// Nodes that were not placed yet.
    nodes_left: usize,
    /// Primitives that may still be placed.
    primitives_left: usize,
}

/// Numbers in a buffer.
struct Accessor<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    component: u64,
}

impl<'a> Scene<'a> {
    fn node(&mut self, node: &Value, above: &Placement, depth: usize) -> Result<()> {
        // A node has one parent: whoever comes by more often goes in a circle, or for ever.
        if depth > MOST_DEPTH || self.nodes_left == 0 {
            let expected = "a tree of at most 64 below one another";
            return Err(self.context.malformed("nodes of a scene", expected, "others"));
        }
        self.nodes_left -= 1;
        let node = self.item("nodes", node)?;
        let placement = after(above, &placement(node, self.context)?);
        if !node["mesh"].is_null() {
            let mesh = self.item("meshes", &node["mesh"])?;
            for primitive in mesh["primitives"].as_array().into_iter().flatten() {
                self.primitive(primitive, &placement)?;
            }
        }
        for child in node["children"].as_array().into_iter().flatten() {
            self.node(child, &placement, depth + 1)?;
        }
        Ok(())
    }

    /// The entry of a list that an index names.
    fn item(&self, list: &'static str, index: &Value) -> Result<&'a Value> {
        let found = index.as_u64().and_then(|index| self.json[list].get(usize::try_from(index).ok()?));
        found.ok_or_else(|| self.context.malformed(format!("an index into {list}"), "one of them", index))
    }

    fn primitive(&mut self, primitive: &Value, placement: &Placement) -> Result<()> {
        let expected = format!("at most {MOST_PRIMITIVES} in all places of their meshes");
        self.context.require(self.primitives_left > 0, "primitives of a scene", expected, "more")?;
        self.primitives_left -= 1;
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        let what = format!("primitives of mode {mode}");
        self.context.support(mode == 4, what, "give plain triangles (mode 4)")?;
        let positions = self.accessor(&primitive["attributes"]["POSITION"], "VEC3")?;
        let is_float = positions.component == F32;
        self.context.support(is_float, "positions that are no floats", "write them as floats")?;
        // Coordinates in other numbers than floats are left out, as a whole texture is.
        let texture = match &primitive["attributes"]["TEXCOORD_0"] {
            Value::Null => None,
            index => self.accessor(index, "VEC2").ok().filter(|places| places.count == positions.count),
        };
        let indices = match &primitive["indices"] {
            Value::Null => None,
            index => Some(self.accessor(index, "SCALAR")?),
        };
        let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
        self.context.require(count % 3 == 0, "corners of triangles", "three for each", count)?;
        self.surface.reserve(count, self.context)?;
        for nth in 0..count {
            if nth.is_multiple_of(CORNERS_BETWEEN) {
                self.context.check()?;
            }
            let index = match &indices {
                None => nth,
                Some(indices) => indices.index(nth),
            };
            if index >= positions.count {
                return Err(self.context.malformed("a corner", format!("below {}", positions.count), index));
            }
            let point = positions.point(index);
            let place = placement.map(|[x, y, z, at]| x * point[0] + y * point[1] + z * point[2] + at);
            self.surface.corner(place, texture.as_ref().map(|texture| texture.place(index)));
        }
        Ok(())
    }

    fn accessor(&self, index: &Value, kind: &str) -> Result<Accessor<'a>> {
        let accessor = self.item("accessors", index)?;
        let bad = |what: &str| self.context.malformed("an accessor", what, accessor);
        let is_plain = accessor["sparse"].is_null() && !accessor["bufferView"].is_null();
        self.context.support(is_plain, "sparse or compressed accessors", "write plain ones")?;
        let component = accessor["componentType"].as_u64().unwrap_or(0);
        let size = match (component, kind) {
            (F32, "VEC3") => 12,
            (F32, "VEC2") => 8,
            (U8, "SCALAR") => 1,
            (U16, "SCALAR") => 2,
            (U32, "SCALAR") => 4,
            _ => return Err(bad("floats, or indices")),
        };
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let optional = |value: &Value| if value.is_null() { Some(0) } else { number(value) };
        let view = self.item("bufferViews", &accessor["bufferView"])?;
        let buffer = number(&view["buffer"]).and_then(|buffer| self.buffers.get(buffer));
        let buffer = buffer.ok_or_else(|| bad("a buffer that there is"))?;
        let stride = optional(&view["byteStride"]).map(|stride| if stride == 0 { size } else { stride });
        let parts = (number(&accessor["count"]), stride, optional(&view["byteOffset"]));
        let (Some(count), Some(stride), Some(offset)) = parts else { return Err(bad("a count and offsets")) };
        let start = optional(&accessor["byteOffset"]).and_then(|own| own.checked_add(offset));
        let start = start.filter(|&start| start <= buffer.len());
        let bytes = &buffer[start.ok_or_else(|| bad("an offset within its buffer"))?..];
        let needed =
            count.saturating_sub(1).saturating_mul(stride).saturating_add(if count > 0 { size } else { 0 });
        if accessor["type"] != kind || stride < size || needed > bytes.len() {
            return Err(bad(&format!("{kind} within its buffer")));
        }
        Ok(Accessor { bytes, stride, count, component })
    }
}

impl Accessor<'_> {
    fn point(&self, index: usize) -> [f64; 3] {
        let floats = self.bytes[index * self.stride..].as_chunks().0;
        [0, 1, 2].map(|axis| f64::from(f32::from_le_bytes(floats[axis])))
    }

    /// A place in a texture, from its lower left corner; glTF counts from the upper left one.
    fn place(&self, index: usize) -> [f32; 2] {
        let floats = self.bytes[index * self.stride..].as_chunks().0;
        [f32::from_le_bytes(floats[0]), 1.0 - f32::from_le_bytes(floats[1])]
    }

    fn index(&self, nth: usize) -> usize {
        let bytes = match self.component {
            U8 => 1,
            U16 => 2,
            _ => 4,
        };
        ByteOrder::Little.number(&self.bytes[nth * self.stride..][..bytes]) as usize
    }
}

/// The numbers of a node under a name; `default` where they are missing.
fn numbers<const N: usize>(
    node: &Value,
    name: &str,
    default: [f64; N],
    context: &Context,
) -> Result<[f64; N]> {
    if node[name].is_null() {
        return Ok(default);
    }
    let numbers = || node[name].as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let numbers = numbers().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| context.malformed(format!("{name} of a node"), format!("{N} numbers"), "others"))
}

/// Where a node lies in the one above it.
fn placement(node: &Value, context: &Context) -> Result<Placement> {
    if !node["matrix"].is_null() {
        // Columns first.
        let m = numbers(node, "matrix", [0.0; 16], context)?;
        return Ok([0, 1, 2].map(|row| [m[row], m[row + 4], m[row + 8], m[row + 12]]));
    }
    let t = numbers(node, "translation", [0.0; 3], context)?;
    let s = numbers(node, "scale", [1.0; 3], context)?;
    let [x, y, z, w] = numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0], context)?;
    let turn = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    Ok([0, 1, 2].map(|row| [turn[row][0] * s[0], turn[row][1] * s[1], turn[row][2] * s[2], t[row]]))
}

/// First `inner`, then `outer`.
fn after(outer: &Placement, inner: &Placement) -> Placement {
    outer.map(|row| {
        let column = |k: usize| row[0] * inner[0][k] + row[1] * inner[1][k] + row[2] * inner[2][k];
        [column(0), column(1), column(2), column(3) + row[3]]
    })
}
