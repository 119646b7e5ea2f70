//! The check that a shader binds what its declaration says. It runs once for every source, when a pipeline is made of it.

use super::bindings::{BindingDeclaration, BufferAccess, Declared};
use super::launch::ShaderSource;
use super::wgsl::{Member, Type};
use wgsl_to_cuda::{BufferPart, Resource, resources};

/// Checks with naga that the shader binds what its declaration says: names, numbers, access, elements, and where each member of
/// the uniform block lies.
///
/// If they differ: declaration and text are both ours, so this is a mistake of this program.
pub(crate) fn check(source: &ShaderSource) {
    source.checked.call_once(|| {
        if let Err(difference) = compare(source.declaration, &source.whole_wgsl()) {
            panic!(
                "internal error: kernel `{}`: its text does not bind what it declares: {difference}",
                source.name
            );
        }
    });
}

/// The first difference between a declaration and what WGSL binds.
fn compare(declaration: &BindingDeclaration, wgsl: &str) -> Result<(), String> {
    // What is no WGSL is an error of the pipeline, with its line.
    let Ok(bound) = resources(wgsl) else { return Ok(()) };
    let mut bound = bound.into_iter();
    let block = bound.next().ok_or("it binds nothing")?;
    let expected = Resource {
        group: 0,
        binding: 0,
        name: "block".to_owned(),
        access: wgsl_to_cuda::Access::Uniform,
        parts: parts_of(declaration.block),
        size: Type::Struct("Block", declaration.block).size(),
    };
    equal(&expected, &block)?;
    for (declared, binding) in declaration.buffers().iter().zip(1..) {
        let found = bound.next().ok_or_else(|| format!("it lacks `{}`", declared.name))?;
        let [part] = found.parts.as_slice() else {
            return Err(format!("`{}` holds structs", found.name));
        };
        equal(&expected_buffer(declared, binding, part), &found)?;
    }
    bound.next().map_or(Ok(()), |more| Err(format!("it binds `{}` too, at {}", more.name, more.binding)))
}

fn equal(expected: &Resource, found: &Resource) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("declared is {expected:?}, bound is {found:?}")),
    }
}

/// A buffer as declared; the source says how many components an alias has.
fn expected_buffer(declared: &Declared, binding: u32, found: &BufferPart) -> Resource {
    let (type_, size) = match declared.element {
        Type::Alias(_, scalars) => {
            let vectors = scalars.iter().flat_map(|&scalar| [1, 2, 4].map(|lanes| (scalar, lanes)));
            let types = vectors.map(|(scalar, lanes)| match lanes {
                1 => Type::Scalar(scalar),
                _ => Type::Vector(scalar, lanes),
            });
            let type_ = types.into_iter().find(|type_| type_.text() == found.type_);
            type_.map_or((declared.element.text(), 0), |type_| (type_.text(), type_.size()))
        }
        element => (element.text(), element.size()),
    };
    Resource {
        group: 0,
        binding,
        name: declared.name.to_owned(),
        access: match declared.access {
            BufferAccess::Read => wgsl_to_cuda::Access::Read,
            BufferAccess::Write => wgsl_to_cuda::Access::ReadWrite,
        },
        parts: vec![BufferPart { path: String::new(), type_, offset: 0 }],
        size,
    }
}

/// The scalars and vectors of a block, where launches write them.
fn parts_of(members: &[Member]) -> Vec<BufferPart> {
    let mut parts = Vec::new();
    place(members, "", 0, &mut parts);
    parts
}

fn place(members: &[Member], path: &str, begin: u32, parts: &mut Vec<BufferPart>) {
    let mut offset = begin;
    for Member { name, type_ } in members {
        offset = offset.next_multiple_of(type_.alignment());
        place_one(type_, format!("{path}{name}"), offset, parts);
        offset += type_.size();
    }
}

fn place_one(type_: &Type, path: String, offset: u32, parts: &mut Vec<BufferPart>) {
    match type_ {
        Type::Array(of, count) => {
            place_one(of, format!("{path}[{count}, {} bytes]", of.stride()), offset, parts);
        }
        Type::Struct(_, members) => place(members, &format!("{path}."), offset, parts),
        _ => parts.push(BufferPart { path, type_: type_.text(), offset }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launches::bindings::BindingSlot;
    use crate::launches::wgsl::{Value, vec4};

    static DECLARATION: BindingDeclaration = BindingDeclaration {
        block: &[
            Member { name: "count", type_: <u32 as Value>::TYPE },
            Member { name: "taps", type_: <[vec4<f32>; 3] as Value>::TYPE },
        ],
        slots: &[
            BindingSlot::of::<f32>(&["x", "y"], BufferAccess::Read),
            BindingSlot::of::<vec4<u32>>(&["out"], BufferAccess::Write),
        ],
        sums: None,
    };

    #[test]
    fn what_a_declaration_writes_is_what_it_declares() {
        assert_eq!(compare(&DECLARATION, &DECLARATION.text()), Ok(()));
    }

    #[test]
    fn every_difference_is_seen() {
        let text = DECLARATION.text();
        for (from, to) in [
            ("count: u32", "count: f32"),
            ("count: u32", "number: u32"),
            ("taps: array<vec4<f32>, 3>", "taps: array<vec4<f32>, 4>"),
            ("    count: u32,\n", ""),
            ("read> x", "read_write> x"),
            ("binding(3)", "binding(4)"),
            ("y: array<f32>", "y: array<u32>"),
            ("out: array<vec4<u32>>", "out: array<u32>"),
            ("@group(0) @binding(2) var<storage, read> y: array<f32>;", ""),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(compare(&DECLARATION, &text.replace(from, to)).is_err(), "{from}");
        }
        let more = text + "@group(0) @binding(4) var<storage, read> more: array<f32>;";
        assert!(compare(&DECLARATION, &more).unwrap_err().contains("`more`"));
    }
}
