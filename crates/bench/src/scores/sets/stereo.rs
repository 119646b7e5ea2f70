//! Rectified pairs with true disparities.

use crate::phase::stereo::pairs;
use crate::scores::measured::Measured;
use crate::{BenchError, Session};
use std::time::Instant;
use veloxel_core::Dimension;
use veloxel_motion::{PhaseParameters, PhasePreset};

/// The presets of phase, by the names of the ways.
const PRESETS: [(&str, PhasePreset); 3] =
    [("accurate", PhasePreset::Accurate), ("fast", PhasePreset::Fast), ("paper", PhasePreset::Paper)];

/// Per cent of the pixels with truth that are wrong by more than a pixel, those without a disparity among them.
pub(crate) fn pair(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let mut found = Vec::new();
    for pair in pairs(session)?.into_iter().filter(|pair| pair.name == item) {
        for &name in ways {
            let preset = PRESETS.into_iter().find(|(own, _)| *own == name);
            let (_, preset) = preset.expect("a way of stereo should be a preset of phase");
            let parameters = PhaseParameters::preset(preset, Dimension::Two);
            let begin = Instant::now();
            let disparity = pair.disparity(&parameters, session.device)?;
            let time_s = begin.elapsed().as_secs_f64();
            let error = pair.error(&disparity)?;
            found.push(Measured::new(name, 100.0 * error.bad_all.bad_1, time_s));
        }
    }
    Ok(found)
}
