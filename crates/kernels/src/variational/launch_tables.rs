//! Texts and launches of shaders, said in tables.

use crate::kernel::{Constant, Launcher, PreparedLaunch};
use veloxel_core::Axes;
use veloxel_gpu::{Bind, Buffer, ComputeError, Element, ShaderSource, cover};

/// A text by its name: parts of other files, then its own file.
macro_rules! wgsl {
    ($name:literal, [$($part:expr),*], $text:literal) => {
        ShaderSource::wgsl($name, &[$($part,)* include_str!($text)])
    };
}
pub(crate) use wgsl;

impl<'a> Launcher<'a> {
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

impl<'a> PreparedLaunch<'a> {
    /// Values of the shader's `override` constants, each after its name.
    pub(crate) fn constants<C: Constant, const N: usize>(self, values: [(&'static str, C); N]) -> Self {
        values.into_iter().fold(self, |launch, (name, value)| launch.constant(name, value))
    }
    /// The next bindings: buffers that are read.
    pub(crate) fn reads<T: Element, const N: usize>(self, buffers: [&'a Buffer<T>; N]) -> Self {
        self.bind(buffers.map(Bind::input))
    }
    /// The next bindings: buffers that are written; none may be any other binding.
    pub(crate) fn writes<T: Element, const N: usize>(self, buffers: [&'a Buffer<T>; N]) -> Self {
        self.bind(buffers.map(Bind::output))
    }
    /// Launches workgroups of so many items along x and y, one along z, that cover a grid.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub(crate) fn run_over(self, size: Axes<usize>, [width, height]: [usize; 2]) -> Result<(), ComputeError> {
        let [nx, ny, nz] = size;
        self.run([cover(nx, width), cover(ny, height), nz as u32])
    }
}
