//! A slice of an image and closed outlines on it in, the samples within them out (pixels of the slice).

use std::collections::HashSet;

/// Positions a pixel along an axis.
pub(super) const PER_PX: f64 = 2.0;

/// A slice of an image.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    /// Pixels along x and y.
    pub size: [usize; 2],
    /// As many samples, row by row.
    pub samples: &'a [f32],
    /// Millimetres between them.
    pub pixel_mm: f64,
}

impl Slice<'_> {
    /// Linear between samples; beyond them the nearest one.
    pub fn at(&self, position: [f64; 2]) -> f64 {
        let axis = |a: usize| {
            let last = self.size[a] - 1;
            let at = position[a].clamp(0.0, last as f64);
            let low = (at as usize).min(last.saturating_sub(1));
            (low, (low + 1).min(last), at - low as f64)
        };
        let ((x0, x1, u), (y0, y1, v)) = (axis(0), axis(1));
        let sample = |x: usize, y: usize| f64::from(self.samples[y * self.size[0] + x]);
        let row = |y: usize| sample(x0, y) + u * (sample(x1, y) - sample(x0, y));
        row(y0) + v * (row(y1) - row(y0))
    }
}

/// A position of which there are [`PER_PX`] a pixel along both axes.
pub(super) fn position(nth: [i64; 2]) -> [f64; 2] {
    nth.map(|n| (n as f64 + 0.5) / PER_PX - 0.5)
}

/// Visits the positions within a closed outline, row by row, each by its numbers.
pub(super) fn over_inside(outline: &[[f64; 2]], visit: &mut dyn FnMut([i64; 2])) {
    let first = |at: f64| ((at + 0.5) * PER_PX - 0.5).ceil() as i64;
    let ends = outline.iter().fold([f64::MAX, f64::MIN], |[low, high], p| [low.min(p[1]), high.max(p[1])]);
    for row in first(ends[0])..first(ends[1]) {
        let [_, y] = position([0, row]);
        let mut crossings: Vec<f64> = Vec::new();
        for (nth, a) in outline.iter().enumerate() {
            let b = outline[(nth + 1) % outline.len()];
            if (a[1] > y) != (b[1] > y) {
                crossings.push(a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
            }
        }
        crossings.sort_by(f64::total_cmp);
        for &[from, to] in crossings.as_chunks::<2>().0 {
            (first(from)..first(to)).for_each(|column| visit([column, row]));
        }
    }
}

/// The values within an outline and, where there is one, not within another.
pub(super) fn values(image: Slice<'_>, outline: &[[f64; 2]], hole: &[[f64; 2]]) -> Vec<f64> {
    let mut left_out = HashSet::new();
    over_inside(hole, &mut |nth| {
        left_out.insert(nth);
    });
    let mut found = Vec::new();
    over_inside(outline, &mut |nth| {
        if !left_out.contains(&nth) {
            found.push(image.at(position(nth)));
        }
    });
    found
}

pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_inside_is_visited_once() {
        let at = |k: usize| (std::f64::consts::TAU * k as f64 / 60.0).sin_cos();
        let circle: Vec<[f64; 2]> =
            (0..60).map(at).map(|(s, c)| [31.0 + 12.0 * c, 29.5 + 12.0 * s]).collect();
        let mut count = 0;
        over_inside(&circle, &mut |_| count += 1);
        let area = 0.5 * 60.0 * 144.0 * (std::f64::consts::TAU / 60.0).sin();
        assert!((f64::from(count) / PER_PX.powi(2) - area).abs() < 0.01 * area, "{count}");
    }
}
