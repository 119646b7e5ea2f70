//! What GPUs have in common: memory, transfers, and launches of WGSL texts.
//!
//! A kernel's text is one or more WGSL files put together; a [`Launch`] names the entry point, its pipeline constants, its
//! uniform block (binding 0) and its buffers (binding 1 on). [`WgpuDevice`](wgpu_device) gives the text to wgpu;
//! `CudaDevice` translates it. Launches of a device run in the order they were made.

mod cuda_check;
mod cuda_device;
mod cuda_text;
mod memory;
mod nvrtc;
mod uniform;
mod wgpu_device;

pub(crate) use cuda_device::CudaStamp;
/// How texts in CUDA C++ begin: WGSL's types, operators and functions.
pub(crate) use cuda_text::PRELUDE as CUDA;
#[cfg(test)]
pub(crate) use cuda_text::of_launch;
pub(crate) use memory::GpuMemory;
#[cfg(test)]
pub(crate) use nvrtc::Nvrtc;
pub(crate) use uniform::Uniform;

use crate::device::Listing;
use crate::{Buffer, ComputeError, Device, DeviceInfo, Stamp};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

/// A GPU, whichever way it is spoken to.
pub(crate) trait Gpu: Debug + Send + Sync {
    fn info(&self) -> DeviceInfo;
    /// Whether it takes texts in CUDA C++.
    fn takes_cuda(&self) -> bool {
        false
    }
    /// Whether it is a graphics processor, not a processor that pretends.
    fn is_hardware(&self) -> bool;
    fn zeros(&self, len: usize) -> Result<GpuMemory, ComputeError>;
    /// Memory that is written before it is read.
    fn scratch(&self, len: usize) -> Result<GpuMemory, ComputeError> {
        self.zeros(len)
    }
    /// Samples, or four bytes a number; the last number may be padded with zeros.
    fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, ComputeError>;
    /// These samples of each, once everything before `after`, or before now, is done.
    fn download(
        &self,
        wanted: &[(&GpuMemory, Range<usize>)],
        after: Option<&Stamp>,
    ) -> Result<Vec<Vec<f32>>, ComputeError>;
    fn launch(&self, launch: &Launch<'_>) -> Result<(), ComputeError>;
    fn synchronise(&self) -> Result<(), ComputeError>;
    /// This point of what the device was asked for, where downloads can begin before what comes later.
    fn mark(&self) -> Result<Option<Stamp>, ComputeError> {
        Ok(None)
    }
    /// This point of what the device was asked for; a device without a clock waits for it.
    fn stamp(&self) -> Result<Stamp, ComputeError> {
        self.synchronise()?;
        Ok(Stamp::now())
    }
    /// Memory that nobody has taken, where the driver says.
    fn free_bytes(&self) -> Option<usize> {
        None
    }
}

/// A kernel's WGSL, in parts that follow each other; or, where WGSL cannot say it, CUDA C++ that begins with [`CUDA`].
#[derive(Debug)]
pub(crate) struct Text {
    /// The kernel's name, as its folder's.
    pub name: &'static str,
    pub parts: &'static [&'static str],
}

impl Text {
    pub fn whole(&self) -> String {
        self.parts.join("\n")
    }
    /// Whether it is CUDA C++, which only CUDA devices take ([`Gpu::takes_cuda`]). Constants, `WIDTH` and `HEIGHT` of a
    /// workgroup among them, stand as `constexpr uint` before what was written; the entry point's parameters are the uniform
    /// block and the launch's buffers, each of them, in their order.
    pub fn is_cuda(&self) -> bool {
        self.parts.first() == Some(&CUDA)
    }
}

/// One run of a kernel.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub text: &'static Text,
    pub entry: &'static str,
    /// Values of the text's `override` constants: one compilation for each set of them.
    pub constants: &'a [(&'static str, f64)],
    pub uniform: Uniform,
    pub buffers: &'a [Bind<'a>],
    /// Workgroups along each axis.
    pub groups: [u32; 3],
}

/// A buffer of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bind<'a> {
    /// `var<storage, read>`.
    In(&'a Buffer),
    /// `var<storage, read_write>`; may not be any other binding of the launch as well.
    Out(&'a Buffer),
    /// An input that this launch's constants leave unused.
    Absent,
    /// An output that this launch's constants leave unused.
    Spare,
}

impl<'a> Bind<'a> {
    pub fn optional(input: Option<&'a Buffer>) -> Self {
        input.map_or(Self::Absent, Self::In)
    }
}

// Parts of texts that several kernels share.

/// atan2, the same bits everywhere.
pub(crate) const ARCTANGENT: &str = include_str!("parts/arctangent.wgsl");
/// The four pixels around a position.
pub(crate) const CORNER: &str = include_str!("parts/corner.wgsl");
/// Levels of a pyramid, and where a coarser level's estimate is found on a finer one; needs [`NAN`].
pub(crate) const EXPANSION: &str = include_str!("parts/expansion.wgsl");
/// eˣ and ln(1 + x), the same bits everywhere.
pub(crate) const EXPONENTIAL: &str = include_str!("parts/exponential.wgsl");
pub(crate) const LATTICE: &str = include_str!("parts/lattice.wgsl");
pub(crate) const LINE: &str = include_str!("parts/line.wgsl");
pub(crate) const NAN: &str = include_str!("parts/nan.wgsl");
pub(crate) const PACK1: &str = include_str!("parts/pack1.wgsl");
pub(crate) const PACK4: &str = include_str!("parts/pack4.wgsl");
/// Phases of eight orientations, at pixels and between them.
pub(crate) const PHASES: &str = include_str!("parts/phases.wgsl");
/// Neighbours along x, sample by sample or four at a time; after [`PACK1`] or [`PACK4`].
pub(crate) const SIDES1: &str = include_str!("parts/sides1.wgsl");
pub(crate) const SIDES4: &str = include_str!("parts/sides4.wgsl");
pub(crate) const TILE_SUM: &str = include_str!("parts/tile_sum.wgsl");
pub(crate) const SUM: &str = include_str!("parts/sum.wgsl");

/// Binds a field, component after component; missing ones up to `count` are absent.
pub(crate) fn inputs<'a>(field: &'a [Buffer], count: usize) -> impl Iterator<Item = Bind<'a>> {
    field.iter().map(Bind::In).chain(std::iter::repeat(Bind::Absent)).take(count)
}

/// Binds a field for writing; missing components up to `count` are spare.
pub(crate) fn outputs(field: &[Buffer], count: usize) -> impl Iterator<Item = Bind<'_>> {
    field.iter().map(Bind::Out).chain(std::iter::repeat(Bind::Spare)).take(count)
}

/// Workgroups of a reduction at most: its sums end on the host.
const MOST_PARTIALS: usize = 512;

/// Workgroups of a reduction over `count` items.
pub(crate) fn reduction_groups(count: usize) -> usize {
    count.div_ceil(256).clamp(1, MOST_PARTIALS)
}

/// Workgroups of 256 threads for a reduction over `count` items, and memory for `columns` sums of each.
pub(crate) fn partials(
    device: &Device,
    count: usize,
    columns: usize,
) -> Result<([u32; 3], Buffer), ComputeError> {
    let groups = reduction_groups(count);
    Ok(([groups as u32, 1, 1], device.scratch(groups * columns)?))
}

/// Workgroups that cover `count` items in `per_group` steps along one axis.
pub(crate) fn cover(count: usize, per_group: usize) -> u32 {
    count.div_ceil(per_group) as u32
}

/// Width and height of a workgroup that covers rows of `width` items with little waste: about 256 threads.
pub(crate) fn tile(width: usize) -> [usize; 2] {
    let whole = (16..=64).rev().find(|&w| width.is_multiple_of(w));
    let w = whole.unwrap_or_else(|| width.clamp(1, 32));
    [w, (256 / w).max(1)]
}

/// Most workgroups along one axis on every device.
const MOST_GROUPS: usize = 65_535;

/// Workgroups for `count` items in a line, folded into rows where one row is not enough; see `line.wgsl`.
pub(crate) fn line(count: usize, per_group: usize) -> [u32; 3] {
    let groups = count.div_ceil(per_group).max(1);
    let rows = groups.div_ceil(MOST_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

/// Kinds, fastest first.
const BY_SPEED: [&str; 2] = ["cuda", "wgpu"];

/// Opens a GPU by name.
pub(crate) fn open(name: &str) -> Result<Arc<dyn Gpu>, ComputeError> {
    let refuse = |reason: &str| ComputeError::NoDevice { name: name.to_owned(), reason: reason.to_owned() };
    let (kind, ordinal) = match name.split_once(':') {
        None => (name, 0),
        Some((kind, digits)) => {
            let ordinal =
                digits.parse().map_err(|_| refuse("what follows the colon should be a number from 0"))?;
            (kind, ordinal)
        }
    };
    match kind {
        "cuda" => Ok(Arc::new(cuda_device::CudaDevice::open(ordinal)?)),
        "vulkan" | "metal" | "dx12" | "wgpu" => Ok(Arc::new(wgpu_device::WgpuDevice::open((kind, ordinal))?)),
        _ => Err(refuse("there is no such kind; `veloxel devices` lists them")),
    }
}

/// A GPU, and why faster kinds are absent.
type Found = (Arc<dyn Gpu>, Vec<String>);

/// Opens the fastest kind of GPU that is there; without one, why each kind is none.
pub(crate) fn fastest() -> Result<Found, Vec<String>> {
    let mut why_not = Vec::new();
    for name in BY_SPEED {
        if name == "wgpu" && !wgpu_device::card_may_be_there() {
            why_not.push("vulkan: the system shows no graphics card".to_owned());
            continue;
        }
        match open(name) {
            Ok(gpu) if gpu.is_hardware() => return Ok((gpu, why_not)),
            Ok(gpu) => why_not.push(format!("{name}: {} is no graphics card", gpu.info().description)),
            Err(ComputeError::NoDevice { name, reason }) => why_not.push(format!("{name}: {reason}")),
            Err(error) => why_not.push(format!("{name}: {error}")),
        }
    }
    Err(why_not)
}

/// Every GPU, and why kinds of them are absent.
pub(crate) fn list() -> Vec<Listing> {
    cuda_device::list().into_iter().chain(wgpu_device::list()).collect()
}
