//! What a WGSL source binds, with the layout of every buffer, for a host that declares the same and wants to be sure.

use super::error::Result;
use super::parse;
use naga::proc::{IndexableLength, Layouter};
use naga::{AddressSpace, Handle, Module, Scalar, ScalarKind, StorageAccess, Type, TypeInner};

/// A global variable that is bound to a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The number of its group.
    pub group: u32,
    /// Its number in the group.
    pub binding: u32,
    /// Its name.
    pub name: String,
    /// What the source may do with it.
    pub access: Access,
    /// The scalars and vectors in it; of an array of any length those of one element.
    pub parts: Vec<BufferPart>,
    /// Length in bytes; of an array of any length the bytes from one element to the next.
    pub size: u32,
}

/// What a source may do with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A scalar or a vector in a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferPart {
    /// Names of the members that lead to it, such as `lattice.size`; `taps[3, 16 bytes]` are three elements, 16 bytes from one to
    /// the next. Empty for an element of an array of any length.
    pub path: String,
    /// The type, without aliases: `f32`, `vec4<u32>`, `atomic<u32>`.
    pub type_: String,
    /// Bytes from the begin of the buffer, or of the element.
    pub offset: u32,
}

/// All buffers that a WGSL source binds, ascending; whether the source is valid is not looked at.
///
/// ```
/// let wgsl = "
///     struct Block { size: vec4<u32>, gain: f32 }
///     @group(0) @binding(0) var<uniform> block: Block;
///     @group(0) @binding(1) var<storage, read_write> samples: array<f32>;";
/// let resources = wgsl_to_cuda::resources(wgsl)?;
/// assert_eq!((resources[0].parts[1].path.as_str(), resources[0].parts[1].offset), ("gain", 16));
/// assert_eq!((resources[1].name.as_str(), resources[1].size), ("samples", 4));
/// # Ok::<(), wgsl_to_cuda::TranslationError>(())
/// ```
///
/// # Errors
/// [`TranslationError::Parse`](crate::TranslationError::Parse) if the source is not WGSL.
pub fn resources(wgsl: &str) -> Result<Vec<Resource>> {
    let module = parse(wgsl)?;
    let mut layouter = Layouter::default();
    // A type without a layout is in no buffer, or the source is not valid: its parts are then 0 bytes apart.
    let _ = layouter.update(module.to_ctx());
    let layouts = Layouts { module: &module, layouter };
    let mut found = Vec::new();
    for (_, global) in module.global_variables.iter() {
        let Some(at) = global.binding else { continue };
        let access = match global.space {
            AddressSpace::Uniform => Access::Uniform,
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::ReadWrite,
            _ => Access::Read,
        };
        let (type_, size) = layouts.element(global.ty);
        let mut parts = Vec::new();
        layouts.collect(type_, String::new(), 0, &mut parts);
        let name = global.name.clone().unwrap_or_default();
        found.push(Resource { group: at.group, binding: at.binding, name, access, parts, size });
    }
    found.sort_by_key(|resource| (resource.group, resource.binding));
    Ok(found)
}

struct Layouts<'a> {
    module: &'a Module,
    layouter: Layouter,
}

impl Layouts<'_> {
    /// The element of an array of any length and its stride, or the type itself and its length.
    fn element(&self, type_: Handle<Type>) -> (Handle<Type>, u32) {
        match self.module.types[type_].inner {
            TypeInner::Array { base, size: naga::ArraySize::Dynamic, stride } => (base, stride),
            _ => (type_, self.layouter[type_].size),
        }
    }

    fn collect(&self, type_: Handle<Type>, path: String, offset: u32, parts: &mut Vec<BufferPart>) {
        match &self.module.types[type_].inner {
            TypeInner::Struct { members, .. } => {
                for member in members {
                    let name = member.name.as_deref().unwrap_or_default();
                    let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    self.collect(member.ty, path, offset + member.offset, parts);
                }
            }
            TypeInner::Array { base, size, stride } => {
                let count = match size.resolve(self.module.to_ctx()) {
                    Ok(IndexableLength::Known(count)) => count.to_string(),
                    _ => "any".to_owned(),
                };
                self.collect(*base, format!("{path}[{count}, {stride} bytes]"), offset, parts);
            }
            inner => parts.push(BufferPart { path, type_: text(inner), offset }),
        }
    }
}

/// A type as WGSL writes it.
fn text(inner: &TypeInner) -> String {
    match *inner {
        TypeInner::Scalar(scalar) => scalar_text(scalar),
        TypeInner::Atomic(scalar) => format!("atomic<{}>", scalar_text(scalar)),
        TypeInner::Vector { size, scalar } => format!("vec{}<{}>", size as u8, scalar_text(scalar)),
        ref other => format!("{other:?}"),
    }
}

fn scalar_text(scalar: Scalar) -> String {
    let letter = match scalar.kind {
        ScalarKind::Float | ScalarKind::AbstractFloat => 'f',
        ScalarKind::Uint => 'u',
        ScalarKind::Sint | ScalarKind::AbstractInt => 'i',
        ScalarKind::Bool => return "bool".to_owned(),
    };
    format!("{letter}{}", 8 * u32::from(scalar.width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_where_wgsl_lays_them() {
        let wgsl = "
            struct Image { first: u32, size: vec2<u32> }
            struct Block { gain: f32, size: vec4<u32>, images: array<Image, 3>, taps: array<vec4<f32>, 2> }
            alias Pack = vec4<f32>;
            @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
            @group(0) @binding(0) var<uniform> block: Block;
            @group(0) @binding(1) var<storage, read> image: array<Pack>;";
        let found = resources(wgsl).unwrap();
        let places: Vec<_> = found[0].parts.iter().map(|p| (p.path.as_str(), &*p.type_, p.offset)).collect();
        let expected = [
            ("gain", "f32", 0),
            ("size", "vec4<u32>", 16),
            ("images[3, 16 bytes].first", "u32", 32),
            ("images[3, 16 bytes].size", "vec2<u32>", 40),
            ("taps[2, 16 bytes]", "vec4<f32>", 80),
        ];
        assert_eq!(
            (found[0].access, found[0].size, places.as_slice()),
            (Access::Uniform, 112, &expected[..])
        );
        assert_eq!(
            (found[1].access, found[1].size, &*found[1].parts[0].type_),
            (Access::Read, 16, "vec4<f32>")
        );
        assert_eq!((found[2].access, &*found[2].parts[0].type_), (Access::ReadWrite, "atomic<u32>"));
    }
}
