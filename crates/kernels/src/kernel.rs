//! The trait of all kernels: the arguments are one struct, which checks itself and then runs on the processor or on a GPU.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use veloxel_core::Axes;
use veloxel_gpu::{
    BindingDeclaration, Bindings, BoundBuffer, Buffer, ComputeError, Cpu, Device, DeviceKind, Element, Gpu,
    Later, Launch, ShaderSource, cover, reduction_groups, require_field, sum_rows,
};

/// A kernel with its arguments, including the buffers for its outputs: it is made, then [run](Self::run) on a device.
///
/// ```
/// use veloxel_gpu::Device;
/// use veloxel_kernels::{Kernel, image::pointwise::CopyBuffer};
///
/// let device = Device::cpu(1)?;
/// let from = device.upload(vec![1.0, 2.0])?;
/// let mut to = device.scratch(2)?;
/// CopyBuffer { from: &from, to: &mut to }.run(&device)?;
/// assert_eq!(device.download(to)?, [1.0, 2.0]);
/// # Ok::<(), veloxel_gpu::ComputeError>(())
/// ```
pub trait Kernel: Sized {
    /// The kernel's name in messages.
    const NAME: &'static str;
    /// The result that is returned besides the buffers.
    type Output;

    /// Names every buffer and the samples that it must hold.
    fn check(&self, lengths: &mut Lengths);

    /// The specification: runs on the processor, with buffers that [`Self::check`] has seen.
    fn on_cpu(self, cpu: &Cpu) -> Self::Output;

    /// Launches the kernel's shaders, with buffers that [`Self::check`] has seen.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError>;

    /// Checks the arguments and runs on the device.
    ///
    /// # Errors
    /// [`ComputeError::Length`] if a buffer has another length than the kernel needs; [`ComputeError::Stopped`] if the run is to
    /// stop, in which case nothing that the kernel writes counts; [`ComputeError`] of the device.
    fn run(self, device: &Device) -> Result<Self::Output, ComputeError> {
        let mut lengths = Lengths { kernel: Self::NAME, found: Ok(()) };
        self.check(&mut lengths);
        lengths.found?;
        match device.kind() {
            DeviceKind::Cpu(cpu) => {
                let output = self.on_cpu(cpu);
                // Threads that saw the stop left their ranges out.
                device.check()?;
                Ok(output)
            }
            DeviceKind::Gpu(gpu) => {
                device.check()?;
                self.on_gpu(&Launcher::new(device, &**gpu))
            }
        }
    }
}

/// A buffer's name in messages.
type Name = &'static str;

/// Compares the lengths of a kernel's buffers with what it needs; the first that differs is the error.
#[derive(Debug)]
pub struct Lengths {
    kernel: &'static str,
    found: Result<(), ComputeError>,
}

impl Lengths {
    /// Requires that `buffer` holds `expected` samples.
    pub fn of<T: Element>(&mut self, name: Name, buffer: &Buffer<T>, expected: usize) -> &mut Self {
        self.and(|kernel| buffer.require(expected, kernel, name))
    }
    /// Requires that a buffer, unless it is absent, holds `expected` samples.
    pub fn optional(
        &mut self,
        name: Name,
        buffer: Option<&Buffer<impl Element>>,
        expected: usize,
    ) -> &mut Self {
        self.and(|kernel| buffer.map_or(Ok(()), |buffer| buffer.require(expected, kernel, name)))
    }
    /// Requires that `field` has `count` components of `expected` samples each.
    pub fn field(&mut self, name: Name, field: &[Buffer], count: usize, expected: usize) -> &mut Self {
        self.and(|kernel| require_field(field, count, expected, kernel, name))
    }
    /// Requires that `buffer` holds `least` samples or more.
    pub fn at_least<T: Element>(&mut self, name: Name, buffer: &Buffer<T>, least: usize) -> &mut Self {
        self.and(|kernel| buffer.require(buffer.len().max(least), kernel, name))
    }
    /// Requires that the number of buffers lies in `range`.
    pub fn count(&mut self, name: Name, got: usize, range: RangeInclusive<usize>) -> &mut Self {
        let expected = got.clamp(*range.start(), *range.end());
        let wrong = move |kernel| ComputeError::Length { kernel, buffer: name, expected, got };
        self.and(|kernel| if got == expected { Ok(()) } else { Err(wrong(kernel)) })
    }
    fn and(&mut self, check: impl FnOnce(&'static str) -> Result<(), ComputeError>) -> &mut Self {
        if self.found.is_ok() {
            self.found = check(self.kernel);
        }
        self
    }
}

/// A GPU on which a kernel launches shaders.
#[derive(Debug, Clone, Copy)]
pub struct Launcher<'a> {
    device: &'a Device,
    gpu: &'a dyn Gpu,
}

impl<'a> Launcher<'a> {
    /// The launcher of a device that is a GPU.
    pub(crate) fn new(device: &'a Device, gpu: &'a dyn Gpu) -> Self {
        Self { device, gpu }
    }
    /// The device, for memory and for other kernels.
    pub fn device(&self) -> &'a Device {
        self.device
    }
    /// The GPU itself.
    pub fn gpu(&self) -> &'a dyn Gpu {
        self.gpu
    }
    /// Begins a launch of a shader's entry point.
    pub fn launch(&self, source: &'static ShaderSource, entry: &'static str) -> PreparedLaunch<'a> {
        let (constants, buffers) = (Vec::new(), Vec::with_capacity(16));
        let (uniform, nearby_bytes) = (Vec::new(), None);
        PreparedLaunch { gpu: *self, source, entry, constants, uniform, buffers, nearby_bytes }
    }
    /// Begins a launch of a text that takes its number of dimensions as the constant `COMPONENTS`.
    pub(crate) fn launch_in(
        &self,
        components: usize,
        source: &'static ShaderSource,
        entry: &'static str,
    ) -> PreparedLaunch<'a> {
        self.launch(source, entry).constant("COMPONENTS", components)
    }
}

fn declaration_of<'a, B: Bindings<'a>>(_: &B) -> &'static BindingDeclaration {
    B::DECLARATION
}

/// A launch whose arguments are being named; [`Self::run`] makes it.
#[must_use = "a launch happens when it is run"]
#[derive(Debug)]
pub struct PreparedLaunch<'a> {
    gpu: Launcher<'a>,
    source: &'static ShaderSource,
    entry: &'static str,
    constants: Vec<(&'static str, f64)>,
    uniform: Vec<u8>,
    buffers: Vec<BoundBuffer<'a>>,
    nearby_bytes: Option<usize>,
}

impl<'a> PreparedLaunch<'a> {
    /// Sets one of the shader's `override` constants; every launch must set the same ones in the same order.
    pub fn constant(mut self, name: &'static str, value: impl Constant) -> Self {
        self.constants.push((name, value.value()));
        self
    }
    /// Sets several of the shader's `override` constants, each after its name.
    pub(crate) fn constants<C: Constant, const N: usize>(self, values: [(&'static str, C); N]) -> Self {
        values.into_iter().fold(self, |launch, (name, value)| launch.constant(name, value))
    }
    /// Binds everything that the launch needs, once, except the memory of [`Self::sums`].
    ///
    /// # Panics
    /// If the source is declared with other bindings.
    pub fn bind(mut self, bindings: &impl Bindings<'a>) -> Self {
        let declaration = declaration_of(bindings);
        assert!(
            std::ptr::eq(self.source.declaration, declaration),
            "kernel `{}` should be bound as it is declared",
            self.source.name
        );
        self.uniform = bindings.block_bytes();
        bindings.bind(&mut self.buffers);
        self
    }
    /// Promises that workgroups read buffers only near their own share of them ([`Launch::nearby_bytes`]).
    pub(crate) fn reads_nearby(mut self, bytes: usize) -> Self {
        self.nearby_bytes = Some(bytes);
        self
    }
    /// Launches this many workgroups along x, y and z.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub fn run(self, groups: [u32; 3]) -> Result<(), ComputeError> {
        let has_sums = self.source.declaration.sums.is_some();
        self.launch(has_sums.then_some(BoundBuffer::Spare), groups)
    }
    fn launch(self, sums: Option<BoundBuffer<'a>>, groups: [u32; 3]) -> Result<(), ComputeError> {
        let Self { gpu, source, entry, constants, uniform, mut buffers, nearby_bytes } = self;
        buffers.extend(sums);
        let (constants, uniform, buffers) = (&constants, &uniform, &buffers);
        let launch = Launch { source, entry, constants, uniform, buffers, groups, nearby_bytes };
        gpu.device.count(&launch);
        gpu.gpu.launch(&launch)
    }
    /// Launches workgroups that cover a grid: each has this many items along x and y, and one along z.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub(crate) fn run_over(self, size: Axes<usize>, [width, height]: [usize; 2]) -> Result<(), ComputeError> {
        let [nx, ny, nz] = size;
        self.run([cover(nx, width), cover(ny, height), nz as u32])
    }
    /// Launches a reduction over `count` items whose declaration ends with memory for `N` sums of each workgroup; `finish`
    /// makes the result of the totals.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub fn sums<const N: usize, T>(
        self,
        count: usize,
        finish: impl FnOnce([f64; N]) -> T + Send + 'static,
    ) -> Result<Later<T>, ComputeError> {
        self.sums_of_groups([reduction_groups(count) as u32, 1, 1], finish)
    }
    /// Launches this many workgroups along x, y and z, whose declaration ends with memory for `N` sums of each; `finish` makes
    /// the result of the totals.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub(crate) fn sums_of_groups<const N: usize, T>(
        self,
        groups: [u32; 3],
        finish: impl FnOnce([f64; N]) -> T + Send + 'static,
    ) -> Result<Later<T>, ComputeError> {
        self.partials(groups, N, |sums| finish(sum_rows(sums)))
    }
    /// Launches this many workgroups along x, y and z, whose declaration ends with memory for `each` numbers of each; `finish` makes
    /// the result of all of them, one workgroup after the other.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub(crate) fn partials<T>(
        self,
        groups: [u32; 3],
        each: usize,
        finish: impl FnOnce(&[f32]) -> T + Send + 'static,
    ) -> Result<Later<T>, ComputeError> {
        let count: usize = groups.iter().map(|&along| along as usize).product();
        let partials = self.gpu.device.scratch(each * count)?;
        PreparedLaunch::launch(self, Some(BoundBuffer::Out(&partials)), groups)?;
        Ok(Later::on_device(partials, |partials| finish(partials)))
    }
}

/// A value of an `override` constant: a number, or a `bool` as 0 or 1.
pub trait Constant {
    /// The value as pipelines take it.
    fn value(self) -> f64;
}

macro_rules! constants {
    ($($type:ty)*) => {$(
        impl Constant for $type {
            fn value(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

constants! { bool u32 f32 f64 }

impl Constant for usize {
    fn value(self) -> f64 {
        self as f64
    }
}

/// Declares a source by its name: its bindings, then parts of other files, then its own file.
macro_rules! wgsl {
    ($name:literal, $bindings:ident, [$($part:expr),*], $text:literal $(,)?) => {
        $crate::kernel::wgsl!($name, $bindings, [$($part,)* include_str!($text)])
    };
    ($name:literal, $bindings:ident, [$($part:expr),*] $(,)?) => {
        veloxel_gpu::ShaderSource::wgsl(
            $name,
            <$bindings<'static> as veloxel_gpu::Bindings<'static>>::DECLARATION,
            &[$($part),*],
        )
    };
}
pub(crate) use wgsl;

/// Calls a function that is generic over the number of dimensions.
macro_rules! by_dimension {
    ($shape:expr, $($function:ident)::+ ($($argument:expr),*)) => {
        match $shape.components() {
            2 => $($function)::+::<2>($($argument),*),
            _ => $($function)::+::<3>($($argument),*),
        }
    };
}
pub(crate) use by_dimension;

/// The shader for single samples or, where a row of `count` is a multiple of four, for four at a time; and the number of
/// samples that it takes at a time.
pub(crate) fn packed(sources: &'static [ShaderSource; 2], count: usize) -> (&'static ShaderSource, usize) {
    let [single, four] = sources;
    if count.is_multiple_of(4) { (four, 4) } else { (single, 1) }
}
