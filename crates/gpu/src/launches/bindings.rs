//! What launches of a shader bind. It is declared once; the WGSL text that binds it, the binding numbers, and the order in
//! which a launch gives uniform block and buffers come from that declaration.

use super::wgsl::{Block, Member, Stored, Type, Value};
use crate::memory::buffer::{AnyBuffer, Buffer};
use crate::memory::element::Element;
use std::fmt::Write;

/// What launches of a shader bind: the uniform block at binding 0, then the buffers in order.
#[derive(Debug)]
pub struct BindingDeclaration {
    /// The members of the uniform block.
    pub block: &'static [Member],
    /// The buffers.
    pub slots: &'static [BindingSlot],
    /// The last buffer, if launches leave sums of their workgroups: its name, and its elements.
    pub sums: Option<BindingSlot>,
}

/// Buffers that follow each other.
#[derive(Debug, Clone, Copy)]
pub enum BindingSlot {
    /// Buffers of the same kind by their names, such as the components of a field.
    Buffers {
        /// Their names in WGSL.
        names: &'static [&'static str],
        /// What the shader may do with them.
        access: BufferAccess,
        /// The type of the buffers' elements.
        element: Type,
    },
    /// Buffers that several declarations have.
    Group(&'static [Self]),
}

/// What a shader may do with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferAccess {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
}

/// One buffer of a declaration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared {
    pub name: &'static str,
    pub access: BufferAccess,
    pub element: Type,
}

impl BindingDeclaration {
    /// All buffers in order, from binding 1 on.
    pub(crate) fn buffers(&self) -> Vec<Declared> {
        let mut buffers = Vec::new();
        self.slots.iter().chain(&self.sums).for_each(|slot| slot.collect(&mut buffers));
        buffers
    }

    /// The block's struct, and those that it is made of, in WGSL.
    pub(crate) fn block_text(&self) -> String {
        let mut text = String::new();
        Type::Struct("Block", self.block).write_structs(&mut text);
        text
    }

    /// The WGSL text that binds everything declared.
    pub(crate) fn text(&self) -> String {
        let mut text = self.block_text() + "@group(0) @binding(0) var<uniform> block: Block;\n";
        for (Declared { name, access, element }, binding) in self.buffers().into_iter().zip(1..) {
            let access = access.text();
            let element = element.text();
            let _ = writeln!(
                text,
                "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{element}>;"
            );
        }
        text
    }
}

impl BufferAccess {
    fn text(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "read_write",
        }
    }
}

impl BindingSlot {
    /// Buffers of these names that hold elements `T`.
    pub const fn of<T: Stored>(names: &'static [&'static str], access: BufferAccess) -> Self {
        Self::Buffers { names, access, element: T::TYPE }
    }
    fn collect(&self, buffers: &mut Vec<Declared>) {
        match *self {
            Self::Buffers { names, access, element } => {
                buffers.extend(names.iter().map(|&name| Declared { name, access, element }));
            }
            Self::Group(slots) => slots.iter().for_each(|slot| slot.collect(buffers)),
        }
    }
}

/// How one buffer of a launch is bound.
#[derive(Debug, Clone, Copy)]
pub enum BoundBuffer<'a> {
    /// `var<storage, read>`.
    In(&'a dyn AnyBuffer),
    /// `var<storage, read_write>`; the same buffer may not have another binding in the launch.
    Out(&'a dyn AnyBuffer),
    /// No buffer: an input that the shader does not read with this launch's constants.
    Absent,
    /// No buffer: an output that the shader does not write with this launch's constants.
    Spare,
}

impl<'a> BoundBuffer<'a> {
    /// The binding of a buffer that a shader accesses like this.
    fn buffer(access: BufferAccess, buffer: &'a dyn AnyBuffer) -> Self {
        match access {
            BufferAccess::Read => Self::In(buffer),
            BufferAccess::Write => Self::Out(buffer),
        }
    }
    /// The binding in place of a buffer that a shader would access like this.
    fn none(access: BufferAccess) -> Self {
        match access {
            BufferAccess::Read => Self::Absent,
            BufferAccess::Write => Self::Spare,
        }
    }
    /// The bindings of the first `count` components of a field that a shader accesses like this; a component that is missing is
    /// bound to no buffer.
    pub fn components<T: Element>(
        access: BufferAccess,
        field: &'a [Buffer<T>],
        count: usize,
    ) -> impl Iterator<Item = Self> {
        let present = field.iter().map(move |buffer| Self::buffer(access, buffer));
        present.chain(std::iter::repeat(Self::none(access))).take(count)
    }
}

/// Buffers by name that a launch binds, in the order of their slots.
pub trait BindingSlots<'a> {
    /// The slots.
    const SLOTS: &'static [BindingSlot];
    /// Appends every buffer.
    fn bind(&self, buffers: &mut Vec<BoundBuffer<'a>>);
}

/// All that a launch binds: a uniform block, and buffers by name.
pub trait Bindings<'a>: BindingSlots<'a> {
    /// What the shader binds; every value of a type is bound by the same declaration.
    const DECLARATION: &'static BindingDeclaration;
    /// The uniform block.
    type Block: Value;
    /// The uniform block's values.
    fn block(&self) -> &<Self::Block as Value>::Given;
    /// The uniform block's bytes.
    fn block_bytes(&self) -> Vec<u8> {
        Block::bytes_of::<Self::Block>(self.block())
    }
}
