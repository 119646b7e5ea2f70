//! Where labels lie in two images, and where they agree.

use std::collections::BTreeMap;
use veloxel_core::{GridBox, Stopped, Threads, Volume};

/// Where a label lies in both images.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Region {
    pub in_truth: usize,
    pub in_result: usize,
    pub in_both: usize,
    /// First and last voxel `(x, y, z)`, both inside.
    pub first: [usize; 3],
    last: [usize; 3],
}

impl Region {
    /// Voxels along the axes of the box around both.
    pub fn size(&self) -> [usize; 3] {
        [0, 1, 2].map(|a| self.last[a] - self.first[a] + 1)
    }

    /// The box around both.
    pub fn around(&self) -> GridBox {
        GridBox { begin: self.first, size: self.size() }
    }

    /// Adds what was found elsewhere in the images.
    pub fn and(&mut self, other: &Self) {
        self.in_truth += other.in_truth;
        self.in_result += other.in_result;
        self.in_both += other.in_both;
        self.first = [0, 1, 2].map(|a| self.first[a].min(other.first[a]));
        self.last = [0, 1, 2].map(|a| self.last[a].max(other.last[a]));
    }
}

/// The regions of the labels above 0 of the result and the truth, by label.
pub(super) fn regions(
    [result, truth]: [&Volume<u32>; 2],
    threads: Threads<'_>,
) -> Result<BTreeMap<u32, Region>, Stopped> {
    let [nx, ny, nz] = truth.grid().size();
    let threads = threads.for_samples(truth.grid().len());
    let parts = threads.in_parts(ny * nz, |rows| {
        let mut regions = BTreeMap::new();
        for row in rows {
            threads.control().check()?;
            let [result, truth] = [result, truth].map(|labels| &labels.data()[row * nx..(row + 1) * nx]);
            of_row([result, truth], [0, row % ny, row / ny], &mut regions);
        }
        Ok(regions)
    })?;
    let mut all = BTreeMap::<u32, Region>::new();
    for (label, region) in parts.into_iter().flatten() {
        all.entry(label).and_modify(|all| all.and(&region)).or_insert(region);
    }
    Ok(all)
}

/// Adds a row that begins at a voxel `(x, y, z)`, run by run of voxels that have the same two labels.
pub(super) fn of_row(
    [result, truth]: [&[u32]; 2],
    [x, y, z]: [usize; 3],
    regions: &mut BTreeMap<u32, Region>,
) {
    let mut begin = 0;
    while begin < truth.len() {
        let (r, t) = (result[begin], truth[begin]);
        let same = result[begin..].iter().zip(&truth[begin..]).take_while(|pair| *pair == (&r, &t)).count();
        let labels = if r == t { &[t][..] } else { &[t, r] };
        for &label in labels.iter().filter(|label| **label > 0) {
            let own = Region {
                in_truth: if t == label { same } else { 0 },
                in_result: if r == label { same } else { 0 },
                in_both: if r == t { same } else { 0 },
                first: [x + begin, y, z],
                last: [x + begin + same - 1, y, z],
            };
            regions.entry(label).and_modify(|all| all.and(&own)).or_insert(own);
        }
        begin += same;
    }
}
