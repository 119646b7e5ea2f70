//! Whether images on a device can be taken as they are, told from their extremes and from some of their samples.

use super::{ResidentImage, ResidentRequest};
use crate::Result;
use crate::pipelines::prepare::depths::may_differ;
use crate::pipelines::prepare::full_scale::white_of;
use crate::pipelines::prepare::intensities::compare_intensities;
use crate::pipelines::prepare::looked_at::{GatheredSamples, LookedAt};
use crate::pipelines::prepare::padding::padding_of;
use crate::pipelines::prepare::places::looked_at;
use crate::pipelines::prepare::sentinels::{first_not_plain, note_spread};
use veloxel_core::Warnings;
use veloxel_gpu::{Buffer, Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::gather::Gather;
use veloxel_kernels::image::quantiles::{OrderStatistics, Quantiles};

/// What the extremes of a pair say.
pub(super) enum Glance {
    /// The images may be taken as they are; what white is in the fixed one, and what is still to be looked at.
    AsTheyAre { white: f32, left: Box<Samples> },
    /// Preparation would change them: why.
    ToPrepare(String),
}

/// Samples of both images at the places that preparation looks at.
pub(super) struct Samples {
    names: [String; 2],
    looked_at: [GatheredSamples; 2],
}

/// An image of which the device was asked for its extremes and for some of its samples.
struct Asked {
    indices: Vec<usize>,
    extremes: Later<Option<OrderStatistics>>,
    samples: Buffer,
}

/// The least and the greatest sample of an image, and those that preparation looks at.
struct Seen {
    range: [f32; 2],
    looked_at: GatheredSamples,
}

impl Asked {
    fn of(device: &Device, image: &ResidentImage, mut indices: Vec<usize>) -> Result<Self> {
        indices.sort_unstable();
        indices.dedup();
        let places = device.upload(indices.iter().map(|index| *index as u32).collect())?;
        let mut samples = device.scratch(indices.len())?;
        Gather { image: &image.samples, indices: &places, out: &mut samples }.run(device)?;
        Ok(Self { extremes: extremes_of(device, &image.samples)?, indices, samples })
    }

    fn seen(self, device: &Device, image: &ResidentImage) -> Result<Seen> {
        let range = range_of(self.extremes, device)?;
        let samples = device.download(self.samples)?;
        let looked_at = GatheredSamples::known(image.grid.clone(), self.indices, samples);
        Ok(Seen { range, looked_at })
    }
}

fn extremes_of(device: &Device, samples: &Buffer) -> Result<Later<Option<OrderStatistics>>> {
    Ok(Quantiles { image: samples, weight: None, step: 1, shares: [0, 1000] }.run(device)?)
}

fn range_of(extremes: Later<Option<OrderStatistics>>, device: &Device) -> Result<[f32; 2]> {
    Ok(extremes.get(device)?.map_or([f32::NAN; 2], |found| found.samples))
}

/// Looks at the extremes of both images and of what belongs to them, and fetches some of their samples.
pub(super) fn glance(request: &ResidentRequest<'_>, device: &Device) -> Result<Glance> {
    let ResidentRequest { fixed, moving, .. } = request;
    if request.moving_mask.is_some() {
        return Ok(Glance::ToPrepare("samples outside of the moving image's mask are left out".to_owned()));
    }
    if let Some(why) = unusual_weights(request, device)? {
        return Ok(Glance::ToPrepare(why));
    }
    let [of_fixed, of_moving] = looked_at([&fixed.grid, &moving.grid]);
    let [fixed_asked, moving_asked] =
        [Asked::of(device, fixed, of_fixed)?, Asked::of(device, moving, of_moving)?];
    let seen = [fixed_asked.seen(device, fixed)?, moving_asked.seen(device, moving)?];
    let names = [0, 1].map(|nth| request.names.image(nth));
    for (Seen { range, .. }, name) in seen.iter().zip(&names) {
        if first_not_plain(range).is_some() {
            let why = format!("{name} has samples that are no numbers or beyond ±1e15");
            return Ok(Glance::ToPrepare(why));
        }
    }
    if may_differ(fixed.grid.dimension(), seen.each_ref().map(|seen| seen.range)) {
        return Ok(Glance::ToPrepare("the pictures may have several depths".to_owned()));
    }
    let white = white_of(seen[0].range[1].max(0.0));
    let left = Box::new(Samples { names, looked_at: seen.map(|seen| seen.looked_at) });
    Ok(Glance::AsTheyAre { white, left })
}

/// Why masks and weights cannot be taken as they are.
fn unusual_weights(request: &ResidentRequest<'_>, device: &Device) -> Result<Option<String>> {
    for (mask, what) in [(&request.mask, "the mask"), (&request.volume_mask, "the volume mask")] {
        let Some(mask) = mask else { continue };
        let [least, most] = range_of(extremes_of(device, &mask.samples)?, device)?;
        if !(most == 1.0 && (least == 0.0 || least == 1.0)) {
            return Ok(Some(format!("{what} is not 0 and 1")));
        }
    }
    let Some(weight) = &request.weight else { return Ok(None) };
    let [least, most] = range_of(extremes_of(device, &weight.samples)?, device)?;
    Ok((!(least >= 0.0 && most <= 1.0)).then(|| "weights are not within 0 and 1".to_owned()))
}

impl Samples {
    /// Looks at the samples, and notes what images in memory are noted for; the reason if preparation would change an image. A device
    /// may work on the images meanwhile.
    pub fn look(&self, warnings: &mut Warnings) -> Option<String> {
        for (looked_at, name) in self.looked_at.iter().zip(&self.names) {
            if let Some(value) = padding_of(looked_at) {
                return Some(format!("{name} is padded with {value}"));
            }
            note_spread(looked_at, name, warnings);
        }
        let images = self.looked_at.each_ref().map(|image| image as &dyn LookedAt);
        let names = self.names.each_ref().map(String::as_str);
        let [fixed, moving] = names;
        compare_intensities(images, names, warnings)
            .map(|_| format!("{fixed} and {moving} differ in their tones or their light"))
    }
}
