//! The disparity of the least cost of every pixel, and how far it is ahead of others.
//!
//! *In*: `count` costs a pixel, whole numbers, of the disparities from the pixel's `base` on. *Out*, four planes in one buffer: the
//! whole disparity of the least cost (of equal ones the smallest), pixels; what a parabola through it and its neighbours adds,
//! −½ to ½, 0 at the ends of a band; the cost; and the least cost of the disparities that are no neighbours of it, less that.
//! *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::rows::split_rows;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("least cost", Bindings, [], "least_cost.wgsl");

/// Planes of the result.
pub const PLANES: usize = 4;

/// A cost above all.
const NONE: u16 = u16::MAX;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width (x) and height (y), disparities of a pixel (z).
            size: vec4<u32>,
        },
        sums: read u32 as u16,
        base: read f32,
        out: write f32,
    }
}

/// Finds the disparities of the least costs.
#[derive(Debug)]
pub struct LeastCost<'a> {
    /// Width and height `(nx, ny)`.
    pub size: [usize; 2],
    /// Number of disparities of a pixel, even.
    pub count: usize,
    /// The costs: `count` numbers a pixel, side by side.
    pub sums: &'a Buffer<u16>,
    /// Least disparity of every pixel's band, whole numbers.
    pub base: &'a Buffer,
    /// Disparity, what a parabola adds, cost, and lead: a plane each.
    pub out: &'a mut Buffer,
}

impl Kernel for LeastCost<'_> {
    const NAME: &'static str = "least_cost";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.size[0] * self.size[1];
        lengths.of("sums", self.sums, self.count * n).of("base", self.base, n).of(
            "out",
            self.out,
            PLANES * n,
        );
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { size: [nx, ny], count, sums, base, out } = self;
        let (sums, base) = (sums.host(), base.host());
        let planes = out.host_mut().chunks_exact_mut(nx * ny).collect();
        split_rows(cpu, planes, nx, nx * ny * count, |y, mut out| {
            for x in 0..nx {
                let pixel = y * nx + x;
                let own = &sums[pixel * count..][..count];
                let found = of_pixel(own, base[pixel]);
                out.iter_mut().zip(found).for_each(|(out, value)| out[x] = value);
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { size: [nx, ny], count, sums, base, out } = self;
        gpu.launch(&SOURCE, "least_cost")
            .bind(&Bindings { block: Block { size: [nx, ny, count].into() }, sums, base, out })
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}

fn of_pixel(costs: &[u16], base: f32) -> [f32; PLANES] {
    let least = costs.iter().fold(NONE, |least, &cost| least.min(cost));
    let best = costs.iter().position(|&cost| cost == least).unwrap_or(0);
    let others = costs[..best.saturating_sub(1)].iter().chain(&costs[(best + 2).min(costs.len())..]);
    let second = others.fold(NONE, |least, &cost| least.min(cost));
    let mut between = 0.0;
    if best > 0 && best + 1 < costs.len() {
        let [low, here, high] = [costs[best - 1], least, costs[best + 1]].map(f32::from);
        let curvature = low + high - 2.0 * here;
        if curvature > 0.0 {
            between = 0.5 * (low - high) / curvature;
        }
    }
    [base + best as f32, between, f32::from(least), f32::from(second - least)]
}
