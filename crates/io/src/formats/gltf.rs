//! glTF, `.gltf`: a scene as JSON, with its buffers in files beside it or inside as base64.
//!
//! *Specification*: Khronos, "glTF 2.0 Specification", 2021, section 3.
//! *Compatible implementations*: trimesh, Blender.
//! *Read*: as [`glb`](super::glb). A buffer's file lies in the scene's own folder or below it, unless others are allowed.
//! *Limits*: those of GLB; read alone, since GLB says the same in one file.

use super::glb::buffers::files;
use super::glb::scene::read_scene;
use crate::content::Decoded;
use crate::error::Result;
use crate::format::Format;
use crate::read::context::Context;
use crate::read::source::Source;

pub(super) static FORMAT: Format = Format {
    names_data_files: Some(|source, context| {
        let json = source.take_text(context).unwrap_or_default();
        crate::text::json::parse(&json, "the JSON of a scene", "glTF", context)
            .map_or(Vec::new(), |json| files(&json))
    }),
    ..Format::surface("gltf", "glTF", &["gltf"], read)
};

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let json = source.take_text(context)?;
    read_scene(&json, None, context)
}
