//! The outlines that tracking starts from.

use super::choices::Placement;
use super::placement::{self, Misplaced};
use super::{HeartError, TrackRequest};
use veloxel_core::{Contour, ContourSet, Hint, Structure, WarningKind, Warnings};

/// Outlines on the frames that tracking starts from.
pub(super) struct Seeds {
    /// The first of them is the reference: motion and strain begin there.
    pub frames: Vec<usize>,
    pub contours: ContourSet,
    misplaced: Vec<Misplaced>,
}

impl Seeds {
    /// The seeds of a request: its outlines on the frames to start from.
    pub fn of(request: &TrackRequest<'_>, warnings: &mut Warnings) -> Result<Self, HeartError> {
        let TrackRequest { contours, cine, .. } = *request;
        let there = contours.frames();
        let frames = match (request.start_frames, &there[..]) {
            ([], [only]) => vec![*only],
            ([], _) if there.contains(&0) => vec![0],
            ([], _) => return Err(HeartError::NoStartFrame { there }),
            (asked, _) => asked.to_vec(),
        };
        if let Some(&frame) = frames.iter().find(|frame| !there.contains(frame)) {
            return Err(HeartError::EmptyStartFrame { frame, there });
        }
        let left = contours.contours().iter().filter(|c| !frames.contains(&c.frame)).count();
        if left > 0 {
            let text =
                format!("{left} outlines on other frames than those that tracking starts from were left out");
            warnings.push_with_hint(WarningKind::Note, Hint::StartFrame, text);
        }
        let own = contours.contours().iter().filter(|c| frames.contains(&c.frame)).cloned().collect();
        let contours = ContourSet::new(own).unwrap_or_default();
        let by_stack = request.placement == Placement::ByStack;
        let misplaced = if by_stack { placement::misplaced(&contours, cine) } else { Vec::new() };
        placement::note(&misplaced, cine.pixel_mm(), warnings);
        Ok(Self { frames, contours, misplaced })
    }

    /// The vertices of a seed, where it is carried from.
    pub fn placed_px(&self, seed: &Contour) -> Vec<[f64; 2]> {
        let is_left = matches!(seed.structure, Structure::Endo | Structure::Epi);
        let of_it = |m: &&Misplaced| is_left && (m.frame, m.slice) == (seed.frame, seed.slice);
        let [x, y] = self.misplaced.iter().find(of_it).map_or([0.0; 2], |m| m.shift_px);
        seed.polygon.points_px().iter().map(|p| [p[0] + x, p[1] + y]).collect()
    }

    /// The reference frame of motion and strain.
    pub fn reference(&self) -> usize {
        self.frames[0]
    }
}
