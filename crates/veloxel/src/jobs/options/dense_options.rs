//! The options that the runs of every dense method share, beside their images.

use super::start_from::StartFrom;
use crate::jobs::OutputPlan;
use crate::jobs::{DenseMethodOptions, MaskFile, Result};
use crate::pipelines::DenseError;
use crate::pipelines::account::Account;
use crate::pipelines::{Directions, MethodChoice, Refinement};
use std::path::PathBuf;
use veloxel_core::{Mask, Volume, Warnings};
use veloxel_io::{self as io, ReadOptions, Reading};
use veloxel_motion::{GivenInput, MotionError};
use veloxel_report::{InputReport, RunHeader};

/// A dense method, where its data count, and how files are read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseOptions {
    /// The method and its parameters.
    pub method: DenseMethodOptions,
    /// One direction, or both.
    pub directions: Directions,
    /// What is done to the flow.
    pub refinement: Refinement,
    /// Where data count.
    pub mask: Option<MaskFile>,
    /// Where the moving image of a pair has data, on its own grid; what lies outside is left out as samples that are NaN are.
    pub moving_mask: Option<MaskFile>,
    /// Where volume is preserved (β), on the fixed grid; none: wherever data count.
    pub volume_mask: Option<MaskFile>,
    /// How much data count, from 0 to 1 on the fixed grid: of Lucas-Kanade and finite elements.
    pub weight: Option<PathBuf>,
    /// How files are read.
    pub reading: ReadOptions,
    /// The command as typed, for the report.
    pub command_line: String,
}

/// The masks of a run and its weight image, as they were read.
#[derive(Debug, Default)]
pub(crate) struct ReadRegion {
    pub mask: Option<Mask>,
    pub moving_mask: Option<Mask>,
    pub volume_mask: Option<Mask>,
    pub weight: Option<Volume<f32>>,
}

impl DenseOptions {
    /// The method as pipelines take it.
    pub(crate) fn choice(&self) -> MethodChoice {
        let (directions, refinement) = (self.directions, self.refinement);
        MethodChoice { directions, refinement, ..MethodChoice::new(self.method.draft().clone()) }
    }

    /// Refuses, before a file is read, what the method does not use.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`].
    pub(crate) fn require_used(&self, start: &StartFrom) -> Result<(), MotionError> {
        self.choice().require_used(&[
            (GivenInput::Mask, self.mask.is_some()),
            (GivenInput::VolumeMask, self.volume_mask.is_some()),
            (GivenInput::Weight, self.weight.is_some()),
            (GivenInput::Start, *start != StartFrom::None),
        ])
    }

    /// Refuses a mask of the moving image where there are more images than two.
    ///
    /// # Errors
    /// [`DenseError::MovingMask`].
    pub(crate) fn require_pair_for_moving_mask(&self, given: Option<&'static str>) -> Result<(), DenseError> {
        match given {
            Some(given) if self.moving_mask.is_some() => Err(DenseError::MovingMask { given }),
            _ => Ok(()),
        }
    }

    /// Reads masks and weight image, each on its own grid.
    ///
    /// # Errors
    /// As for every image.
    pub(crate) fn read_region(&self, reading: &Reading, warnings: &mut Warnings) -> Result<ReadRegion> {
        let mut mask = |file: &Option<MaskFile>| -> Result<Option<Mask>> {
            file.as_ref().map(|file| file.read(reading, warnings)).transpose()
        };
        let (mask, moving_mask, volume_mask) =
            (mask(&self.mask)?, mask(&self.moving_mask)?, mask(&self.volume_mask)?);
        let weight = self.weight.as_ref().map(|path| io::read_image(path, reading, warnings)).transpose()?;
        Ok(ReadRegion { mask, moving_mask, volume_mask, weight })
    }

    /// What the weight image is called in errors.
    pub(crate) fn weight_name(&self) -> String {
        let named = |path: &PathBuf| format!("the weight image {}", path.display());
        self.weight.as_ref().map_or_else(String::new, named)
    }

    /// What the mask of the volume constraint is called in warnings.
    pub(crate) fn volume_mask_name(&self) -> String {
        let named = |mask: &MaskFile| format!("the volume mask {}", mask.path.display());
        self.volume_mask.as_ref().map_or_else(String::new, named)
    }

    /// The method's name for people.
    pub(crate) fn method_title(&self) -> &'static str {
        self.method.draft().method().title
    }

    /// The beginning of a report.
    pub(crate) fn header(&self, account: Account, inputs: Vec<InputReport>) -> RunHeader {
        let (method, preset) = (self.method.method_name(), Some(self.method.preset_name()));
        header(&self.command_line, method, preset, account, inputs)
    }
}

impl OutputPlan {
    /// Adds what the options of a dense method's run read: masks, weights and files of parameters.
    pub(crate) fn reads_dense(self, options: &DenseOptions) -> Self {
        let [mask, moving_mask, volume_mask] = [&options.mask, &options.moving_mask, &options.volume_mask]
            .map(|mask| mask.as_ref().map(|mask| &mask.path));
        self.reads_settings(options.method.files())
            .reads("mask", mask)
            .reads("moving mask", moving_mask)
            .reads("volume mask", volume_mask)
            .reads("weight", &options.weight)
    }
}

/// The beginning of a report. `method` is the name there: of the command's own where that is more than the method's.
pub(crate) fn header(
    command_line: &str,
    method: &str,
    preset: Option<&str>,
    account: Account,
    inputs: Vec<InputReport>,
) -> RunHeader {
    RunHeader {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: command_line.to_owned(),
        method: method.to_owned(),
        preset: preset.map(str::to_owned),
        device: account.device,
        parameters: account.parameters.into(),
        inputs,
        stage_times: account.stages.0,
        warnings: account.warnings,
    }
}
