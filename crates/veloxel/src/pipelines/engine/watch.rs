//! What is kept of a stream while its results pass: the frame that moves most, and whether the views seem swapped.

use super::found::EngineFound;
use crate::pipelines::view_order::ViewOrder;
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_motion::PhaseFields;
use veloxel_report::EngineView;

/// Watches the results of a stream.
#[derive(Debug, Default)]
pub struct EngineWatch {
    /// Counts the signs of all disparities that were fetched.
    views: ViewOrder,
    shown: Option<WatchedFrame>,
}

/// A frame with its results, for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedFrame {
    frame: u64,
    image: Volume<f32>,
    fields: PhaseFields,
    /// Mean length of its vectors, pixels or voxels; none without flow.
    motion_vox: Option<f64>,
}

impl EngineWatch {
    /// Looks at what was found for a frame.
    pub fn look(&mut self, found: &EngineFound) {
        let disparity_px = found.fields.as_ref().and_then(|fields| fields.disparity_px.as_ref());
        disparity_px.into_iter().for_each(|disparity_px| self.views.count(disparity_px));
    }

    /// Keeps a frame that came back, if it moves more than all before it.
    pub fn keep(&mut self, found: EngineFound) {
        let EngineFound { report, image: Some(image), fields: Some(fields), .. } = found else { return };
        let motion_vox = fields.flow.as_ref().map(mean_length_vox);
        if self.shown.as_ref().is_none_or(|shown| motion_vox > shown.motion_vox) {
            self.shown = Some(WatchedFrame { frame: report.frame, image, fields, motion_vox });
        }
    }

    /// Warns of views that are swapped; the frame that moves most of those that were kept.
    pub fn finish(self, warnings: &mut Warnings) -> Option<WatchedFrame> {
        self.views.warn(warnings);
        self.shown
    }
}

fn mean_length_vox(flow: &Flow) -> f64 {
    let valid = (0..flow.grid().len()).filter(|&i| flow.is_valid(i));
    let lengths = valid.map(|i| flow.vector_vox(i)).map(|[u, v, w]| f64::from(u.hypot(v).hypot(w)));
    let (sum, count) = lengths.fold((0.0, 0usize), |(sum, count), length| (sum + length, count + 1));
    sum / count.max(1) as f64
}

impl WatchedFrame {
    /// As a page takes it, under a heading that says what was run, and the name of the stream.
    pub fn view<'a>(&'a self, heading: &'a str, title: &'a str) -> EngineView<'a> {
        let fields = &self.fields;
        EngineView {
            heading,
            title,
            frame: self.frame,
            image: &self.image,
            flow: fields.flow.as_ref().zip(fields.flow_confidence.as_ref()),
            disparity_px: fields.disparity_px.as_ref().zip(fields.disparity_confidence.as_ref()),
            features: fields
                .features
                .as_ref()
                .map(|maps| [&maps.energy, &maps.orientation_rad, &maps.phase_rad]),
        }
    }
}
