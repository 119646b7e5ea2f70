//! Where the frames of a stream have no data, and what that takes from their results: as of pairs and windows of images in memory.

use super::image::EngineImage;
use crate::pipelines::prepare::blanks::{blank_features, blank_outside, leading_into};
use crate::pipelines::prepare::grids::intersection;
use crate::pipelines::prepare::holes::{doubt_vectors_of_holes, known_in_both};
use crate::pipelines::prepare::passes::Passes;
use std::collections::VecDeque;
use std::sync::Arc;
use veloxel_core::{CoreError, Flow, Grid, Mask, Volume};
use veloxel_motion::{FrameWindow, KnownShares, PhaseFields};

/// Where the last frames of a stream have data, those that a flow is found from.
#[derive(Debug)]
pub(super) struct KnownFrames {
    window: FrameWindow,
    /// The newest frame is the last.
    recent: VecDeque<KnownFrame>,
}

/// Where a frame has data.
#[derive(Debug)]
struct KnownFrame {
    number: u64,
    /// Left and right; none: everywhere.
    views: [Option<Arc<Mask>>; 2],
}

/// What the holes of frames take from the results of one of them.
#[derive(Debug)]
pub(super) struct Unknown {
    /// Where all frames have data that the flow was found from; none where the method knew.
    window: Option<Mask>,
    /// Where this frame has data, and the next one; none: everywhere.
    pair: [Option<Arc<Mask>>; 2],
    /// Where the right one has data.
    right: Option<Arc<Mask>>,
}

impl KnownFrames {
    pub fn new(window: FrameWindow) -> Self {
        Self { window, recent: VecDeque::new() }
    }

    /// Takes the next frame, with its number; what was said of this number before is forgotten.
    pub fn push(&mut self, number: u64, left: &EngineImage, right: Option<&EngineImage>) {
        self.recent.retain(|frame| frame.number < number);
        if self.recent.len() == self.window.frames {
            self.recent.pop_front();
        }
        let views = [left.known.clone(), right.and_then(|right| right.known.clone())];
        self.recent.push_back(KnownFrame { number, views });
    }

    /// Takes the next frame of a method of pairs.
    pub fn push_next(&mut self, image: &EngineImage) {
        let number = self.recent.back().map_or(0, |frame| frame.number + 1);
        self.push(number, image, None);
    }

    fn of_view(&self, number: u64, view: usize) -> Option<&Arc<Mask>> {
        self.recent.iter().find(|frame| frame.number == number)?.views[view].as_ref()
    }

    /// Where the last two frames have data each; none: everywhere.
    fn last_two(&self) -> [Option<&Arc<Mask>>; 2] {
        let mut newest = self.recent.iter().rev().map(|frame| frame.views[0].as_ref());
        let [moving, fixed] = [newest.next().flatten(), newest.next().flatten()];
        [fixed, moving]
    }

    /// Where the last two frames both have data, on their grid; none: everywhere.
    ///
    /// # Errors
    /// As [`known_in_both`].
    pub fn in_pair(&self, grid: &Grid) -> Result<Option<Mask>, CoreError> {
        known_in_both(self.last_two().map(|known| known.map(Arc::as_ref)), grid)
    }

    /// What holes take from the flow between the last two frames, whose method knew of them; none: nothing.
    pub fn of_pair(&self) -> Option<Unknown> {
        let pair = self.last_two().map(|known| known.cloned());
        let has_holes = pair.iter().any(Option::is_some);
        has_holes.then_some(Unknown { window: None, pair, right: None })
    }

    /// What holes take from the results of a frame, of a method whose filters do not know of them; none: nothing.
    pub fn of_window(&self, frame: u64) -> Option<Unknown> {
        let first = frame.checked_sub(self.window.centre as u64);
        let frames = first.into_iter().flat_map(|first| first..first + self.window.frames as u64);
        let known = frames.filter_map(|nth| self.of_view(nth, 0)).map(|known| Mask::clone(known));
        let window = known.reduce(|all, own| intersection(all, &own));
        let pair = [0, 1].map(|next| self.of_view(frame + next, 0).cloned());
        let right = self.of_view(frame, 1).cloned();
        let has_holes = window.is_some() || right.is_some() || pair.iter().any(Option::is_some);
        has_holes.then_some(Unknown { window, pair, right })
    }
}

impl Unknown {
    /// Leaves out of a frame's results what was found of filled holes, and counts again what is known.
    pub fn leave_out(&self, fields: &mut PhaseFields, shares: &mut KnownShares) {
        let PhaseFields { flow, flow_confidence, disparity_px, disparity_confidence, .. } = fields;
        if let Some(flow) = flow {
            self.leave_out_of_flow(flow, flow_confidence.as_mut());
            shares.flow = Some(share(flow.component_vox(0)));
        }
        if let Some(disparity_px) = disparity_px {
            let leads = self.right.as_ref().map(|seen| leading_into(seen, disparity_px));
            for mask in leads.iter().chain(self.pair[0].as_deref()) {
                blank_outside(disparity_px.data_mut(), mask, f32::NAN);
                let sure = disparity_confidence.as_mut();
                sure.into_iter().for_each(|sure| blank_outside(sure.data_mut(), mask, 0.0));
            }
            shares.stereo = Some(share(disparity_px.data()));
        }
        if let (Some(finest), Some(known)) = (&mut fields.features, &self.pair[0]) {
            let maps = std::iter::once(finest).chain(&mut fields.coarser_features);
            maps.enumerate().for_each(|(scale, maps)| blank_features(maps, scale, known));
            shares.features = fields.features.as_ref().map(|maps| share(maps.phase_rad.data()));
        }
    }

    fn leave_out_of_flow(&self, flow: &mut Flow, mut confidence: Option<&mut Volume<f32>>) {
        if let Some(mask) = &self.window {
            flow.components_vox_mut().for_each(|component| blank_outside(component, mask, f32::NAN));
            let sure = confidence.as_deref_mut();
            sure.into_iter().for_each(|sure| blank_outside(sure.data_mut(), mask, 0.0));
        }
        if let Some(sure) = confidence {
            doubt_vectors_of_holes(flow, self.pair.each_ref().map(Option::as_deref), sure, Passes::ALONE);
        }
    }
}

/// The share of samples that are known.
fn share(samples: &[f32]) -> f64 {
    samples.iter().filter(|v| !v.is_nan()).count() as f64 / samples.len() as f64
}
