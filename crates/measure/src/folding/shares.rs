//! Where a field folds: the determinant of `I + ∇d` by central differences, in voxels.

use veloxel_core::matrix3::{IDENTITY, determinant};
use veloxel_core::{Flow, Mask};

/// Share of the vectors whose determinant is 0 or below, among those whose neighbours are all known; 0 if there is no such
/// vector.
///
/// A volume whose flow lies in its planes is measured plane by plane; a border voxel is compared with its one neighbour.
pub fn share_folded(flow: &Flow) -> f64 {
    let (mut folded, mut known) = (0usize, 0usize);
    for det in (0..flow.grid().len()).map(|i| determinant_at(flow, i)).filter(|det| det.is_finite()) {
        known += 1;
        folded += usize::from(det <= 0.0);
    }
    folded as f64 / known.max(1) as f64
}

/// The mean |det(I + ∇d) − 1| of the vectors inside a mask whose neighbours are all known, which is how much volume changes there
/// (area, where the flow lies in a plane); none without such a vector. Borders and planes are those of [`share_folded`].
///
/// # Panics
/// If the mask has another number of voxels than the flow.
pub fn volume_change(flow: &Flow, inside: &Mask) -> Option<f64> {
    assert_eq!(inside.data().len(), flow.grid().len(), "a mask on the flow's grid");
    let within = inside.data().iter().enumerate().filter(|(_, is_inside)| **is_inside);
    let known = within.map(|(i, _)| determinant_at(flow, i)).filter(|det| det.is_finite());
    let [sum, count] = known.fold([0.0; 2], |[sum, count], det| [sum + (det - 1.0).abs(), count + 1.0]);
    (count > 0.0).then_some(sum / count)
}

/// The determinant at the voxel of an index; not finite where a neighbour is unknown.
fn determinant_at(flow: &Flow, index: usize) -> f64 {
    let (size, axes) = (flow.grid().size(), flow.grid().dimension().count());
    let at = flow.grid().position(index);
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
    determinant(&m)
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

    #[test]
    fn volume_changes_inside_a_mask_by_as_much_as_it_grows_there() {
        let grid = Grid::volume(9, 8, 5).unwrap();
        let grows =
            Flow::from_fn(grid.clone(), |[x, ..]| [if x > 4.0 { 0.1 * (x - 4.0) } else { 0.0 }, 0.0, 0.0]);
        let inside = |from: usize, to: usize| Mask::from_fn(grid.clone(), |[x, ..]| (from..to).contains(&x));
        assert_eq!(volume_change(&grows, &inside(0, 4)), Some(0.0));
        assert!((volume_change(&grows, &inside(5, 9)).unwrap() - 0.1).abs() < 1e-6);
        assert_eq!(volume_change(&grows, &inside(0, 0)), None);
    }
}
