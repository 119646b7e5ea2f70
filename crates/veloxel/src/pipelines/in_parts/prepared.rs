//! Both images as methods take them: what preparation does to images in memory, found in one pass over each and done box by box.

use super::PartsRequest;
use super::survey::{Survey, survey};
use crate::pipelines::dense::DenseError;
use crate::pipelines::prepare::full_scale::white_of;
use crate::pipelines::prepare::intensities::{Tones, compare_intensities};
use crate::pipelines::prepare::looked_at::{GatheredSamples, LookedAt};
use crate::pipelines::prepare::padding::padding_of;
use crate::pipelines::prepare::passes::Passes;
use crate::pipelines::prepare::places::looked_at;
use crate::pipelines::prepare::sentinels::note_spread;
use crate::{Result, Session};
use std::borrow::Cow;
use veloxel_core::{Grid, GridBox, Warnings};
use veloxel_motion::{ImageBoxes, MotionError};

/// The moving image as methods compare it with the fixed one.
pub(super) struct PreparedBoxes<'a> {
    fixed: &'a dyn ImageBoxes,
    moving: &'a dyn ImageBoxes,
    found: Preparation,
}

/// What was found of two images in a pass over each: another run of the same images takes it and does without the passes.
#[derive(Debug, Clone)]
pub struct Preparation {
    tones: Option<Tones>,
    largest: f32,
    checksums: [u64; 2],
}

impl<'a> PreparedBoxes<'a> {
    /// Looks at both images, so many samples at a time.
    ///
    /// # Errors
    /// [`DenseError::InParts`] for what is done to images in memory alone; what reading fails with.
    pub fn of(
        request: &PartsRequest<'a>,
        most_samples: usize,
        session: &Session,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let (fixed, moving) = (request.fixed, request.moving);
        let names = [0, 1].map(|nth| request.names.image(nth));
        let [of_fixed, of_moving] = looked_at([fixed.grid(), moving.grid()]);
        let look = |image, nth: usize, indices, warnings: &mut Warnings| -> Result<Survey> {
            let name = &names[nth];
            let found = survey(image, name, indices, most_samples, session)?;
            require_no_padding(&found.looked_at, name, session)?;
            note_spread(&found.looked_at, name, warnings);
            Ok(found)
        };
        let fixed_found = look(fixed, 0, of_fixed, warnings)?;
        let moving_found = look(moving, 1, of_moving, warnings)?;
        let images: [&dyn LookedAt; 2] = [&fixed_found.looked_at, &moving_found.looked_at];
        let tones = compare_intensities(images, [&names[0], &names[1]], Passes::by(session), warnings);
        let checksums = [fixed_found.checksum, moving_found.checksum];
        Ok(Self { fixed, moving, found: Preparation { tones, largest: fixed_found.largest, checksums } })
    }

    /// The same images as before, prepared without a pass over them.
    pub fn again(request: &PartsRequest<'a>, found: Preparation) -> Self {
        Self { fixed: request.fixed, moving: request.moving, found }
    }

    /// What was found of them.
    pub fn found(&self) -> &Preparation {
        &self.found
    }

    /// What white is in the fixed image.
    pub fn white(&self) -> f32 {
        white_of(self.found.largest)
    }

    /// Checksums of the samples of both images as they were read.
    pub fn checksums(&self) -> [u64; 2] {
        self.found.checksums
    }
}

impl ImageBoxes for PreparedBoxes<'_> {
    fn grid(&self) -> &Grid {
        self.moving.grid()
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>, MotionError> {
        let samples = self.moving.samples(part)?;
        let Some(tones) = &self.found.tones else { return Ok(samples) };
        let mut samples = samples.into_owned();
        tones.apply(&mut samples, part, [self.moving.grid(), self.fixed.grid()]);
        Ok(Cow::Owned(samples))
    }
}

/// Padding would be a hole, which is filled from samples across the whole image.
fn require_no_padding(image: &GatheredSamples, name: &str, session: &Session) -> Result<()> {
    let Some(value) = padding_of(image) else { return Ok(()) };
    let what = format!("fill padding: {name} is padded with {value}");
    Err(DenseError::in_parts(&what, session.max_memory_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::{MethodChoice, PairRequest, PartsRequest};
    use veloxel_core::Volume;
    use veloxel_gpu::Device;

    fn texture(shift: f32) -> Volume<f32> {
        Volume::from_fn(Grid::volume(90, 64, 40).unwrap(), move |[x, y, z]| {
            let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
            120.0 + 40.0 * ((0.7 * x + 0.3 * z).sin() + (0.6 * y).cos() + (0.5 * z - 0.4 * y).sin())
        })
    }

    /// What preparation in boxes makes of a pair, against what it makes of the whole images.
    fn same_as_in_memory(fixed: &Volume<f32>, moving: &Volume<f32>, is_changed: bool) {
        let session = Session::on(Device::cpu(1).unwrap());
        let method = MethodChoice::default();
        let mut told = [Warnings::new(), Warnings::new()];
        let whole = PairRequest::new(fixed, moving, &method).prepare(Passes::ALONE, &mut told[0]).unwrap();
        let request = PartsRequest::new(fixed, moving, &method);
        allow(&request, &mut told[1]);
        let own = PreparedBoxes::of(&request, 10_000, &session, &mut told[1]).unwrap();
        assert_eq!(whole.toned.is_some(), is_changed);
        let compared = whole.compared();
        for part in [GridBox::all(compared.grid().size()), GridBox { begin: [5, 7, 9], size: [20, 11, 13] }] {
            let found = own.samples(part).unwrap();
            let expected = part.of(compared.data(), compared.grid().size());
            assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
        let [mut texts, mut own_texts] =
            told.map(|told| told.iter().map(|w| w.message.clone()).collect::<Vec<_>>());
        texts.sort();
        own_texts.sort();
        assert_eq!(texts, own_texts);
    }

    fn allow(request: &PartsRequest<'_>, warnings: &mut Warnings) {
        use crate::pipelines::prepare::grids::allow_two_grids;
        let [fixed, moving] = [request.fixed.grid(), request.moving.grid()];
        allow_two_grids(fixed, moving, request.strictness, warnings).unwrap();
    }

    #[test]
    fn tones_and_light_are_those_of_images_in_memory() {
        let (fixed, moving) = (texture(0.0), texture(0.7));
        same_as_in_memory(&fixed, &moving, false);
        same_as_in_memory(&fixed, &moving.map(|v| 3.0 * v + 40.0), true);
        let light = |x: usize| 1.3 - 0.5 * (x as f32 / 45.0 - 1.0).powi(2);
        let lit = Volume::from_fn(moving.grid().clone(), |p| *moving.at(p) * light(p[0]));
        same_as_in_memory(&fixed, &lit, true);
        // A moving image on a grid of its own.
        let grid = Grid::volume(70, 60, 50).and_then(|g| g.with_spacing_mm([1.2, 1.1, 0.9])).unwrap();
        let still = texture(0.0);
        let other = Volume::from_fn(grid, |[x, y, z]| {
            2.0 * *still.at([x * 6 / 5, y, z * 4 / 5].map(|v: usize| v.min(39)))
        });
        same_as_in_memory(&fixed, &other, true);
    }

    #[test]
    fn padding_is_refused_by_name() {
        let session = Session::on(Device::cpu(1).unwrap());
        let (fixed, method) = (texture(0.0), MethodChoice::default());
        let padded =
            Volume::from_fn(fixed.grid().clone(), |p| if p[0] < 20 { -3000.0 } else { *fixed.at(p) });
        let request = PartsRequest::new(&fixed, &padded, &method);
        let refused = PreparedBoxes::of(&request, 10_000, &session, &mut Warnings::new()).err().unwrap();
        assert!(refused.to_string().contains("is padded with -3000"), "{refused}");
    }
}
