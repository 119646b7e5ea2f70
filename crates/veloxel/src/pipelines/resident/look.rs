//! Whether images on a device can be taken as they are, told from their extremes and from some of their samples.

use super::ResidentImage;
use super::request::ResidentRequest;
use crate::Result;
use crate::pipelines::prepare::depths::may_differ;
use crate::pipelines::prepare::full_scale::white_of;
use crate::pipelines::prepare::intensities::compare_intensities;
use crate::pipelines::prepare::looked_at::{EvenSamples, GatheredSamples, LookedAt};
use crate::pipelines::prepare::padding::padding_of;
use crate::pipelines::prepare::passes::Passes;
use crate::pipelines::prepare::places::{even_steps, looked_at, steps_alone};
use crate::pipelines::prepare::sentinels::{first_not_plain, note_spread};
use veloxel_core::{Grid, Warnings};
use veloxel_gpu::{Buffer, ComputeError, Device, Later, Pending, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::extremes::{Extremes, FindExtremes};
use veloxel_kernels::image::gather::{Gather, Places};

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
    looked_at: [Box<dyn LookedAt + Send + Sync>; 2],
}

/// Where samples are gathered.
pub(super) enum Where {
    /// At several even distances.
    Even(Vec<usize>),
    /// At these voxels, whose indices rise.
    Listed(Vec<usize>),
}

impl Where {
    /// For an image that is looked at by itself.
    pub fn alone(grid: &Grid) -> Self {
        Self::Even(steps_alone(grid))
    }

    /// For both images.
    fn of(grids: [&Grid; 2]) -> [Self; 2] {
        if let Some(steps) = even_steps(grids) {
            return [Self::Even(steps.clone()), Self::Even(steps)];
        }
        looked_at(grids).map(|mut indices| {
            indices.sort();
            indices.dedup();
            Self::Listed(indices)
        })
    }
}

/// An image of which the device was asked for its extremes and for some of its samples.
pub(super) struct Asked {
    grid: Grid,
    places: Where,
    extremes: Later<Extremes>,
    samples: Vec<Buffer>,
}

impl Asked {
    pub fn of(device: &Device, image: &ResidentImage, places: Where) -> Result<Self> {
        let extremes = FindExtremes { image: &image.samples }.run(device)?;
        let gathered = |own: Places<'_>| -> Result<Buffer, ComputeError> {
            let mut out = device.scratch(own.count(image.samples.len()))?;
            Gather { image: &image.samples, places: own, out: &mut out }.run(device)?;
            Ok(out)
        };
        let samples = match &places {
            Where::Even(steps) => steps.iter().map(|step| gathered(Places::Every(*step))).collect(),
            Where::Listed(indices) => {
                let indices = device.upload(indices.iter().map(|index| *index as u32).collect())?;
                gathered(Places::Listed(&indices)).map(|samples| vec![samples])
            }
        };
        Ok(Self { grid: image.grid.clone(), places, extremes, samples: samples? })
    }
}

/// What was asked of an image.
pub(super) struct Seen {
    pub extremes: Extremes,
    pub looked_at: Box<dyn LookedAt + Send + Sync>,
}

impl Seen {
    /// Why the image cannot be taken as it is, by its extremes.
    pub fn unlike_numbers(&self, name: &str) -> Option<String> {
        let Extremes { least, greatest, are_finite } = self.extremes;
        let is_plain = are_finite && first_not_plain(&[least, greatest]).is_none();
        (!is_plain).then(|| format!("{name} has samples that are no numbers or beyond ±1e15"))
    }

    /// The least and the greatest sample.
    pub fn range(&self) -> [f32; 2] {
        [self.extremes.least, self.extremes.greatest]
    }
}

/// Waits for the device, once for the extremes of all images and once for their samples.
pub(super) fn seen(mut asked: Vec<Asked>, device: &Device) -> Result<Vec<Seen>> {
    let extremes = asked.iter_mut().map(|own| &mut own.extremes as &mut dyn Pending);
    fetch(device, None, extremes.collect())?;
    let all = asked.iter_mut().flat_map(|own| std::mem::take(&mut own.samples)).collect();
    let mut samples = device.download_all_after(all, None)?.into_iter();
    let of_one = |own: Asked| -> Result<Seen> {
        let looked_at: Box<dyn LookedAt + Send + Sync> = match own.places {
            Where::Even(steps) => {
                let runs = steps.into_iter().zip(&mut samples).collect();
                Box::new(EvenSamples::new(own.grid, runs))
            }
            Where::Listed(indices) => {
                Box::new(GatheredSamples::known(own.grid, indices, samples.next().unwrap_or_default()))
            }
        };
        Ok(Seen { extremes: own.extremes.get(device)?, looked_at })
    };
    asked.into_iter().map(of_one).collect()
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
    let [of_fixed, of_moving] = Where::of([&fixed.grid, &moving.grid]);
    let asked = vec![Asked::of(device, fixed, of_fixed)?, Asked::of(device, moving, of_moving)?];
    let seen: [Seen; 2] =
        seen(asked, device)?.try_into().unwrap_or_else(|_| unreachable!("two images should be seen"));
    let names = [0, 1].map(|nth| request.names.image(nth));
    let ranges = seen.each_ref().map(Seen::range);
    if let Some(why) = seen.iter().zip(&names).find_map(|(own, name)| own.unlike_numbers(name)) {
        return Ok(Glance::ToPrepare(why));
    }
    if may_differ(fixed.grid.dimension(), ranges) {
        return Ok(Glance::ToPrepare("the pictures may have several depths".to_owned()));
    }
    let white = white_of(ranges[0][1].max(0.0));
    let left = Box::new(Samples { names, looked_at: seen.map(|own| own.looked_at) });
    Ok(Glance::AsTheyAre { white, left })
}

/// Why masks and weights cannot be taken as they are.
fn unusual_weights(request: &ResidentRequest<'_>, device: &Device) -> Result<Option<String>> {
    for (mask, what) in [(&request.mask, "the mask"), (&request.volume_mask, "the volume mask")] {
        if let Some(why) = unusual_mask(device, mask.as_ref(), what)? {
            return Ok(Some(why));
        }
    }
    let Some(weight) = &request.weight else { return Ok(None) };
    let Extremes { least, greatest, are_finite } = extremes_of(device, weight)?;
    let are_weights = are_finite && least >= 0.0 && greatest <= 1.0;
    Ok((!are_weights).then(|| "weights are not within 0 and 1".to_owned()))
}

/// Why a mask cannot be taken as it is.
pub(super) fn unusual_mask(
    device: &Device,
    mask: Option<&ResidentImage>,
    what: &str,
) -> Result<Option<String>> {
    let Some(mask) = mask else { return Ok(None) };
    let Extremes { least, greatest, are_finite } = extremes_of(device, mask)?;
    let is_usual = are_finite && greatest == 1.0 && (least == 0.0 || least == 1.0);
    Ok((!is_usual).then(|| format!("{what} is not 0 and 1")))
}

/// The extremes of an image, waited for.
pub(super) fn extremes_of(device: &Device, image: &ResidentImage) -> Result<Extremes> {
    Ok(FindExtremes { image: &image.samples }.run(device)?.get(device)?)
}

impl Samples {
    /// Looks at the samples, and notes what images in memory are noted for; the reason if preparation would change an image. A device
    /// may work on the images meanwhile; `passes` should not be made by threads that it works on.
    pub fn look(&self, passes: Passes<'_>, warnings: &mut Warnings) -> Option<String> {
        let images = self.looked_at.each_ref().map(|image| &**image as &dyn LookedAt);
        let names = self.names.each_ref().map(String::as_str);
        let voxels = images[0].grid().len();
        let (own, tones) = passes.join(
            voxels,
            || passes.both(voxels, [0, 1], |nth| own_look(images[nth], names[nth])),
            || {
                let mut of_both = Warnings::new();
                let differ = compare_intensities(images, names, passes, &mut of_both).is_some();
                (differ, of_both)
            },
        );
        for of_image in own {
            match of_image {
                Ok(told) => warnings.extend(told),
                Err(why) => return Some(why),
            }
        }
        warnings.extend(tones.1);
        let [fixed, moving] = names;
        tones.0.then(|| format!("{fixed} and {moving} differ in their tones or their light"))
    }
}

/// What an image is noted for by itself; the reason if preparation would change it.
pub(super) fn own_look(image: &dyn LookedAt, name: &str) -> std::result::Result<Warnings, String> {
    if let Some(value) = padding_of(image) {
        return Err(format!("{name} is padded with {value}"));
    }
    let mut warnings = Warnings::new();
    note_spread(image, name, &mut warnings);
    Ok(warnings)
}
