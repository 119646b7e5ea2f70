//! What becomes of the engine's results: fields in a folder, a video, and the frame that the page shows.

use super::features::named;
use super::film::EngineFilm;
use super::stereo::ViewOrder;
use super::{EngineJob, OutputPlan, Result};
use std::path::PathBuf;
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_io as io;
use veloxel_motion::{Confidences, PhaseFields};
use veloxel_report::EngineView;

/// Where results go.
pub(super) struct Results {
    folder: Option<PathBuf>,
    confidences: Confidences,
    film: Option<EngineFilm>,
    /// The frame that moves most so far, where a page is wanted.
    shown: Option<Option<Shown>>,
    /// Of all disparities that were fetched.
    views: ViewOrder,
}

/// A frame with its results, for the page.
pub(super) struct Shown {
    frame: u64,
    image: Volume<f32>,
    fields: PhaseFields,
    /// Mean length of its vectors, pixels; none without flow.
    motion_px: Option<f64>,
}

impl Results {
    pub fn new(plan: &mut OutputPlan, job: &EngineJob, interval_ms: Option<f64>) -> Result<Self> {
        let film = plan.path("video")?.map(|path| EngineFilm::new(path, job.wanted(), interval_ms));
        let (folder, shown) = (plan.path("fields")?, job.html.is_some().then_some(None));
        Ok(Self { folder, confidences: job.confidences, film, shown, views: ViewOrder::default() })
    }

    /// Takes what was found for a frame, and the frame itself where pictures show it.
    pub fn take(&mut self, number: u64, image: Option<Volume<f32>>, fields: PhaseFields) -> Result<()> {
        self.write(number, &fields)?;
        if let Some(disparity_px) = &fields.disparity_px {
            self.views.count(disparity_px);
        }
        let Some(image) = image else { return Ok(()) };
        if let Some(film) = &mut self.film {
            film.push(number, &image, &fields)?;
        }
        if let Some(shown) = &mut self.shown {
            let own = Shown::new(number, image, fields);
            if shown.as_ref().is_none_or(|shown| own.motion_px > shown.motion_px) {
                *shown = Some(own);
            }
        }
        Ok(())
    }

    /// The files of a frame.
    fn write(&self, number: u64, fields: &PhaseFields) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let path = |name: &str, extension: &str| folder.join(format!("{name}_{number:06}.{extension}"));
        if let Some(flow) = &fields.flow {
            io::write_flow(&path("flow", "flo"), flow)?;
        }
        if let Some(disparity_px) = &fields.disparity_px {
            io::write_disparity(&path("disparity", "pfm"), disparity_px)?;
        }
        let sure = [
            ("flow_confidence", &fields.flow_confidence),
            ("disparity_confidence", &fields.disparity_confidence),
        ];
        let sure = sure.into_iter().filter(|_| self.confidences == Confidences::Taken);
        let sure = sure.filter_map(|(name, map)| Some((name, map.as_ref()?)));
        for (name, map) in sure.chain(fields.features.iter().flat_map(named)) {
            io::write_image(&path(name, "pfm"), map, &mut Warnings::new())?;
        }
        Ok(())
    }

    /// Ends the video, and warns of views that are swapped; the frame for the page.
    pub fn finish(self, warnings: &mut Warnings) -> Result<Option<Shown>> {
        self.film.map_or(Ok(()), EngineFilm::finish)?;
        self.views.warn(warnings);
        Ok(self.shown.flatten())
    }
}

impl Shown {
    fn new(frame: u64, image: Volume<f32>, fields: PhaseFields) -> Self {
        let mean = |flow: &Flow| {
            let valid = (0..flow.grid().len()).filter(|&i| flow.is_valid(i));
            let lengths = valid.map(|i| flow.vector_vox(i)).map(|[u, v, _]| f64::from(u.hypot(v)));
            let (sum, count) = lengths.fold((0.0, 0usize), |(sum, count), length| (sum + length, count + 1));
            sum / count.max(1) as f64
        };
        let motion_px = fields.flow.as_ref().map(mean);
        Self { frame, image, fields, motion_px }
    }

    /// As a page takes it.
    pub fn view<'a>(&'a self, title: &'a str) -> EngineView<'a> {
        let fields = &self.fields;
        EngineView {
            title,
            frame: self.frame,
            image: &self.image,
            flow: fields.flow.as_ref().zip(fields.flow_confidence.as_ref()),
            disparity_px: fields.disparity_px.as_ref().zip(fields.disparity_confidence.as_ref()),
            features: fields.features.as_ref().map(|maps| named(maps).map(|(_, map)| map)),
        }
    }
}
