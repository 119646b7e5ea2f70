//! A model of how long a resident pair of volumes takes on several GPUs, from a few measured rates.
//!
//! A run is a list of launches. What they bind is counted in a run of 256³ on one GPU, and times of 256³ and 512³ tell the rates; a larger cube has the same
//! launches over more bytes, and one more level of them for every doubling of its edge. A launch takes its bytes over the rate
//! of memory, of which kernels reach a share, and a start of its own; on several GPUs launches over large buffers take a part
//! of the bytes each, wait for each other, and fetch two planes of every buffer over the link.

use crate::BenchError;
use std::sync::Arc;
use std::time::Instant;
use veloxel_gpu::{CountedLaunches, Device, LaunchCounts};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, CopyPart};

/// Bytes of a volume of 128³: launches over buffers of as many are divided among GPUs.
const DIVIDED_BYTES: usize = 4 << 21;
/// Edge of the cube whose launches are counted.
pub(super) const COUNTED: usize = 256;
/// Microseconds by which the wait grows with every further GPU: 6.0 µs with two and 6.6 with four H100.
const US_PER_FURTHER_GPU: f64 = 0.3;
/// Samples of the buffers that are copied to measure rates.
const COPIED: usize = 1 << 28;
const ROUNDS: usize = 20;

/// What was measured of a device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    /// Bytes a second that one GPU reads and writes in a copy.
    pub copy: f64,
    /// The share of it that the launches of a run reach.
    pub share: f64,
    /// Seconds of a launch beside its bytes.
    pub launch_s: f64,
    /// Seconds for which GPUs wait for each other after a launch.
    pub wait_s: f64,
    /// The number of GPUs that this was measured with.
    pub waiting: usize,
    /// Bytes a second that a GPU reads of another one's memory.
    pub link: f64,
}

/// The launches of a run over [`COUNTED`]³.
#[derive(Debug)]
pub(super) struct CountedRun {
    pub counts: Arc<LaunchCounts>,
    /// By how many launches a run over a cube of twice the edge has more.
    pub per_doubling: usize,
}

/// Launches of a cube of another size.
struct Launches {
    divided: CountedLaunches,
    alone: CountedLaunches,
}

impl CountedRun {
    /// The launches for a cube of `size`³ voxels.
    fn of(&self, size: usize) -> Launches {
        let doublings = (size as f64 / COUNTED as f64).log2();
        let grown = 8.0f64.powf(doublings);
        // A buffer of the larger cube is this much longer.
        let from = (DIVIDED_BYTES as f64 / grown) as usize;
        let (all, divided) = (self.counts.at_least(0), self.counts.at_least(from));
        let more = |counted: CountedLaunches| CountedLaunches {
            launches: counted.launches,
            bytes: (counted.bytes as f64 * grown) as usize,
        };
        let alone = CountedLaunches {
            launches: all.launches - divided.launches,
            bytes: all.bytes.saturating_sub(divided.bytes),
        };
        let mut launches = Launches { divided: more(divided), alone: more(alone) };
        launches.alone.launches += (doublings.max(0.0) * self.per_doubling as f64) as usize;
        launches
    }
}

impl Rates {
    /// Milliseconds of a resident pair of `size`³ voxels on so many GPUs.
    pub fn predicted_ms(&self, run: &CountedRun, size: usize, gpus: usize) -> f64 {
        let Launches { divided, alone } = run.of(size);
        let rate = self.copy * self.share;
        let memory_s = divided.bytes as f64 / (gpus as f64 * rate) + alone.bytes as f64 / rate;
        let launches_s = (divided.launches + alone.launches) as f64 * self.launch_s;
        if gpus == 1 {
            return 1e3 * (memory_s + launches_s);
        }
        let wait_s = self.wait_s + 1e-6 * US_PER_FURTHER_GPU * (gpus as f64 - self.waiting as f64);
        // Two planes of what is bound, of the cube's many.
        let link_s = 2.0 * divided.bytes as f64 / size as f64 / self.link;
        1e3 * (memory_s + launches_s + divided.launches as f64 * wait_s + link_s)
    }

    /// The rates of memory, link and waits of a device; `share` and `launch_s` are those of a perfect device until
    /// [`Self::fitted`].
    pub fn measured(one: &Device, several: &Device) -> Result<Self, BenchError> {
        let seconds = |device: &Device, work: &mut dyn FnMut() -> Result<(), BenchError>| {
            // The first time launches go out one by one, the second time they are recorded, as those of a run are.
            let mut took_s = 0.0;
            for _ in 0..3 {
                device.synchronise()?;
                let start = Instant::now();
                (0..ROUNDS).try_for_each(|_| work())?;
                device.synchronise()?;
                took_s = start.elapsed().as_secs_f64();
            }
            Ok::<_, BenchError>(took_s / ROUNDS as f64)
        };
        let bytes = |samples: usize| 2.0 * size_of::<f32>() as f64 * samples as f64;
        let copy_s = |device: &Device, samples: usize| {
            let (from, mut to) = (device.zeros::<f32>(samples)?, device.zeros(samples)?);
            seconds(device, &mut || Ok(CopyBuffer { from: &from, to: &mut to }.run(device)?))
        };
        let copy = bytes(COPIED) / copy_s(one, COPIED)?;
        let (mut wait_s, mut link) = (0.0, f64::INFINITY);
        if several.gpus() > 1 {
            let samples = DIVIDED_BYTES / size_of::<f32>();
            wait_s = copy_s(several, samples)? - bytes(samples) / (copy * several.gpus() as f64);
            // Each GPU copies what lies on the next one.
            let (from, mut to) = (several.zeros::<f32>(2 * COPIED)?, several.zeros(COPIED)?);
            let shifted = COPIED / several.gpus() * 2;
            let first = shifted.min(COPIED);
            let shifted_s =
                seconds(several, &mut || Ok(CopyPart { from: &from, first, to: &mut to }.run(several)?))?;
            link = bytes(COPIED) / 2.0 / several.gpus() as f64 / shifted_s;
        }
        several.release_kept();
        one.release_kept();
        Ok(Self { copy, share: 1.0, launch_s: 0.0, wait_s, waiting: several.gpus(), link })
    }

    /// With the share of the rate, and the start of a launch, that explain two measured times on one GPU: of two runs each the
    /// milliseconds and the launches.
    pub fn fitted(self, [small, large]: [(f64, CountedLaunches); 2]) -> Self {
        // ms = bytes · a + launches · b, twice.
        let [(t1, n1), (t2, n2)] = [small, large].map(|(ms, counted)| (1e-3 * ms, counted));
        let determinant = n1.bytes as f64 * n2.launches as f64 - n2.bytes as f64 * n1.launches as f64;
        let per_byte = (t1 * n2.launches as f64 - t2 * n1.launches as f64) / determinant;
        let launch_s = (n1.bytes as f64 * t2 - n2.bytes as f64 * t1) / determinant;
        Self { share: 1.0 / (per_byte * self.copy), launch_s: launch_s.max(0.0), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_times_give_share_and_start_back() {
        let rates = Rates { copy: 2e12, share: 1.0, launch_s: 0.0, wait_s: 1e-5, waiting: 2, link: 3e11 };
        let runs = [(1_000, 3 << 30), (1_200, 24 << 30)];
        let timed = runs.map(|(launches, bytes)| {
            let counted = CountedLaunches { launches, bytes };
            (1e3 * (bytes as f64 / (0.6 * 2e12) + launches as f64 * 4e-6), counted)
        });
        let fitted = rates.fitted(timed);
        assert!((fitted.share - 0.6).abs() < 1e-9 && (fitted.launch_s - 4e-6).abs() < 1e-12, "{fitted:?}");
    }
}
