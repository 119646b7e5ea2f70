//! Small pictures of a sequence's pairs: the flow's colours over the fixed image.

use super::colour::wheel;
use super::picture::{Raster, rgba_data_uri};
use super::view::PairView;
use crate::ReportError;

const LONGEST_SIDE: usize = 112;

/// What a filmstrip needs of one pair: a few kilobytes, so that the pair itself can be let go.
#[derive(Debug, Clone, PartialEq)]
pub struct Thumbnail {
    title: String,
    /// Height over width on the page.
    aspect: f64,
    grey: Raster<1>,
    motion_mm: Raster<2>,
}

impl Thumbnail {
    /// Takes the first plane of the pair's report (axial, or the image), cut through `like`'s centre of motion so
    /// that all thumbnails of a sequence show the same plane.
    pub fn of(view: &PairView, like: &PairView) -> Self {
        let plane = &like.planes().0[0];
        Self {
            title: view.title.to_owned(),
            aspect: plane.down.extent_mm() / plane.across.extent_mm(),
            grey: Raster::sample(plane, LONGEST_SIDE, |i| [view.fixed.data()[i]]),
            motion_mm: Raster::sample(plane, LONGEST_SIDE, |i| plane.page_vector_mm(view.flow.vector_vox(i))),
        }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }
    pub(super) fn aspect(&self) -> f64 {
        self.aspect
    }
    pub(super) fn lengths_mm(&self) -> impl Iterator<Item = f32> {
        self.motion_mm.values.iter().map(|[u, v]| u.hypot(*v)).filter(|l| l.is_finite())
    }

    /// The picture, full colour at `scale_mm`: the image where nothing moves, the hue where it moves much.
    pub(super) fn to_data_uri(&self, scale_mm: f32) -> Result<String, ReportError> {
        let finite = || self.grey.values.iter().map(|v| v[0]).filter(|v| v.is_finite());
        let (low, high) = (finite().fold(f32::MAX, f32::min), finite().fold(f32::MIN, f32::max));
        let mut samples = Vec::with_capacity(4 * self.grey.values.len());
        for (&[grey], &[u, v]) in self.grey.values.iter().zip(&self.motion_mm.values) {
            let grey = 255.0 * ((grey - low) / (high - low).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
            let length = u.hypot(v) / scale_mm;
            if !(length + grey).is_finite() {
                samples.extend([0; 4]);
                continue;
            }
            let share = 0.85 * length.min(1.0);
            let hue = wheel([u, v].map(|c| c / scale_mm / length.max(1e-6)));
            let mixed = hue.map(|h| (grey + share * (f32::from(h) - grey)).round() as u8);
            samples.extend([mixed[0], mixed[1], mixed[2], 255]);
        }
        rgba_data_uri(self.grey.columns, self.grey.rows, &samples)
    }
}
