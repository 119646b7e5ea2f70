//! Ways through a GPU's memory (Figures 7a, 8 and 9, section 4.4), and kernels side by side (section 6 ii): smoothing and the warp as
//! the product has them, and by texts that only this bench launches.

use super::components::{Component, launch_ms, touched};
use super::scene::{Scene, smooth_motion};
use super::settings::{TAPS, window};
use crate::BenchError;
use veloxel_gpu::{Buffer, ComputeError, Device, DeviceKind, Field, TextureLayout};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::convolve::by_memory::{ConvolveByMemory, MemoryPath};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::warp::by_memory::{SamplePath, WarpByMemory};

/// A way through memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The product's text, which holds what it shares in registers.
    Product,
    /// One output a thread, its samples read through the caches.
    Caches,
    /// One output a thread, its samples copied to workgroup memory first.
    Workgroup,
    /// One output a thread, its samples read past the first cache.
    PastFirstCache,
    /// Samples fetched from a texture that is the buffer itself.
    LineTexture,
    /// Samples fetched from a texture in the device's own order.
    VolumeTexture,
}

impl Way {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "the product's",
            Self::Caches => "through the caches",
            Self::Workgroup => "workgroup memory",
            Self::PastFirstCache => "past the first cache",
            Self::LineTexture => "texture, a line",
            Self::VolumeTexture => "texture, a volume",
        }
    }
}

/// The ways of smoothing and of the warp beside the product's own.
const SMOOTHING: [(Way, MemoryPath); 3] = [
    (Way::Caches, MemoryPath::Cached),
    (Way::Workgroup, MemoryPath::Workgroup),
    (Way::PastFirstCache, MemoryPath::PastFirstCache),
];
/// Every way of each part, the product's first.
pub(super) const ALL: [(Component, Way); 9] = [
    (Component::Smoothing, Way::Product),
    (Component::Smoothing, Way::Caches),
    (Component::Smoothing, Way::Workgroup),
    (Component::Smoothing, Way::PastFirstCache),
    (Component::Warp, Way::Product),
    (Component::Warp, Way::Caches),
    (Component::Warp, Way::PastFirstCache),
    (Component::Warp, Way::LineTexture),
    (Component::Warp, Way::VolumeTexture),
];
/// Most samples of a texture that is a line, which every GPU with CUDA takes.
const LONGEST_LINE: usize = 1 << 27;

/// Times of the ways on a GPU.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// Milliseconds of each way but the product's.
    ms: Vec<(Component, Way, f64)>,
    /// Milliseconds of copying a volume to a texture in the device's own order, and of preparing it.
    pub texture_ms: Option<f64>,
    /// Milliseconds of smoothing two volumes one after the other, and side by side.
    pub pair_ms: Option<[f64; 2]>,
    /// Ways that the driver refused, with its reason.
    pub refused: Vec<(Way, String)>,
}

impl Ways {
    /// The time of a way that was measured here.
    pub fn ms(&self, component: Component, way: Way) -> Option<f64> {
        self.ms.iter().find(|own| (own.0, own.1) == (component, way)).map(|own| own.2)
    }
}

/// Whether a device takes kernels in CUDA C++, which some of the ways need.
pub(super) fn takes_cuda(device: &Device) -> bool {
    matches!(device.kind(), DeviceKind::Gpu(gpu) if gpu.takes_cuda())
}

/// Measures the ways of a GPU.
pub(super) fn ways(device: &Device, scene: &Scene) -> Result<Ways, BenchError> {
    let (shape, taps) = (scene.shape(), isotropic(&window(TAPS)));
    let mut found = Ways::default();
    let input = device.upload_copy(scene.fixed.data())?;
    let mut output = touched(device, shape.len())?;
    for (way, path) in SMOOTHING {
        if path == MemoryPath::PastFirstCache && !takes_cuda(device) {
            continue;
        }
        let taps = &taps;
        let ms = launch_ms(device, || {
            ConvolveByMemory { shape, taps, path, input: &input, output: &mut output }.run(device)
        })?;
        found.ms.push((Component::Smoothing, way, ms));
    }
    if takes_cuda(device) {
        found.pair_ms = Some(side_by_side(device, scene, &input, &mut output)?);
        drop(input);
        found.measure_warps(device, scene, &mut output)?;
    }
    Ok(found)
}

impl Ways {
    fn measure_warps(&mut self, device: &Device, scene: &Scene, out: &mut Buffer) -> Result<(), BenchError> {
        let (shape, moving) = (scene.shape(), device.upload_copy(scene.moving.data())?);
        let displacement: Field =
            (0..3).map(|c| device.upload(smooth_motion(scene.size, c))).collect::<Result<_, _>>()?;
        let mut measure = |way, path: SamplePath<'_>| -> Result<(), BenchError> {
            let (moving, displacement) = (&moving, &displacement);
            let ms = launch_ms(device, || {
                WarpByMemory { shape, path, moving, displacement, out: &mut *out }.run(device)
            })?;
            self.ms.push((Component::Warp, way, ms));
            Ok(())
        };
        measure(Way::Caches, SamplePath::Cached)?;
        measure(Way::PastFirstCache, SamplePath::PastFirstCache)?;
        let mut refused = Vec::new();
        let mut texture_ms = None;
        if shape.len() <= LONGEST_LINE {
            match device.texture(&moving, shape.size, TextureLayout::Line) {
                Ok(line) => measure(Way::LineTexture, SamplePath::Line(&line))?,
                Err(error) => refused.push((Way::LineTexture, error.to_string())),
            }
        }
        device.synchronise()?;
        let start = std::time::Instant::now();
        match device.texture(&moving, shape.size, TextureLayout::Volume) {
            Ok(volume) => {
                texture_ms = Some(1e3 * start.elapsed().as_secs_f64());
                measure(Way::VolumeTexture, SamplePath::Volume(&volume))?;
            }
            Err(error) => refused.push((Way::VolumeTexture, error.to_string())),
        }
        (self.texture_ms, self.refused) = (texture_ms, refused);
        Ok(())
    }
}

/// Milliseconds of smoothing two volumes one after the other, and side by side.
fn side_by_side(
    device: &Device,
    scene: &Scene,
    first: &Buffer,
    out: &mut Buffer,
) -> Result<[f64; 2], ComputeError> {
    let (shape, taps) = (scene.shape(), &isotropic(&window(TAPS)));
    let second = device.upload_copy(scene.moving.data())?;
    let mut other = touched(device, shape.len())?;
    let smooth = |input: &Buffer, output: &mut Buffer| Convolve { shape, taps, input, output }.run(device);
    let in_turn = launch_ms(device, || {
        smooth(first, out)?;
        smooth(&second, &mut other)
    })?;
    let beside = launch_ms(device, || {
        let first = device.concurrently(|| smooth(first, out))?;
        smooth(&second, &mut other)?;
        first.join();
        Ok(())
    })?;
    Ok([in_turn, beside])
}
