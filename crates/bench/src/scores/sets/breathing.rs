//! CT volumes that breathe by a known field.

use super::KnownMotion;
use crate::accuracy::breathing::{BreathingPair, breathing_lung, breathing_of};
use crate::scores::measured::Measured;
use crate::{BenchError, Session};
use veloxel_core::Warnings;
use veloxel_io::{Strictness, read_sequence};

/// Motion of the diaphragm and of the chest's front in the 4-D CT, voxels: half of the lung's, which has more planes there.
const SMALL_BREATH_VOX: [f64; 2] = [10.0, -1.5];
/// Planes of the 4-D CT between which it breathes.
const PLANES: [f64; 2] = [8.0, 90.0];

/// An image that breathes.
pub(crate) fn breaths(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let breathing = match item {
        "lung CT" => breathing_lung(session)?,
        _ => first_phase(session)?,
    };
    let Some(BreathingPair { fixed, moving, truth, lung }) = breathing else { return Ok(Vec::new()) };
    KnownMotion { images: [&fixed, &moving], truth: &truth, within: lung.as_ref() }.errors(session, ways)
}

/// The first phase of the 4-D CT, everywhere: its lungs have no mask.
fn first_phase(session: &Session<'_>) -> Result<Option<BreathingPair>, BenchError> {
    let Some(path) = session.data("volumes/lung4dct/lung117_4d.nii.gz") else { return Ok(None) };
    let phases = read_sequence(&path, Strictness::Lenient, &mut Warnings::new())?;
    let Some(moving) = phases.frames().first().cloned() else { return Ok(None) };
    breathing_of(session.device, moving, SMALL_BREATH_VOX, PLANES).map(Some)
}
