//! Which samples of a pair of images preparation looks at, for images that are not in memory.

use super::tones::SamePlaces;
use super::{intensities, light, padding, sentinels, tones};
use veloxel_core::Grid;

/// The indices of the samples of both images that preparation looks at.
pub(crate) fn looked_at([fixed, moving]: [&Grid; 2]) -> [Vec<usize>; 2] {
    let every = |grid: &Grid, step: usize| (0..grid.len()).step_by(step);
    let own = |grid: &Grid| -> Vec<usize> {
        own_steps(grid.len()).into_iter().flat_map(|step| every(grid, step)).collect()
    };
    let [mut of_fixed, mut of_moving] = [own(fixed), own(moving)];
    let places = SamePlaces::of(fixed, moving);
    for step in shared_steps(fixed.len()) {
        of_fixed.extend(every(fixed, step));
        of_moving.extend(every(fixed, step).filter_map(|index| places.of_moving(index)));
    }
    [of_fixed, of_moving]
}

/// The distances at which an image of so many voxels is looked at for itself.
fn own_steps(voxels: usize) -> [usize; 3] {
    [padding::step, sentinels::step, intensities::step].map(|step| step(voxels))
}

/// The distances at which both images are looked at where voxels of the fixed one, so many, lie.
fn shared_steps(voxels: usize) -> [usize; 2] {
    [tones::step, light::step].map(|step| step(voxels))
}

/// The distances in voxels at which an image is looked at by itself.
pub(crate) fn steps_alone(grid: &Grid) -> Vec<usize> {
    let mut steps = own_steps(grid.len()).to_vec();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The distances in voxels at which both images are looked at, where they have the same voxels; none where they do not.
pub(crate) fn even_steps([fixed, moving]: [&Grid; 2]) -> Option<Vec<usize>> {
    if !SamePlaces::of(fixed, moving).are_voxels() {
        return None;
    }
    let mut steps = [&own_steps(fixed.len())[..], &shared_steps(fixed.len())].concat();
    steps.sort_unstable();
    steps.dedup();
    Some(steps)
}
