//! Local normalisation: `out = (I − μ) / (s + c)` with mean μ and standard deviation s under a Gaussian window.
//!
//! c is a share of the mean of s over the image: noise in flat places stays small, and the result does not see a gain.
//! The difference of two images normalised so is what local cross-correlation (LCC) measures: gain and offset that vary
//! slowly (ultrasound attenuation, MR bias) drop out. *Units*: standard deviations. *Border*: replicate.
//! *Halo*: the window's radius.

use super::convolve::cpu::convolve;
use super::convolve::{Convolve, isotropic};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::group_sums::{GROUP, group_sums, sum_by_halves};
use crate::shared::taps::Taps;
use crate::shared::{LINE, SUM};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line, reduction_groups};

static SOURCE: ShaderSource = wgsl!("local_normalise", Bindings, [LINE, SUM], "local_normalise.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            count: u32,
            /// The factor that turns the sum of the deviations into c.
            share: f32,
            /// Number of partial sums.
            parts: u32,
        },
        out: write f32,
        mean: may_read f32,
        mean_square: may_read f32,
        sums: may_read f32,
    }
}

/// Normalises an image in place.
#[derive(Debug)]
pub struct LocalNormalise<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// Standard deviation of the window, voxels.
    pub sigma_vox: f64,
    /// The floor c, as a share of the mean deviation.
    pub floor_share: f32,
    /// The image, normalised in place.
    pub image: &'a mut Buffer,
}

impl LocalNormalise<'_> {
    fn window(&self) -> Axes<Taps> {
        isotropic(&Taps::gaussian(self.sigma_vox, 2.5))
    }
    /// The factor that makes c of the sum of all deviations.
    fn share(&self) -> f32 {
        (f64::from(self.floor_share) / self.shape.len() as f64) as f32
    }
}

impl Kernel for LocalNormalise<'_> {
    const NAME: &'static str = "local_normalise";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("image", self.image, self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (shape, n, taps, share) = (self.shape, self.shape.len(), self.window(), self.share());
        let image = self.image.host_mut();
        let (mut mean, mut mean_square) = (vec![0.0; n], vec![0.0; n]);
        convolve(cpu, shape, &taps, image, &mut mean);
        let squares: Vec<f32> = image.iter().map(|v| v * v).collect();
        convolve(cpu, shape, &taps, &squares, &mut mean_square);
        let deviation = |i: usize| (mean_square[i] - mean[i] * mean[i]).max(0.0).sqrt();
        // In the order of the other text, so that both find the same bits.
        let [partials] = group_sums(cpu, n, 2, |items, [sums]| {
            items.zip(sums).for_each(|(i, sum)| *sum += deviation(i));
        });
        let mut lanes = [0.0f32; GROUP];
        partials.iter().enumerate().for_each(|(k, p)| lanes[k % GROUP] += p);
        let floor = (share * sum_by_halves(&mut lanes)).max(f32::MIN_POSITIVE);
        cpu.split_samples(image, 1, |range, part| {
            for (v, i) in part.iter_mut().zip(range) {
                *v = (*v - mean[i]) / (deviation(i) + floor);
            }
        });
    }
    /// Launches the passes; the sum of the deviations stays on the device.
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (shape, n, taps, device) = (self.shape, self.shape.len(), &self.window(), gpu.device());
        let (mut mean, mut mean_square) = (device.zeros(n)?, device.zeros(n)?);
        let squares = device.zeros(n)?;
        let block = Block { count: n, share: 0.0, parts: 0 };
        let image = Some(&*self.image);
        gpu.launch(&SOURCE, "square")
            .bind(&Bindings { block, out: &squares, mean: image, mean_square: None, sums: None })
            .run(line(n, 256))?;
        Convolve { shape, taps, input: self.image, output: &mut mean }.run(device)?;
        Convolve { shape, taps, input: &squares, output: &mut mean_square }.run(device)?;
        let groups = reduction_groups(n);
        let sums: Buffer = device.scratch(groups)?;
        let (mean, mean_square) = (Some(&mean), Some(&mean_square));
        gpu.launch(&SOURCE, "sum_deviations")
            .bind(&Bindings { block, out: &sums, mean, mean_square, sums: None })
            .run([groups as u32, 1, 1])?;
        let block = Block { count: n, share: self.share(), parts: groups };
        gpu.launch(&SOURCE, "normalise")
            .bind(&Bindings { block, out: self.image, mean, mean_square, sums: Some(&sums) })
            .run(line(n, 256))
    }
}
