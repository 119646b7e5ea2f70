//! Points of one picture found in another: pyramidal iterative Lucas-Kanade, a window around each point alone.
//!
//! *Paper*: J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000; after Lucas & Kanade,
//! IJCAI 1981 and Shi & Tomasi, CVPR 1994.
//!
//! *In*: two pyramids of [`crate::phase::gabor::Pyramid`], whose pixel `X` lies at `2X` of the finer level; positions in
//! pixels of the finest one, and where they may be found. *Out*: where they are, what became of each ([`Fate`]), and the mean
//! absolute difference of both windows, in the pictures' unit.
//! The window is taken from the first picture, between pixels linearly, with Scharr's derivatives (3, 10, 3)/32; the matrix of
//! a level is made once. A step is that of Gauss and Newton, as much longer or shorter as the secant through the last two along
//! the way that was taken tells, at most twice as long; a level ends when the next one would be shorter than the tolerance, as
//! far as the last two tell: coarse levels at ten times the finest one's. A level whose window has too little contrast changes
//! nothing; the finest one's decides about the fate.
//! *Border*: the outermost pixels repeat. *Halo*: unbounded (gathers).
//!
//! *Sums*: the columns of a window are added up row by row, then those of `l` and `l + 16`, then every fourth of these sixteen,
//! then the four that are left: in one vector of a processor or two, or by some threads of a GPU.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::phase::gabor::Levels;
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Half a window at most, pixels: two vectors of sixteen samples hold a row.
pub const MOST_RADIUS: usize = 15;

/// How points are sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Half the window, pixels, 1 to [`MOST_RADIUS`].
    pub radius: usize,
    /// Steps of a level at most.
    pub iterations: usize,
    /// The finest level ends when steps become shorter than this, pixels; coarser ones at ten times as many pixels of theirs.
    pub tolerance_px: f32,
    /// The least eigenvalue of a window's mean `∇I ∇Iᵀ` that determines where it is, squared unit of the pictures per px².
    pub least_eigenvalue: f32,
}

/// A coarse level's tolerance over the finest one's: the next level goes on from there.
const COARSE_TOLERANCE: f32 = 10.0;

impl Search {
    /// The squared tolerances of the finest level and of the coarser ones, squared pixels of the level.
    fn limits_px2(&self) -> [f32; 2] {
        [1.0, COARSE_TOLERANCE].map(|share| share * self.tolerance_px).map(|tolerance| tolerance * tolerance)
    }
}

/// What became of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was found.
    Found,
    /// It has no position.
    Undefined,
    /// It lies outside of the first picture.
    Outside,
    /// It left the second picture.
    Left,
    /// Its window has too little contrast, or none but along one edge.
    Flat,
}

impl Fate {
    const ALL: [Self; 5] = [Self::Found, Self::Undefined, Self::Outside, Self::Left, Self::Flat];

    /// As buffers hold it.
    fn code(self) -> f32 {
        self as u8 as f32
    }
    /// The fate of a value of [`SparseLucasKanade::fate`].
    ///
    /// # Panics
    /// If it is none.
    pub fn of_code(code: f32) -> Self {
        let own = Self::ALL.into_iter().find(|fate| fate.code() == code);
        own.expect("a fate should have been written by the kernel")
    }
}

/// Follows points from one picture to another.
#[derive(Debug)]
pub struct SparseLucasKanade<'a> {
    /// Sizes of the levels; their number says how far points may move.
    pub levels: &'a Levels,
    /// How points are sought.
    pub search: Search,
    /// Pyramids of the picture that points come from, and of the one that they are sought in.
    pub pyramids: [&'a Buffer; 2],
    /// x and y of every point, pixels; NaN where it has no position.
    pub points: [&'a Buffer; 2],
    /// Where the search begins, likewise; where NaN, and without them: where the point was.
    pub guesses: Option<[&'a Buffer; 2]>,
    /// x and y of every point in the second picture; NaN unless it was found.
    pub moved: [&'a mut Buffer; 2],
    /// Mean absolute difference of the windows; NaN unless it was found.
    pub error: &'a mut Buffer,
    /// See [`Fate::of_code`].
    pub fate: &'a mut Buffer,
}

impl Kernel for SparseLucasKanade<'_> {
    const NAME: &'static str = "sparse_lucas_kanade";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, pixels) = (self.points[0].len(), self.levels.len());
        lengths.count("radius", self.search.radius, 1..=MOST_RADIUS);
        self.pyramids.iter().for_each(|pyramid| {
            lengths.of("pyramid", pyramid, pixels);
        });
        lengths.of("points", self.points[1], n).of("error", self.error, n).of("fate", self.fate, n);
        for (guess, moved) in [0, 1].map(|a| (self.guesses.map(|g| g[a]), &*self.moved[a])) {
            lengths.optional("guesses", guess, n).of("moved", moved, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::track(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::track(gpu, &self)
    }
}
