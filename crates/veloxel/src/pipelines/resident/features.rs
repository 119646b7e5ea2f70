//! Energy, orientation and phase of a picture that lies in the memory of the device, at every scale, where they stay.

use super::look::extremes_of;
use super::{ResidentImage, in_memory, through_the_host};
use crate::pipelines::account::Account;
use crate::pipelines::features::{FeaturesRequest, FeaturesResult, features, note_phases};
use crate::pipelines::phase_method::phase_parameters;
use crate::pipelines::prepare::full_scale::white_of;
use crate::{Result, Session};
use veloxel_core::Stage;
use veloxel_core::parameters::Parameters;
use veloxel_gpu::{Buffer, Traffic};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CountKnown;
use veloxel_motion::{DenseDraft, FeatureMaps, ResidentFeatures, phase_features_on_device};

/// The features of a picture, left on the device.
#[derive(Debug)]
pub struct ResidentFeaturesResult {
    /// The maps of every scale, full resolution first.
    pub levels: Vec<ResidentFeatures>,
    /// What went over the bus.
    pub traffic: Traffic,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// [`features`] of a picture that lies in the memory of the device, where the maps stay: the same bits. A picture with holes goes through
/// the memory of the host, which a warning says.
///
/// # Errors
/// As [`features`].
pub fn resident_features(
    image: ResidentImage,
    method: &DenseDraft,
    session: &Session,
) -> Result<ResidentFeaturesResult> {
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let before = device.traffic();
    let extremes = extremes_of(device, &image)?;
    let levels = if extremes.are_finite {
        let ResidentImage { grid, samples } = image;
        let parameters = phase_parameters(method, white_of(extremes.greatest.max(0.0)))?;
        account.parameters = parameters.to_json();
        let find = || phase_features_on_device(&samples, &grid, &parameters, device);
        let levels = account.stages.time("solve", find)?;
        let known = |level: &ResidentFeatures| -> Result<f64> {
            let (samples, count) = (&level.phase_rad, level.grid.len());
            Ok(CountKnown { samples, count }.run(device)?.get(device)?)
        };
        let known = levels.iter().map(known).collect::<Result<Vec<_>>>()?;
        note_phases(known.iter().any(|count| *count > 0.0), &mut account.warnings);
        levels
    } else {
        through_the_host("the picture has samples that are no numbers", &mut account.warnings);
        let image = in_memory(device, image)?;
        let FeaturesResult { levels, account: own, .. } =
            features(&FeaturesRequest::new(&image, method), session)?;
        account.absorb(own);
        let sent = |FeatureMaps { energy, orientation_rad, phase_rad }| -> Result<ResidentFeatures> {
            let grid = energy.grid().clone();
            let upload =
                |map: veloxel_core::Volume<f32>| -> Result<Buffer> { Ok(device.upload(map.into_data())?) };
            Ok(ResidentFeatures {
                grid,
                energy: upload(energy)?,
                orientation_rad: upload(orientation_rad)?,
                phase_rad: upload(phase_rad)?,
            })
        };
        levels.into_iter().map(sent).collect::<Result<_>>()?
    };
    Ok(ResidentFeaturesResult { levels, traffic: device.traffic().since(before), account })
}
