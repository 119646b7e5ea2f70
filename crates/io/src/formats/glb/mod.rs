//! GLB, binary glTF: triangles of all meshes of a scene, in place. Points in one place become one.
//!
//! *Specification*: Khronos, "glTF 2.0 Specification", 2021, sections 3 and 4.
//! *Compatible implementations*: trimesh, Blender.
//! *Read*: triangles, strips and fans with positions as floats or whole numbers of 8 or 16 bits, sparse ones as well, with or without
//! indices, in the places of the scene's nodes (without a scene: of all nodes), skins in the pose of their joints and morph targets by
//! the weights of the scene; and their first texture coordinates where all of them have some. Points and lines are left out with a note,
//! and everything else without one. *Written*: a node and a mesh for each part, whose triangles share vertices, with colours and texture
//! coordinates.
//! *Limits*: no compression (Draco, meshopt); an extension that a file requires is refused by name unless it is one of looks;
//! coordinates are 32-bit floats; no animations.

use crate::format::Format;

mod accessor;
pub(super) mod buffers;
mod placement;
mod posed;
mod reader;
pub(super) mod scene;
mod writer;

pub(super) static FORMAT: Format =
    Format { write_painted: Some(writer::write), ..Format::surface("glb", "GLB", &["glb"], reader::read) };

const MAGIC: u32 = u32::from_le_bytes(*b"glTF");
const VERSION: u32 = 2;
const JSON_CHUNK: u32 = u32::from_le_bytes(*b"JSON");
const BINARY_CHUNK: u32 = u32::from_le_bytes(*b"BIN\0");
/// Types of components.
const I8: u64 = 5120;
const U8: u64 = 5121;
const I16: u64 = 5122;
const U16: u64 = 5123;
const U32: u64 = 5125;
const F32: u64 = 5126;
