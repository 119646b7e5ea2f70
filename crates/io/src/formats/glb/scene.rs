//! The triangles of a scene.

use super::accessor::Accessor;
use super::buffers;
use super::placement::{IDENTITY, MOST_DEPTH, Placement, after, placement};
use super::posed::{Pose, PosedPoints, SkinnedPoints, Skins};
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
/// Primitives in all places of their meshes: 20,000 nodes of one mesh of 20,000 empty primitives fit into a file of 1 MB.
const MOST_PRIMITIVES: usize = 1 << 18;

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
    let (left_out, skins) = (0, Skins::of(&json));
    let mut scene = Scene {
        json: &json,
        buffers: &buffers,
        context,
        surface,
        skins,
        nodes_left,
        primitives_left,
        left_out,
    };
    for node in roots(&json) {
        scene.node(&node, &IDENTITY, 0)?;
    }
    let Scene { surface, left_out, .. } = scene;
    tell_instances(&json, context);
    if left_out > 0 && surface.is_empty() {
        let what = format!("a scene of {left_out} primitives of points and lines and no triangles");
        return Err(context.unsupported(what, "make a surface of them and save the mesh"));
    }
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

/// Says which meshes an extension that is not read would place many times over.
fn tell_instances(json: &Value, context: &mut Context) {
    let nodes = json["nodes"].as_array().into_iter().flatten();
    let count = nodes.filter(|node| node["extensions"]["EXT_mesh_gpu_instancing"].is_object()).count();
    if count > 0 {
        let text = format!(
            "meshes of {count} nodes stand once, in place of their instances (EXT_mesh_gpu_instancing)"
        );
        context.note(WarningKind::Note, text);
    }
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
    skins: Skins<'a>,
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
            let weights = [&node["weights"], &mesh["weights"]].into_iter().find_map(Value::as_array);
            let shape = Shape { placement, skin: &node["skin"], weights: weights.map_or(&[], Vec::as_slice) };
            for primitive in mesh["primitives"].as_array().into_iter().flatten() {
                self.primitive(primitive, &shape)?;
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

    /// The points of a primitive, as its node shows them.
    fn points(&mut self, primitive: &'a Value, shape: &Shape<'_>) -> Result<PosedPoints<'a>> {
        let positions = self.accessor(&primitive["attributes"]["POSITION"], "VEC3")?;
        let mut targets = Vec::new();
        let listed = primitive["targets"].as_array().into_iter().flatten();
        for (target, weight) in listed.zip(shape.weights) {
            let weight = weight.as_f64().unwrap_or(0.0);
            if weight != 0.0 && !target["POSITION"].is_null() {
                targets.push((weight, self.of_points(&target["POSITION"], "VEC3", positions.count)?));
            }
        }
        let pose = match self.skinned(primitive, shape.skin, positions.count)? {
            Some(skinned) => Pose::Skin(skinned),
            None => Pose::Node(shape.placement),
        };
        Ok(PosedPoints { positions, targets, pose })
    }

    /// The joints of a primitive's points; none where no joint moves them.
    fn skinned(
        &mut self,
        primitive: &'a Value,
        skin: &Value,
        points: usize,
    ) -> Result<Option<SkinnedPoints<'a>>> {
        let attributes = &primitive["attributes"];
        if skin.is_null() || attributes["JOINTS_0"].is_null() {
            return Ok(None);
        }
        let mut sets = Vec::new();
        for nth in 0.. {
            let [joints, weights] = ["JOINTS", "WEIGHTS"].map(|name| &attributes[format!("{name}_{nth}")]);
            if joints.is_null() {
                break;
            }
            sets.push([self.of_points(joints, "VEC4", points)?, self.of_points(weights, "VEC4", points)?]);
        }
        let (json, number) = (self.item("skins", skin)?, skin.as_u64().unwrap_or(0) as usize);
        let inverse = match &json["inverseBindMatrices"] {
            Value::Null => None,
            index => Some(self.accessor(index, "MAT4")?),
        };
        let joints = self.skins.joints(number, json, inverse.as_ref(), self.context)?;
        Ok(Some(SkinnedPoints { joints, sets }))
    }

    /// An accessor with an element for each of so many points.
    fn of_points(&self, index: &Value, kind: &'static str, points: usize) -> Result<Accessor<'a>> {
        let accessor = self.accessor(index, kind)?;
        self.context.require(
            accessor.count == points,
            "numbers of a point",
            format!("{points} of them"),
            accessor.count,
        )?;
        Ok(accessor)
    }

    fn primitive(&mut self, primitive: &'a Value, shape: &Shape<'_>) -> Result<()> {
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
        let points = self.points(primitive, shape)?;
        let positions = &points.positions;
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
            let place = points.place(index, self.context)?;
            self.surface.corner(place, texture.as_ref().map(|texture| texture.place(index)));
        }
        Ok(())
    }

    fn accessor(&self, index: &Value, kind: &'static str) -> Result<Accessor<'a>> {
        let accessor = self.item("accessors", index)?;
        Accessor::of(accessor, kind, &self.json["bufferViews"], self.buffers, self.context)
    }
}

/// How a node shows a mesh.
struct Shape<'a> {
    placement: Placement,
    /// The skin's number, or null.
    skin: &'a Value,
    /// How much of each morph target is added.
    weights: &'a [Value],
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
