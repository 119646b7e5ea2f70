//! The parameters of phase-based methods that come from the images.

use super::MethodOptions;
use crate::VeloxelError;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Dimension, Volume};
use veloxel_motion::PhaseParameters;
use veloxel_motion::phase::parameters::Frames;

/// The parameters for images whose white is `full_scale`; settings have the last word.
pub(super) fn phase_parameters(
    options: &MethodOptions,
    full_scale: f32,
    frames: Option<Frames>,
) -> Result<PhaseParameters, VeloxelError> {
    let preset = PhaseParameters::preset_named(options.preset_name(), Dimension::Two)?;
    let frames = frames.unwrap_or(preset.frames);
    Ok(options.over(&PhaseParameters { full_scale, frames, ..preset })?)
}

/// What white is in an image: the top of the narrowest usual range that holds its samples, 1, 255 or 65535.
pub(super) fn full_scale(image: &Volume<f32>) -> f32 {
    let largest = image.data().iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
    [1.0, 255.0, 65535.0].into_iter().find(|&white| largest <= white).unwrap_or(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn settings_have_the_last_word() {
        let set = |name: &str, value: &str| MethodOptions::new("phase").unwrap().set(name, value).unwrap();
        let parameters = phase_parameters(&set("tau_l", "0.05"), 1.0, Some(Frames::Three)).unwrap();
        assert_eq!((parameters.tau_l, parameters.full_scale, parameters.frames), (0.05, 1.0, Frames::Three));
        assert_eq!(phase_parameters(&set("full_scale", "9"), 1.0, None).unwrap().full_scale, 9.0);
        assert!(phase_parameters(&MethodOptions::default(), 1.0, None).is_err());
    }

    #[test]
    fn white_is_the_top_of_a_usual_range() {
        let of =
            |top: f32| full_scale(&Volume::from_fn(Grid::image(2, 1).unwrap(), |[x, ..]| top * x as f32));
        assert_eq!([0.7, 200.0, 1023.0, 1e6].map(of), [1.0, 255.0, 65535.0, 1e6]);
    }
}
