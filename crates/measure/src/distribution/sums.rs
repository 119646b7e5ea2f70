//! The distribution of errors that are too many to be kept: they are seen twice, in any order, and it is that of all at once, bit by bit.

use super::{Distribution, SHARES, exact_sum::ExactSum, of_ordered_bits, ordered_bits, rank};
use crate::words::Words;

/// Errors that are seen for the first time.
#[derive(Debug, Clone)]
pub(crate) struct DistributionSums {
    count: usize,
    sum: ExactSum,
    max: f32,
    /// How many errors have each upper half of bits.
    upper: Vec<u64>,
}

impl Default for DistributionSums {
    fn default() -> Self {
        Self { count: 0, sum: ExactSum::default(), max: f32::MIN, upper: halves() }
    }
}

impl Words for DistributionSums {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        self.count.visit(visit);
        self.sum.visit(visit);
        self.max.visit(visit);
        self.upper.visit(visit);
    }
}

impl DistributionSums {
    pub fn add(&mut self, error: f32) {
        self.count += 1;
        self.sum.add(f64::from(error));
        self.max = self.max.max(error);
        self.upper[(ordered_bits(error) >> 16) as usize] += 1;
    }

    /// Takes up other errors that were seen for the first time.
    pub fn and(&mut self, other: &Self) {
        self.count += other.count;
        self.sum.and(&other.sum);
        self.max = self.max.max(other.max);
        add_counts(&mut self.upper, &other.upper);
    }

    /// Begins to see the same errors again; none without any.
    pub fn again(self) -> Option<DistributionSpread> {
        if self.count == 0 {
            return None;
        }
        let quantiles = SHARES.map(|share| {
            let (upper, below) = nth(&self.upper, rank(share, self.count) as u64);
            Quantile { upper, below, lower: halves() }
        });
        let mean = self.sum.value() / self.count as f64;
        let (count, max) = (self.count, self.max);
        Some(DistributionSpread { count, mean, max, squares: ExactSum::default(), quantiles })
    }
}

/// Errors that are seen for the second time.
#[derive(Debug, Clone)]
pub(crate) struct DistributionSpread {
    count: usize,
    mean: f64,
    max: f32,
    squares: ExactSum,
    quantiles: [Quantile; 3],
}

/// An error with a place among all, of which the upper half of bits is known.
#[derive(Debug, Clone)]
struct Quantile {
    upper: u32,
    /// How many errors with this upper half come before it.
    below: u64,
    /// How many errors with this upper half have each lower one.
    lower: Vec<u64>,
}

/// What is not known from the first time.
impl Words for DistributionSpread {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        self.squares.visit(visit);
        self.quantiles.iter_mut().for_each(|quantile| quantile.lower.visit(visit));
    }
}

impl DistributionSpread {
    pub fn add(&mut self, error: f32) {
        self.squares.add((f64::from(error) - self.mean).powi(2));
        let bits = ordered_bits(error);
        for quantile in self.quantiles.iter_mut().filter(|quantile| quantile.upper == bits >> 16) {
            quantile.lower[(bits & 0xffff) as usize] += 1;
        }
    }

    /// Takes up other errors that were seen for the second time.
    pub fn and(&mut self, other: &Self) {
        self.squares.and(&other.squares);
        let quantiles = self.quantiles.iter_mut().zip(&other.quantiles);
        quantiles.for_each(|(own, other)| add_counts(&mut own.lower, &other.lower));
    }

    pub fn finish(&self) -> Distribution {
        let [a50, a75, a95] = [0, 1, 2].map(|which: usize| {
            let Quantile { upper, below, lower } = &self.quantiles[which];
            f64::from(of_ordered_bits(upper << 16 | nth(lower, *below).0))
        });
        let sd = (self.squares.value() / self.count as f64).sqrt();
        Distribution { mean: self.mean, sd, a50, a75, a95, max: f64::from(self.max) }
    }
}

/// Counts of a half of bits.
fn halves() -> Vec<u64> {
    vec![0; 1 << 16]
}

fn add_counts(counts: &mut [u64], others: &[u64]) {
    counts.iter_mut().zip(others).for_each(|(own, other)| *own += other);
}

/// The half that the n-th of all has, and how many of that half come before it.
fn nth(counts: &[u64], mut below: u64) -> (u32, u64) {
    for (half, &count) in counts.iter().enumerate() {
        if below < count {
            return (half as u32, below);
        }
        below -= count;
    }
    unreachable!("an error should have been seen as often the second time as the first")
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Control;

    #[test]
    fn errors_that_are_seen_twice_have_the_distribution_of_all_at_once() {
        let error = |i: u32| (f64::from(i.wrapping_mul(2_654_435_761)) / 4e9).powi(3) as f32;
        for count in [1, 2, 7, 1000, 20_000] {
            let mut all: Vec<f32> = (0..count).map(error).collect();
            let (mut sums, mut reversed) = (DistributionSums::default(), all.clone());
            reversed.reverse();
            all.iter().for_each(|&e| sums.add(e));
            let mut again = sums.again().unwrap();
            reversed.iter().for_each(|&e| again.add(e));
            // The same in two parts.
            let (mut first, mut second) = (DistributionSums::default(), DistributionSums::default());
            let (some, others) = all.split_at(all.len() / 3);
            some.iter().for_each(|&e| first.add(e));
            others.iter().for_each(|&e| second.add(e));
            first.and(&second);
            let begun = first.again().unwrap();
            let [mut first, mut second] = [begun.clone(), begun];
            some.iter().for_each(|&e| first.add(e));
            others.iter().for_each(|&e| second.add(e));
            first.and(&second);
            let expected = Distribution::measure(&mut all, &Control::default()).unwrap().unwrap();
            assert_eq!((again.finish(), first.finish()), (expected, expected), "{count}");
        }
        assert!(DistributionSums::default().again().is_none());
    }
}
