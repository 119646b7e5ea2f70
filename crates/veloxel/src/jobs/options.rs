//! The options of every run beside its images.

use super::{DeviceOptions, MaskFile, MethodOptions, Result};
use crate::pipelines::account::Account;
use crate::pipelines::prepare::full_scale::full_scale;
use std::path::PathBuf;
use veloxel_core::parameters::Values;
use veloxel_core::{Flow, Grid, Hint, Volume, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{self as io, Reading};
use veloxel_motion::{AffineModel, Given, Method, MotionError, Opened, Opening, Start, require_weights};
use veloxel_report::{InputReport, RunHeader};

/// What is known before the first warp.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StartFrom {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass.
    CentreOfMass,
    /// An affine map, found first.
    Affine,
    /// Matches over the whole range of motion.
    Matches,
    /// A field from a file.
    Flow(PathBuf),
}

impl StartFrom {
    /// The file of a field.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Flow(path) => Some(path),
            _ => None,
        }
    }

    /// The start as methods take it; `flow` is what the file holds.
    pub fn start<'a>(&self, flow: Option<&'a Flow>) -> Start<'a> {
        match self {
            Self::None | Self::Matches => Start::Zero,
            Self::CentreOfMass => Start::Registration(AffineModel::CentreOfMass),
            Self::Affine => Start::Registration(AffineModel::Affine),
            Self::Flow(_) => flow.map_or(Start::Zero, Start::Flow),
        }
    }
}

/// Which directions of a pair are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Directions {
    /// Fixed to moving.
    #[default]
    Forward,
    /// Both: where they disagree the confidence falls.
    Both,
}

/// What is done to a flow once it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refinement {
    /// Nothing.
    #[default]
    None,
    /// A mean over neighbours, weighted by confidence and by likeness of the image.
    Bilateral,
}

/// The options of every run of a method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunOptions {
    /// The method and its parameters.
    pub method: MethodOptions,
    /// Where it runs.
    pub device: DeviceOptions,
    /// One direction, or both.
    pub directions: Directions,
    /// What is done to the flow.
    pub refinement: Refinement,
    /// Where data count.
    pub mask: Option<MaskFile>,
    /// Where volume is preserved (β), on the fixed grid; none: wherever data count.
    pub volume_mask: Option<MaskFile>,
    /// How much data count, from 0 to 1 on the fixed grid: of finite elements.
    pub weight: Option<PathBuf>,
    /// How files are read.
    pub reading: Reading,
    /// Memory that a run may take, bytes: of the process on the processor, of the device on a GPU; none: what there is.
    pub max_memory_bytes: Option<u64>,
    /// The command as typed, for the report.
    pub command_line: String,
}

impl RunOptions {
    /// Opens the method for so many frames like the first, in the directions asked for.
    pub(super) fn open_for(&self, first: &Volume<f32>, frames: usize, device: &Device) -> Result<Opened> {
        Ok(self.open_method(first.grid(), full_scale(first), frames, device)?)
    }

    /// Opens the method for so many frames of a grid with such a white, in the directions asked for.
    pub(crate) fn open_method(
        &self,
        grid: &Grid,
        white: f32,
        frames: usize,
        device: &Device,
    ) -> Result<Opened, MotionError> {
        let draft = self.method.draft();
        let opened = Method::of(draft).open(&Opening { grid, frames, white, draft, device })?;
        let is_checked = self.directions == Directions::Both;
        let method = if is_checked { opened.method.inverse_consistent() } else { opened.method };
        let method = if self.refinement == Refinement::None { method } else { method.refined() };
        Ok(Opened { method, ..opened })
    }

    /// Refuses what the method does not use.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`].
    pub(super) fn require_used(&self, start: &StartFrom) -> Result<(), MotionError> {
        let given = [
            (self.mask.is_some(), Given::Mask),
            (self.volume_mask.is_some(), Given::VolumeMask),
            (self.weight.is_some(), Given::Weight),
            (*start != StartFrom::None, Given::Start),
            (self.directions == Directions::Both, Given::SecondDirection),
        ];
        let given: Vec<_> =
            given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, input)| input).collect();
        Method::of(self.method.draft()).require(&given)
    }

    /// Says so if a mask of the volume constraint is given without the constraint.
    pub(super) fn check_volume_mask(&self, parameters: &Values, warnings: &mut Warnings) {
        let uses = &Method::of(self.method.draft()).uses;
        let off = uses.switched_off_by(Given::VolumeMask, parameters);
        if let (Some(mask), Some(name)) = (&self.volume_mask, off) {
            let path = mask.path.display();
            let message =
                format!("the volume mask {path} has no effect while {name} is 0: set {name} to 1, or more");
            warnings.push_with_hint(WarningKind::Content, Hint::Parameters, message);
        }
    }

    /// Reads the weight image for a grid.
    ///
    /// # Errors
    /// As for every image; [`CoreError::GridMismatch`] for another grid, [`CoreError::NotAWeight`] for values outside of [0, 1].
    pub(super) fn read_weight(&self, grid: &Grid, warnings: &mut Warnings) -> Result<Option<Volume<f32>>> {
        let Some(path) = &self.weight else { return Ok(None) };
        let weight = io::read_image(path, self.reading, warnings)?;
        grid.require_same(
            weight.grid(),
            &format!("the fixed image and the weight image {}", path.display()),
        )?;
        require_weights(&weight)?;
        Ok(Some(weight))
    }

    /// The masks' files, as a plan takes them.
    pub(crate) fn mask_paths(&self) -> [Option<&PathBuf>; 2] {
        [&self.mask, &self.volume_mask].map(|mask| mask.as_ref().map(|mask| &mask.path))
    }

    /// The beginning of a report. `method` is the name there: of the command's own where that is more than the method's.
    pub(super) fn header(
        &self,
        method: &str,
        parameters: Values,
        log: Account,
        inputs: Vec<InputReport>,
    ) -> RunHeader {
        RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: self.command_line.clone(),
            method: method.to_owned(),
            preset: Some(self.method.preset_name().to_owned()),
            device: log.device,
            parameters: parameters.into(),
            inputs,
            stage_times: log.stages.0,
            warnings: log.warnings,
        }
    }
}
