//! The named phantoms, of the texture that presets were chosen on, and of another one with other noise.

use super::KnownMotion;
use crate::scores::measured::Measured;
use crate::{BenchError, Session};
use veloxel_core::{CoreError, Dimension, Grid};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{cases, isotropic_grid};

/// Pixels or voxels an axis.
const SIZES: [(Dimension, usize); 2] = [(Dimension::Two, 96), (Dimension::Three, 64)];
/// What the names of kept items end with, and the texture that it means.
const KEPT: (&str, u64) = (", texture 5", 5);
/// Another noise for kept items.
const KEPT_SEED: u64 = 23;

/// A phantom of two dimensions.
pub(crate) fn pictures(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    phantom(session, item, ways, Dimension::Two)
}

/// A phantom of three dimensions.
pub(crate) fn volumes(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    phantom(session, item, ways, Dimension::Three)
}

/// The grid of all of them.
pub(crate) fn phantom_grid(dimension: Dimension) -> Result<Grid, CoreError> {
    let (_, size) = SIZES[usize::from(dimension == Dimension::Three)];
    isotropic_grid(dimension, size)
}

fn phantom(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
    dimension: Dimension,
) -> Result<Vec<Measured>, BenchError> {
    let grid = phantom_grid(dimension)?;
    let (name, is_kept) = item.strip_suffix(KEPT.0).map_or((item, false), |name| (name, true));
    let axes = format!(" {}-D", dimension.count());
    let mut case = cases()
        .into_iter()
        .find(|case| case.name(dimension).replace(&axes, "") == name)
        .expect("an item should be a case of the list");
    let phantom = match (is_kept, &mut case.noise) {
        (false, _) => case.build(&grid),
        (true, noise) => {
            if let Noise::Gaussian { seed, .. } = noise {
                *seed = KEPT_SEED;
            }
            case.build_textured(&grid, KEPT.1)
        }
    };
    let images = [&phantom.fixed, &phantom.moving];
    KnownMotion { images, truth: &phantom.truth, within: Some(&phantom.interior) }.errors(session, ways)
}
