//! Exact Euclidean distances, in millimetres, from every voxel of a box to a set of voxels in it.
//!
//! *Source*: P. F. Felzenszwalb, D. P. Huttenlocher, "Distance transforms of sampled functions", Theory of Computing
//! 8(19), 2012, doi 10.4086/toc.2012.v008a019, algorithm 1 (lower envelope of parabolas), one axis after the other,
//! here with the spacing of each axis.
//!
//! *Cost*: three passes, linear in the voxels; two f32 a voxel of the band, and a plane and five lines of scratch a thread. The planes
//! of the whole box are passed for each band.

use std::ops::Range;
use veloxel_core::{Stopped, Threads};

/// A set of a box's voxels.
pub(super) trait VoxelSet: Sync {
    /// Makes the voxels of a plane 0 that are in the set, and all others infinite; C order, x fastest.
    fn mark(&self, z: usize, plane: &mut [f32]);
}

impl VoxelSet for [bool] {
    fn mark(&self, z: usize, plane: &mut [f32]) {
        let set = &self[z * plane.len()..][..plane.len()];
        plane.iter_mut().zip(set).for_each(|(v, on)| *v = if *on { 0.0 } else { f32::INFINITY });
    }
}

/// Rows along x of a box, in all of its planes.
#[derive(Debug, Clone)]
pub(super) struct Band {
    /// Voxels of the box along its axes `(x, y, z)`.
    pub size: [usize; 3],
    /// Which rows of each plane.
    pub rows: Range<usize>,
}

impl Band {
    /// All rows.
    pub fn whole(size: [usize; 3]) -> Self {
        Self { size, rows: 0..size[1] }
    }
}

/// Squared distances of the voxels of a band.
pub(super) struct SquaredDistances {
    /// Voxels of a plane that belong to the band.
    plane: usize,
    /// Samples, mm², z fastest, then x: lines along the last axis are transformed where they lie.
    samples_mm2: Vec<f32>,
}

impl SquaredDistances {
    /// That of a voxel of the band by its index there in C order, x fastest, mm².
    pub fn at(&self, index: usize) -> f32 {
        let planes = self.samples_mm2.len() / self.plane;
        self.samples_mm2[index % self.plane * planes + index / self.plane]
    }
}

/// Squared distance (mm²) of every voxel of a band to the nearest voxel of a set in its box; infinite everywhere if the set is empty.
/// The bits do not depend on the band.
///
/// # Errors
/// [`Stopped`] if the run is to stop.
pub(super) fn squared_distance_mm2<S: VoxelSet + ?Sized>(
    set: &S,
    band: &Band,
    spacing_mm: [f64; 3],
    threads: Threads<'_>,
) -> Result<SquaredDistances, Stopped> {
    let [nx, ny, nz] = band.size;
    let plane = nx * band.rows.len();
    let control = threads.control();
    let mut squared = [vec![0.0f32; plane * nz]];
    threads.fill(&mut squared, plane, |begin, own| {
        let mut envelope = Envelope::with_capacity(nx.max(ny));
        let mut all = vec![0.0f32; nx * ny];
        for (nth, own) in own.iter_mut().flat_map(|own| own.chunks_mut(plane)).enumerate() {
            set.mark(begin / plane + nth, &mut all);
            for y in 0..ny {
                control.check()?;
                envelope.transform(&mut all, Line { start: y * nx, stride: 1, count: nx }, spacing_mm[0]);
            }
            for x in 0..nx {
                control.check()?;
                envelope.transform(&mut all, Line { start: x, stride: nx, count: ny }, spacing_mm[1]);
            }
            own.copy_from_slice(&all[band.rows.start * nx..][..plane]);
        }
        Ok(())
    })?;
    let [squared] = squared;
    let mut lines = [vec![0.0f32; plane * nz]];
    threads.fill(&mut lines, nx * nz, |begin, own| {
        let mut envelope = Envelope::with_capacity(nz);
        for (nth, own) in own.iter_mut().flat_map(|own| own.chunks_mut(nx * nz)).enumerate() {
            control.check()?;
            let row = begin / nz + nth * nx;
            for (z, from) in squared[row..].chunks(plane).enumerate() {
                own.iter_mut().skip(z).step_by(nz).zip(from).for_each(|(v, from)| *v = *from);
            }
            for x in 0..nx {
                envelope.transform(own, Line { start: x * nz, stride: 1, count: nz }, spacing_mm[2]);
            }
        }
        Ok(())
    })?;
    let [samples_mm2] = lines;
    Ok(SquaredDistances { plane, samples_mm2 })
}

/// Samples of one axis-parallel line.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    stride: usize,
    count: usize,
}

/// Scratch of the one-dimensional transform: the parabolas of the lower envelope, left to right.
struct Envelope {
    values: Vec<f32>,
    /// Sample that a parabola stands on.
    foot: Vec<usize>,
    /// Position (samples) from which a parabola is the lowest.
    from: Vec<f64>,
}

impl Envelope {
    fn with_capacity(count: usize) -> Self {
        Self {
            values: Vec::with_capacity(count),
            foot: Vec::with_capacity(count),
            from: Vec::with_capacity(count),
        }
    }

    /// `f(p) ← min_q (h (p − q))² + f(q)` along the line.
    fn transform(&mut self, squared: &mut [f32], line: Line, spacing_mm: f64) {
        let Line { start, stride, count } = line;
        self.values.clear();
        self.values.extend((0..count).map(|p| squared[start + p * stride]));
        if self.values.iter().all(|v| *v == 0.0) || self.values.iter().all(|v| v.is_infinite()) {
            return;
        }
        self.foot.clear();
        self.from.clear();
        let h2 = spacing_mm * spacing_mm;
        for q in (0..count).filter(|&q| self.values[q].is_finite()) {
            let height = |p: usize| f64::from(self.values[p]) / h2 + (p * p) as f64;
            let mut start_of_q = f64::NEG_INFINITY;
            while let (Some(&p), Some(&from)) = (self.foot.last(), self.from.last()) {
                start_of_q = (height(q) - height(p)) / (2.0 * (q - p) as f64);
                if start_of_q > from {
                    break;
                }
                self.foot.pop();
                self.from.pop();
                start_of_q = f64::NEG_INFINITY;
            }
            self.foot.push(q);
            self.from.push(start_of_q);
        }
        let mut k = 0;
        for p in 0..count {
            while self.from.get(k + 1).is_some_and(|&from| from < p as f64) {
                k += 1;
            }
            let q = self.foot[k];
            let steps = p.abs_diff(q) as f64;
            squared[start + p * stride] = (h2 * steps * steps + f64::from(self.values[q])) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Control;

    #[test]
    fn equals_the_search_over_all_voxels() {
        let size = [9, 7, 5];
        let spacing = [0.5, 1.3, 2.9];
        let set: Vec<bool> = (0..9 * 7 * 5).map(|i| veloxel_phantoms::uniform(1, i) < 0.04).collect();
        let position = |i: usize| [i % 9, i / 9 % 7, i / 63];
        let threads = Control::default();
        let find = |band: &Band| squared_distance_mm2(&set[..], band, spacing, (&threads).into()).unwrap();
        let (fast, band) = (find(&Band::whole(size)), find(&Band { size, rows: 2..5 }));
        for i in 0..set.len() {
            let got = fast.at(i);
            let a = position(i);
            if (2..5).contains(&a[1]) {
                let there = band.at(a[0] + 9 * (a[1] - 2 + 3 * a[2]));
                assert_eq!(there.to_bits(), got.to_bits(), "voxel {a:?} of a band");
            }
            let expected = (0..set.len())
                .filter(|&j| set[j])
                .map(|j| {
                    let b = position(j);
                    (0..3).map(|k| (spacing[k] * (a[k] as f64 - b[k] as f64)).powi(2)).sum::<f64>()
                })
                .fold(f64::INFINITY, f64::min);
            assert!((f64::from(got) - expected).abs() < 1e-4, "voxel {a:?}: {got} against {expected}");
        }
    }

    #[test]
    fn an_empty_set_is_infinitely_far() {
        let (set, band) = ([false; 12], Band::whole([3, 2, 2]));
        let far = squared_distance_mm2(&set[..], &band, [1.0; 3], (&Control::default()).into()).unwrap();
        assert!((0..12).all(|i| far.at(i).is_infinite()));
    }
}
