//! The parameters of phase-based methods for the images at hand.

use veloxel_core::Dimension;
use veloxel_core::parameters::{ParameterError, Parameters};
use veloxel_motion::phase::parameters::StereoSmoothing;
use veloxel_motion::{DenseDraft, PhaseParameters};

/// The parameters of a preset with its settings for images whose white is `full_scale`; settings have the last word.
///
/// # Errors
/// [`ParameterError::Value`] if the method is not phase-based.
pub(crate) fn phase_parameters(
    method: &DenseDraft,
    full_scale: f32,
) -> Result<PhaseParameters, ParameterError> {
    let preset = PhaseParameters::preset_named(method.preset(), Dimension::Two)?;
    method.over(&PhaseParameters { full_scale, ..preset })
}

/// The parameters of streams: those of [`phase_parameters`], but stereo is not smoothed unless a setting asks for it, because that
/// takes many times as long as the phases.
///
/// # Errors
/// As [`phase_parameters`].
pub(crate) fn stream_parameters(
    method: &DenseDraft,
    full_scale: f32,
) -> Result<PhaseParameters, ParameterError> {
    let preset = PhaseParameters::preset_named(method.preset(), Dimension::Two)?;
    method.over(&PhaseParameters { full_scale, stereo_smoothing: StereoSmoothing::Off, ..preset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_last_word() {
        let phase = || DenseDraft::named("phase").unwrap();
        let set = |name: &str, value: f64| {
            let mut draft = phase();
            draft.set(name, value.into(), "here").unwrap();
            draft
        };
        let parameters = phase_parameters(&set("tau_l", 0.05), 1.0).unwrap();
        assert_eq!((parameters.tau_l, parameters.full_scale), (0.05, 1.0));
        assert_eq!(phase_parameters(&set("full_scale", 9.0), 1.0).unwrap().full_scale, 9.0);
        assert!(phase_parameters(&DenseDraft::named("clg").unwrap(), 1.0).is_err());
    }
}
