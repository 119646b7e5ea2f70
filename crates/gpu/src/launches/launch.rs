//! One launch of a kernel: its shader, entry point, pipeline constants, uniform block (binding 0), buffers (binding 1
//! and on) and number of workgroups.

use crate::{AnyBuffer, Buffer, Element, Uniform};

/// The source of a shader: WGSL in parts that are joined in order and, where WGSL cannot express the kernel, CUDA C++
/// in addition.
#[derive(Debug)]
pub struct ShaderSource {
    /// The kernel's name, the same as its folder's.
    pub name: &'static str,
    wgsl: &'static [&'static str],
    cuda: Option<&'static str>,
}

impl ShaderSource {
    /// A shader in WGSL only.
    pub const fn wgsl(name: &'static str, parts: &'static [&'static str]) -> Self {
        Self { name, wgsl: parts, cuda: None }
    }
    /// A shader with a hand-written CUDA C++ text for devices that take it
    /// ([`Gpu::takes_cuda`](crate::Gpu::takes_cuda)). The compiler reads first WGSL's types, operators and functions in
    /// CUDA C++ ([`PRELUDE`](https://docs.rs/wgsl-to-cuda)), then the functions of these WGSL `parts`, translated, then
    /// `text`.
    ///
    /// The launch's constants are defined before the text as `constexpr uint`; among them are `WIDTH` and `HEIGHT` of a
    /// workgroup. The parameters of the entry point are the uniform block and then all buffers of the launch, in order.
    pub const fn cuda(name: &'static str, parts: &'static [&'static str], text: &'static str) -> Self {
        Self { name, wgsl: parts, cuda: Some(text) }
    }
    /// The parts of WGSL, joined.
    pub fn whole_wgsl(&self) -> String {
        self.wgsl.join("\n")
    }
    /// The hand-written CUDA C++; `None` if there is only WGSL.
    pub fn cuda_text(&self) -> Option<&'static str> {
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
    /// The uniform block, at binding 0.
    pub uniform: Uniform,
    /// The buffers, at bindings 1 and on.
    pub buffers: &'a [Bind<'a>],
    /// Number of workgroups along x, y and z.
    pub groups: [u32; 3],
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

/// How one buffer of a launch is bound.
#[derive(Debug, Clone, Copy)]
pub enum Bind<'a> {
    /// `var<storage, read>`.
    In(&'a dyn AnyBuffer),
    /// `var<storage, read_write>`; the same buffer may not have another binding in the launch.
    Out(&'a dyn AnyBuffer),
    /// No buffer: an input that the shader does not read with this launch's constants.
    Absent,
    /// No buffer: an output that the shader does not write with this launch's constants.
    Spare,
}

impl<'a> Bind<'a> {
    /// An input.
    pub fn input<T: Element>(buffer: &'a Buffer<T>) -> Self {
        Self::In(buffer)
    }
    /// An output.
    pub fn output<T: Element>(buffer: &'a Buffer<T>) -> Self {
        Self::Out(buffer)
    }
    /// An input, or [`Self::Absent`] for `None`.
    pub fn optional<T: Element>(input: Option<&'a Buffer<T>>) -> Self {
        input.map_or(Self::Absent, Self::input)
    }
}

/// Binds the components of a field as inputs; those missing up to `count` are [`Bind::Absent`].
pub fn inputs<'a>(field: &'a [Buffer], count: usize) -> impl Iterator<Item = Bind<'a>> {
    field.iter().map(Bind::input).chain(std::iter::repeat(Bind::Absent)).take(count)
}

/// Binds the components of a field as outputs; those missing up to `count` are [`Bind::Spare`].
pub fn outputs(field: &[Buffer], count: usize) -> impl Iterator<Item = Bind<'_>> {
    field.iter().map(Bind::output).chain(std::iter::repeat(Bind::Spare)).take(count)
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
