//! How far every vector of a field can be trusted: its expected error ([`super::expected_error`]), averaged over a window
//! ([`crate::image::convolve`]), gives the confidence ([`super::confidence`]); for vectors that come from windows of their own,
//! the confidence is multiplied by how much these determine ([`crate::matching::least_eigenvalue`]).
//!
//! On a GPU small pictures take one launch: a launch of each kernel takes longer than its work.
//! *In*, *border*: as of these kernels; the tensor of the expected errors may be a mean over a wider window than the voxel's own. *Out*: c, in [0, 1]. *Halo*: two steps of the fourth difference, and the window.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::image::convolve::{Convolve, is_small_picture, quads};
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::matching::least_eigenvalue::{LEAST_OF_PLANE, LeastEigenvalue};
use crate::shared::taps::Taps;
use crate::shared::{NAN, PLANE_TAPS};
use crate::variational::confidence::Confidence;
use crate::variational::expected_error::{EXPECTED_ERROR, ErrorBlock, ErrorBuffers, ExpectedError};
use veloxel_core::Axes;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!(
    "field confidence",
    Bindings,
    [NAN, PLANE_TAPS, EXPECTED_ERROR, LEAST_OF_PLANE],
    "field_confidence.wgsl"
);

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            error: ErrorBlock,
            /// The scales τ, 1/h² and λ₀.
            contrast: f32,
            per_half2: f32,
            half: f32,
            /// Weights of the filters, the centre first.
            taps_x: [vec4<f32>; 3],
            taps_y: [vec4<f32>; 3],
        },
        buffers: group ErrorBuffers<'a>,
        /// The diagonal of the tensor of the voxel's own window.
        own_xx: read f32,
        own_yy: read f32,
        out: write f32,
    }
}
/// Width and height of a tile.
const TILE: [usize; 2] = [32, 16];

/// Makes the confidence of every voxel.
#[derive(Debug)]
pub struct FieldConfidence<'a> {
    /// The expected errors of the vectors. The warped image holds undefined samples afterwards.
    pub errors: ExpectedError<'a>,
    /// The window over which e² is averaged, one filter an axis.
    pub taps: &'a Axes<Taps>,
    /// The diagonal of the tensor of the voxel's own window, an entry an axis, which tells its contrast.
    pub own: &'a [&'a Buffer],
    /// The contrast τ of [`super::confidence::Confidence`].
    pub contrast: f32,
    /// The error h that halves the confidence, edges.
    pub half_edges: f32,
    /// The eigenvalue λ_0 of [`crate::matching::least_eigenvalue::LeastEigenvalue`], above 0; none if the windows are not
    /// weighed.
    pub half_eigenvalue: Option<f32>,
    /// The confidence c.
    pub out: &'a mut Buffer,
}

impl Kernel for FieldConfidence<'_> {
    const NAME: &'static str = "field_confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.errors.check(lengths);
        let shape = self.errors.shape;
        lengths.count("own", self.own.len(), shape.components()..=shape.components());
        for entry in self.own {
            lengths.of("own", entry, shape.len());
        }
        lengths.of("out", self.out, shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { errors, taps, own, contrast, half_edges, half_eigenvalue, out } = self;
        let (shape, tensor) = (errors.shape, errors.tensor);
        ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.on_cpu(cpu);
        Convolve { shape, taps, input: errors.warped_to_error, output: out }.on_cpu(cpu);
        Confidence { shape, contrast, half_edges, diagonal: own, error_to_confidence: out }.on_cpu(cpu);
        if let Some(half) = half_eigenvalue {
            LeastEigenvalue { shape, half, tensor, windows: None, confidence: out }.on_cpu(cpu);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { errors, taps, own, contrast, half_edges, half_eigenvalue, out } = self;
        let (shape, tensor, device) = (errors.shape, errors.tensor, gpu.device());
        let [x, y, _] = taps;
        if is_small_picture(shape, [x, y].map(Taps::radius)) {
            let per_half2 = 1.0 / (half_edges * half_edges);
            let block = Block {
                error: errors.block(),
                contrast,
                per_half2,
                half: half_eigenvalue.unwrap_or(1.0),
                taps_x: quads(x.weights()),
                taps_y: quads(y.weights()),
            };
            return gpu
                .launch_in(shape.components(), &SOURCE, "field_confidence")
                .constants([("RADIUS_X", x.radius()), ("RADIUS_Y", y.radius())])
                .constant("DETERMINED", half_eigenvalue.is_some())
                .bind(&Bindings { block, buffers: errors.buffers(), own_xx: own[0], own_yy: own[1], out })
                .run_over(shape.size, TILE);
        }
        ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.run(device)?;
        Convolve { shape, taps, input: errors.warped_to_error, output: out }.run(device)?;
        Confidence { shape, contrast, half_edges, diagonal: own, error_to_confidence: out }.run(device)?;
        if let Some(half) = half_eigenvalue {
            LeastEigenvalue { shape, half, tensor, windows: None, confidence: out }.run(device)?;
        }
        Ok(())
    }
}
