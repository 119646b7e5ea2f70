//! Numbers in the buffers of a scene: plain, of fewer bits (`KHR_mesh_quantization`), and sparse.
//!
//! *Specification*: Khronos, "glTF 2.0 Specification", 2021, section 3.6.2.

use super::placement::{Placement, of_columns};
use super::{F32, I8, I16, U8, U16, U32};
use crate::error::Result;
use crate::read::context::Context;
use serde_json::Value;
use std::borrow::Cow;

/// Numbers of a scene, one element after the other.
pub(super) struct Accessor<'a> {
    bytes: Cow<'a, [u8]>,
    stride: usize,
    pub count: usize,
    component: u64,
    is_normalized: bool,
}

/// A part of a buffer.
struct Part<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// Where parts of buffers are found.
struct Views<'a, 'b> {
    json: &'a Value,
    views: &'a Value,
    buffers: &'a [Cow<'a, [u8]>],
    context: &'b Context<'b>,
}

impl<'a> Accessor<'a> {
    /// An accessor of elements of a kind: `SCALAR`, which holds indices, `VEC2`, `VEC3`, `VEC4` or `MAT4`.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) for what lies beyond its buffer.
    pub fn of(
        json: &'a Value,
        kind: &'static str,
        views: &'a Value,
        buffers: &'a [Cow<'a, [u8]>],
        context: &Context,
    ) -> Result<Self> {
        let views = Views { json, views, buffers, context };
        let component = json["componentType"].as_u64().unwrap_or(0);
        let components = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 3,
        };
        let is_index = kind == "SCALAR";
        let width = width(component).filter(|_| !is_index || [U8, U16, U32].contains(&component));
        let width = width.filter(|_| is_index || component != U32);
        let size = components
            * width.ok_or_else(|| views.bad("floats, whole numbers of 8 or 16 bits, or indices"))?;
        let count = number(&json["count"]).filter(|_| json["type"] == kind);
        let count = count.ok_or_else(|| views.bad(&format!("a count, and the type {kind}")))?;
        let sparse = &json["sparse"];
        let base = match json["bufferView"].is_null() {
            true => None,
            false => Some(views.part(json, "bufferView", size, count)?),
        };
        let is_normalized = json["normalized"].as_bool().unwrap_or(false);
        let whole = |bytes, stride| Self { bytes, stride, count, component, is_normalized };
        if let (Some(Part { bytes, stride }), true) = (&base, sparse.is_null()) {
            return Ok(whole(Cow::Borrowed(*bytes), *stride));
        }
        context.support(
            !sparse.is_null(),
            "an accessor without numbers",
            "write it uncompressed (no Draco)",
        )?;
        let mut bytes = context.room_for(count.saturating_mul(size))?;
        match base {
            None => bytes.resize(count * size, 0),
            Some(Part { bytes: base, stride }) => {
                (0..count).for_each(|nth| bytes.extend_from_slice(&base[nth * stride..][..size]));
            }
        }
        let changed = number(&sparse["count"]).filter(|&changed| changed <= count);
        let changed = changed.ok_or_else(|| views.bad("a count of sparse numbers, at most all"))?;
        let index_type = sparse["indices"]["componentType"].as_u64().unwrap_or(0);
        let index_width = crate::formats::glb::accessor::width(index_type)
            .filter(|_| [U8, U16, U32].contains(&index_type))
            .ok_or_else(|| views.bad("sparse indices"))?;
        let indices = views.part(&sparse["indices"], "bufferView", index_width, changed)?;
        let values = views.part(&sparse["values"], "bufferView", size, changed)?;
        for nth in 0..changed {
            let place = whole_number(&indices.bytes[nth * indices.stride..][..index_width]);
            context.require(place < count, "a sparse index", format!("below {count}"), place)?;
            bytes[place * size..][..size].copy_from_slice(&values.bytes[nth * values.stride..][..size]);
        }
        Ok(whole(Cow::Owned(bytes), size))
    }

    /// The place of a point.
    pub fn point(&self, index: usize) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.component(index, axis))
    }

    /// A matrix of four columns, as a map of points.
    pub fn matrix(&self, index: usize) -> Placement {
        of_columns(std::array::from_fn(|nth| self.component(index, nth)))
    }

    /// A place in a texture, from its lower left corner; glTF counts from the upper left one.
    pub fn place(&self, index: usize) -> [f32; 2] {
        let [u, v] = [0, 1].map(|axis| self.component(index, axis) as f32);
        [u, 1.0 - v]
    }

    /// An index.
    pub fn index(&self, nth: usize) -> usize {
        let width = width(self.component).unwrap_or(4);
        whole_number(&self.bytes[nth * self.stride..][..width])
    }

    /// A number of an element.
    pub fn component(&self, index: usize, nth: usize) -> f64 {
        let width = width(self.component).unwrap_or(4);
        let bytes = &self.bytes[index * self.stride + nth * width..][..width];
        let (value, most) = match (self.component, bytes) {
            (I8, &[byte]) => (f64::from(byte as i8), 127.0),
            (U8, &[byte]) => (f64::from(byte), 255.0),
            (I16, &[low, high]) => (f64::from(i16::from_le_bytes([low, high])), 32767.0),
            (U16, &[low, high]) => (f64::from(u16::from_le_bytes([low, high])), 65535.0),
            (_, &[a, b, c, d]) => return f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => return f64::NAN,
        };
        if self.is_normalized { (value / most).max(-1.0) } else { value }
    }
}

impl<'a> Views<'a, '_> {
    fn bad(&self, expected: &str) -> crate::IoError {
        self.context.malformed("an accessor", expected, self.json)
    }

    /// Elements of a size, counted, in the view that an entry names.
    fn part(&self, entry: &'a Value, name: &str, size: usize, count: usize) -> Result<Part<'a>> {
        let view = number(&entry[name]).and_then(|index| self.views.get(index));
        let view = view.ok_or_else(|| self.bad("a bufferView that there is"))?;
        let is_packed = view["extensions"]
            .as_object()
            .is_some_and(|extensions| extensions.keys().any(|name| name.ends_with("_meshopt_compression")));
        let buffer = number(&view["buffer"]).and_then(|buffer| self.buffers.get(buffer));
        let buffer = buffer.ok_or_else(|| self.bad("a buffer that there is"))?;
        let is_there = !is_packed || !buffer.is_empty();
        self.context.support(is_there, "numbers that meshopt compressed", "write the scene uncompressed")?;
        let optional = |value: &Value| if value.is_null() { Some(0) } else { number(value) };
        let stride = optional(&view["byteStride"]).map(|stride| if stride == 0 { size } else { stride });
        let (Some(stride), Some(offset)) = (stride, optional(&view["byteOffset"])) else {
            return Err(self.bad("offsets"));
        };
        let end = number(&view["byteLength"]).and_then(|length| length.checked_add(offset));
        let end = end.map_or(buffer.len(), |end| end.min(buffer.len()));
        let start = optional(&entry["byteOffset"]).and_then(|own| own.checked_add(offset));
        let start = start.filter(|&start| start <= end);
        let bytes = &buffer[start.ok_or_else(|| self.bad("an offset within its buffer"))?..end];
        let needed =
            count.saturating_sub(1).saturating_mul(stride).saturating_add(if count > 0 { size } else { 0 });
        if stride < size || needed > bytes.len() {
            return Err(self.bad(&format!("{count} elements of {size} bytes within its buffer")));
        }
        Ok(Part { bytes, stride })
    }
}

/// Bytes of a component.
fn width(component: u64) -> Option<usize> {
    match component {
        I8 | U8 => Some(1),
        I16 | U16 => Some(2),
        U32 | F32 => Some(4),
        _ => None,
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn whole_number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}
