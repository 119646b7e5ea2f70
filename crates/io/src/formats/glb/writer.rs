//! A mesh with a node for each part.

use super::{BINARY_CHUNK, F32, JSON_CHUNK, MAGIC, U8, U32, VERSION};
use crate::error::{IoError, Result};
use crate::write::painted_mesh::{PaintedMesh, part_name};
use crate::write::target::Target;
use crate::write::whole_file;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;

/// Triangles that are put together between two questions whether to go on.
const TRIANGLES_BETWEEN: usize = 1 << 14;
/// What buffer views are for.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

pub(super) fn write(target: &Target, painted: &PaintedMesh<'_>) -> Result<()> {
    let (parts, mut scene) = (painted.parts(), Scene::default());
    for (part, triangles) in parts.iter().enumerate().filter(|(_, triangles)| !triangles.is_empty()) {
        let vertices = Vertices::of(painted, triangles, target)?;
        scene.part(&part_name(part, parts.len()), part, &vertices);
    }
    let mut text = scene.json().to_string();
    // Chunks end at multiples of four bytes; those of the buffer are.
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let binary = scene.binary;
    let length = 12 + 8 + text.len() + 8 + binary.len();
    let too_large = |_| {
        let hint = "write .ply";
        IoError::unsupported(
            target.path(),
            format!("{length} bytes in GLB, which counts them in 32 bits,"),
            hint,
        )
    };
    let length = u32::try_from(length).map_err(too_large)?;
    whole_file::write(target, |file| {
        for word in [MAGIC, VERSION, length, text.len() as u32, JSON_CHUNK] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(text.as_bytes())?;
        for word in [binary.len() as u32, BINARY_CHUNK] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&binary)
    })
}

/// The vertices of a part, which triangles share where point and place in the texture are the same.
#[derive(Default)]
struct Vertices {
    positions: Vec<[f32; 3]>,
    /// Sums of the colours of the triangles at each vertex, and how many these are.
    colours: Vec<[u32; 4]>,
    /// From the upper left corner, as glTF has it; none without a texture.
    texture: Vec<[f32; 2]>,
    corners: Vec<u32>,
}

impl Vertices {
    fn of(painted: &PaintedMesh<'_>, triangles: &[usize], target: &Target) -> Result<Self> {
        let (mesh, texture) = (painted.mesh, painted.mesh.texture());
        let (mut vertices, mut number) = (Self::default(), HashMap::new());
        for (nth, &triangle) in triangles.iter().enumerate() {
            if nth.is_multiple_of(TRIANGLES_BETWEEN) {
                target.check()?;
            }
            for (corner, &point) in mesh.triangles()[triangle].iter().enumerate() {
                let place = texture.map(|texture| texture[triangle][corner]);
                let vertex =
                    *number.entry((point, place.map(|uv| uv.map(f32::to_bits)))).or_insert_with(|| {
                        vertices.positions.push(mesh.points()[point as usize].map(|c| c as f32));
                        vertices.colours.push([0; 4]);
                        vertices.texture.extend(place.map(|[u, v]| [u, 1.0 - v]));
                        vertices.positions.len() as u32 - 1
                    });
                vertices.corners.push(vertex);
                let [red, green, blue] = painted.rgb[triangle].map(u32::from);
                let sums = vertices.colours[vertex as usize].iter_mut().zip([red, green, blue, 1]);
                sums.for_each(|(sum, more)| *sum += more);
            }
        }
        Ok(vertices)
    }
}

/// The lists of a scene's JSON, and its buffer.
#[derive(Default)]
struct Scene {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Scene {
    /// Adds a part as a mesh and its node.
    fn part(&mut self, name: &str, part: usize, vertices: &Vertices) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in &vertices.positions {
            low.iter_mut().zip(position).for_each(|(low, &c)| *low = low.min(c));
            high.iter_mut().zip(position).for_each(|(high, &c)| *high = high.max(c));
        }
        let count = vertices.positions.len();
        let floats =
            |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        let positions = floats(vertices.positions.as_flattened());
        let position = json!({"componentType": F32, "count": count, "type": "VEC3", "min": low, "max": high});
        let mean = |&[red, green, blue, of]: &[u32; 4]| {
            let [red, green, blue] = [red, green, blue].map(|sum| ((sum + of / 2) / of) as u8);
            [red, green, blue, 255]
        };
        let colours: Vec<u8> = vertices.colours.iter().flat_map(mean).collect();
        let colour = json!({"componentType": U8, "normalized": true, "count": count, "type": "VEC4"});
        let mut attributes = json!({
            "POSITION": self.accessor(&positions, VERTICES, position),
            "COLOR_0": self.accessor(&colours, VERTICES, colour),
        });
        if !vertices.texture.is_empty() {
            let place = json!({"componentType": F32, "count": count, "type": "VEC2"});
            let places = floats(vertices.texture.as_flattened());
            attributes["TEXCOORD_0"] = self.accessor(&places, VERTICES, place).into();
        }
        let corners: Vec<u8> = vertices.corners.iter().flat_map(|corner| corner.to_le_bytes()).collect();
        let index = json!({"componentType": U32, "count": vertices.corners.len(), "type": "SCALAR"});
        let indices = self.accessor(&corners, INDICES, index);
        let primitive = json!({"attributes": attributes, "indices": indices, "mode": 4});
        self.nodes.push(json!({"name": name, "mesh": self.meshes.len(), "extras": {"part": part}}));
        self.meshes.push(json!({"name": name, "primitives": [primitive]}));
    }

    /// Adds numbers to the buffer; the index of their accessor.
    fn accessor(&mut self, bytes: &[u8], target: u32, mut accessor: Value) -> usize {
        let (offset, length) = (self.binary.len(), bytes.len());
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length, "target": target}));
        self.binary.extend_from_slice(bytes);
        accessor["bufferView"] = (self.views.len() - 1).into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn json(&self) -> Value {
        json!({
            "asset": {"version": "2.0", "generator": format!("Veloxel {}", env!("CARGO_PKG_VERSION"))},
            "scene": 0,
            "scenes": [{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "buffers": [{"byteLength": self.binary.len()}],
            "bufferViews": self.views,
            "accessors": self.accessors,
        })
    }
}
