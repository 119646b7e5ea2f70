//! Masks without their rim, for measures that look at neighbours.

use veloxel_core::Mask;

/// Takes away, `steps` times, every voxel that has a face neighbour outside of the mask or lies on the grid's
/// border.
///
/// A derivative at a voxel of the result sees `steps` voxels of the mask along every axis. Axes of one voxel
/// (2-D) do not count.
#[must_use]
pub fn eroded(mask: &Mask, steps: usize) -> Mask {
    let grid = mask.grid().clone();
    let size = grid.size();
    let strides = [1, size[0], size[0] * size[1]];
    let mut data = mask.data().to_vec();
    for _ in 0..steps {
        let before = data.clone();
        for (i, inside) in data.iter_mut().enumerate().filter(|(_, inside)| **inside) {
            let voxel = grid.position(i);
            *inside = (0..3).filter(|&a| size[a] > 1).all(|a| {
                let has_both = voxel[a] > 0 && voxel[a] + 1 < size[a];
                has_both && before[i - strides[a]] && before[i + strides[a]]
            });
        }
    }
    Mask::new(grid, data).expect("an eroded mask keeps its grid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn a_block_loses_its_rim_in_space_and_in_the_plane() {
        let block = |n: [usize; 3]| n.iter().all(|v| (2..9).contains(v));
        let volume = Mask::from_fn(Grid::volume(12, 12, 12).unwrap(), block);
        assert_eq!((volume.count(), eroded(&volume, 2).count()), (343, 27));
        let image = Mask::from_fn(Grid::image(12, 12).unwrap(), |[x, y, _]| block([x, y, 2]));
        assert_eq!((image.count(), eroded(&image, 2).count()), (49, 9));
        assert_eq!(
            eroded(&Mask::everywhere(Grid::image(5, 5).unwrap()), 1).count(),
            9,
            "the border counts as outside"
        );
    }
}
