//! A lower bound of the determinant of the interpolated map in each cell, and the number of cells where it is too small.
//!
//! *In*: a displacement d, edges; the bounds before, if there are some. *Out*: the bound of the cell between a voxel and the next
//! ones, as `shared/cell_determinant.rs` finds it: a large number where it is sure to exceed `least`, or where there is no cell.
//! *Shortened changes*: where the displacement differs from the one that `out` was written for by a share of a change at each voxel, only
//! cells with a corner whose share is not 1 are bounded anew; the others keep their bound and do not count.
//! *Count*: cells whose bound is at most `fold` and, with bounds before, has become smaller. A corner that is not finite is a fold.
//! *Halo*: one voxel.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::cell_determinant::{CellRow, limits};
use crate::shared::{CELL_DETERMINANT, LINE, SUM};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{Shared, components};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource =
    wgsl!("cell bounds", Bindings, [LINE, SUM, CELL_DETERMINANT], "cell_bounds.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z, and in all.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            limits: vec4<f32>,
            /// Greatest bound that counts.
            fold: f32,
        },
        displacement[displacement_x, displacement_y, displacement_z]: read f32,
        before: may_read f32,
        kept: may_read f32,
        out: write f32,
    } -> sums: f32
}

/// Bounds the determinants and counts the cells that are too small.
#[derive(Debug)]
pub struct CellBounds<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// Bounds above this need not be known.
    pub least: f32,
    /// Greatest bound that counts, at most `least`.
    pub fold: f32,
    /// Bounds of another displacement: cells count only where theirs was larger.
    pub before: Option<&'a Buffer>,
    /// The share of its change that each voxel kept since `out` was written; none: all cells are bounded.
    pub kept: Option<&'a Buffer>,
    /// The bound of the cell after every voxel.
    pub out: &'a mut Buffer,
}

impl Kernel for CellBounds<'_> {
    const NAME: &'static str = "cell_bounds";
    /// The number of cells that count.
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n);
        lengths.optional("before", self.before, n).optional("kept", self.kept, n).of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(by_dimension!(self.shape, bounds_in(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let Self { shape, displacement, fold, before, kept, out, .. } = self;
        let ([nx, ny, nz], n) = (shape.size, shape.len());
        let per_edge = self.spacing_edges.map(|s| 1.0 / s).into();
        let block = Block { size: [nx, ny, nz, n].into(), per_edge, limits: limits(self.least).into(), fold };
        gpu.launch_in(shape.components(), &SOURCE, "cell_bounds")
            .constant("COMPARED", before.is_some())
            .constant("KEPT", kept.is_some())
            .bind(&Bindings { block, displacement, before, kept, out })
            .sums(n, |[count]: [f64; 1]| count)
    }
}

/// A NaN is below everything.
fn is_unknown_or_below(bound: f32, before: f32) -> bool {
    bound.is_nan() || before.is_nan() || bound < before
}

fn bounds_in<const D: usize>(cpu: &Cpu, args: CellBounds<'_>) -> f64 {
    let CellBounds { shape, spacing_edges, displacement, least, fold, before, kept, out } = args;
    let (field, per_edge) = (components::<D>(displacement), spacing_edges.map(|s| 1.0 / s));
    let (before, kept, out) = (before.map(Buffer::host), kept.map(Buffer::host), Shared::new(out.host_mut()));
    let (size, [nx, ny, _]) = (shape.size, shape.size);
    let [count] = cpu.sum(shape.rows(), 24 * shape.len(), |rows| {
        let (mut count, mut anew) = (0.0, vec![0.0; nx]);
        for row in rows {
            // SAFETY: every row is written by one thread.
            let line = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
            let (own, place) = (row * nx, [row % ny, row / ny]);
            let row = CellRow { field, per_edge, size, place, own, least };
            let is_new = |x: usize| kept.is_none_or(|kept| row.corners(x).any(|at| kept[at] != 1.0));
            if kept.is_none() {
                row.bounds(line);
            } else if kept
                .is_some_and(|kept| row.lines().any(|start| is_any_shortened(&kept[start..start + nx])))
            {
                row.bounds(&mut anew);
                line.iter_mut()
                    .zip(&anew)
                    .enumerate()
                    .filter(|(x, _)| is_new(*x))
                    .for_each(|(_, (old, new))| *old = *new);
            } else {
                continue;
            }
            for (x, bound) in line.iter().enumerate() {
                let is_smaller = before.is_none_or(|before| is_unknown_or_below(*bound, before[own + x]));
                let counts = (bound.is_nan() || *bound <= fold) && is_smaller;
                count += f64::from(u8::from(counts && is_new(x)));
            }
        }
        [count]
    });
    count
}

/// Whether a share of the row is not 1.
fn is_any_shortened(shares: &[f32]) -> bool {
    shares.chunks(256).any(|part| part.iter().fold(false, |any, share| any | (*share != 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_gpu::Device;

    #[test]
    fn cells_of_a_fold_count_once_and_not_again_where_they_did_before() {
        let device = Device::cpu(2).unwrap();
        for dimension in [Dimension::Two, Dimension::Three] {
            let nz = if dimension == Dimension::Two { 1 } else { 4 };
            let shape = Shape { size: [9, 5, nz], dimension };
            // Between x = 3 and x = 4 the map goes back by half a voxel.
            let folded: Vec<f32> = (0..shape.len()).map(|i| if i % 9 > 3 { -1.5 } else { 0.0 }).collect();
            let mut field = vec![device.upload(folded).unwrap()];
            field.extend((1..shape.components()).map(|_| device.zeros(shape.len()).unwrap()));
            let cells = 4 * nz.saturating_sub(1).max(1);
            let mut bounds = device.zeros(shape.len()).unwrap();
            let (spacing_edges, displacement, least, fold) = ([1.0; 3], &field, 0.1, 0.0);
            let count = CellBounds {
                shape,
                spacing_edges,
                displacement,
                least,
                fold,
                before: None,
                kept: None,
                out: &mut bounds,
            }
            .run(&device)
            .unwrap();
            assert_eq!(count.get(&device).unwrap() as usize, cells);
            assert!((bounds.host()[3] + 0.5).abs() < 1e-6);
            let mut again = device.zeros(shape.len()).unwrap();
            let before = Some(&bounds);
            let count = CellBounds {
                shape,
                spacing_edges,
                displacement,
                least,
                fold,
                before,
                kept: None,
                out: &mut again,
            };
            assert_eq!(count.run(&device).unwrap().get(&device).unwrap(), 0.0);
        }
    }
}
