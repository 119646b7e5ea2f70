//! Passes over all samples of an image in host memory, by a session's threads.

use crate::Session;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel_core::{Control, Extremes, ThreadPool, Threads, Volume};
use veloxel_gpu::Cpu;

/// Fewer samples are looked at by the calling thread: it is done before another one has woken up.
const FEWEST_SAMPLES: usize = 1 << 19;
/// Two images with fewer samples are looked at one after the other.
const FEWEST_TO_JOIN: usize = 1 << 16;

/// Who makes passes over samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passes<'a>(Option<&'a Session>);

impl<'a> Passes<'a> {
    /// The calling thread alone.
    pub const ALONE: Self = Self(None);

    /// The threads of a session, of which a GPU's has some on the host as well.
    pub fn by(session: &'a Session) -> Self {
        Self(Some(session))
    }

    /// Who works, under the channel of a run.
    pub fn threads<'b>(self, control: &'b Control) -> Threads<'b>
    where
        'a: 'b,
    {
        let cpu = self.0.and_then(Session::host_threads);
        Threads::of(cpu.map(|cpu| cpu as &dyn ThreadPool), control)
    }

    /// The threads, where there are several and enough for them to do.
    fn cpu(self, samples: usize) -> Option<&'a Cpu> {
        self.several().filter(|_| samples >= FEWEST_SAMPLES)
    }

    fn several(self) -> Option<&'a Cpu> {
        self.0?.host_threads().filter(|cpu| cpu.threads() > 1)
    }

    /// Does the same with two images of so many samples, side by side where that is worth it.
    pub fn both<T: Send, R: Send>(
        self,
        samples: usize,
        [first, second]: [T; 2],
        work: impl Fn(T) -> R + Sync,
    ) -> [R; 2] {
        self.join(samples, || work(first), || work(second)).into()
    }

    /// Does two pieces of work on images of so many samples, side by side where that is worth it.
    pub fn join<A: Send, B: Send>(
        self,
        samples: usize,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self.several().filter(|_| samples >= FEWEST_TO_JOIN) {
            Some(cpu) => cpu.join(first, second),
            None => (first(), second()),
        }
    }

    /// The extremes of an image, which are found once.
    pub fn extremes(self, image: &Volume<f32>) -> Extremes {
        image.extremes_by(|samples| match self.cpu(samples.len()) {
            Some(cpu) => cpu.fold(
                samples.len(),
                samples.len(),
                &|range: Range<usize>| Extremes::of(&samples[range]),
                &Extremes::joined,
            ),
            None => Extremes::of(samples),
        })
    }

    /// Changes samples: `work` has the indices of a range and its samples. `cost` is that of a sample, in units of copying one. Of a
    /// run that is to stop, samples may be left as they are.
    pub fn change<T: Send + Sync>(
        self,
        samples: &mut [T],
        cost: usize,
        work: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) {
        match self.cpu(samples.len() * cost) {
            Some(cpu) => cpu.split_samples(samples, cost, work),
            None => work(0..samples.len(), samples),
        }
    }

    /// Gives samples that `is_odd` finds, by index and value, another value: how many there were.
    pub fn replace(
        self,
        samples: &mut [f32],
        value: f32,
        is_odd: impl Fn(usize, f32) -> bool + Sync,
    ) -> usize {
        let count = AtomicUsize::new(0);
        self.change(samples, 1, |range, own| {
            let mut found = 0;
            for (index, sample) in range.zip(own) {
                if is_odd(index, *sample) {
                    *sample = value;
                    found += 1;
                }
            }
            count.fetch_add(found, Ordering::Relaxed);
        });
        count.into_inner()
    }

    /// The image with other samples, by index and value.
    pub fn mapped(
        self,
        image: &Volume<f32>,
        cost: usize,
        sample: impl Fn(usize, f32) -> f32 + Sync,
    ) -> Volume<f32> {
        let mut samples = vec![0.0; image.grid().len()];
        self.change(&mut samples, cost, |range, own| {
            for ((sample_out, index), v) in own.iter_mut().zip(range.clone()).zip(&image.data()[range]) {
                *sample_out = sample(index, *v);
            }
        });
        Volume::new(image.grid().clone(), samples).expect("a grid should have its number of samples")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;
    use veloxel_gpu::Device;

    #[test]
    fn many_threads_find_and_change_what_one_does() {
        let session = Session::on(Device::cpu(3).unwrap());
        let grid = Grid::volume(128, 96, 70).unwrap();
        let image = || {
            Volume::from_fn(grid.clone(), |[x, y, z]| match (x * 31 + y * 17 + z * 5) % 977 {
                3 => f32::NAN,
                v => v as f32 - 400.0,
            })
        };
        let of = |passes: Passes<'_>| {
            let mut image = image();
            let extremes = passes.extremes(&image);
            let count = passes.replace(image.data_mut(), 7.5, |i, v| v.is_nan() || i % 1000 == 0);
            let mapped = passes.mapped(&image, 3, |i, v| v * 2.0 + i as f32);
            (extremes, count, image, mapped)
        };
        assert!(Passes::by(&session).cpu(grid.len()).is_some());
        let (one, three) = (of(Passes::ALONE), of(Passes::by(&session)));
        assert_eq!(one, three);
        assert!(!one.0.are_finite && one.1 > 1000);
    }
}
