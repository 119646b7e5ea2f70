//! Where the tiles of a matrix lie.

use super::{Length, TILE, TILE_LEN};

/// Which tiles of a matrix are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixHalf {
    /// All tiles.
    Both,
    /// Tiles with column ≤ row, of a matrix that is its own transpose; tiles of the diagonal are whole.
    Lower,
}

/// The tiles of a square matrix, in z-order.
#[derive(Debug, Clone, PartialEq)]
pub struct TileLayout {
    nodes: usize,
    half: MatrixHalf,
    /// The place of each tile, row after row; [`ABSENT`] for tiles that are not kept.
    slots: Vec<u32>,
    tiles: usize,
}

const ABSENT: u32 = u32::MAX;

impl TileLayout {
    /// The layout of a matrix of nodes × nodes.
    pub fn new(nodes: usize, half: MatrixHalf) -> Self {
        let side = nodes.div_ceil(TILE);
        let mut slots = vec![ABSENT; side * side];
        let pairs = z_order(side, half);
        for (slot, [row, column]) in pairs.iter().enumerate() {
            slots[row * side + column] = slot as u32;
        }
        Self { nodes, half, slots, tiles: pairs.len() }
    }
    /// Samples of all tiles of such a layout, which need not fit into memory.
    pub fn len_of(nodes: usize, half: MatrixHalf) -> u64 {
        let side = nodes.div_ceil(TILE) as u64;
        let tiles = match half {
            MatrixHalf::Both => side.saturating_mul(side),
            MatrixHalf::Lower => side.saturating_mul(side + 1) / 2,
        };
        tiles.saturating_mul(TILE_LEN as u64)
    }
    /// Number of rows of the matrix.
    pub fn nodes(&self) -> usize {
        self.nodes
    }
    /// Which tiles are kept.
    pub fn half(&self) -> MatrixHalf {
        self.half
    }
    /// Number of tiles along a side.
    pub fn side(&self) -> usize {
        self.nodes.div_ceil(TILE)
    }
    /// Number of samples of all tiles.
    pub fn len(&self) -> usize {
        self.tiles * TILE_LEN
    }
    /// Whether there are no tiles.
    pub fn is_empty(&self) -> bool {
        self.tiles == 0
    }
    /// The places of tiles, row after row.
    pub(super) fn slots(&self) -> &[u32] {
        &self.slots
    }
    /// Index of a tile's first sample.
    pub(super) fn begin(&self, row: usize, column: usize) -> usize {
        self.slots[row * self.side() + column] as usize * TILE_LEN
    }
    /// Tiles outside of the row and the column of pivots, numbered as if that row and column were absent.
    pub(super) fn tasks(&self) -> Vec<[usize; 2]> {
        z_order(self.side().saturating_sub(1), self.half)
    }
    /// Index of a sample; in half a matrix, that of its mirror image if the sample itself is not kept.
    pub fn at(&self, row: usize, column: usize) -> usize {
        let (row, column) = match self.half {
            MatrixHalf::Lower if row / TILE < column / TILE => (column, row),
            _ => (row, column),
        };
        self.begin(row / TILE, column / TILE) + row % TILE * TILE + column % TILE
    }
    /// The matrix of a graph without arcs.
    pub fn empty<T: Length>(&self) -> Vec<T> {
        let mut lengths = vec![T::INFINITE; self.len()];
        for node in 0..self.nodes {
            lengths[self.at(node, node)] = T::ZERO;
        }
        lengths
    }
    /// A row of the matrix.
    pub fn copy_row<T: Copy>(&self, lengths: &[T], row: usize, out: &mut [T]) {
        for (tile, out) in out.chunks_mut(TILE).enumerate() {
            if self.half == MatrixHalf::Lower && tile > row / TILE {
                let begin = self.begin(tile, row / TILE) + row % TILE;
                let column = lengths[begin..].iter().step_by(TILE);
                out.iter_mut().zip(column).for_each(|(slot, length)| *slot = *length);
            } else {
                let begin = self.begin(row / TILE, tile) + row % TILE * TILE;
                out.copy_from_slice(&lengths[begin..begin + out.len()]);
            }
        }
    }
}

/// Pairs (row, column) of a square or its lower triangle, the bits of row and column interleaved in ascending order.
fn z_order(side: usize, half: MatrixHalf) -> Vec<[usize; 2]> {
    let spread = |v: usize| (0..16).map(|bit| (v >> bit & 1) << (2 * bit)).sum::<usize>();
    let kept = |[row, column]: &[usize; 2]| half == MatrixHalf::Both || column <= row;
    let mut pairs: Vec<_> = (0..side * side).map(|i| [i / side, i % side]).filter(kept).collect();
    pairs.sort_unstable_by_key(|[row, column]| spread(*row) << 1 | spread(*column));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_matrix_takes_half_the_memory_and_every_sample_has_its_place() {
        let [both, lower] = [MatrixHalf::Both, MatrixHalf::Lower].map(|half| TileLayout::new(8192, half));
        assert!(lower.len() as f64 <= 0.52 * both.len() as f64);
        let small = TileLayout::new(300, MatrixHalf::Lower);
        assert_eq!((small.at(5, 290), small.len()), (small.at(290, 5), 6 * TILE_LEN));
        for half in [MatrixHalf::Both, MatrixHalf::Lower] {
            assert_eq!(TileLayout::len_of(300, half), TileLayout::new(300, half).len() as u64);
            assert!(TileLayout::len_of(usize::MAX, half) > 1 << 60);
        }
        let mut lengths = vec![0.0; small.len()];
        for i in 0..300 {
            for j in 0..=i {
                lengths[small.at(i, j)] = (i * 1000 + j) as f32;
                lengths[small.begin(i / TILE, j / TILE) + i % TILE * TILE + j % TILE] = (i * 1000 + j) as f32;
                if i / TILE == j / TILE {
                    lengths[small.at(j, i)] = (i * 1000 + j) as f32;
                }
            }
        }
        let mut row = vec![0.0; 300];
        small.copy_row(&lengths, 140, &mut row);
        assert_eq!((row[7], row[140], row[200], row[299]), (140_007.0, 140_140.0, 200_140.0, 299_140.0));
    }
}
