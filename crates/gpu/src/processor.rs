//! The processor as a device: its thread pool and memory pool, splitting of work over the threads, and sums that do not
//! depend on the number of threads.

use crate::error::ComputeError;
use crate::memory::buffer_pool::BufferPool;
use crate::memory::host_memory::{HOST_POLICY, HostPool};
use crate::rows::{Shared, ranges_mut};
use std::ops::Range;
use std::sync::Arc;
use veloxel_core::{Control, Stopped, ThreadPool, fallible};

/// The processor as a device: a thread pool and a memory pool, shared by all clones, and the channel of the run at hand.
#[derive(Debug, Clone)]
pub struct Cpu {
    pool: Arc<rayon::ThreadPool>,
    pub(crate) memory: Arc<HostPool>,
    pub(crate) control: Control,
}

/// Samples per thread below which a job is not split: a kernel would finish them before a second thread has woken up.
const MIN_SAMPLES_PER_THREAD: usize = if cfg!(miri) { 64 } else { 8192 };
/// Samples of a part's work between two questions whether the run is to go on: some milliseconds, in units of copying one.
const SAMPLES_PER_QUESTION: usize = 1 << 22;
/// Number of parts of a reduction; fixed, so that sums do not depend on the number of threads.
const REDUCTION_PARTS: usize = 64;
/// Upper limit of the number of threads. No machine has so many; starting hundreds of thousands takes minutes and may
/// bring the machine down.
const MOST_THREADS: usize = 4096;

impl Cpu {
    /// The samples of a job whose single items are worth a thread, such as the distances from one node: it is split into as
    /// many parts as threads can use. Its work calls [`Self::check`] before every item, and leaves the rest out once the run is
    /// to stop.
    pub const HEAVY_ITEMS: usize = usize::MAX / 2;

    /// Starts a pool of `threads` threads; 0 means as many as the machine has.
    ///
    /// # Errors
    /// [`ComputeError::Threads`] if they cannot be started.
    pub fn new(threads: usize) -> Result<Self, ComputeError> {
        let count =
            if threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { threads };
        if count > MOST_THREADS {
            let reason = format!("at most {MOST_THREADS} are possible; 0 takes as many as the machine has");
            return Err(ComputeError::Threads { threads: count, reason });
        }
        let failed = |reason: String| ComputeError::Threads { threads: count, reason };
        fallible::room_for_thread().map_err(|e| failed(e.to_string()))?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("veloxel-{i}"))
            .build()
            .map_err(|e| failed(e.to_string()))?;
        let memory = Arc::new(BufferPool::new(HOST_POLICY));
        Ok(Self { pool: Arc::new(pool), memory, control: Control::default() })
    }

    /// A processor with the same threads and memory and another channel.
    #[must_use]
    pub fn controlled_by(&self, control: Control) -> Self {
        Self { control, ..self.clone() }
    }

    /// Runs `work` on the pool's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs two pieces of work on the pool's threads, side by side if there are several.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self.threads() {
            1 => (first(), second()),
            _ => self.pool.install(|| rayon::join(first, second)),
        }
    }

    /// The channel of the run on these threads.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Asks whether the run on these threads is to go on. Call it after [`Self::split`] and the like, which leave ranges out
    /// after a stop.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn check(&self) -> Result<(), Stopped> {
        self.control.check()
    }

    /// Number of threads in the pool.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Number of parts that a job of `samples` samples is split into. Several parts for each thread, so that no thread
    /// idles while the last part is computed.
    pub fn useful_parts(&self, samples: usize) -> usize {
        let most = if self.threads() == 1 { 1 } else { 4 * self.threads() };
        (samples / MIN_SAMPLES_PER_THREAD).clamp(1, most)
    }

    /// Calls `work` with disjoint ranges that cover `0..count`, in parallel. `samples` is the size of the whole job and
    /// decides the number of parts.
    ///
    /// The result must not depend on where the ranges begin and end. Once the run is to stop, the ranges that are left are
    /// skipped: the caller asks [`Self::check`] afterwards and discards what it has, as every kernel does. Work of
    /// [`Self::HEAVY_ITEMS`] asks by itself.
    pub fn split(&self, count: usize, samples: usize, work: impl Fn(Range<usize>) + Sync) {
        let parts = self.useful_parts(samples).min(count);
        if parts <= 1 && samples <= SAMPLES_PER_QUESTION {
            return work(0..count);
        }
        let items_per_question = match samples {
            Self::HEAVY_ITEMS => count,
            _ => SAMPLES_PER_QUESTION / (samples / count.max(1)).max(1),
        };
        self.in_parts(count, parts.max(1), items_per_question.max(1), &work);
    }

    /// Splits `0..count` into `parts` ranges and calls `work` with each, in parallel, so many items at a time. The type of `work`
    /// is erased, so that what starts and joins threads is compiled once and not for every kernel.
    fn in_parts(
        &self,
        count: usize,
        parts: usize,
        items_per_question: usize,
        work: &(dyn Fn(Range<usize>) + Sync),
    ) {
        let of_part = |part| {
            let Range { mut start, end } = part_of(count, parts, part);
            while start < end && self.control.check().is_ok() {
                let next = end.min(start + items_per_question);
                work(start..next);
                start = next;
            }
        };
        match parts {
            1 => of_part(0),
            _ => self.pool.install(|| in_halves(0..parts, &of_part)),
        }
    }

    /// Calls `work` for every row of `width` samples, with the row's index and that row of each output; `samples` as in
    /// [`Self::split`].
    pub fn split_rows<const N: usize>(
        &self,
        outputs: [&mut [f32]; N],
        width: usize,
        samples: usize,
        work: impl Fn(usize, [&mut [f32]; N]) + Sync,
    ) {
        let count = outputs.first().map_or(0, |out| out.len() / width);
        let outputs = outputs.map(Shared::new);
        self.split(count, samples, |rows| {
            for row in rows {
                // SAFETY: `split` hands every row to exactly one call.
                work(row, unsafe { ranges_mut(&outputs, row * width..(row + 1) * width) });
            }
        });
    }

    /// Calls `work` with disjoint ranges that cover `samples`, and the samples of each range. `cost` is the cost of one
    /// sample, in units of copying one.
    pub fn split_samples<T: Send + Sync>(
        &self,
        samples: &mut [T],
        cost: usize,
        work: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) {
        let count = samples.len();
        let samples = Shared::new(samples);
        // SAFETY: ranges are disjoint.
        self.split(count, cost * count, |range| work(range.clone(), unsafe { samples.get_mut(range) }));
    }

    /// Joins what `work` finds in ranges that cover `0..count`, in parallel; `samples` as in [`Self::split`]. The result must depend
    /// neither on where the ranges begin and end nor on how they are joined, as with extremes and counts. No range is left out,
    /// whether or not the run is to stop.
    pub fn fold<R: Send>(
        &self,
        count: usize,
        samples: usize,
        work: &(impl Fn(Range<usize>) -> R + Sync),
        join: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        let parts = self.useful_parts(samples).min(count);
        if parts <= 1 {
            return work(0..count);
        }
        self.pool.install(|| fold_in_halves(0..parts, &|part| work(part_of(count, parts, part)), join))
    }

    /// Sums the results of `work` over ranges that cover `0..count`. The order is fixed: the same bits for any number
    /// of threads.
    pub fn sum<const N: usize>(
        &self,
        count: usize,
        samples: usize,
        work: impl Fn(Range<usize>) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let mut parts = [[0.0; N]; REDUCTION_PARTS];
        let slots = Shared::new(&mut parts);
        self.split(REDUCTION_PARTS, samples, |range| {
            for part in range {
                // SAFETY: `split` hands every part to exactly one call.
                let slot = unsafe { slots.get_mut(part..part + 1) };
                slot[0] = work(part_of(count, REDUCTION_PARTS, part));
            }
        });
        parts.iter().fold([0.0; N], |mut total, part| {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
            total
        })
    }
}

impl ThreadPool for Cpu {
    fn threads(&self) -> usize {
        self.threads()
    }

    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        self.install(|| in_halves(0..count, work));
    }
}

/// Does the work of every part; a thread that has nothing to do takes half of what another one has left.
fn in_halves(parts: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    if parts.len() < 2 {
        return parts.for_each(work);
    }
    let middle = parts.start.midpoint(parts.end);
    rayon::join(|| in_halves(parts.start..middle, work), || in_halves(middle..parts.end, work));
}

/// Joins what `work` finds in each part; a thread that has nothing to do takes half of what another one has left.
fn fold_in_halves<R: Send>(
    parts: Range<usize>,
    work: &(impl Fn(usize) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if parts.len() < 2 {
        return work(parts.start);
    }
    let middle = parts.start.midpoint(parts.end);
    let (first, second) = rayon::join(
        || fold_in_halves(parts.start..middle, work, join),
        || fold_in_halves(middle..parts.end, work, join),
    );
    join(first, second)
}

/// Range number `part` of the `parts` nearly equal ranges that `0..count` is split into.
fn part_of(count: usize, parts: usize, part: usize) -> Range<usize> {
    count * part / parts..count * (part + 1) / parts
}

pub(crate) fn instruction_set() -> &'static str {
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
    fn threads_without_end_are_refused() {
        let error = Cpu::new(100_000).unwrap_err().to_string();
        assert!(error.contains("100000") && error.contains("at most"), "{error}");
    }

    #[test]
    fn sums_do_not_depend_on_threads() {
        let values: Vec<f64> = (0..100_000).map(|i| (i as f64 * 0.37).sin()).collect();
        let total = |threads| {
            let device = Cpu::new(threads).unwrap();
            device.sum(values.len(), values.len(), |r| [values[r].iter().sum::<f64>()])[0].to_bits()
        };
        assert!(total(1) == total(2) && total(2) == total(3));
    }

    #[test]
    fn a_fold_has_every_range_once_even_of_a_run_that_is_to_stop() {
        for (threads, count) in [(1, 100_000), (2, 100_000), (3, 1 << 20), (2, 0), (2, 1)] {
            let cpu = Cpu::new(threads).unwrap();
            cpu.control.stop();
            let found = cpu.fold(count, count, &|range| range.len(), &|a, b| a + b);
            assert_eq!(found, count, "{threads}");
        }
    }

    #[test]
    fn splits_cover_everything_once() {
        for (threads, samples) in [(3, 1 << 20), (1, 1 << 26), (2, 1 << 26), (2, Cpu::HEAVY_ITEMS)] {
            let hits: Vec<_> = (0..1000).map(|_| std::sync::atomic::AtomicU32::new(0)).collect();
            Cpu::new(threads).unwrap().split(hits.len(), samples, |range| {
                for i in range {
                    hits[i].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
            assert!(hits.into_iter().all(|h| h.into_inner() == 1), "{threads} {samples}");
        }
    }

    #[test]
    fn a_stop_skips_what_is_left() {
        let cpu = Cpu::new(2).unwrap();
        let done = std::sync::atomic::AtomicUsize::new(0);
        cpu.split(1000, 1000 * SAMPLES_PER_QUESTION, |_| {
            done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            cpu.control.stop();
        });
        assert!((1..=2).contains(&done.into_inner()));
    }
}
