//! Points or corners in memory, followed through frames as they come.

use super::account::Account;
use super::dense::Image;
use super::points_error::PointsError;
use super::prepare::full_scale::full_scale;
use super::prepare::holes::{fill_holes, note_holes};
use super::prepare::passes::Passes;
use crate::{Result, Session};
use std::collections::VecDeque;
use veloxel_core::{Counter, Mask, Stage, Volume, WarningKind};
pub use veloxel_motion::TrackingParameters;
use veloxel_motion::{LengthErrors, PointStatus, PointTracker, TrackedPoint};
use veloxel_report::{MapPicture, TrackDrawing, TrackRow, TrackedMark};

/// Where tracks begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TracksBegin<'a> {
    /// At these points, pixels of the first frame; none: without a position.
    Points(&'a [Option<[f64; 3]>]),
    /// At so many corners of the first frame.
    Corners(usize),
}

/// What becomes of tracks that end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedTracks {
    /// There are fewer from then on.
    Stay,
    /// New ones begin at corners of the same frame, with numbers of their own.
    AreReplaced,
}

/// How points are followed through a stream of frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracksRequest<'a> {
    /// Where tracks begin.
    pub begin: TracksBegin<'a>,
    /// Corners lie at least so far from each other and from other points, pixels.
    pub corner_distance_px: f32,
    /// What becomes of tracks that end.
    pub ended: EndedTracks,
    /// How each point is followed.
    pub parameters: TrackingParameters,
}

/// The status of a track's first row.
const BEGINS: &str = "begins";

/// Follows points through a stream of frames (2-D, one size), frame by frame.
#[derive(Debug)]
pub struct PointTracks<'s> {
    session: &'s Session,
    tracker: PointTracker,
    account: Account,
    corner_distance_px: f32,
    ended: EndedTracks,
    /// Number of tracks at the beginning.
    wanted: usize,
    frames: usize,
    /// Where the frame at hand has data; none: everywhere.
    known: Option<Mask>,
    frames_with_holes: usize,
    alive: Vec<Track>,
    /// Steps of a track's way that are kept for pictures.
    trail_frames: usize,
    count: usize,
    table: Vec<TrackRow>,
}

/// A track that goes on.
#[derive(Debug)]
struct Track {
    id: usize,
    at_px: [f32; 2],
    /// Sum of the squares of its steps' expected errors, px².
    squares_px2: f32,
    /// Where it was, up to the frame at hand.
    way_px: VecDeque<[f32; 2]>,
}

/// The result of following points.
#[derive(Debug, Clone, PartialEq)]
pub struct TracksResult {
    /// A row for every frame that a track reaches, and for the one that it ends in, in the order of the frames.
    pub table: Vec<TrackRow>,
    /// Frames.
    pub frames: usize,
    /// Tracks in all.
    pub tracks: usize,
    /// Tracks that reach the last frame.
    pub alive: usize,
    /// Device, times and warnings.
    pub account: Account,
}

impl<'s> PointTracks<'s> {
    /// Begins tracks in the first frame.
    ///
    /// # Errors
    /// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for a frame smaller than the window, or a volume;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn begin<'a>(
        first: impl Into<Image<'a>>,
        request: &TracksRequest<'_>,
        session: &'s Session,
    ) -> Result<Self> {
        let mut first = first.into().volume();
        let TracksRequest { begin, corner_distance_px, ended, parameters } = *request;
        let (device, mut account) = (session.device()?, Account::begin(session)?);
        session.enter(Stage::Solve)?;
        let known = fill_holes(&mut first, "frame 0", Passes::ALONE)?;
        if let Some(known) = &known {
            note_holes(known, None, "frame 0", &mut account.warnings);
        }
        let mut tracker = PointTracker::new(first.grid(), parameters, full_scale(&first), device)?;
        tracker.advance(&first, &[])?;
        let (alive, table) = (Vec::new(), Vec::new());
        let mut tracks = Self {
            session,
            tracker,
            account,
            corner_distance_px,
            ended,
            wanted: 0,
            frames: 0,
            frames_with_holes: usize::from(known.is_some()),
            known,
            alive,
            trail_frames: 1,
            count: 0,
            table,
        };
        match begin {
            TracksBegin::Points(points) => {
                let position =
                    |p: &Option<[f64; 3]>| p.map_or([f32::NAN; 2], |[x, y, _]| [x as f32, y as f32]);
                tracks.add(points.iter().map(position));
            }
            TracksBegin::Corners(count) => {
                let corners =
                    tracks.tracker.corners(count, corner_distance_px, &[], tracks.known.as_ref())?;
                tracks.add(corners.into_iter());
            }
        }
        tracks.wanted = tracks.alive.len();
        tracks.end_frame()?;
        Ok(tracks)
    }

    /// Takes the next frame.
    ///
    /// # Errors
    /// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for a frame of another size or with samples that are not finite;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn push<'a>(&mut self, frame: impl Into<Image<'a>>) -> Result<()> {
        let positions = self.positions();
        let mut frame: Volume<f32> = frame.into().volume();
        let name = format!("frame {}", self.frames);
        let known = fill_holes(&mut frame, &name, Passes::ALONE)?;
        if let Some(known) = &known {
            if self.frames_with_holes == 0 {
                note_holes(known, None, &name, &mut self.account.warnings);
            }
            self.frames_with_holes += 1;
        }
        let mut found = self.tracker.advance(&frame, &positions)?;
        for (before_px, point) in positions.iter().zip(&mut found) {
            if is_in_hole(self.known.as_ref(), *before_px) || is_in_hole(known.as_ref(), point.at_px) {
                *point = TrackedPoint {
                    at_px: [f32::NAN; 2],
                    status: PointStatus::Hole,
                    error: f32::NAN,
                    forward_backward_px: f32::NAN,
                };
            }
        }
        self.known = known;
        self.advance(&found);
        self.end_frame()
    }

    /// Keeps so many steps of every track's way for pictures, from the frame at hand on; without it one.
    #[must_use]
    pub fn with_trails(self, trail_frames: usize) -> Self {
        Self { trail_frames, ..self }
    }

    /// The tracks that reach the last frame, as a picture shows them.
    pub fn marks(&self) -> Vec<TrackedMark> {
        let mark =
            |track: &Track| TrackedMark { id: track.id, way_px: track.way_px.iter().copied().collect() };
        self.alive.iter().map(mark).collect()
    }

    /// A frame with the tracks that reach it, each with the part of its way that is kept.
    pub fn picture<'a>(&self, frame: impl Into<Image<'a>>, drawing: &TrackDrawing) -> MapPicture {
        let frame = frame.into().volume();
        drawing.draw(&frame, full_scale(&frame), &self.marks())
    }

    /// A frame with the whole way of every track so far, those that have ended included.
    pub fn whole_picture<'a>(&self, frame: impl Into<Image<'a>>, drawing: &TrackDrawing) -> MapPicture {
        let frame = frame.into().volume();
        let mut marks: Vec<TrackedMark> =
            (0..self.count).map(|id| TrackedMark { id, way_px: Vec::new() }).collect();
        let found = [PointStatus::Found.word(), BEGINS];
        for row in self.table.iter().filter(|row| found.contains(&row.status) && !row.at_px[0].is_nan()) {
            marks[row.id].way_px.push(row.at_px);
        }
        TrackDrawing { trail_frames: usize::MAX, ..*drawing }.draw(&frame, full_scale(&frame), &marks)
    }

    /// All tracks so far.
    ///
    /// # Errors
    /// [`PointsError::FewFrames`] after one frame alone.
    pub fn finish(self) -> Result<TracksResult> {
        let Self { table, frames, count: tracks, mut account, frames_with_holes, .. } = self;
        if frames < 2 {
            return Err(PointsError::FewFrames { got: frames }.into());
        }
        if frames_with_holes > 1 {
            let text =
                format!("{frames_with_holes} of {frames} frames have samples that are NaN or infinite");
            account.warnings.push(WarningKind::Content, text);
        }
        Ok(TracksResult { table, frames, tracks, alive: self.alive.len(), account })
    }

    /// Replaces ended tracks, and reports that a frame is done.
    fn end_frame(&mut self) -> Result<()> {
        if self.ended == EndedTracks::AreReplaced && self.alive.len() < self.wanted {
            let there = self.positions();
            let (missing, known) = (self.wanted - there.len(), self.known.as_ref());
            let corners = self.tracker.corners(missing, self.corner_distance_px, &there, known)?;
            self.add(corners.into_iter());
        }
        self.frames += 1;
        let frame = Counter { what: "frame", now: self.frames, of: 0 };
        Ok(self.session.control().step(0.0, [Some(frame), None])?)
    }

    /// Where the tracks are that go on.
    fn positions(&self) -> Vec<[f32; 2]> {
        self.alive.iter().map(|track| track.at_px).collect()
    }

    /// Begins tracks in the frame at hand.
    fn add(&mut self, points: impl Iterator<Item = [f32; 2]>) {
        for at_px in points {
            let (id, none) = (self.count, f32::NAN);
            self.count += 1;
            let frame = self.frames;
            self.table.push(TrackRow {
                frame,
                id,
                at_px,
                status: BEGINS,
                error: none,
                forward_backward_px: none,
                expected_error_px: none,
                expected_drift_px: none,
            });
            self.alive.push(Track { id, at_px, squares_px2: 0.0, way_px: VecDeque::from([at_px]) });
        }
    }

    /// Goes on to the frame at hand with what was found there.
    fn advance(&mut self, found: &[TrackedPoint]) {
        let before = std::mem::take(&mut self.alive);
        let (errors, drifts) = (LengthErrors::of_tracked_points(), LengthErrors::of_drifts());
        for (mut track, point) in before.into_iter().zip(found) {
            let TrackedPoint { at_px, status, error, forward_backward_px } = *point;
            let expected_error_px = point.expected_error_px(&errors);
            track.squares_px2 += expected_error_px.powi(2);
            let expected_drift_px = drifts.expected_px(track.squares_px2.sqrt());
            let (frame, id, status_word) = (self.frames, track.id, status.word());
            self.table.push(TrackRow {
                frame,
                id,
                at_px,
                status: status_word,
                error,
                forward_backward_px,
                expected_error_px,
                expected_drift_px,
            });
            if status == PointStatus::Found {
                track.way_px.push_back(at_px);
                if track.way_px.len() > self.trail_frames.saturating_add(1) {
                    track.way_px.pop_front();
                }
                self.alive.push(Track { at_px, ..track });
            }
        }
    }
}

/// Whether the pixel nearest to a position is a hole.
fn is_in_hole(known: Option<&Mask>, at_px: [f32; 2]) -> bool {
    let Some(known) = known else { return false };
    let [nx, ny, _] = known.grid().size();
    let [x, y] = at_px.map(|v| f64::from(v + 0.5).floor());
    let is_inside = x >= 0.0 && y >= 0.0 && x < nx as f64 && y < ny as f64;
    is_inside && !known.data()[y as usize * nx + x as usize]
}

/// Follows points through frames that are all there: [`PointTracks`] in one call. Views are read one after the other.
///
/// # Errors
/// [`PointsError::FewFrames`] for fewer than two frames; as [`PointTracks::push`].
pub fn track_points<'a, I: Into<Image<'a>>>(
    frames: impl IntoIterator<Item = I>,
    request: &TracksRequest<'_>,
    session: &Session,
) -> Result<TracksResult> {
    let mut frames = frames.into_iter();
    let first = frames.next().ok_or(PointsError::FewFrames { got: 0 })?;
    let mut tracks = PointTracks::begin(first, request, session)?;
    frames.try_for_each(|frame| tracks.push(frame))?;
    tracks.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Grid, Volume};
    use veloxel_gpu::Device;
    use veloxel_report::tracks_csv;

    #[test]
    fn ended_tracks_have_a_last_row() {
        let session = Session::on(Device::cpu(1).unwrap());
        let frame = Volume::from_fn(Grid::image(32, 32).unwrap(), |[x, y, _]| ((x * y) % 7) as f32);
        let points = [Some([1.0, 2.0, 0.0]), None];
        let request = TracksRequest {
            begin: TracksBegin::Points(&points),
            corner_distance_px: 8.0,
            ended: EndedTracks::Stay,
            parameters: TrackingParameters::default(),
        };
        let mut tracks = PointTracks::begin(&frame, &request, &session).unwrap();
        let point = |at_px: [f32; 2], status: PointStatus| TrackedPoint {
            at_px,
            status,
            error: 0.5,
            forward_backward_px: f32::NAN,
        };
        tracks
            .advance(&[point([1.5, 2.0], PointStatus::Found), point([f32::NAN; 2], PointStatus::Undefined)]);
        tracks.end_frame().unwrap();
        tracks.advance(&[point([9.0, 9.0], PointStatus::Inconsistent)]);
        tracks.end_frame().unwrap();
        let result = tracks.finish().unwrap();
        let rows = [
            "frame,id,x,y,status,error,forward_backward,expected_error,expected_drift",
            "0,0,1.0000,2.0000,begins,nan,nan,nan,nan",
            "0,1,nan,nan,begins,nan,nan,nan,nan",
            "1,0,1.5000,2.0000,found,0.5000,nan,nan,nan",
            "1,1,nan,nan,undefined,0.5000,nan,nan,nan",
            "2,0,9.0000,9.0000,inconsistent,0.5000,nan,nan,nan",
        ];
        assert_eq!((result.frames, result.tracks, result.alive), (3, 2, 0));
        assert_eq!(tracks_csv(result.table).lines().collect::<Vec<_>>(), rows);
    }

    #[test]
    fn a_drift_grows_with_the_steps_of_its_track() {
        let session = Session::on(Device::cpu(1).unwrap());
        let frame = Volume::from_fn(Grid::image(32, 32).unwrap(), |[x, y, _]| ((x * y) % 7) as f32);
        let points = [Some([1.0, 2.0, 0.0])];
        let request = TracksRequest {
            begin: TracksBegin::Points(&points),
            corner_distance_px: 8.0,
            ended: EndedTracks::Stay,
            parameters: TrackingParameters::default(),
        };
        let mut tracks = PointTracks::begin(&frame, &request, &session).unwrap();
        for back_px in [0.02, 0.3, 0.02] {
            let point = TrackedPoint {
                at_px: [1.0, 2.0],
                status: PointStatus::Found,
                error: 0.5,
                forward_backward_px: back_px,
            };
            tracks.advance(&[point]);
            tracks.end_frame().unwrap();
        }
        let table = tracks.finish().unwrap().table;
        let [steps, drifts] =
            [|row: &TrackRow| row.expected_error_px, |row: &TrackRow| row.expected_drift_px]
                .map(|of: fn(&TrackRow) -> f32| table[1..].iter().map(of).collect::<Vec<f32>>());
        assert!(steps[0] == steps[2] && steps[0] < steps[1], "{steps:?}");
        assert!(drifts[0] < drifts[1] && drifts[1] <= drifts[2], "{drifts:?}");
        let curves = LengthErrors::of_drifts();
        let all = steps.iter().map(|step| step * step).sum::<f32>().sqrt();
        assert_eq!(drifts[2], curves.expected_px(all));
    }
}
