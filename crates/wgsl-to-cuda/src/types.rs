//! Types: their names in CUDA C++, and structs with WGSL's layout.

use super::error::Result;
use super::{ModuleText, TranslationError};
use naga::proc::{IndexableLength, TypeResolution};
use naga::{Handle, Scalar, ScalarKind, Span, Type, TypeInner, VectorSize};
use std::fmt::Write;

/// A field of a struct in the translation, in order.
pub(crate) enum Field {
    Member(usize),
    /// A gap of so many words of four bytes, which WGSL's layout has and C++'s would not.
    Padding(u32),
}

impl ModuleText<'_> {
    pub fn unsupported(&self, construct: impl Into<String>, span: Span) -> TranslationError {
        TranslationError::unsupported(construct, span, self.wgsl)
    }

    /// The name of a type, for values and variables.
    pub fn type_name(&self, handle: Handle<Type>) -> Result<String> {
        let span = self.module.types.get_span(handle);
        match &self.module.types[handle].inner {
            TypeInner::Struct { .. } => Ok(self.names.types[&handle].clone()),
            inner => self.inner_name(inner, span),
        }
    }

    pub fn resolved_name(&self, type_: &TypeResolution, span: Span) -> Result<String> {
        match type_ {
            TypeResolution::Handle(handle) => self.type_name(*handle),
            TypeResolution::Value(inner) => self.inner_name(inner, span),
        }
    }

    /// The name of a type as the element of an array: a vector of three components takes the room of four.
    pub fn element_name(&self, handle: Handle<Type>) -> Result<String> {
        let name = self.type_name(handle)?;
        Ok(if self.is_three(handle) { format!("wgsl::Aligned<{name}>") } else { name })
    }

    /// The name of a type for a variable in shared memory. No buffer has to match its layout, so vectors of three
    /// components are packed densely, which puts neighbours into different banks.
    pub fn workgroup_name(&self, handle: Handle<Type>) -> Result<String> {
        match self.module.types[handle].inner {
            TypeInner::Array { base, size, .. } if self.is_three(base) => {
                let Ok(IndexableLength::Known(length)) = size.resolve(self.module.to_ctx()) else {
                    return self.type_name(handle);
                };
                Ok(format!("wgsl::Array<{}, {length}>", self.type_name(base)?))
            }
            _ => self.type_name(handle),
        }
    }

    pub fn is_three(&self, handle: Handle<Type>) -> bool {
        matches!(self.module.types[handle].inner, TypeInner::Vector { size: VectorSize::Tri, .. })
    }

    fn inner_name(&self, inner: &TypeInner, span: Span) -> Result<String> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                Ok(self.scalar_name(scalar, span)?.to_owned())
            }
            TypeInner::Vector { size, scalar } => {
                let name = self.scalar_name(scalar, span)?;
                let space = if scalar.kind == ScalarKind::Bool { "wgsl::" } else { "" };
                Ok(format!("{space}{name}{}", size as u8))
            }
            TypeInner::Array { base, size, stride } => {
                let Ok(IndexableLength::Known(length)) = size.resolve(self.module.to_ctx()) else {
                    return Err(self.unsupported("an array without a fixed length inside another type", span));
                };
                self.check_stride(base, stride, span)?;
                Ok(format!("wgsl::Array<{}, {length}>", self.element_name(base)?))
            }
            TypeInner::Matrix { .. } => Err(self.unsupported("a matrix", span)),
            ref other => Err(self.unsupported(format!("a value of type {other:?}"), span)),
        }
    }

    pub fn scalar_name(&self, scalar: Scalar, span: Span) -> Result<&'static str> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => Ok("float"),
            (ScalarKind::Uint, 4) => Ok("uint"),
            (ScalarKind::Sint, 4) => Ok("int"),
            (ScalarKind::Bool, _) => Ok("bool"),
            (kind, width) => Err(self.unsupported(format!("a {}-bit {kind:?}", 8 * width), span)),
        }
    }

    pub fn holds_atomics(&self, handle: Handle<Type>) -> bool {
        match &self.module.types[handle].inner {
            TypeInner::Atomic(_) => true,
            TypeInner::Array { base, .. } => self.holds_atomics(*base),
            TypeInner::Struct { members, .. } => members.iter().any(|member| self.holds_atomics(member.ty)),
            _ => false,
        }
    }

    /// Refuses an array whose stride in WGSL differs from the one that C++ gives it.
    fn check_stride(&self, base: Handle<Type>, stride: u32, span: Span) -> Result<()> {
        let natural = if self.is_three(base) { 16 } else { self.layouter[base].to_stride() };
        if natural == stride {
            return Ok(());
        }
        Err(self.unsupported(format!("an array with elements of {natural} bytes every {stride} bytes"), span))
    }

    /// The fields of a struct. A struct with a `bool` is never in a buffer and has no padding.
    pub fn fields(&self, handle: Handle<Type>) -> Vec<Field> {
        let TypeInner::Struct { members, span } = &self.module.types[handle].inner else {
            return Vec::new();
        };
        if !self.is_in_buffers(handle) {
            return (0..members.len()).map(Field::Member).collect();
        }
        let mut fields = Vec::new();
        let mut end = 0;
        for (index, member) in members.iter().enumerate() {
            let layout = self.layouter[member.ty];
            if layout.alignment.round_up(end) < member.offset {
                fields.push(Field::Padding((member.offset - end) / 4));
            }
            fields.push(Field::Member(index));
            end = member.offset + layout.size;
        }
        if self.layouter[handle].alignment.round_up(end) < *span {
            fields.push(Field::Padding((span - end) / 4));
        }
        fields
    }

    fn is_in_buffers(&self, handle: Handle<Type>) -> bool {
        self.info[handle].contains(naga::valid::TypeFlags::HOST_SHAREABLE)
    }

    pub fn write_structs(&self, source: &mut String) -> Result<()> {
        for (handle, type_) in self.module.types.iter() {
            let TypeInner::Struct { members, span } = &type_.inner else { continue };
            let (name, member_names) = (&self.names.types[&handle], &self.names.members[&handle]);
            let mut asserted = vec![format!("sizeof({name}) == {span}")];
            let _ = writeln!(source, "struct {name} {{");
            for (place, field) in self.fields(handle).iter().enumerate() {
                let _ = match *field {
                    Field::Padding(words) => writeln!(source, "    uint padding_{place}_[{words}];"),
                    Field::Member(index) => {
                        let (member, member_name) = (&members[index], &member_names[index]);
                        let wide = if self.is_three(member.ty) { "alignas(16) " } else { "" };
                        asserted.push(format!("WGSL_OFFSET({name}, {member_name}) == {}", member.offset));
                        writeln!(source, "    {wide}{} {member_name};", self.type_name(member.ty)?)
                    }
                };
            }
            source.push_str("};\n");
            if self.is_in_buffers(handle) {
                let _ = writeln!(source, "static_assert({}, \"WGSL's layout\");", asserted.join(" && "));
            }
            source.push('\n');
        }
        Ok(())
    }
}
