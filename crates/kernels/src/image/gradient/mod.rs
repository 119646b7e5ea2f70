//! Image derivatives along every axis, per voxel.
//!
//! *In*: an image. *Out*: its derivatives, intensity per voxel. *Border*: see [`Scheme`]. *Halo*: 2 voxels.

pub(crate) mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, packed, wgsl};
use crate::shared::Pack;
use crate::shared::{PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("gradient", Bindings, [PACK1, include_str!("neighbours1.wgsl")], "gradient.wgsl"),
    wgsl!("gradient", Bindings, [PACK4, include_str!("neighbours4.wgsl")], "gradient.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Packs per row, rows per plane, planes.
            size: vec4<u32>,
        },
        image: read Pack,
        out[out_x, out_y, out_z]: write Pack,
    }
}

/// How derivatives are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// The forward difference `I(x+1) − I(x)`, 0 at the last voxel (thiyagalingam2011, section 4.1).
    Forward,
    /// The mean of the forward differences of a voxel's two sides, `(I(x+1) − I(x−1))/2`, of which the one beyond a border
    /// is 0: each is the derivative half a voxel away, their mean the derivative at the voxel.
    TwoSided,
    /// The central difference `(1, −8, 0, 8, −1)/12`, fourth order, on replicated borders (Bruhn et al. 2005).
    Central4,
}

impl Scheme {
    /// The number by which shaders know the scheme.
    pub(crate) fn code(self) -> usize {
        match self {
            Self::Forward => 0,
            Self::Central4 => 1,
            Self::TwoSided => 2,
        }
    }
}

/// Writes the derivatives of an image along all axes that count.
#[derive(Debug)]
pub struct Gradient<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// How derivatives are taken.
    pub scheme: Scheme,
    /// The image.
    pub image: &'a Buffer,
    /// A derivative for each axis, x first.
    pub out: &'a mut [Buffer],
}

impl Kernel for Gradient<'_> {
    const NAME: &'static str = "gradient";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.of("image", self.image, n).field("out", self.out, self.shape.components(), n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (shape, scheme, image) = (self.shape, self.scheme, self.image.host());
        for (axis, out) in self.out.iter_mut().enumerate() {
            let along = cpu::Difference { shape, axis, scheme };
            cpu.split_rows([out.host_mut()], shape.size[0], shape.len(), |row, [out]| {
                cpu::derivative_row(image, along, row, out);
            });
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        let (source, pack) = packed(&SOURCES, nx);
        let block = Block { size: [nx / pack, ny, nz].into() };
        gpu.launch(source, "gradient")
            .constant("SCHEME", self.scheme.code())
            .constant("COMPONENTS", self.shape.components())
            .bind(&Bindings { block, image: self.image, out: self.out })
            .run([cover(nx / pack, 32), cover(ny, 4), nz as u32])
    }
}
