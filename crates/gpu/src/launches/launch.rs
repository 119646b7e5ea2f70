//! One launch of a kernel: its shader, entry point, pipeline constants, uniform block (binding 0), buffers (binding 1
//! and on) and number of workgroups.

use super::bindings::{BindingDeclaration, BoundBuffer};
use std::sync::{Once, OnceLock};

/// The source of a shader: what it binds, WGSL in parts that are joined in order and, where WGSL cannot express the kernel, CUDA
/// C++ in addition.
#[derive(Debug)]
pub struct ShaderSource {
    /// The kernel's name, the same as its folder's.
    pub name: &'static str,
    /// What its launches bind.
    pub declaration: &'static BindingDeclaration,
    wgsl: &'static [&'static str],
    cuda: Option<&'static str>,
    /// Whether the text was compared with the declaration.
    pub(crate) checked: Once,
    /// Whether launches divide, once that was asked.
    divides: OnceLock<bool>,
}

impl ShaderSource {
    /// A shader in WGSL only. The text of the declaration stands before its parts, which bind nothing.
    pub const fn wgsl(
        name: &'static str,
        declaration: &'static BindingDeclaration,
        parts: &'static [&'static str],
    ) -> Self {
        Self { name, declaration, wgsl: parts, cuda: None, checked: Once::new(), divides: OnceLock::new() }
    }
    /// A shader with a hand-written CUDA C++ text for devices that take it
    /// ([`Gpu::takes_cuda`](crate::Gpu::takes_cuda)). The compiler reads first WGSL's types, operators and functions in
    /// CUDA C++ ([`PRELUDE`](https://docs.rs/wgsl-to-cuda)), then the uniform block's struct and the functions of these WGSL
    /// `parts`, translated, then `text`.
    ///
    /// The launch's constants are defined before the text as `constexpr uint`; among them are `WIDTH` and `HEIGHT` of a
    /// workgroup. The parameters of the entry point are the uniform block and then all buffers of the declaration, in order.
    pub const fn cuda(
        name: &'static str,
        declaration: &'static BindingDeclaration,
        parts: &'static [&'static str],
        text: &'static str,
    ) -> Self {
        Self {
            name,
            declaration,
            wgsl: parts,
            cuda: Some(text),
            checked: Once::new(),
            divides: OnceLock::new(),
        }
    }
    /// The WGSL that the declaration gives, and the parts, joined. For a source with CUDA C++ it holds the declaration's
    /// structs and no bindings.
    pub(crate) fn whole_wgsl(&self) -> String {
        let bound = if self.cuda.is_some() { self.declaration.block_text() } else { self.declaration.text() };
        bound + &self.wgsl.join("\n")
    }
    /// Whether the workgroups of a launch may run in several launches, in any order, on several GPUs: none of them sees what
    /// another one does. A hand-written text may share anything, and atomic numbers are shared.
    pub(crate) fn divides(&self) -> bool {
        *self.divides.get_or_init(|| self.cuda.is_none() && !self.whole_wgsl().contains("atomic"))
    }
    /// The hand-written CUDA C++; `None` if there is only WGSL.
    pub(crate) fn cuda_text(&self) -> Option<&'static str> {
        self.cuda
    }
}

/// One launch of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The shader's source.
    pub source: &'static ShaderSource,
    /// The entry point's name.
    pub entry: &'static str,
    /// Values of the source's `override` constants; each set of values is compiled once.
    pub constants: &'a [(&'static str, f64)],
    /// The bytes of the uniform block, at binding 0.
    pub uniform: &'a [u8],
    /// The buffers, at bindings 1 and on.
    pub buffers: &'a [BoundBuffer<'a>],
    /// Number of workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Number of bytes, if workgroups read buffers only near their own share of them: what the nth of N workgroups, in the order of
    /// memory, reads of a buffer lies no farther than this from n/N of its length. Several GPUs then copy a part of small
    /// memory in place of all.
    pub nearby_bytes: Option<usize>,
}

/// The key of a compiled kernel.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// The address of the source, which is always a `static`.
    text: usize,
    entry: &'static str,
    /// The bits of the constants' values; the constants of a source come in a fixed order.
    constants: Vec<u64>,
}

impl Launch<'_> {
    pub(crate) fn variant(&self) -> Variant {
        Variant {
            text: std::ptr::from_ref(self.source).addr(),
            entry: self.entry,
            constants: self.constants.iter().map(|constant| constant.1.to_bits()).collect(),
        }
    }
}

/// Number of workgroups that cover `count` items along one axis, with `per_group` items each.
pub fn cover(count: usize, per_group: usize) -> u32 {
    count.div_ceil(per_group) as u32
}

/// Width and height of a workgroup for rows of `width` items: about 256 threads. The width divides the row where a
/// value from 16 to 64 does, so that few threads are idle.
pub fn tile(width: usize) -> [usize; 2] {
    let whole = (16..=64).rev().find(|&w| width.is_multiple_of(w));
    let w = whole.unwrap_or_else(|| width.clamp(1, 32));
    [w, (256 / w).max(1)]
}

/// Maximal number of workgroups along one axis that every device supports.
const MOST_GROUPS: usize = 65_535;

/// Number of workgroups along x, y and z for `count` items in a line. One row of workgroups may be too long; the line
/// is then folded into several rows along y; see `line.wgsl`.
pub fn line(count: usize, per_group: usize) -> [u32; 3] {
    let groups = count.div_ceil(per_group).max(1);
    let rows = groups.div_ceil(MOST_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}
