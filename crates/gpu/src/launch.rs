//! One run of a kernel: its shader, entry point, pipeline constants, uniform block (binding 0), buffers (binding 1 on) and
//! numbers of workgroups.

use crate::{AnyBuffer, Buffer, Element, Uniform};

/// The text of a shader: WGSL in parts that follow each other and, where WGSL cannot say it, CUDA C++ after them.
#[derive(Debug)]
pub struct ShaderSource {
    /// The kernel's name, as its folder's.
    pub name: &'static str,
    wgsl: &'static [&'static str],
    cuda: Option<&'static str>,
}

impl ShaderSource {
    /// WGSL.
    pub const fn wgsl(name: &'static str, parts: &'static [&'static str]) -> Self {
        Self { name, wgsl: parts, cuda: None }
    }
    /// CUDA C++ for devices that take it ([`Gpu::takes_cuda`](crate::Gpu::takes_cuda)), to be read after WGSL's types,
    /// operators and functions in CUDA C++ ([`PRELUDE`](https://docs.rs/wgsl-to-cuda)) and the functions of these parts of
    /// WGSL, translated.
    ///
    /// A launch's constants, `WIDTH` and `HEIGHT` of a workgroup among them, stand as `constexpr uint` before the text; the
    /// entry point's parameters are the uniform block and the launch's buffers, each of them, in their order.
    pub const fn cuda(name: &'static str, parts: &'static [&'static str], text: &'static str) -> Self {
        Self { name, wgsl: parts, cuda: Some(text) }
    }
    /// The parts of WGSL, joined.
    pub fn whole_wgsl(&self) -> String {
        self.wgsl.join("\n")
    }
    /// What is written in CUDA C++.
    pub fn cuda_text(&self) -> Option<&'static str> {
        self.cuda
    }
}

/// One run of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The shader's text.
    pub source: &'static ShaderSource,
    /// The entry point's name.
    pub entry: &'static str,
    /// Values of the text's `override` constants: one compilation for each set of them.
    pub constants: &'a [(&'static str, f64)],
    /// The uniform block, binding 0.
    pub uniform: Uniform,
    /// Bindings 1 and on.
    pub buffers: &'a [Bind<'a>],
    /// Workgroups along each axis.
    pub groups: [u32; 3],
}

/// A buffer of a launch.
#[derive(Debug, Clone, Copy)]
pub enum Bind<'a> {
    /// `var<storage, read>`.
    In(&'a dyn AnyBuffer),
    /// `var<storage, read_write>`; may not be any other binding of the launch as well.
    Out(&'a dyn AnyBuffer),
    /// An input that this launch's constants leave unused.
    Absent,
    /// An output that this launch's constants leave unused.
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
    /// An input that may be absent.
    pub fn optional<T: Element>(input: Option<&'a Buffer<T>>) -> Self {
        input.map_or(Self::Absent, Self::input)
    }
}

/// Binds a field, component after component; missing ones up to `count` are absent.
pub fn inputs<'a>(field: &'a [Buffer], count: usize) -> impl Iterator<Item = Bind<'a>> {
    field.iter().map(Bind::input).chain(std::iter::repeat(Bind::Absent)).take(count)
}

/// Binds a field for writing; missing components up to `count` are spare.
pub fn outputs(field: &[Buffer], count: usize) -> impl Iterator<Item = Bind<'_>> {
    field.iter().map(Bind::output).chain(std::iter::repeat(Bind::Spare)).take(count)
}

/// Workgroups that cover `count` items in `per_group` steps along one axis.
pub fn cover(count: usize, per_group: usize) -> u32 {
    count.div_ceil(per_group) as u32
}

/// Width and height of a workgroup that covers rows of `width` items with little waste: about 256 threads.
pub fn tile(width: usize) -> [usize; 2] {
    let whole = (16..=64).rev().find(|&w| width.is_multiple_of(w));
    let w = whole.unwrap_or_else(|| width.clamp(1, 32));
    [w, (256 / w).max(1)]
}

/// Most workgroups along one axis on every device.
const MOST_GROUPS: usize = 65_535;

/// Workgroups for `count` items in a line, folded into rows where one row is not enough; see `line.wgsl`.
pub fn line(count: usize, per_group: usize) -> [u32; 3] {
    let groups = count.div_ceil(per_group).max(1);
    let rows = groups.div_ceil(MOST_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}
