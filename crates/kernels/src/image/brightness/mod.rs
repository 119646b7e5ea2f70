//! How far two images are apart: Σ |warped − fixed| where the warped one has data.
//!
//! *Units*: the images'. NaN samples of the warped image (outside) are left out. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::lanes::LANES;
use crate::shared::{LINE, NAN, SUM};
use multiversion::multiversion;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource = wgsl!("brightness", Bindings, [LINE, NAN, SUM], "brightness.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, },
        fixed: read f32,
        warped: read f32,
        weight: may_read f32,
    } -> sums: f32
}

/// The sum of |warped − fixed| and the number of voxels that count.
#[derive(Debug)]
pub struct AbsoluteDifference<'a> {
    /// One image.
    pub fixed: &'a Buffer,
    /// The other one, of the same length.
    pub warped: &'a Buffer,
    /// Voxels count where this is above 0; none if all count.
    pub weight: Option<&'a Buffer>,
}

impl Kernel for AbsoluteDifference<'_> {
    const NAME: &'static str = "absolute_difference";
    type Output = Later<(f64, f64)>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.fixed.len();
        lengths.of("warped", self.warped, n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let (fixed, warped) = (self.fixed.host(), self.warped.host());
        let (n, weight) = (fixed.len(), self.weight.map(Buffer::host));
        let totals = cpu.sum(n, n, |range| {
            let images = [&fixed[range.clone()], &warped[range.clone()]];
            let Some(weight) = weight else { return total(images) };
            let (mut sum, mut count) = (0.0, 0.0);
            for (i, w) in weight[range].iter().enumerate() {
                let difference = images[1][i] - images[0][i];
                if !difference.is_nan() && *w > 0.0 {
                    sum += f64::from(difference.abs());
                    count += 1.0;
                }
            }
            [sum, count]
        });
        Later::known(totals.into())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let Self { fixed, warped, weight } = self;
        let block = Block { count: fixed.len() };
        gpu.launch(&SOURCE, "absolute_difference")
            .constant("WEIGHTED", weight.is_some())
            .bind(&Bindings { block, fixed, warped, weight })
            .sums(fixed.len(), <(f64, f64)>::from)
    }
}

/// The sums on the processor where all samples count.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn total([fixed, warped]: [&[f32]; 2]) -> [f64; 2] {
    let (mut sums, mut unknown) = ([0.0; LANES], [0u32; LANES]);
    let (packs, rest) = fixed.as_chunks::<LANES>();
    let (warped_packs, warped_rest) = warped.as_chunks::<LANES>();
    for (fixed, warped) in packs.iter().zip(warped_packs) {
        for k in 0..LANES {
            let difference = (warped[k] - fixed[k]).abs();
            sums[k] += f64::from(if difference.is_nan() { 0.0 } else { difference });
            unknown[k] += u32::from(difference.is_nan());
        }
    }
    for (k, (fixed, warped)) in rest.iter().zip(warped_rest).enumerate() {
        let difference = (warped - fixed).abs();
        sums[k] += f64::from(if difference.is_nan() { 0.0 } else { difference });
        unknown[k] += u32::from(difference.is_nan());
    }
    [sums.iter().sum(), fixed.len() as f64 - f64::from(unknown.iter().sum::<u32>())]
}
