//! The chunks of a GLB file.

use super::scene::read_scene;
use super::{BINARY_CHUNK, JSON_CHUNK, MAGIC, VERSION};
use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::read::source::Source;

const HEAD_BYTES: usize = 12;

pub(super) fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let word = |at: usize| {
        let missing = || context.truncated("the GLB file", at as u64 + 4, bytes.len() as u64);
        let word = bytes.get(at..at + 4).map(|word| ByteOrder::Little.number(word) as u32);
        word.ok_or_else(missing)
    };
    context.require(word(0)? == MAGIC, "GLB magic", "glTF", word(0)?)?;
    let version = word(4)?;
    context.support(version == VERSION, format!("GLB version {version}"), "write version 2")?;
    let length = word(8)? as usize;
    if length > bytes.len() || length < HEAD_BYTES {
        return Err(context.truncated("the GLB file", length as u64, bytes.len() as u64));
    }
    let (mut json, mut binary, mut at) = (None, &bytes[..0], HEAD_BYTES);
    while at + 8 <= length {
        let (size, kind) = (word(at)? as usize, word(at + 4)?);
        let end = (at + 8).checked_add(size).filter(|&end| end <= length);
        let end =
            end.ok_or_else(|| context.truncated("a chunk of the GLB file", size as u64, length as u64))?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(&bytes[at + 8..end]),
            BINARY_CHUNK if binary.is_empty() => binary = &bytes[at + 8..end],
            _ => {}
        }
        at = end;
    }
    let json = json.ok_or_else(|| context.malformed("GLB file", "a chunk of JSON", "none"))?;
    context.trailing(Some((bytes.len() - length) as u64));
    read_scene(json, Some(binary), context)
}
