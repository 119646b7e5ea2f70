//! Types of WGSL: their text, and the layout of a uniform block that is made of them.
//!
//! A [`Value`] is a type of WGSL and says what Rust gives for it; kernels declare their blocks and buffers with these names, as
//! WGSL spells them.

use crate::memory::element::Element;
use std::fmt::Write;
use std::marker::PhantomData;

/// A scalar of WGSL, four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `f32`
    F32,
    /// `u32`
    U32,
}

/// A type of WGSL that a buffer can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A vector of two or four components.
    Vector(Scalar, u32),
    /// A number that threads change in one piece.
    Atomic(Scalar),
    /// An array of so many elements.
    Array(&'static Type, u32),
    /// A struct by its name, with its members in order.
    Struct(&'static str, &'static [Member]),
    /// A name to which the source gives one of these scalars, or a vector of it. Sources that share a declaration may give it
    /// to different ones.
    Alias(&'static str, &'static [Scalar]),
}

/// A member of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub type_: Type,
}

impl Scalar {
    /// The name in WGSL.
    pub fn text(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U32 => "u32",
        }
    }
}

impl Type {
    /// The type as WGSL writes it.
    pub fn text(&self) -> String {
        match *self {
            Self::Scalar(scalar) => scalar.text().to_owned(),
            Self::Vector(scalar, lanes) => format!("vec{lanes}<{}>", scalar.text()),
            Self::Atomic(scalar) => format!("atomic<{}>", scalar.text()),
            Self::Array(of, count) => format!("array<{}, {count}>", of.text()),
            Self::Struct(name, _) | Self::Alias(name, _) => name.to_owned(),
        }
    }

    /// The members of a struct; empty for anything else.
    pub const fn members(&self) -> &'static [Member] {
        match *self {
            Self::Struct(_, members) => members,
            _ => &[],
        }
    }

    /// The number that the type's address is a multiple of, in bytes.
    pub const fn alignment(&self) -> u32 {
        match *self {
            Self::Scalar(_) | Self::Atomic(_) | Self::Alias(..) => 4,
            Self::Vector(_, lanes) => 4 * lanes,
            Self::Array(of, _) => of.alignment(),
            Self::Struct(_, members) => {
                let (mut most, mut next) = (4, 0);
                while next < members.len() {
                    let own = members[next].type_.alignment();
                    most = if own > most { own } else { most };
                    next += 1;
                }
                most
            }
        }
    }

    /// How many bytes a value takes.
    pub(crate) const fn size(&self) -> u32 {
        match *self {
            Self::Scalar(_) | Self::Atomic(_) | Self::Alias(..) => 4,
            Self::Vector(_, lanes) => 4 * lanes,
            Self::Array(of, count) => count * of.stride(),
            Self::Struct(_, members) => {
                let (mut end, mut next) = (0u32, 0);
                while next < members.len() {
                    let own = members[next].type_;
                    end = end.next_multiple_of(own.alignment()) + own.size();
                    next += 1;
                }
                end.next_multiple_of(self.alignment())
            }
        }
    }

    /// How many bytes lie between an element and the next.
    pub(crate) const fn stride(&self) -> u32 {
        self.size().next_multiple_of(self.alignment())
    }

    /// Writes the text of the structs that this type is made of, each before those that hold it.
    pub(crate) fn write_structs(&self, text: &mut String) {
        match *self {
            Self::Array(of, _) => of.write_structs(text),
            Self::Struct(name, members) => {
                members.iter().for_each(|member| member.type_.write_structs(text));
                let _ = writeln!(text, "struct {name} {{");
                for Member { name, type_ } in members {
                    let _ = writeln!(text, "    {name}: {},", type_.text());
                }
                text.push_str("}\n");
            }
            _ => {}
        }
    }
}

/// A type of WGSL, by its name there, and what Rust gives for it.
pub trait Value {
    /// The type.
    const TYPE: Type;
    /// The type that Rust gives: numbers for `u32`, where a number above its range becomes `u32::MAX`.
    type Given;
    /// Appends a value in WGSL's layout.
    fn write(given: &Self::Given, block: &mut Block);
}

/// The bytes of a uniform block, to which members are appended in order.
#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
}

impl Block {
    /// The bytes of one value, alone in its block, up to a multiple of 16.
    pub fn bytes_of<T: Value>(given: &T::Given) -> Vec<u8> {
        let bytes = const { T::TYPE.size().next_multiple_of(16) };
        let mut block = Self { bytes: Vec::with_capacity(bytes as usize) };
        T::write(given, &mut block);
        block.align(16);
        debug_assert_eq!(block.bytes.len(), bytes as usize, "values should be laid out as their types are");
        block.bytes
    }
    /// Fills up to a multiple of so many bytes.
    pub fn align(&mut self, alignment: u32) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment as usize), 0);
    }
    fn word(&mut self, bytes: [u8; 4]) {
        self.bytes.extend_from_slice(&bytes);
    }
}

/// A scalar that vectors consist of.
pub trait Component: Copy {
    /// Its type.
    const SCALAR: Scalar;
    /// What Rust gives for it.
    type Given: Copy;
    /// The scalar that is given.
    fn of(given: Self::Given) -> Self;
    /// The scalar's bytes.
    fn bytes(self) -> [u8; 4];
}

impl Component for u32 {
    const SCALAR: Scalar = Scalar::U32;
    type Given = usize;
    fn of(given: usize) -> Self {
        Self::try_from(given).unwrap_or(Self::MAX)
    }
    fn bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

impl Component for f32 {
    const SCALAR: Scalar = Scalar::F32;
    type Given = Self;
    fn of(given: Self) -> Self {
        given
    }
    fn bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

impl<T: Component> Value for T {
    const TYPE: Type = Type::Scalar(T::SCALAR);
    type Given = <T as Component>::Given;
    fn write(given: &Self::Given, block: &mut Block) {
        block.word(T::of(*given).bytes());
    }
}

macro_rules! vectors {
    ($($(#[$meta:meta])* $name:ident $lanes:literal)*) => {$(
        $(#[$meta])*
        #[allow(non_camel_case_types, reason = "as WGSL spells it")]
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct $name<T>([T; $lanes]);

        impl<T: Component> Value for $name<T> {
            const TYPE: Type = Type::Vector(T::SCALAR, $lanes);
            type Given = Self;
            fn write(given: &Self, block: &mut Block) {
                block.align(4 * $lanes);
                given.0.into_iter().for_each(|component| block.word(component.bytes()));
            }
        }

        impl<T: Component + Default, const N: usize> From<[T::Given; N]> for $name<T> {
            fn from(given: [T::Given; N]) -> Self {
                const { assert!(N <= $lanes, "a vector should not be given more components than it has") };
                let mut components = [T::default(); $lanes];
                components.iter_mut().zip(given).for_each(|(component, given)| *component = T::of(given));
                Self(components)
            }
        }
    )*};
}

vectors! {
    /// Two components, of which those not given are 0.
    vec2 2
    /// Four components, of which those not given are 0.
    vec4 4
}

impl<T: Value, const N: usize> Value for [T; N] {
    const TYPE: Type = Type::Array(&T::TYPE, N as u32);
    type Given = [T::Given; N];
    fn write(given: &Self::Given, block: &mut Block) {
        for element in given {
            block.align(const { T::TYPE.alignment() });
            T::write(element, block);
        }
        block.align(const { T::TYPE.alignment() });
    }
}

/// A number that threads change in one piece, in a buffer.
#[allow(non_camel_case_types, reason = "as WGSL spells it")]
#[derive(Debug)]
pub struct atomic<T>(PhantomData<T>);

/// A type of WGSL that buffers are arrays of, by its name there.
pub trait Stored {
    /// The type.
    const TYPE: Type;
    /// The samples of Rust's buffer, of which it takes one or more.
    type Sample: Element;
}

impl<T: Component + Element> Stored for T {
    const TYPE: Type = Type::Scalar(T::SCALAR);
    type Sample = T;
}

impl<T: Component + Element> Stored for vec2<T> {
    const TYPE: Type = Type::Vector(T::SCALAR, 2);
    type Sample = T;
}

impl<T: Component + Element> Stored for vec4<T> {
    const TYPE: Type = Type::Vector(T::SCALAR, 4);
    type Sample = T;
}

impl<T: Component + Element> Stored for atomic<T> {
    const TYPE: Type = Type::Atomic(T::SCALAR);
    type Sample = T;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_where_wgsl_looks_for_them() {
        let mut block = Block::default();
        f32::write(&1.0, &mut block);
        vec4::<u32>::write(&[1, 2].into(), &mut block);
        u32::write(&(1 << 40), &mut block);
        <[vec2<f32>; 2]>::write(&[[1.0].into(), [2.0].into()], &mut block);
        let bytes = &block.bytes;
        assert_eq!((bytes.len(), bytes[16], bytes[20], bytes[24]), (56, 1, 2, 0));
        assert_eq!(bytes[32..36], [255; 4]);
        assert_eq!((&bytes[40..44], &bytes[48..52]), (&1f32.to_le_bytes()[..], &2f32.to_le_bytes()[..]));
        assert_eq!(Block::bytes_of::<f32>(&1.0).len(), 16);
    }
}
