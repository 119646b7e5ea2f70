//! The levels of a Gabor pyramid, and where each lies in memory.

/// Sizes of levels, finest first; their pixels follow each other in one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    sizes: Vec<[usize; 2]>,
}

/// Most levels: a side of 2¹⁶ pixels is halved down to sixteen.
pub const MOST_LEVELS: usize = 13;

impl Levels {
    /// Halves `(nx, ny)` until the short side would fall under `least_side_px`, for at most `most` levels.
    pub fn new(size: [usize; 2], least_side_px: usize, most: usize) -> Self {
        let mut sizes = vec![size];
        let mut next = size.map(|n| n.div_ceil(2));
        while next[0].min(next[1]) >= least_side_px.max(2) && sizes.len() < most.min(MOST_LEVELS) {
            sizes.push(next);
            next = next.map(|n| n.div_ceil(2));
        }
        Self { sizes }
    }
    /// Number of levels, at least one.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }
    /// Width and height `(nx, ny)` of a level.
    pub fn size(&self, level: usize) -> [usize; 2] {
        self.sizes[level]
    }
    /// Sizes of the levels, finest first.
    pub fn sizes(&self) -> &[[usize; 2]] {
        &self.sizes
    }
    /// Number of pixels of a level.
    pub fn pixels(&self, level: usize) -> usize {
        self.sizes[level].iter().product()
    }
    /// Number of pixels before a level.
    pub fn start(&self, level: usize) -> usize {
        (0..level).map(|l| self.pixels(l)).sum()
    }
    /// Number of pixels of all levels.
    pub fn len(&self) -> usize {
        self.start(self.count())
    }
    /// Never true: there is at least one pixel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One of these levels as a pyramid of its own.
    #[must_use]
    pub fn alone(&self, level: usize) -> Self {
        Self { sizes: vec![self.sizes[level]] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_end_before_the_short_side_is_too_short() {
        let levels = Levels::new([1280, 1024], 16, 64);
        assert_eq!((levels.count(), levels.size(6)), (7, [20, 16]));
        assert_eq!(Levels::new([33, 31], 16, 64).sizes(), [[33, 31], [17, 16]]);
        assert_eq!(Levels::new([3, 2], 16, 64).sizes(), [[3, 2]]);
        assert_eq!(levels.alone(2).sizes(), [[320, 256]]);
    }
}
