//! What rays found, and how many of them were given up.

use super::tree::Search;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel_core::Stopped;
use veloxel_gpu::Cpu;

/// A number for each face or arc that rays found.
#[derive(Debug, Clone, PartialEq)]
pub struct RayFindings {
    /// The numbers.
    pub values: Vec<f64>,
    /// Boxes and faces that all rays were compared with: what they cost, whatever the machine.
    pub steps: usize,
    /// Rays that passed so many boxes and faces that they were given up: they count as if they met nothing.
    pub given_up: usize,
}

impl RayFindings {
    /// Finds as many numbers, `cost` times the work of copying one, each by rays of its own.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(crate) fn of_each<F>(count: usize, cost: usize, cpu: &Cpu, find: F) -> Result<Self, Stopped>
    where
        F: Fn(usize, &mut Search) -> f64 + Sync,
    {
        let (mut values, steps, given_up) = (vec![f64::NAN; count], AtomicUsize::new(0), AtomicUsize::new(0));
        cpu.split_samples(&mut values, cost, |which, values| {
            let mut search = Search::default();
            for (nth, value) in which.zip(values) {
                *value = find(nth, &mut search);
            }
            steps.fetch_add(search.steps, Ordering::Relaxed);
            given_up.fetch_add(search.given_up, Ordering::Relaxed);
        });
        cpu.check()?;
        Ok(Self { values, steps: steps.into_inner(), given_up: given_up.into_inner() })
    }
}
