//! What was found of filled holes is no result: disparities that lead into one, features and fields there.

use veloxel_core::{Mask, Volume};
use veloxel_motion::FeatureMaps;

/// The pixels of a left picture whose disparity leads to one of the right picture that has a sample.
pub(crate) fn leading_into(seen: &Mask, disparity_px: &Volume<f32>) -> Mask {
    let width = seen.grid().size()[0];
    Mask::from_fn(seen.grid().clone(), |[x, y, _]| {
        let found = x as f32 - disparity_px.data()[y * width + x];
        let nearest = (found + 0.5).floor();
        nearest >= 0.0 && nearest < width as f32 && seen.data()[y * width + nearest as usize]
    })
}

/// Makes unknown what was found of filled holes: pixel X of a scale lies on pixel 2ˢX of the picture.
pub(crate) fn blank_features(maps: &mut FeatureMaps, scale: usize, known: &Mask) {
    let FeatureMaps { energy, orientation_rad, phase_rad } = maps;
    let blank = |map: &mut Volume<f32>| {
        let grid = map.grid().clone();
        for (index, value) in map.data_mut().iter_mut().enumerate() {
            if !known.data()[known.grid().index(grid.position(index).map(|at| at << scale))] {
                *value = f32::NAN;
            }
        }
    };
    [energy, orientation_rad, phase_rad].into_iter().for_each(blank);
}

/// Gives samples outside of a mask one value, such as NaN to an estimate and 0 to its confidence.
pub(crate) fn blank_outside(samples: &mut [f32], mask: &Mask, value: f32) {
    let all = samples.iter_mut().zip(mask.data());
    all.filter(|(_, inside)| !**inside).for_each(|(sample, _)| *sample = value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn features_and_disparities_of_holes_are_unknown() {
        let grid = Grid::image(8, 2).unwrap();
        let known = Mask::from_fn(grid.clone(), |[x, ..]| x != 4);
        let ones = |grid: &Grid| Volume::from_fn(grid.clone(), |_| 1.0);
        let half = Grid::image(4, 1).unwrap();
        for (grid, scale, hole) in [(&grid, 0, 4), (&half, 1, 2)] {
            let [energy, orientation_rad, phase_rad] = [0, 1, 2].map(|_| ones(grid));
            let mut maps = FeatureMaps { energy, orientation_rad, phase_rad };
            blank_features(&mut maps, scale, &known);
            let width = grid.size()[0];
            let holes =
                |map: &Volume<f32>| (0..width).filter(|&x| map.data()[x].is_nan()).collect::<Vec<_>>();
            assert_eq!((holes(&maps.energy), holes(&maps.phase_rad)), (vec![hole], vec![hole]));
        }
        let leads = leading_into(&known, &Volume::from_fn(grid.clone(), |_| 2.0));
        let outside: Vec<_> = (0..8).filter(|&x| !leads.data()[x]).collect();
        assert_eq!(outside, [0, 1, 6]);
        let mut confidence = ones(&grid);
        blank_outside(confidence.data_mut(), &known, 0.0);
        assert_eq!(confidence.data()[..6], [1.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
    }
}
