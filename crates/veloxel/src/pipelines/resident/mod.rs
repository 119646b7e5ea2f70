//! Images that lie in the memory of the session's device already, and results that stay there: of what a pipeline takes in the host's
//! memory, nothing but a few numbers and some samples goes over the bus.
//!
//! A pipeline here takes [`ResidentImage`]s, looks at their extremes and at some of their samples, and gives buffers with the bits of the
//! pipeline over the same images in memory. What that one would change before a method sees it (holes, padding, other depths or tones) is
//! done in the memory of the host, which a warning says.

mod engine;
mod features;
mod frames;
mod look;
mod pair;
#[cfg(test)]
mod pair_tests;
mod request;
mod sequence;
mod stereo;
#[cfg(test)]
mod tests;
mod warp;

pub use engine::{ResidentEngine, ResidentStreamFrame};
pub use features::{ResidentFeaturesResult, resident_features};
pub use frames::ResidentFrames;
pub use pair::{ResidentPair, pair_on_device, resident_pair};
pub use request::ResidentRequest;
pub use sequence::{ResidentSequence, ResidentSequenceField, ResidentSequenceRequest};
pub use stereo::{ResidentDisparity, ResidentStereoRequest, resident_stereo};
pub use warp::{ResidentWarp, ResidentWarpRequest, warp_resident_image};

use crate::Result;
use veloxel_core::{Grid, Mask, Volume, WarningKind, Warnings};
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CopyBuffer;
use veloxel_motion::{DenseFlow, OnDevice, ResidentFlow};

/// Samples in the memory of the session's device, one for every voxel of a grid, x fastest.
#[derive(Debug)]
pub struct ResidentImage {
    /// Where they lie.
    pub grid: Grid,
    /// The samples.
    pub samples: Buffer,
}

/// A copy on the device, which a method may use while the samples themselves may still be needed on the host.
fn copied(device: &Device, samples: &Buffer) -> std::result::Result<Buffer, ComputeError> {
    let mut copy = device.scratch(samples.len())?;
    CopyBuffer { from: samples, to: &mut copy }.run(device)?;
    Ok(copy)
}

/// An image in the memory of the host.
fn in_memory(device: &Device, image: ResidentImage) -> Result<Volume<f32>> {
    Ok(Volume::new(image.grid, device.download(image.samples)?)?)
}

/// A mask in the memory of the host: inside where the image is not 0.
fn mask_in_memory(device: &Device, image: Option<ResidentImage>) -> Result<Option<Mask>> {
    image.map(|image| Ok(in_memory(device, image)?.map(|inside| *inside != 0.0))).transpose()
}

/// What was found in the memory of the host, on the device.
fn sent(device: &Device, found: DenseFlow) -> Result<OnDevice> {
    let DenseFlow { flow, confidence, inverse, linear_start, statistics, .. } = found;
    Ok(OnDevice {
        flow: ResidentFlow::upload(device, &flow)?,
        confidence: device.upload_copy(confidence.data())?,
        inverse: inverse.map(|flow| ResidentFlow::upload(device, &flow)).transpose()?,
        linear_start,
        statistics,
    })
}

/// Says why images went through the memory of the host.
fn through_the_host(why: &str, warnings: &mut Warnings) {
    let text =
        format!("{why}: the images were prepared in the memory of the host, and what was found went back");
    warnings.push(WarningKind::Content, text);
}
