//! Points of one picture found in another: pyramidal iterative Lucas-Kanade, with one window around each point.
//!
//! *Paper*: J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000; after Lucas & Kanade,
//! IJCAI 1981 and Shi & Tomasi, CVPR 1994.
//!
//! *In*: two pyramids of [`crate::phase::gabor::Pyramid`], whose pixel `X` lies at `2X` of the finer level; positions in pixels
//! of the finest one, and guesses of where they are found. *Out*: where they are, the fate of each ([`PointFate`]), and the mean
//! absolute difference of both windows, in the pictures' unit. The window is taken from the first picture, between pixels
//! linearly, with Scharr's derivatives (3, 10, 3)/32; the matrix of a level is made once. A step is that of Gauss and Newton,
//! made longer (at most twice as long) or shorter by the secant through the last two steps. A level ends when the next step,
//! extrapolated from the last two, would be shorter than the tolerance; coarse levels end at ten times the finest level's
//! tolerance. A level whose window has too little contrast changes nothing; on the finest level it decides the fate.
//! *Border*: the outermost pixels repeat. *Halo*: unbounded (gathers).
//!
//! *Sums*: the columns of a window are added up row by row, then those of `l` and `l + 16`, then every fourth of these sixteen,
//! then the four that are left: in one vector of a processor or two, or by some threads of a GPU.

mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::phase::gabor::{Levels, MOST_LEVELS};
use crate::shared::NAN;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Bindings as _, Buffer, ComputeError, Cpu, ShaderSource};

const BODY: &str = include_str!("sparse_lucas_kanade.wgsl");
/// The source for windows of at most this many pixels, whose samples, with those around them, and derivatives fit the
/// workgroup's memory.
macro_rules! up_to {
    ($area:literal, $around:literal) => {
        wgsl!(
            "sparse Lucas-Kanade",
            Bindings,
            [concat!("const AREA: u32 = ", $area, "u;\nconst AROUND: u32 = ", $around, "u;\n"), NAN, BODY],
        )
    };
}
/// Sources for windows of 9, 15, 21 and 31 pixels a side.
static UP_TO: [ShaderSource; 4] = [up_to!(81, 121), up_to!(225, 289), up_to!(441, 529), up_to!(961, 1089)];
static FOR_WARPS: ShaderSource = ShaderSource::cuda(
    "sparse Lucas-Kanade",
    Bindings::DECLARATION,
    &[NAN],
    include_str!("sparse_lucas_kanade.cu"),
);

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Number of points; number of levels; most steps of a level; workgroups along x.
            counts: vec4<u32>,
            /// Squared tolerances of the finest level and the coarser ones, px²; least eigenvalue; radius, px.
            search: vec4<f32>,
            /// Width, height and first pixel of each level.
            levels: [vec4<u32>; MOST_LEVELS],
        },
        first: read f32,
        second: read f32,
        point_x: read f32,
        point_y: read f32,
        guess_x: may_read f32,
        guess_y: may_read f32,
        moved_x: write f32,
        moved_y: write f32,
        error: write f32,
        fate: write f32,
    }
}
/// Number of threads of a workgroup: a warp.
const WIDTH: usize = 32;
/// Number of threads of a point.
const LANES: usize = 16;
/// Most workgroups along x.
const MOST_ACROSS: usize = 32_768;

/// Greatest half width of a window, pixels: two vectors of sixteen samples hold a row.
pub const MOST_RADIUS: usize = 15;

/// Settings of the search for points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointSearch {
    /// Half width of the window, pixels, 1 to [`MOST_RADIUS`].
    pub radius: usize,
    /// Most steps of a level.
    pub iterations: usize,
    /// Length of a step, pixels, below which the finest level ends; coarser levels end at ten times as many of their pixels.
    pub tolerance_px: f32,
    /// The least eigenvalue of a window's mean `∇I ∇Iᵀ` that determines where it is, squared unit of the pictures per px².
    pub least_eigenvalue: f32,
}

/// Tolerance of coarse levels over the finest level's: the next level continues from their result.
const COARSE_TOLERANCE: f32 = 10.0;

impl PointSearch {
    /// The squared tolerances of the finest level and of the coarser ones, squared pixels of the level.
    fn limits_px2(&self) -> [f32; 2] {
        [1.0, COARSE_TOLERANCE].map(|share| share * self.tolerance_px).map(|tolerance| tolerance * tolerance)
    }
}

/// What became of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointFate {
    /// It was found.
    Found,
    /// It has no position.
    Undefined,
    /// It lies outside of the first picture.
    Outside,
    /// It left the second picture.
    Left,
    /// Its window has too little contrast, or contrast along one edge only.
    Flat,
}

impl PointFate {
    const ALL: [Self; 5] = [Self::Found, Self::Undefined, Self::Outside, Self::Left, Self::Flat];

    /// The number of the fate in buffers.
    fn code(self) -> f32 {
        self as u8 as f32
    }
    /// The fate of a value of [`SparseLucasKanade::fate`].
    ///
    /// # Panics
    /// If the value is that of no fate.
    pub fn of_code(code: f32) -> Self {
        let own = Self::ALL.into_iter().find(|fate| fate.code() == code);
        own.expect("a fate should have been written by the kernel")
    }
}

/// Follows points from one picture to another.
#[derive(Debug)]
pub struct SparseLucasKanade<'a> {
    /// Sizes of the levels; the number of levels limits how far points may move.
    pub levels: &'a Levels,
    /// Settings of the search.
    pub search: PointSearch,
    /// Pyramid of the picture that points come from.
    pub first: &'a Buffer,
    /// Pyramid of the picture that points are searched in.
    pub second: &'a Buffer,
    /// Positions x and y of every point, pixels; NaN for a point without a position.
    pub points: [&'a Buffer; 2],
    /// Positions x and y where the search of each point begins; NaN, or no guesses, for the point's own position.
    pub guesses: Option<[&'a Buffer; 2]>,
    /// Positions x and y of every point in the second picture; NaN unless it was found.
    pub moved: [&'a mut Buffer; 2],
    /// Mean absolute difference of the windows; NaN unless it was found.
    pub error: &'a mut Buffer,
    /// The fate of every point: see [`PointFate::of_code`].
    pub fate: &'a mut Buffer,
}

impl Kernel for SparseLucasKanade<'_> {
    const NAME: &'static str = "sparse_lucas_kanade";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, pixels) = (self.points[0].len(), self.levels.len());
        lengths.count("radius", self.search.radius, 1..=MOST_RADIUS);
        lengths.of("first pyramid", self.first, pixels).of("second pyramid", self.second, pixels);
        lengths.of("points", self.points[1], n).of("error", self.error, n).of("fate", self.fate, n);
        for (guess, moved) in [0, 1].map(|a| (self.guesses.map(|g| g[a]), &*self.moved[a])) {
            lengths.optional("guesses", guess, n).of("moved", moved, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::track(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (search, n) = (self.search, self.points[0].len());
        if n == 0 {
            return Ok(());
        }
        let (rows, [moved_x, moved_y]) = (2 * search.radius + 1, self.moved);
        let takes_cuda = gpu.gpu().takes_cuda();
        let lanes = if takes_cuda { cuda_lanes(rows) } else { LANES };
        let source = match rows {
            _ if takes_cuda => &FOR_WARPS,
            0..=9 => &UP_TO[0],
            10..=15 => &UP_TO[1],
            16..=21 => &UP_TO[2],
            _ => &UP_TO[3],
        };
        let groups = n.div_ceil(WIDTH / lanes);
        let across = groups.min(MOST_ACROSS);
        let [finest_limit, coarse_limit] = search.limits_px2();
        let limits = [finest_limit, coarse_limit, search.least_eigenvalue, search.radius as f32];
        let level = |l: usize| match l < self.levels.count() {
            true => [self.levels.size(l)[0], self.levels.size(l)[1], self.levels.start(l)],
            false => [1, 1, 0],
        };
        let block = Block {
            counts: [n, self.levels.count(), search.iterations, across].into(),
            search: limits.into(),
            levels: std::array::from_fn(|l| level(l).into()),
        };
        gpu.launch(source, "track")
            .constants([("ROWS", rows), ("WIDTH", WIDTH)])
            .constant("GUESSED", self.guesses.is_some())
            .bind(&Bindings {
                block,
                first: self.first,
                second: self.second,
                point_x: self.points[0],
                point_y: self.points[1],
                guess_x: self.guesses.map(|guesses| guesses[0]),
                guess_y: self.guesses.map(|guesses| guesses[1]),
                moved_x,
                moved_y,
                error: self.error,
                fate: self.fate,
            })
            .run([across as u32, groups.div_ceil(across) as u32, 1])
    }
}

/// Threads of a point in CUDA C++: each has three columns of a window, or two of the largest windows.
fn cuda_lanes(rows: usize) -> usize {
    rows.div_ceil(if rows > 21 { 2 } else { 3 })
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
    use veloxel_gpu::{BoundBuffer, Launch};
    use veloxel_testkit::every_device::here;

    #[test]
    fn windows_stay_in_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        for rows in [3, 5, 9, 15, 21, 23, 31] {
            let launch = Launch {
                source: &FOR_WARPS,
                entry: "track",
                constants: &[("ROWS", rows as f64), ("WIDTH", WIDTH as f64), ("GUESSED", 1.0)],
                uniform: &[0; size_of::<[u32; 4]>() * (2 + MOST_LEVELS)],
                buffers: &[BoundBuffer::Absent; 10],
                groups: [1; 3],
                nearby_bytes: None,
            };
            let text = veloxel_gpu::cuda_source(&launch).expect("a text");
            let resources = nvrtc.resources(&text.source, "track", ComputeCapability::new(9, 0));
            let resources = resources.unwrap_or_else(|error| panic!("{rows}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{rows}, {resources:?}");
        }
    }
}
