//! Which samples of a pair of images preparation looks at, for images that are not in memory.

use super::tones::SamePlaces;
use super::{intensities, light, padding, sentinels, tones};
use veloxel_core::Grid;

/// The indices of the samples of both images that preparation looks at.
pub(crate) fn looked_at([fixed, moving]: [&Grid; 2]) -> [Vec<usize>; 2] {
    let every = |grid: &Grid, step: usize| (0..grid.len()).step_by(step);
    let own = |grid: &Grid| -> Vec<usize> {
        let steps = [padding::step, sentinels::step, intensities::step];
        steps.into_iter().flat_map(|step| every(grid, step(grid.len()))).collect()
    };
    let [mut of_fixed, mut of_moving] = [own(fixed), own(moving)];
    let places = SamePlaces::of(fixed, moving);
    for step in [tones::step(fixed.len()), light::step(fixed.len())] {
        of_fixed.extend(every(fixed, step));
        of_moving.extend(every(fixed, step).filter_map(|index| places.of_moving(index)));
    }
    [of_fixed, of_moving]
}
