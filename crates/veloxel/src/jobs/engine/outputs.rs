//! What becomes of the engine's results: fields in a folder, a video, and the frame that the page shows.

use super::delivered_files::write_delivered;
use super::job::EngineJob;
use super::stream_warnings::StreamWarnings;
use crate::jobs::InputError;
use crate::jobs::OutputPlan;
use crate::jobs::OutputRole;
use crate::jobs::features::named;
use crate::jobs::outputs::film::{Audience, Film};
use crate::pipelines::Wanted;
use crate::pipelines::engine::{ConfidenceChoice, EngineFound, EngineWatch, WatchedFrame};
use crate::{Result, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use veloxel_core::{Control, Dimension, Flow, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{self as io, PackedFields, Target};
use veloxel_motion::PhaseFields;
use veloxel_report::{EngineFilm, EngineTile, FilmFrame, OrientationMaps};

/// Where results go.
pub(super) struct Results {
    folder: Option<Target>,
    confidences: ConfidenceChoice,
    packed: Wanted,
    video: Option<Video>,
    watch: EngineWatch,
    said: StreamWarnings,
    page: Page,
    /// Where the memory of results goes back to.
    device: Device,
}

/// A film, and how its pictures are drawn.
struct Video {
    film: Film,
    drawing: EngineFilm,
    control: Control,
    /// Set once the film has no reader any more, where the stream ends with it.
    ends: Option<Arc<AtomicBool>>,
}

impl Video {
    /// Adds the picture of a frame that came back, as long as the video has a reader.
    fn push(&mut self, found: &EngineFound) -> Result<()> {
        let Some(shown) = film_frame(found).filter(|_| self.film.audience() == Audience::Watches) else {
            return Ok(());
        };
        if shown.image.grid().dimension() == Dimension::Three {
            return Err(InputError::FilmOfVolumes.into());
        }
        self.film.push(shown.number, &self.drawing.picture(&shown, &self.control)?)?;
        if let (Audience::Left, Some(ends)) = (self.film.audience(), &self.ends) {
            ends.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Whether there is a page that shows a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Wanted,
    Absent,
}

impl Results {
    pub fn new(
        plan: &mut OutputPlan,
        job: &EngineJob,
        interval_ms: Option<f64>,
        session: &Session,
        has_ended: &Arc<AtomicBool>,
    ) -> Result<Self> {
        // Under the channel of the session that finds the results: a stream that ends by a stop is still written.
        let own = |target: Target| target.under(session.files());
        let tiles = || {
            let wanted = job.wanted();
            let flow = wanted.flow.then_some(EngineTile::Flow);
            flow.into_iter().chain(wanted.stereo.then_some(EngineTile::Disparity)).collect()
        };
        let video = plan.target(OutputRole::Video)?.map(|to| Video {
            film: Film::new(own(to), interval_ms),
            drawing: EngineFilm::new(tiles()),
            control: session.control().clone(),
            ends: job.ends_with_its_reader().then(|| has_ended.clone()),
        });
        let page = if job.html.is_some() { Page::Wanted } else { Page::Absent };
        let (folder, confidences) = (plan.target(OutputRole::Fields)?.map(own), job.confidences);
        let (watch, said) = Default::default();
        let device = session.device()?.clone();
        Ok(Self { folder, confidences, packed: job.packed, video, watch, said, page, device })
    }

    /// Takes what was found for a frame.
    pub fn take(&mut self, found: EngineFound) -> Result<()> {
        self.write(&found)?;
        self.said.add(&format!("frame {}: ", found.report.frame), &found.warnings);
        self.watch.look(&found);
        if let Some(video) = &mut self.video {
            video.push(&found)?;
        }
        match self.page {
            Page::Wanted => self.watch.keep(found),
            Page::Absent => found.reuse(&self.device),
        }
        Ok(())
    }

    /// The files of a frame.
    fn write(&mut self, found: &EngineFound) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        if let Some(delivered) = &found.delivered {
            write_delivered(folder, found.report.frame, delivered)?;
        }
        let Some(fields) = &found.fields else { return Ok(()) };
        if found.delivered.is_none() {
            self.write_fields(folder, found.report.frame, fields)?;
        }
        if self.packed.is_yes() {
            let (mut beyond, name) = (Warnings::new(), format!("packed_{:06}.p63", found.report.frame));
            io::write_packed(folder.join(name), &packed(fields, found.white), &mut beyond)?;
            self.said.add("", &beyond);
        }
        Ok(())
    }

    /// The files of fields of 32 bits.
    fn write_fields(&self, folder: &Target, number: u64, fields: &PhaseFields) -> Result<()> {
        let to = |name: &str, extension: &str| folder.join(format!("{name}_{number:06}.{extension}"));
        let [of_flow, of_map] = extensions(fields);
        if let Some(flow) = &fields.flow {
            io::write_flow(to("flow", of_flow), flow)?;
        }
        if let Some(disparity_px) = &fields.disparity_px {
            io::write_disparity(to("disparity", "pfm"), disparity_px)?;
        }
        let sure = [
            ("flow_confidence", &fields.flow_confidence),
            ("disparity_confidence", &fields.disparity_confidence),
        ];
        let sure = sure.into_iter().filter(|_| self.confidences == ConfidenceChoice::Taken);
        let sure = sure.filter_map(|(name, map)| Some((name, map.as_ref()?)));
        for (name, map) in sure.chain(fields.features.iter().flat_map(named)) {
            io::write_image(to(name, of_map), map, &mut Warnings::new())?;
        }
        for (level, maps) in (1..).zip(&fields.coarser_features) {
            for (name, map) in named(maps) {
                let target = folder.join(format!("{name}_{number:06}_{level}.pfm"));
                io::write_image(target, map, &mut Warnings::new())?;
            }
        }
        Ok(())
    }

    /// Ends the video, and warns of views that are swapped; the frame for the page.
    pub fn finish(self, warnings: &mut Warnings) -> Result<Option<WatchedFrame>> {
        self.video.map_or(Ok(()), |video| video.film.finish(warnings))?;
        self.said.finish(warnings);
        Ok(self.watch.finish(warnings))
    }
}

/// All that was found for a frame, as it is packed.
fn packed(fields: &PhaseFields, white: f32) -> PackedFields<'_> {
    let features =
        fields.features.as_ref().map(|maps| [&maps.energy, &maps.orientation_rad, &maps.phase_rad]);
    PackedFields { flow: fields.flow.as_ref(), disparity_px: fields.disparity_px.as_ref(), features, white }
}

/// The extensions of fields and of maps: volumes are written as they are, since packing takes longer than finding them.
fn extensions(fields: &PhaseFields) -> [&'static str; 2] {
    let is_volume = |flow: &Flow| flow.grid().dimension() == Dimension::Three;
    if fields.flow.as_ref().is_some_and(is_volume) { ["nii"; 2] } else { ["flo", "pfm"] }
}

/// A frame that came back, as a film draws it.
fn film_frame(found: &EngineFound) -> Option<FilmFrame<'_>> {
    let (image, fields) = (found.image.as_ref()?, found.fields.as_ref()?);
    Some(FilmFrame {
        number: found.report.frame,
        image,
        flow: fields.flow.as_ref(),
        disparity_px: fields.disparity_px.as_ref(),
        orientation: fields
            .features
            .as_ref()
            .map(|maps| OrientationMaps { orientation_rad: &maps.orientation_rad, energy: &maps.energy }),
    })
}
