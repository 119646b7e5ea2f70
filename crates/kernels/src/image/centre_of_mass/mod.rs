//! The centre of mass of an image: Σ w x / Σ w, with `w = clamp(gain · v + offset, 0, 1)`.
//!
//! *In*: an image; the map of its intensities. *Out*: a position in voxels, none without mass. NaN weighs nothing.
//! Sums are taken in the order of a GPU's workgroups, so that every device finds the same bits. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::group_sums::group_totals;
use crate::shared::{LINE, NAN, SUM};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource = wgsl!("centre of mass", Bindings, [LINE, NAN, SUM], "centre_of_mass.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z; number of voxels.
            size: vec4<u32>,
            origin: vec4<f32>,
            gain: f32,
            offset: f32,
        },
        image: read f32,
    } -> sums: f32
}

/// Finds the centre of mass, voxels.
#[derive(Debug)]
pub struct CentreOfMass<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// The image.
    pub image: &'a Buffer,
    /// Factor of intensities.
    pub gain: f32,
    /// Summand after the factor.
    pub offset: f32,
}

impl Kernel for CentreOfMass<'_> {
    const NAME: &'static str = "centre_of_mass";
    type Output = Later<Option<Axes<f64>>>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("image", self.image, self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let Self { shape, image, gain, offset } = self;
        let ([nx, ny, _], [ox, oy, oz], samples) = (shape.size, origin(shape), image.host());
        let sums = group_totals(cpu, shape.len(), 4, |items, [mass, x, y, z]| {
            for (k, i) in items.enumerate() {
                let v = gain * samples[i] + offset;
                let weight = if v > 0.0 { v.min(1.0) } else { 0.0 };
                mass[k] += weight;
                x[k] += weight * ((i % nx) as f32 - ox);
                y[k] += weight * ((i / nx % ny) as f32 - oy);
                z[k] += weight * ((i / (nx * ny)) as f32 - oz);
            }
        });
        Later::known(centre(shape, sums))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let Self { shape, image, gain, offset } = self;
        let [nx, ny, nz] = shape.size;
        let (size, origin) = ([nx, ny, nz, shape.len()].into(), origin(shape).into());
        let block = Block { size, origin, gain, offset };
        gpu.launch(&SOURCE, "centre_of_mass")
            .bind(&Bindings { block, image })
            .sums(shape.len(), move |sums| centre(shape, sums))
    }
}

/// Half of every axis: positions count from there, so that sums stay small.
fn origin(shape: Shape) -> Axes<f32> {
    shape.size.map(|n| 0.5 * (n as f32 - 1.0))
}

/// The centre from Σ w and Σ w x, x from [`origin`] on.
fn centre(shape: Shape, [mass, x, y, z]: [f64; 4]) -> Option<Axes<f64>> {
    let origin = origin(shape).map(f64::from);
    (mass > 0.0).then(|| [origin[0] + x / mass, origin[1] + y / mass, origin[2] + z / mass])
}
