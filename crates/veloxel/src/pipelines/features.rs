//! Energy, orientation and phase of a picture in memory, at every scale.

use super::account::Account;
use super::dense::Image;
use super::phase_method::phase_parameters;
use super::prepare::blanks::blank_features;
use super::prepare::full_scale::full_scale;
use super::prepare::holes::fill_noted;
use super::prepare::passes::Passes;
use crate::{Result, Session};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Stage, WarningKind, Warnings};
use veloxel_motion::{DenseDraft, FeatureMaps, phase_features};
use veloxel_report::{FeatureScaleReport, ValueRange};

/// A picture, and how its features are found.
#[derive(Debug, Clone)]
pub struct FeaturesRequest<'a> {
    /// The picture.
    pub image: Image<'a>,
    /// The phase-based method with its preset and settings.
    pub method: &'a DenseDraft,
}

impl<'a> FeaturesRequest<'a> {
    /// A picture and a method.
    pub fn new(image: impl Into<Image<'a>>, method: &'a DenseDraft) -> Self {
        Self { image: image.into(), method }
    }
}

/// The features of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct FeaturesResult {
    /// The maps of every scale, full resolution first.
    pub levels: Vec<FeatureMaps>,
    /// Size, share of known pixels and energies of every scale.
    pub scales: Vec<FeatureScaleReport>,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// Finds the features of a picture; where that holds NaN or infinity they are NaN.
///
/// # Errors
/// As [`phase_features`]; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn features(request: &FeaturesRequest<'_>, session: &Session) -> Result<FeaturesResult> {
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let mut image = request.image.volume();
    let known = fill_noted(&mut image, None, "the picture", Passes::by(session), &mut account.warnings)?;
    let parameters = phase_parameters(request.method, full_scale(&image))?;
    let mut levels = account.stages.time("solve", || phase_features(&image, &parameters, device))?.levels;
    if let Some(known) = &known {
        levels.iter_mut().enumerate().for_each(|(scale, maps)| blank_features(maps, scale, known));
    }
    session.enter(Stage::Measure)?;
    let has_phase = |maps: &FeatureMaps| maps.phase_rad.data().iter().any(|phase| !phase.is_nan());
    note_phases(levels.iter().any(has_phase), &mut account.warnings);
    account.parameters = parameters.to_json();
    let scales = levels.iter().map(in_numbers).collect();
    Ok(FeaturesResult { levels, scales, account })
}

/// Says that a picture has no phase anywhere.
pub(super) fn note_phases(are_there: bool, warnings: &mut Warnings) {
    if !are_there {
        let message = "no pixel has a phase: the picture may lack texture";
        warnings.push(WarningKind::Content, message);
    }
}

fn in_numbers(maps: &FeatureMaps) -> FeatureScaleReport {
    let [nx, ny, _] = maps.energy.grid().size();
    let valid = maps.phase_rad.data().iter().filter(|p| p.is_finite()).count();
    FeatureScaleReport {
        size: [nx, ny],
        valid_share: valid as f64 / (nx * ny) as f64,
        energy: ValueRange::of(&maps.energy),
    }
}
