//! How likely a pixel is seen in both images: `o = exp(−min(div d, 0)² / 2σ_d² − I_t² / 2σ_i²)`.
//!
//! (Sun, Roth, Black 2010, after Sand & Teller 2008.) Pixels that other pixels move onto, or whose intensity differs in the
//! warped image, get little weight in the weighted median. *In*: displacement in edges, fixed and warped image. *Out*: [0, 1].
//! *Outside* (warped is NaN): [`OUTSIDE`]. *Border*: one-sided differences. *Halo*: 1 voxel.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::exponential::exponential;
use crate::shared::rows::{beside, replicated};
use crate::shared::{EXPONENTIAL, NAN};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("occlusion", Bindings, [NAN, EXPONENTIAL], "occlusion.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// The factor 1 / spacing, per axis.
            per_edge: vec4<f32>,
            /// The factors ½/σ_d² and ½/σ_i², and the value for a pixel outside.
            scales: vec4<f32>,
        },
        displacement[d_x, d_y, d_z]: read f32,
        fixed: read f32,
        warped: read f32,
        out: write f32,
    }
}

/// Visibility of a pixel that is not in the moving image at all.
pub const OUTSIDE: f32 = 0.05;

/// Divergence and difference of intensity at which a pixel counts as hidden.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Scale σ_d of the divergence, edges per edge.
    pub divergence: f32,
    /// Scale σ_i of the difference, mapped intensities.
    pub intensity: f32,
}

/// Writes the visibility of every voxel.
#[derive(Debug)]
pub struct Visibility<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The scales σ_d and σ_i.
    pub scales: Scales,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// The fixed image.
    pub fixed: &'a Buffer,
    /// The moving image seen from the fixed grid, NaN outside.
    pub warped: &'a Buffer,
    /// The visibility o.
    pub out: &'a mut Buffer,
}

impl Kernel for Visibility<'_> {
    const NAME: &'static str = "visibility";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).of("fixed", self.fixed, n);
        lengths.of("warped", self.warped, n).of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { shape, spacing_edges, scales, displacement, fixed, warped, out } = self;
        let nx = shape.size[0];
        let images = [fixed, warped].map(Buffer::host);
        let per_edge = spacing_edges.map(|s| 1.0 / s);
        let per_scale2 = [scales.divergence, scales.intensity].map(|scale| 0.5 / scale.powi(2));
        cpu.split_rows([out.host_mut()], nx, 4 * shape.len(), |row, [out]| {
            out.fill(0.0);
            add_slope_along_row(&displacement[0].host()[row * nx..][..nx], per_edge[0], out);
            for (axis, component) in displacement.iter().enumerate().skip(1) {
                let [low, high] = replicated(shape, row, axis).map(|to| &component.host()[to * nx..][..nx]);
                let is_inside = beside(shape, row, axis).iter().all(Option::is_some);
                let per_step = if is_inside { 0.5 * per_edge[axis] } else { per_edge[axis] };
                for (sum, (high, low)) in out.iter_mut().zip(high.iter().zip(low)) {
                    *sum += (high - low) * per_step;
                }
            }
            let images = images.map(|image| &image[row * nx..][..nx]);
            visibility_of_divergence(images, per_scale2, out);
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let shape = self.shape;
        let Scales { divergence, intensity } = self.scales;
        let block = Block {
            size: shape.size.into(),
            per_edge: self.spacing_edges.map(|s| 1.0 / s).into(),
            scales: [0.5 / divergence.powi(2), 0.5 / intensity.powi(2), OUTSIDE].into(),
        };
        let Self { displacement, fixed, warped, out, .. } = self;
        gpu.launch_in(shape.components(), &SOURCE, "visibility")
            .bind(&Bindings { block, displacement, fixed, warped, out })
            .run_over(shape.size, [64, 4])
    }
}

/// Adds the derivative along the row: central, one-sided at its ends.
fn add_slope_along_row(line: &[f32], per_edge: f32, sum: &mut [f32]) {
    let last = line.len() - 1;
    if last == 0 {
        return;
    }
    sum[0] += (line[1] - line[0]) * per_edge;
    sum[last] += (line[last] - line[last - 1]) * per_edge;
    let per_step = 0.5 * per_edge;
    for (sum, w) in sum[1..].iter_mut().zip(line.windows(3)) {
        *sum += (w[2] - w[0]) * per_step;
    }
}

/// Turns divergences into visibilities.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn visibility_of_divergence([fixed, warped]: [&[f32]; 2], [per_d2, per_i2]: [f32; 2], out: &mut [f32]) {
    for ((out, fixed), warped) in out.iter_mut().zip(fixed).zip(warped) {
        let (closing, difference) = (out.min(0.0), warped - fixed);
        let visible = exponential(-closing * closing * per_d2 - difference * difference * per_i2);
        *out = if warped.is_nan() { OUTSIDE } else { visible };
    }
}
