//! Costs of disparities along paths through a picture: what it costs to reach a pixel's disparity from the border of the picture.
//!
//! (Hirschmüller 2008, eq. 12-13.) Along a path through pixels `p`, whose neighbour towards the border is `q`,
//!
//! ```text
//! L(p, d) = C(p, d) + min(L(q, d), L(q, d ± 1) + small, min L(q) + P(p, q)) − min L(q)
//! C(p, d) = bits that differ between the census of the left pixel (x, y) and of the right one (x − d, y)
//! P(p, q) = max(least, ⌊great / (1 + |I(p) − I(q)| / edge)⌋)
//! ```
//!
//! A pixel has `count` disparities, from its own `base` on, so the bands of two pixels may lie beside each other; a disparity that
//! `q` does not have costs `min L(q) + P`. *Units*: pixels, bits. *Out*: L, added to the sums of other directions, or in their
//! place. *Border*: a disparity that leads out of the right picture costs [`OUTSIDE`]. *Halo*: a whole row or column.
//!
//! *Numbers* are whole, below 2¹⁴: a path costs at most `24 + great` a pixel.

mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("path costs", Bindings, [], "path_costs.wgsl");

/// Cost of a match outside of the right picture: more than chance (12 bits), less than the opposite.
pub const OUTSIDE: u16 = 16;

/// Most disparities of a band: a path's costs lie in the memory of a workgroup.
pub const MOST_DISPARITIES: usize = 2048;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Width (x), pixels (y), disparities of a pixel (z).
            size: vec4<u32>,
            /// First pixel of the first path (x), steps to the first pixel of the next path (y) and to the next pixel of a path
            /// (z), pixels of a path (w).
            lines: vec4<u32>,
            /// The penalties small (x), least (y) and great (z).
            penalty: vec4<u32>,
            /// 1 / edge.
            per_edge: f32,
        },
        /// Codes of the left picture, then of the right one.
        codes: read u32,
        base: read f32,
        image: read f32,
        sums: write u32 as u16,
    }
}

/// What changes of the disparity cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalties {
    /// A change by one pixel, bits.
    pub small: u16,
    /// The least that a greater change costs, however much the brightness changes with it, bits.
    pub least: u16,
    /// What a greater change costs where the brightness does not change, bits.
    pub great: u16,
    /// The change of brightness that halves that, intensities.
    pub edge: f32,
}

/// The way that paths go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Along rows, from the left.
    Right,
    /// Along rows, from the right.
    Left,
    /// Along columns, from the top.
    Down,
    /// Along columns, from the bottom.
    Up,
}

impl Direction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Right, Self::Left, Self::Down, Self::Up];
}

/// Paths of one direction, pixels.
#[derive(Debug, Clone, Copy)]
struct Lines {
    /// Number of paths, and of the pixels of each.
    count: usize,
    length: usize,
    /// Index of the first path's first pixel, and steps to the next path's and along a path.
    first: usize,
    across: usize,
    along: isize,
}

impl Lines {
    fn new([nx, ny]: [usize; 2], direction: Direction) -> Self {
        let rows = Self { count: ny, length: nx, first: 0, across: nx, along: 1 };
        let columns = Self { count: nx, length: ny, first: 0, across: 1, along: nx as isize };
        match direction {
            Direction::Right => rows,
            Direction::Left => Self { first: nx - 1, along: -1, ..rows },
            Direction::Down => columns,
            Direction::Up => Self { first: nx * (ny - 1), along: -(nx as isize), ..columns },
        }
    }
}

/// What the sums hold before a direction is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing that counts.
    Nothing,
    /// The sums of other directions.
    Sums,
}

/// Adds the costs of the paths of one direction.
#[derive(Debug)]
pub struct PathCosts<'a> {
    /// Width and height `(nx, ny)` of both pictures.
    pub size: [usize; 2],
    /// Number of disparities of a pixel: even, at most [`MOST_DISPARITIES`].
    pub count: usize,
    /// The way that paths go.
    pub direction: Direction,
    /// What changes cost.
    pub penalties: Penalties,
    /// Codes of 24 bits of the left picture, then of the right one.
    pub codes: &'a Buffer<u32>,
    /// Least disparity of every pixel's band, whole numbers.
    pub base: &'a Buffer,
    /// The left picture, whose edges make changes cheaper.
    pub image: &'a Buffer,
    /// What the sums hold before.
    pub before: Before,
    /// The costs: `count` numbers a pixel, side by side.
    pub sums: &'a mut Buffer<u16>,
}

impl Kernel for PathCosts<'_> {
    const NAME: &'static str = "path_costs";
    type Output = ();

    /// If the number of disparities is odd or too large.
    fn check(&self, lengths: &mut Lengths) {
        let (n, count) = (self.size[0] * self.size[1], self.count);
        assert!(count.is_multiple_of(2) && (2..=MOST_DISPARITIES).contains(&count), "bands should fit");
        lengths.of("codes", self.codes, 2 * n).of("base", self.base, n).of("image", self.image, n);
        lengths.of("sums", self.sums, count * n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::path_costs(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { size: [nx, ny], count, penalties, codes, base, image, sums, .. } = self;
        let lines = Lines::new(self.size, self.direction);
        let along = lines.along as i32 as u32;
        let block = Block {
            size: [nx, nx * ny, count].into(),
            lines: [lines.first, lines.across, along as usize, lines.length].into(),
            penalty: [penalties.small, penalties.least, penalties.great].map(usize::from).into(),
            per_edge: 1.0 / penalties.edge,
        };
        gpu.launch(&SOURCE, "path_costs")
            .constant("ADDED", self.before == Before::Sums)
            .bind(&Bindings { block, codes, base, image, sums })
            .run([lines.count as u32, 1, 1])
    }
}
