//! The trilinear warp of a volume, to the bits of [`Warp`], by one way through a GPU's memory or another: for benchmarks alone,
//! which compare texture memory with loads (Thiyagalingam et al. 2011, section 4.4). In CUDA C++, which has textures.
//!
//! *In*: the moving image on the fixed grid, and a displacement in voxels. *Out, border*: as [`Warp`] with linear interpolation and
//! [`Border::Centres`]. *Halo*: unbounded (gathers). As in the paper a texture is a cache: a thread fetches the eight samples around
//! its position and interpolates itself, because interpolation by the texture unit has eight bits for the weights.
//! A processor has one way, and takes it.

use super::{Border, Interpolation, VoxelAffine, Warp};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{LATTICE, NAN};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Bindings as _, Buffer, ComputeError, Cpu, ShaderSource, Texture, cover};

static SOURCE: ShaderSource = ShaderSource::cuda(
    "warp by memory",
    Bindings::DECLARATION,
    &[NAN, LATTICE],
    include_str!("by_memory.cu"),
);

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// The halves of the texture's handle, the lower one first.
            texture: vec4<u32>,
            /// How far the moving image extends beyond the centres of its outermost voxels, in voxels.
            reach: f32,
        },
        moving: read f32,
        displacement[displacement_x, displacement_y, displacement_z]: read f32,
        out: write f32,
    }
}

/// Width and height of a workgroup, one voxel deep.
const TILE: [usize; 2] = [32, 8];

/// Where the threads of a GPU find the moving image.
#[derive(Debug, Clone, Copy)]
pub enum SamplePath<'a> {
    /// In the device's memory, through its caches.
    Cached,
    /// In the device's memory, past the first cache.
    PastFirstCache,
    /// In a texture of the same samples, a line ([`TextureLayout::Line`](veloxel_gpu::TextureLayout::Line)).
    Line(&'a Texture<'a>),
    /// In a texture of the same samples, a volume ([`TextureLayout::Volume`](veloxel_gpu::TextureLayout::Volume)).
    Volume(&'a Texture<'a>),
}

/// Samples the moving image on its own grid by one way through memory.
#[derive(Debug)]
pub struct WarpByMemory<'a> {
    /// Shape of all buffers, in 3-D.
    pub shape: Shape,
    /// The way.
    pub path: SamplePath<'a>,
    /// The moving image.
    pub moving: &'a Buffer,
    /// Planar displacement, voxels.
    pub displacement: &'a [Buffer],
    /// The moving image seen from the fixed grid; NaN outside.
    pub out: &'a mut Buffer,
}

impl Kernel for WarpByMemory<'_> {
    const NAME: &'static str = "warp by memory";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths
            .count("axes", self.shape.components(), 3..=3)
            .of("moving", self.moving, n)
            .field("displacement", self.displacement, 3, n)
            .of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { shape, moving, displacement, out, .. } = self;
        let warp = Warp {
            shape: Shape { dimension: Dimension::Three, ..shape },
            moving_shape: shape,
            spacing_edges: [1.0; 3],
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            moving_from_fixed: VoxelAffine::IDENTITY,
            cut: None,
            moving,
            displacement,
            out,
        };
        warp.on_cpu(cpu);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, path, moving, displacement, out } = self;
        if !gpu.gpu().takes_cuda() {
            return Err(ComputeError::Lacks { device: gpu.gpu().info().name, what: "kernels in CUDA C++" });
        }
        let (number, handle) = match path {
            SamplePath::Cached => (0usize, 0),
            SamplePath::PastFirstCache => (1, 0),
            SamplePath::Line(texture) => (2, texture.handle()),
            SamplePath::Volume(texture) => (3, texture.handle()),
        };
        let halves = [handle & u64::from(u32::MAX), handle >> 32, 0, 0].map(|half| half as usize);
        let block =
            Block { size: shape.size.into(), texture: halves.into(), reach: Border::Centres.reach_vox() };
        let [nx, ny, nz] = shape.size;
        gpu.launch(&SOURCE, "warp")
            .constant("PATH", number)
            .constant("WIDTH", TILE[0])
            .constant("HEIGHT", TILE[1])
            .bind(&Bindings { block, moving, displacement, out })
            .run([cover(nx, TILE[0]), cover(ny, TILE[1]), nz as u32])
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
    use veloxel_gpu::{BoundBuffer, Launch, cuda_source};
    use veloxel_testkit::every_device::here;

    #[test]
    fn texts_of_every_way_compile_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        for path in [0.0, 1.0, 2.0, 3.0] {
            let launch = Launch {
                source: &SOURCE,
                entry: "warp",
                constants: &[("PATH", path), ("WIDTH", TILE[0] as f64), ("HEIGHT", TILE[1] as f64)],
                uniform: &[0; 48],
                buffers: &[BoundBuffer::Absent; 5],
                groups: [1; 3],
                nearby_bytes: None,
            };
            let text = cuda_source(&launch).unwrap();
            let resources = nvrtc.resources(&text.source, "warp", ComputeCapability::new(9, 0));
            let resources = resources.unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{path}: {resources:?}");
        }
    }
}
