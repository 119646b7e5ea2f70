//! What all methods of a run share.

use super::region::Region;
use super::request::TrackRequest;
use super::seeds::Seeds;
use crate::Session;
use veloxel_report::CineReport;

/// A request with what follows from it before any method runs.
pub(super) struct Setting<'a> {
    pub request: &'a TrackRequest<'a>,
    pub seeds: Seeds,
    pub region: Region,
    pub session: &'a Session,
}

impl Setting<'_> {
    /// What is followed, as reports say it.
    pub fn report(&self) -> CineReport {
        let Self { request, seeds, region, .. } = self;
        let cine = request.cine;
        CineReport {
            size: cine.grid().size(),
            spacing_mm: cine.grid().spacing_mm(),
            frames: cine.frames().len(),
            frame_interval_ms: cine.frame_interval_ms(),
            start_frames: seeds.frames.clone(),
            slices: seeds.contours.slices(),
            region_from_px: region.from,
            region_size_px: region.size,
            motion: request.space.on(cine.grid()).word().to_owned(),
            placement: request.placement.word().to_owned(),
            cavities: request.cavities.word().to_owned(),
        }
    }
}
