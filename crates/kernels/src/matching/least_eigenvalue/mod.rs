//! How much the data of a window determine every component of its displacement: the confidence `c` becomes
//! `c · λ_min / (λ_min + λ_0)`, with λ_min the least eigenvalue of the window's spatial entries.
//!
//! In 2-D λ_min has a formula; in 3-D Newton's method finds it on the characteristic polynomial: it starts at 0 and climbs to
//! the least root without passing it. *Where data have no weight* λ_min and the confidence are 0; with the weights of a mask
//! the displacement there becomes NaN. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, NAN};
use veloxel_core::Shape;
use veloxel_gpu::rows::{Shared, components_mut, ranges_mut};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

/// The least eigenvalue in a plane.
pub(crate) const LEAST_OF_PLANE: &str = include_str!("plane.wgsl");
static SOURCE: ShaderSource =
    wgsl!("least eigenvalue", Bindings, [LINE, NAN, LEAST_OF_PLANE], "least_eigenvalue.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, half: f32, },
        /// The spatial entries 11, 12, 22; or 11, 12, 13, 22, 23, 33.
        tensor[t_0, t_1, t_2, t_3, t_4, t_5]: read f32,
        weight_sum: may_read f32,
        displacement[d_x, d_y, d_z]: write f32,
        confidence: write f32,
    }
}

/// Number of steps of Newton's method: on the way to a threefold root, the slowest case, 2 % of it are left.
const STEPS: usize = 10;

/// Weighs confidences by what the data determine.
#[derive(Debug)]
pub struct LeastEigenvalue<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The eigenvalue λ_0 at which the confidence halves; above 0.
    pub half: f32,
    /// Spatial entries: 11, 12, 22 or 11, 12, 13, 22, 23, 33; further buffers are not read.
    pub tensor: &'a [Buffer],
    /// The windows, if a mask leaves some of them without data; none if all have data.
    pub windows: Option<MaskedWindows<'a>>,
    /// The confidence c, in [0, 1].
    pub confidence: &'a mut Buffer,
}

/// Windows of a masked image.
#[derive(Debug)]
pub struct MaskedWindows<'a> {
    /// Sum of the mask's weights in each window.
    pub weight_sum: &'a Buffer,
    /// The displacement, which becomes NaN where the weight sum is 0.
    pub displacement: &'a mut [Buffer],
}

impl Kernel for LeastEigenvalue<'_> {
    const NAME: &'static str = "least_eigenvalue";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d, entries) = (self.shape.len(), self.shape.components(), self.shape.tensor_entries());
        lengths.count("tensor", self.tensor.len(), entries..=usize::MAX);
        lengths.field("tensor", self.tensor, self.tensor.len(), n).of("confidence", self.confidence, n);
        if let Some(MaskedWindows { weight_sum, displacement }) = &self.windows {
            lengths.of("weight_sum", weight_sum, n).field("displacement", displacement, d, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, least_eigenvalue(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.shape.len();
        let (weight_sum, displacement): (_, &[Buffer]) = match &self.windows {
            Some(windows) => (Some(windows.weight_sum), windows.displacement),
            None => (None, &[]),
        };
        let block = Block { count: n, half: self.half };
        let tensor = &self.tensor[..self.shape.tensor_entries()];
        gpu.launch_in(self.shape.components(), &SOURCE, "least_eigenvalue")
            .constant("WEIGHTED", self.windows.is_some())
            .constant("STEPS", STEPS)
            .bind(&Bindings { block, tensor, weight_sum, displacement, confidence: self.confidence })
            .run(line(n, 256))
    }
}

fn least_eigenvalue<const D: usize>(cpu: &Cpu, args: LeastEigenvalue<'_>) {
    let half = args.half;
    let tensor: Vec<&[f32]> = args.tensor.iter().map(Buffer::host).collect();
    let windows = args.windows.map(|MaskedWindows { weight_sum, displacement }| {
        (weight_sum.host(), components_mut::<D>(displacement).map(Shared::new))
    });
    cpu.split_samples(args.confidence.host_mut(), 16, |range, confidence| {
        for (i, confidence) in range.clone().zip(confidence) {
            let entry = |e: usize| tensor[e][i];
            let least = match D {
                2 => least_of_plane([0, 1, 2].map(entry)),
                _ => least_of_space([0, 1, 2, 3, 4, 5].map(entry)),
            };
            let least = if least > 0.0 { least } else { 0.0 };
            let has_data = windows.as_ref().is_none_or(|(sum, _)| sum[i] > 0.0);
            *confidence = if has_data { *confidence * least / (least + half) } else { 0.0 };
        }
        let Some((weight_sum, displacement)) = &windows else { return };
        // SAFETY: ranges are disjoint.
        let displacement = unsafe { ranges_mut(displacement, range.clone()) };
        for component in displacement {
            for (value, weight) in component.iter_mut().zip(&weight_sum[range.clone()]) {
                *value = if *weight > 0.0 { *value } else { f32::NAN };
            }
        }
    });
}

fn least_of_plane([p, q, r]: [f32; 3]) -> f32 {
    let (mean, half) = (0.5 * (p + r), 0.5 * (p - r));
    mean - (half * half + q * q).sqrt()
}

fn least_of_space([p, q, r, s, t, u]: [f32; 6]) -> f32 {
    let trace = p + s + u;
    let minors = s * u - t * t + p * u - r * r + p * s - q * q;
    let determinant = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
    let mut root = 0.0f32;
    for _ in 0..STEPS {
        // λ³ − trace λ² + minors λ − determinant climbs to its least root, and with a falling slope.
        let slope = minors - root * (2.0 * trace - 3.0 * root);
        let left = determinant - root * (minors - root * (trace - root));
        if left > 0.0 && slope > 0.0 {
            root += left / slope;
        }
    }
    root
}
