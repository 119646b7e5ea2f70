//! A coarser level's estimate on the next finer level: `expansion.wgsl` does the same in the same order.

/// A coarser level with its samples, NaN where they are unknown.
#[derive(Clone, Copy)]
pub(crate) struct Coarser<'a> {
    pub size: [usize; 2],
    pub samples: &'a [f32],
}

impl Coarser<'_> {
    /// At a pixel of the finer level, in its pixels: twice the mean of those of four neighbours that are valid, NaN of fewer
    /// than two.
    #[inline(always)]
    pub fn at(&self, x: usize, y: usize) -> f32 {
        let [nx, ny] = self.size;
        let (low_x, low_y) = (x / 2, y / 2);
        let (high_x, high_y) = ((low_x + x % 2).min(nx - 1), (low_y + y % 2).min(ny - 1));
        let four = [(low_x, low_y), (high_x, low_y), (low_x, high_y), (high_x, high_y)];
        let (mut sum, mut count) = (0.0, 0.0);
        for (x, y) in four {
            let sample = self.samples[y * nx + x];
            sum += if sample.is_nan() { 0.0 } else { sample };
            count += if sample.is_nan() { 0.0 } else { 1.0 };
        }
        if count < 2.0 { f32::NAN } else { (sum + sum) / count }
    }
}
