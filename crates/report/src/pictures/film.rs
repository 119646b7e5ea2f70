//! Small pictures of a sequence's pairs: the flow's colours over the fixed image.

use crate::error::ReportError;
use crate::pictures::colour::full_hue;
use crate::pictures::maps::full_colour;
use crate::pictures::picture::{Raster, rgba_data_uri};
use crate::pictures::view::PairView;
use serde::Serialize;
use veloxel_core::{Control, Stopped};

const LONGEST_SIDE: usize = 144;

/// The picture of one pair in a filmstrip: a few kilobytes, so that the pair itself can be dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Thumbnail {
    title: String,
    frames: Option<[usize; 2]>,
    /// Height over width of the picture on the page.
    aspect: f64,
    grey: Raster<1>,
    motion_mm: Raster<2>,
}

impl Thumbnail {
    /// Takes the plane of the pair that the report of `like` shows, so that all thumbnails of a sequence show the same plane.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn of(view: &PairView, like: &PairView, control: &Control) -> Result<Self, Stopped> {
        let plane = &like.plane(control)?;
        Ok(Self {
            title: view.title.to_owned(),
            frames: view.frames,
            aspect: plane.down.extent_mm() / plane.across.extent_mm(),
            grey: Raster::sample(plane, LONGEST_SIDE, |i| [view.fixed.data()[i]], control)?,
            motion_mm: Raster::sample(
                plane,
                LONGEST_SIDE,
                |i| plane.page_vector_mm(view.flow.vector_vox(i)),
                control,
            )?,
        })
    }

    /// The picture with full colour at `scale_mm`: the image where nothing moves, the hue where it moves much.
    fn to_data_uri(&self, scale_mm: f32) -> Result<String, ReportError> {
        let finite = || self.grey.values.iter().map(|v| v[0]).filter(|v| v.is_finite());
        let range = [finite().fold(f32::MAX, f32::min), finite().fold(f32::MIN, f32::max)];
        overlaid_uri(&self.grey, &self.motion_mm, range, scale_mm)
    }
}

/// An image between two greys, with the hue of its motion where that is not small against `scale_mm`.
pub(crate) fn overlaid_uri(
    grey: &Raster<1>,
    motion_mm: &Raster<2>,
    [low, high]: [f32; 2],
    scale_mm: f32,
) -> Result<String, ReportError> {
    let mut samples = Vec::with_capacity(4 * grey.values.len());
    for (&[grey], &[u, v]) in grey.values.iter().zip(&motion_mm.values) {
        let grey = 255.0 * ((grey - low) / (high - low).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let length = u.hypot(v) / scale_mm;
        if !(length + grey).is_finite() {
            samples.extend([0; 4]);
            continue;
        }
        let share = 0.85 * length.min(1.0);
        let hue = full_hue([u, v]);
        let mixed = hue.map(|h| (grey + share * (f32::from(h) - grey)).round() as u8);
        samples.extend([mixed[0], mixed[1], mixed[2], 255]);
    }
    rgba_data_uri(grey.columns, grey.rows, &samples)
}

/// A picture of a film on a page.
#[derive(Serialize)]
pub(crate) struct Frame {
    title: String,
    caption: String,
    aspect: f64,
    uri: String,
    shown: bool,
}

/// The film of a sequence, all pictures on one scale; pair `shown` is marked.
pub(crate) fn frames(
    thumbnails: &[Thumbnail],
    shown: usize,
    control: &Control,
) -> Result<Vec<Frame>, ReportError> {
    let lengths = thumbnails.iter().flat_map(|t| &t.motion_mm.values).map(|[u, v]| u.hypot(*v));
    let scale = full_colour(lengths);
    let frame = |(i, thumbnail): (usize, &Thumbnail)| {
        control.check()?;
        let uri = thumbnail.to_data_uri(scale as f32)?;
        let title = thumbnail.title.clone();
        let caption = thumbnail.frames.map_or(title.clone(), |[fixed, moving]| format!("{fixed} → {moving}"));
        Ok(Frame { title, caption, aspect: thumbnail.aspect, uri, shown: i == shown })
    };
    thumbnails.iter().enumerate().map(frame).collect()
}
