//! Where kernels run.

use crate::{Buffer, ComputeError, Field};
use std::ops::Range;
use std::sync::Arc;

/// A place where kernels run; cheap to clone.
#[derive(Debug, Clone)]
pub struct Device {
    cpu: Cpu,
}

/// What `veloxel devices` shows, and what every report says about where it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// As `--device` takes it.
    pub name: String,
    /// What it is: instruction set and threads, or the adapter's name.
    pub description: String,
}

impl Device {
    /// The processor with `threads` threads (0: as many as the machine has).
    ///
    /// # Errors
    /// [`ComputeError::Threads`] if they cannot be started.
    pub fn cpu(threads: usize) -> Result<Self, ComputeError> {
        let count =
            if threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { threads };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("veloxel-{i}"))
            .build()
            .map_err(|e| ComputeError::Threads { threads: count, reason: e.to_string() })?;
        Ok(Self { cpu: Cpu { pool: Arc::new(pool) } })
    }

    /// The fastest device present.
    ///
    /// # Errors
    /// As [`Self::cpu`].
    pub fn auto() -> Result<Self, ComputeError> {
        Self::cpu(0)
    }

    /// Every device of this machine.
    pub fn list() -> Vec<DeviceInfo> {
        Self::cpu(0).map(|d| d.info()).into_iter().collect()
    }

    /// What this device is.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo {
            name: "cpu".to_owned(),
            description: format!("{} threads, {}", self.cpu.threads(), instruction_set()),
        }
    }

    /// Zeroed memory.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`] with the bytes asked for.
    pub fn zeros(&self, len: usize) -> Result<Buffer, ComputeError> {
        Buffer::zeros(len)
    }
    /// Zeroed memory for several components.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn zeros_field(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        (0..count).map(|_| self.zeros(len)).collect()
    }
    /// Samples from the host.
    pub fn upload(&self, samples: Vec<f32>) -> Buffer {
        Buffer::from_samples(samples)
    }
    /// A copy of samples from the host.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn upload_copy(&self, samples: &[f32]) -> Result<Buffer, ComputeError> {
        let mut buffer = self.zeros(samples.len())?;
        buffer.host_mut().copy_from_slice(samples);
        Ok(buffer)
    }
    /// Samples to the host, the buffer given back.
    pub fn download(&self, buffer: Buffer) -> Vec<f32> {
        buffer.into_samples()
    }
    /// A copy of the samples on the host.
    pub fn read(&self, buffer: &Buffer) -> Vec<f32> {
        buffer.host().to_vec()
    }
    /// Runs a whole method on the device's own threads, so that its kernels need not change threads.
    pub fn scope<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.cpu.pool.install(work)
    }

    pub(crate) fn as_cpu(&self) -> &Cpu {
        &self.cpu
    }
}

/// The processor: a pool of threads of its own.
#[derive(Debug, Clone)]
pub struct Cpu {
    pool: Arc<rayon::ThreadPool>,
}

/// Below this many samples a kernel is done before a second thread would have woken up.
const MIN_SAMPLES_PER_THREAD: usize = 8192;
/// Reductions always split into this many parts, so that sums do not depend on the number of threads.
const REDUCTION_PARTS: usize = 64;

impl Cpu {
    /// Threads in the pool.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Calls `work` for ranges that cover `0..count`; `samples` is the size of the whole job.
    ///
    /// How it is split must not matter to the result.
    pub(crate) fn split(&self, count: usize, samples: usize, work: impl Fn(Range<usize>) + Sync) {
        let useful = (samples / MIN_SAMPLES_PER_THREAD).min(count);
        if useful < 2 || self.threads() == 1 {
            return work(0..count);
        }
        let parts = (4 * self.threads()).min(useful);
        self.pool.install(|| {
            rayon::scope(|scope| {
                for part in 0..parts {
                    let work = &work;
                    scope.spawn(move |_| work(part_of(count, parts, part)));
                }
            });
        });
    }

    /// Sums `work` over ranges that cover `0..count`, in a fixed order: the same bits for any number of threads.
    pub(crate) fn sum<const N: usize>(
        &self,
        count: usize,
        samples: usize,
        work: impl Fn(Range<usize>) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let mut parts = [[0.0; N]; REDUCTION_PARTS];
        let slots = crate::rows::SharedSlots::new(&mut parts);
        self.split(REDUCTION_PARTS, samples, |range| {
            for part in range {
                // SAFETY: `split` hands every part to exactly one call.
                unsafe { slots.write(part, work(part_of(count, REDUCTION_PARTS, part))) };
            }
        });
        parts.iter().fold([0.0; N], |mut total, part| {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
            total
        })
    }
}

/// The `part`-th of `parts` nearly equal ranges of `0..count`.
fn part_of(count: usize, parts: usize, part: usize) -> Range<usize> {
    count * part / parts..count * (part + 1) / parts
}

fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
            "AVX-512"
        } else if std::arch::is_x86_feature_detected!("avx2") {
            "AVX2"
        } else {
            "SSE2"
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::env::consts::ARCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_threads() {
        let values: Vec<f64> = (0..100_000).map(|i| (i as f64 * 0.37).sin()).collect();
        let total = |threads| {
            let device = Device::cpu(threads).unwrap();
            device.as_cpu().sum(values.len(), values.len(), |r| [values[r].iter().sum::<f64>()])[0].to_bits()
        };
        assert!(total(1) == total(2) && total(2) == total(3));
    }

    #[test]
    fn splits_cover_everything_once() {
        let hits: Vec<_> = (0..1000).map(|_| std::sync::atomic::AtomicU32::new(0)).collect();
        Device::cpu(3).unwrap().as_cpu().split(hits.len(), 1 << 20, |range| {
            for i in range {
                hits[i].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        });
        assert!(hits.into_iter().all(|h| h.into_inner() == 1));
    }
}
