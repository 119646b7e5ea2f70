//! A mesh in the colours of its triangles.

use super::{BINARY_CHUNK, F32, JSON_CHUNK, MAGIC, U8, VERSION};
use crate::error::{IoError, Result};
use crate::write::painted_mesh::PaintedMesh;
use crate::write::target::Target;
use crate::write::whole_file;
use serde_json::json;
use std::io::Write;

/// Triangles that are put together between two questions whether to go on.
const TRIANGLES_BETWEEN: usize = 1 << 14;

pub(super) fn write(target: &Target, painted: &PaintedMesh<'_>) -> Result<()> {
    let (mesh, corners) = (painted.mesh, 3 * painted.mesh.triangles().len());
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut binary: Vec<u8> = Vec::with_capacity(16 * corners);
    for triangle in 0..mesh.triangles().len() {
        if triangle.is_multiple_of(TRIANGLES_BETWEEN) {
            target.check()?;
        }
        for corner in mesh.corners(triangle) {
            for axis in 0..3 {
                let coordinate = corner[axis] as f32;
                (low[axis], high[axis]) = (low[axis].min(coordinate), high[axis].max(coordinate));
                binary.extend(coordinate.to_le_bytes());
            }
        }
    }
    let colours_at = binary.len();
    for &[red, green, blue] in painted.rgb {
        binary.extend([red, green, blue, 255].repeat(3));
    }
    let view = |offset: usize, length: usize| json!({"buffer": 0, "byteOffset": offset, "byteLength": length, "target": 34962});
    let mut text = json!({
        "asset": {"version": "2.0", "generator": format!("Veloxel {}", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1}, "mode": 4}]}],
        "buffers": [{"byteLength": binary.len()}],
        "bufferViews": [view(0, colours_at), view(colours_at, binary.len() - colours_at)],
        "accessors": [
            {"bufferView": 0, "componentType": F32, "count": corners, "type": "VEC3", "min": low, "max": high},
            {"bufferView": 1, "componentType": U8, "normalized": true, "count": corners, "type": "VEC4"},
        ],
    })
    .to_string();
    // Chunks end at multiples of four bytes; those of this one are.
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
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
