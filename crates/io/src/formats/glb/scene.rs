//! The triangles of a scene.

use super::accessor::Accessor;
use super::buffers;
use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::polygons::Triangles;
use crate::text::quotation::quoted;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use veloxel_core::WarningKind;

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
    check_extensions(&json, context)?;
    let buffers = buffers::read(&json, binary, context)?;
    let nodes_left = json["nodes"].as_array().map_or(0, Vec::len);
    let surface = Triangles::default();
    let primitives_left = MOST_PRIMITIVES;
    let left_out = 0;
    let mut scene =
        Scene { json: &json, buffers: &buffers, context, surface, nodes_left, primitives_left, left_out };
    for node in roots(&json) {
        scene.node(&node, &IDENTITY, 0)?;
    }
    let Scene { surface, left_out, .. } = scene;
    if left_out > 0 {
        context.note(WarningKind::Note, format!("{left_out} primitives of points and lines were left out"));
    }
    surface.decoded(context)
}

/// Extensions that say how a surface looks, not where it lies; and numbers of fewer bits, which are read.
const HARMLESS_EXTENSIONS: [&str; 8] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_pointer",
    "MSFT_texture_",
];

/// Refuses a scene that says that it cannot be read without an extension that is not read here.
fn check_extensions(json: &Value, context: &Context) -> Result<()> {
    for name in json["extensionsRequired"].as_array().into_iter().flatten() {
        let word = name.as_str().unwrap_or_default();
        let is_read = HARMLESS_EXTENSIONS.iter().any(|known| word.starts_with(known));
        let what = format!("the glTF extension {}, which the file requires", quoted(word));
        context.support(is_read, what, "write the scene without it: uncompressed (no Draco, no meshopt)")?;
    }
    Ok(())
}

/// The nodes of the scene; without scenes those that are below no other.
fn roots(json: &Value) -> Vec<Value> {
    let scene = json["scene"].as_u64().unwrap_or(0) as usize;
    if let Some(scenes) = json["scenes"].as_array().filter(|scenes| !scenes.is_empty()) {
        let nodes = scenes.get(scene).and_then(|scene| scene["nodes"].as_array());
        return nodes.cloned().unwrap_or_default();
    }
    let nodes = json["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let children = nodes.iter().filter_map(|node| node["children"].as_array()).flatten();
    let below: HashSet<u64> = children.filter_map(Value::as_u64).collect();
    (0..nodes.len() as u64).filter(|node| !below.contains(node)).map(Value::from).collect()
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
    /// Primitives of points and lines.
    left_out: usize,
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
        let order = match mode {
            0..=3 => {
                self.left_out += 1;
                return Ok(());
            }
            4 => Order::Triangles,
            5 => Order::Strip,
            6 => Order::Fan,
            _ => return Err(self.context.malformed("mode of a primitive", "0 to 6", mode)),
        };
        let positions = self.accessor(&primitive["attributes"]["POSITION"], "VEC3")?;
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
        let corners = match order {
            Order::Triangles => count,
            Order::Strip | Order::Fan => 3 * count.saturating_sub(2),
        };
        self.context.require(corners % 3 == 0, "corners of triangles", "three for each", count)?;
        self.surface.reserve(corners, self.context)?;
        for nth in 0..corners {
            if nth.is_multiple_of(CORNERS_BETWEEN) {
                self.context.check()?;
            }
            let nth = order.place(nth);
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

    fn accessor(&self, index: &Value, kind: &'static str) -> Result<Accessor<'a>> {
        let accessor = self.item("accessors", index)?;
        Accessor::of(accessor, kind, &self.json["bufferViews"], self.buffers, self.context)
    }
}

/// Which corners make the triangles of a primitive.
#[derive(Debug, Clone, Copy)]
enum Order {
    Triangles,
    Strip,
    Fan,
}

impl Order {
    /// The place of the corner of a triangle in the list of a primitive (glTF 2.0, section 3.7.2.1).
    fn place(self, nth: usize) -> usize {
        let (triangle, corner) = (nth / 3, nth % 3);
        match (self, corner) {
            (Self::Triangles, _) => nth,
            (Self::Strip, 0) => triangle,
            (Self::Strip, 1) => triangle + 1 + triangle % 2,
            (Self::Strip, _) => triangle + 2 - triangle % 2,
            (Self::Fan, 2) => 0,
            (Self::Fan, corner) => triangle + 1 + corner,
        }
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
