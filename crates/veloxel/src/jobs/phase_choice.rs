//! What every run of the phase engine is told beside its images.

use super::parameters::{Draft, as_json};
use super::{DeviceChoice, stage::Stages};
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_core::parameters::Parameters;
use veloxel_core::{Volume, Warnings};
use veloxel_io::Strictness;
use veloxel_motion::phase::parameters::Frames;
use veloxel_motion::{PhaseParameters, PhasePreset};
use veloxel_report::{DeviceReport, InputReport, RunHeader};

/// Parameters, device and manners of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseChoice {
    /// What everything starts from.
    pub preset: PhasePreset,
    /// TOML: `key = value`.
    pub file: Option<PathBuf>,
    /// `key`, `value`: the value as TOML, JSON or a bare word.
    pub settings: Vec<(String, String)>,
    /// Where it runs.
    pub device: DeviceChoice,
    /// How headers are read.
    pub strictness: Strictness,
    /// The command as typed, for the report.
    pub command_line: String,
}

impl Default for PhaseChoice {
    fn default() -> Self {
        Self {
            preset: PhasePreset::Accurate,
            file: None,
            settings: Vec::new(),
            device: DeviceChoice::default(),
            strictness: Strictness::default(),
            command_line: String::new(),
        }
    }
}

impl PhaseChoice {
    /// The preset's name, as on the command line.
    pub fn preset_name(&self) -> &'static str {
        match self.preset {
            PhasePreset::Accurate => "accurate",
            PhasePreset::Paper => "paper",
            PhasePreset::Hardware => "hardware",
        }
    }

    /// The parameters for images whose white is `full_scale`, checked; file and settings have the last word.
    ///
    /// # Errors
    /// As for every method's parameters.
    pub fn resolve(&self, full_scale: f32, frames: Option<Frames>) -> Result<PhaseParameters, VeloxelError> {
        let mut preset = PhaseParameters {
            full_scale,
            ..PhaseParameters::preset(self.preset, veloxel_core::Dimension::Two)
        };
        preset.frames = frames.unwrap_or(preset.frames);
        let mut draft = Draft::new(&preset)?;
        draft.read(self.file.as_deref())?;
        let parameters: PhaseParameters = draft.finish(&self.settings)?;
        parameters.validate()?;
        Ok(parameters)
    }

    /// The beginning of a report.
    pub(super) fn header(
        &self,
        method: &str,
        (parameters, device): (&PhaseParameters, DeviceReport),
        inputs: Vec<InputReport>,
        (stages, warnings): (Stages, Warnings),
    ) -> Result<RunHeader, VeloxelError> {
        Ok(RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: self.command_line.clone(),
            method: method.to_owned(),
            preset: Some(self.preset_name().to_owned()),
            device,
            parameters: serde_json::Value::Object(as_json(parameters)?),
            inputs,
            stage_times: stages.into_times(),
            warnings,
        })
    }
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
        let set = |key: &str, value: &str| PhaseChoice {
            settings: vec![(key.to_owned(), value.to_owned())],
            ..PhaseChoice::default()
        };
        let parameters = set("tau_l", "0.05").resolve(1.0, Some(Frames::Three)).unwrap();
        assert_eq!((parameters.tau_l, parameters.full_scale, parameters.frames), (0.05, 1.0, Frames::Three));
        assert_eq!(set("full_scale", "9").resolve(1.0, None).unwrap().full_scale, 9.0);
        let error = set("tau", "1").resolve(1.0, None).unwrap_err().to_string();
        assert!(error.contains("`tau_l`"), "{error}");
        assert!(matches!(set("tau_l", "99").resolve(1.0, None), Err(VeloxelError::Parameter(_))));
    }

    #[test]
    fn white_is_the_top_of_a_usual_range() {
        let of =
            |top: f32| full_scale(&Volume::from_fn(Grid::image(2, 1).unwrap(), |[x, ..]| top * x as f32));
        assert_eq!([0.7, 200.0, 1023.0, 1e6].map(of), [1.0, 255.0, 65535.0, 1e6]);
    }
}
