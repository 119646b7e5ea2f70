//! Where a field folds: the determinant of `I + ∇d` by central differences, in voxels.

use veloxel_core::Flow;
use veloxel_core::matrix3::{IDENTITY, determinant};

/// Share of the vectors whose determinant is 0 or below, among those whose neighbours are all known; 0 if there is no such
/// vector.
///
/// A volume whose flow lies in its planes is measured plane by plane; a border voxel is compared with its one neighbour.
pub fn share_folded(flow: &Flow) -> f64 {
    let (size, axes) = (flow.grid().size(), flow.grid().dimension().count());
    let (mut folded, mut known) = (0usize, 0usize);
    for i in 0..flow.grid().len() {
        let at = flow.grid().position(i);
        let mut m = IDENTITY;
        for axis in 0..axes {
            // Slices that stand alone have unknown or unrelated neighbours: a lone plane has no derivative across.
            let neighbour = |up: bool| {
                let mut p = at;
                p[axis] = if up { (at[axis] + 1).min(size[axis] - 1) } else { at[axis].saturating_sub(1) };
                (p[axis], flow.vector_vox(flow.grid().index(p)))
            };
            let ((low, before), (high, after)) = (neighbour(false), neighbour(true));
            if high == low || (axis == 2 && before[2] == 0.0 && after[2] == 0.0) {
                continue;
            }
            for row in 0..axes {
                m[row][axis] += f64::from(after[row] - before[row]) / (high - low) as f64;
            }
        }
        let det = determinant(&m);
        if det.is_finite() {
            known += 1;
            folded += usize::from(det <= 0.0);
        }
    }
    folded as f64 / known.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn a_mirror_folds_and_a_shear_does_not() {
        let share =
            |d: fn([f64; 3]) -> [f64; 3]| share_folded(&Flow::from_fn(Grid::volume(9, 8, 3).unwrap(), d));
        assert_eq!(share(|[x, ..]| [-1.5 * x, 0.0, 0.0]), 1.0);
        assert_eq!(share(|[_, y, _]| [0.9 * y, 0.0, 0.0]), 0.0);
        assert_eq!(share(|[.., z]| [5.0 * z, 0.0, 0.0]), 0.0);
        let half = Flow::from_fn(Grid::image(10, 4).unwrap(), |[x, ..]| {
            if x < 4.5 { [0.0; 3] } else { [9.0 - 2.0 * x, 0.0, 0.0] }
        });
        assert!((share_folded(&half) - 0.5).abs() < 0.11);
    }
}
