//! Disparities that the right view confirms: of the left pixels that lead to one right pixel the cheapest one has it.
//!
//! A left pixel is confirmed if its cost leads, and if its match lies inside the right picture and belongs to a pixel whose disparity differs from its own
//! by at most `tolerance`; a row in which the phases know nothing has no texture, and nothing is confirmed. Its disparity is then that of the phases, where they know one less than a pixel away, and the whole one
//! with what a parabola adds elsewhere. *In*: the planes of [`least_cost`](super::least_cost). *Units*: pixels, bits. *Out*: the
//! disparity, NaN where it is not confirmed; the confidence `1 − 0.4/(1 + (lead/20)²)`, 0 where unknown: about the share of
//! disparities with that lead which are less than a pixel off (docs/algorithms/stereo.md). Of equal costs the leftmost pixel's
//! counts. *Halo*: a row.

#[cfg(test)]
mod parity;

use super::least_cost::PLANES;
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_gpu::wgsl::vec2;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("confirmed disparity", Bindings, [NAN], "confirmed_disparity.wgsl");

/// Share of disparities without a lead that are more than a pixel off.
const DOUBT: f32 = 0.4;
/// One over the lead that halves it, bits.
const PER_LEAD: f32 = 0.05;
/// How far a disparity of the phases may lie from the whole one, pixels.
const NEAR_PX: f32 = 1.0;
/// A cost above all.
const NONE: f32 = 1e9;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec2<u32>,
            /// Largest difference of two disparities that agree.
            tolerance: f32,
        },
        found: read f32,
        phases: may_read f32,
        /// The least cost of the left pixels that lead to a right one, and the disparity of that left pixel: two planes.
        owners: write f32,
        out: write f32,
        confidence: write f32,
    }
}

/// Writes the disparities that both views agree on.
#[derive(Debug)]
pub struct ConfirmedDisparity<'a> {
    /// Width and height `(nx, ny)`.
    pub size: [usize; 2],
    /// Largest difference of two disparities that agree, pixels.
    pub tolerance_px: f32,
    /// The four planes of [`LeastCost`](super::least_cost::LeastCost).
    pub found: &'a Buffer,
    /// Disparity by the phases, pixels, NaN where unknown.
    pub phases: Option<&'a Buffer>,
    /// Room for two planes.
    pub owners: &'a mut Buffer,
    /// Disparity, pixels.
    pub out: &'a mut Buffer,
    /// Confidence.
    pub confidence: &'a mut Buffer,
}

impl Kernel for ConfirmedDisparity<'_> {
    const NAME: &'static str = "confirmed_disparity";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.size[0] * self.size[1];
        lengths.of("found", self.found, PLANES * n).optional("phases", self.phases, n);
        lengths.of("owners", self.owners, 2 * n).of("out", self.out, n).of("confidence", self.confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { size: [nx, ny], tolerance_px, found, phases, owners, out, confidence } = self;
        let n = nx * ny;
        let (found, phases) = (found.host(), phases.map(Buffer::host));
        let (cheapest, owner) = owners.host_mut().split_at_mut(n);
        let outputs = [cheapest, owner, out.host_mut(), confidence.host_mut()];
        cpu.split_rows(outputs, nx, 8 * n, |y, [cheapest, owner, out, confidence]| {
            let [whole, between, cost, lead] = [0, 1, 2, 3].map(|p| &found[p * n + y * nx..][..nx]);
            cheapest.fill(NONE);
            owner.fill(0.0);
            let place = |x: usize| {
                let at = x as f32 - whole[x];
                (at >= 0.0 && at < nx as f32).then_some(at as usize)
            };
            for x in 0..nx {
                if let Some(at) = place(x).filter(|&at| cost[x] < cheapest[at]) {
                    (cheapest[at], owner[at]) = (cost[x], whole[x]);
                }
            }
            let knows = |phases: &[f32]| phases[y * nx..][..nx].iter().any(|d| !d.is_nan());
            let has_texture = phases.is_none_or(knows);
            for x in 0..nx {
                let agrees = has_texture
                    && lead[x] > 0.0
                    && place(x).is_some_and(|at| (owner[at] - whole[x]).abs() <= tolerance_px);
                let phase = phases.map_or(f32::NAN, |phases| phases[y * nx + x]);
                let is_near = (phase - whole[x]).abs() < NEAR_PX;
                let known = if is_near { phase } else { whole[x] + between[x] };
                let share = lead[x] * PER_LEAD;
                out[x] = if agrees { known } else { f32::NAN };
                confidence[x] = if agrees { 1.0 - DOUBT / (1.0 + share * share) } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { size: [nx, ny], tolerance_px: tolerance, found, phases, owners, out, confidence } = self;
        let block = Block { size: [nx, ny].into(), tolerance };
        gpu.launch(&SOURCE, "confirmed_disparity")
            .constant("PHASES", phases.is_some())
            .bind(&Bindings { block, found, phases, owners, out, confidence })
            .run([cover(ny, 32), 1, 1])
    }
}
