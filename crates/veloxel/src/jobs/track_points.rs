//! Points or corners in, their tracks through a stream of frames out.

use super::film::{Film, grey};
use super::{DeviceOptions, Holds, JobRun, OutputPlan, Result, full_scale};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use veloxel_core::{Dimension, Volume, Warnings};
use veloxel_io::{self as io, FrameStream, PointFile, Reading};
use veloxel_motion::{PointStatus, PointTracker, TrackedPoint, TrackingParameters};
use veloxel_report::{DeviceReport, MapPicture};

/// Where tracks begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackStart {
    /// At the points of a file, pixels of the first frame.
    Points(PathBuf),
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

/// One run over a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackPointsJob {
    /// Two frames or more, or one source of them: `-`, a `.y4m` or `.gif` file, a folder, a pattern.
    pub frames: Vec<PathBuf>,
    /// Where tracks begin.
    pub start: TrackStart,
    /// Corners lie at least so far from each other and from other points, pixels.
    pub corner_distance_px: f32,
    /// What becomes of tracks that end.
    pub ended: EndedTracks,
    /// How points are followed.
    pub parameters: TrackingParameters,
    /// The table of all positions.
    pub output: PathBuf,
    /// The frames with their points: a video, or a folder.
    pub overlay: Option<PathBuf>,
    /// Where it runs.
    pub device: DeviceOptions,
    /// How files are read.
    pub reading: Reading,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackPointsReport {
    /// Frames.
    pub frames: usize,
    /// Tracks in all.
    pub tracks: usize,
    /// Tracks that reach the last frame.
    pub alive: usize,
    /// What computed.
    pub device: DeviceReport,
    /// What a user should know.
    pub warnings: Warnings,
}

/// A track that goes on.
struct Track {
    id: usize,
    at_px: [f32; 2],
    /// Where it was in the frame before.
    before_px: [f32; 2],
}

/// `veloxel track-points`: a row `frame,id,x,y,status,error,forward_backward` for every frame that a track reaches, and for the
/// one that it ends in; x and y are pixels, `nan` where there is no position.
///
/// # Errors
/// [`VeloxelError::Frames`](crate::VeloxelError::Frames) for fewer than two frames;
/// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for frames smaller than the window; anything else that is wrong with
/// files or the device, as one line.
pub fn track_points(job: &TrackPointsJob) -> Result<JobRun<TrackPointsReport>> {
    let points = match &job.start {
        TrackStart::Points(path) => Some(path),
        TrackStart::Corners(_) => None,
    };
    let mut plan = OutputPlan::default()
        .reads("frames", &job.frames)
        .reads("points", points)
        .writes("tracks", [&job.output], Holds::Text)
        .writes("overlay", &job.overlay, Holds::Video)
        .members("overlay", &["frame_"])
        .checked()?;
    let (device, mut log) = job.device.start()?;
    let mut stream = match &job.frames[..] {
        [one] => FrameStream::open(one, job.reading, &mut log.warnings)?,
        several => FrameStream::of_files(several.to_vec(), job.reading),
    };
    let mut film = plan.path("overlay")?.map(|path| Film::new(path, stream.frame_interval_ms()));
    let too_few =
        |count: usize| frames!("points are followed from frame to frame: two frames are needed, got {count}");
    let first = stream.next_frame(&mut log.warnings)?.ok_or_else(|| too_few(0))?;
    let mut tracker = PointTracker::new(first.grid(), job.parameters, full_scale(&first), &device)?;
    tracker.advance(&first, &[])?;
    let mut tracks = Tracks::begun(job, &tracker)?;
    let wanted = tracks.alive.len();
    let (mut frames, mut next) = (0, Some(first));
    while let Some(frame) = next {
        if frames > 0 {
            tracks.advance(frames, &tracker.advance(&frame, &tracks.positions())?);
        }
        if job.ended == EndedTracks::AreReplaced && tracks.alive.len() < wanted {
            let there = tracks.positions();
            let corners = tracker.corners(wanted - there.len(), job.corner_distance_px, &there)?;
            tracks.begin(frames, corners.into_iter());
        }
        if let Some(film) = &mut film {
            film.push(frames as u64, &tracks.drawn(&frame))?;
        }
        frames += 1;
        next = stream.next_frame(&mut log.warnings)?;
    }
    if frames < 2 {
        return Err(too_few(frames));
    }
    film.map_or(Ok(()), Film::finish)?;
    plan.write("tracks", |path| io::write_text(path, &tracks.table))?;
    let report = TrackPointsReport {
        frames,
        tracks: tracks.count,
        alive: tracks.alive.len(),
        device: log.device,
        warnings: log.warnings,
    };
    Ok(JobRun { report, written: plan.finish()? })
}

/// All tracks so far.
struct Tracks {
    table: String,
    alive: Vec<Track>,
    count: usize,
}

impl Default for Tracks {
    fn default() -> Self {
        let table = "frame,id,x,y,status,error,forward_backward\n".to_owned();
        Self { table, alive: Vec::new(), count: 0 }
    }
}

impl Tracks {
    /// The tracks that a job begins with.
    fn begun(job: &TrackPointsJob, tracker: &PointTracker) -> Result<Self> {
        let mut tracks = Self::default();
        match &job.start {
            TrackStart::Points(path) => {
                let points = PointFile::read(path, Dimension::Two)?.points();
                let position =
                    |p: &Option<[f64; 3]>| p.map_or([f32::NAN; 2], |[x, y, _]| [x as f32, y as f32]);
                tracks.begin(0, points.iter().map(position));
            }
            TrackStart::Corners(count) => {
                tracks.begin(0, tracker.corners(*count, job.corner_distance_px, &[])?.into_iter());
            }
        }
        Ok(tracks)
    }

    /// Where the tracks are that go on.
    fn positions(&self) -> Vec<[f32; 2]> {
        self.alive.iter().map(|track| track.at_px).collect()
    }

    /// Begins tracks in a frame.
    fn begin(&mut self, frame: usize, points: impl Iterator<Item = [f32; 2]>) {
        for at_px in points {
            let id = self.count;
            self.count += 1;
            self.row(frame, id, at_px, "begins,nan,nan");
            self.alive.push(Track { id, at_px, before_px: at_px });
        }
    }

    /// Goes on to a frame with what was found there.
    fn advance(&mut self, frame: usize, found: &[TrackedPoint]) {
        let before = std::mem::take(&mut self.alive);
        for (track, point) in before.into_iter().zip(found) {
            let rest = format!("{},{:.4},{:.4}", point.status.word(), point.error, point.forward_backward_px);
            self.row(frame, track.id, point.at_px, &rest.replace("NaN", "nan"));
            if point.status == PointStatus::Found {
                self.alive.push(Track { at_px: point.at_px, before_px: track.at_px, ..track });
            }
        }
    }

    fn row(&mut self, frame: usize, id: usize, [x, y]: [f32; 2], rest: &str) {
        let is_known = !x.is_nan() && !y.is_nan();
        let position = if is_known { format!("{x:.4},{y:.4}") } else { "nan,nan".to_owned() };
        writeln!(self.table, "{frame},{id},{position},{rest}").expect("text should take a line");
    }

    /// A frame with its points, each with the way from the frame before.
    fn drawn(&self, frame: &Volume<f32>) -> MapPicture {
        let MapPicture { width, height, mut rgb } = grey(frame, full_scale(frame));
        let mut dot = |[x, y]: [f32; 2], reach: i32, colour: [u8; 3]| {
            let (x, y) = (x.round() as i32, y.round() as i32);
            for (x, y) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (x + dx, y + dy))) {
                if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
                    let at = 3 * (y as usize * width + x as usize);
                    rgb[at..at + 3].copy_from_slice(&colour);
                }
            }
        };
        for &Track { id, at_px, before_px } in self.alive.iter().filter(|track| !track.at_px[0].is_nan()) {
            let colour = COLOURS[id % COLOURS.len()];
            let way = [at_px[0] - before_px[0], at_px[1] - before_px[1]];
            let steps = way[0].abs().max(way[1].abs()).ceil().min(4096.0) as usize;
            for k in 0..steps {
                let t = k as f32 / steps as f32;
                dot([before_px[0] + t * way[0], before_px[1] + t * way[1]], 0, colour);
            }
            dot(at_px, 1, colour);
        }
        MapPicture { width, height, rgb }
    }
}

/// Colours that tell neighbours apart.
const COLOURS: [[u8; 3]; 6] =
    [[230, 80, 60], [70, 170, 240], [250, 190, 40], [90, 200, 110], [200, 110, 230], [60, 215, 205]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_tracks_have_a_last_row() {
        let mut tracks = Tracks::default();
        tracks.begin(0, [[1.0, 2.0], [f32::NAN, 3.0]].into_iter());
        let point = |at_px: [f32; 2], status: PointStatus| TrackedPoint {
            at_px,
            status,
            error: 0.5,
            forward_backward_px: f32::NAN,
        };
        tracks.advance(
            1,
            &[point([1.5, 2.0], PointStatus::Found), point([f32::NAN; 2], PointStatus::Undefined)],
        );
        tracks.advance(2, &[point([9.0, 9.0], PointStatus::Inconsistent)]);
        let rows = [
            "frame,id,x,y,status,error,forward_backward",
            "0,0,1.0000,2.0000,begins,nan,nan",
            "0,1,nan,nan,begins,nan,nan",
            "1,0,1.5000,2.0000,found,0.5000,nan",
            "1,1,nan,nan,undefined,0.5000,nan",
            "2,0,9.0000,9.0000,inconsistent,0.5000,nan",
        ];
        assert_eq!(tracks.table.lines().collect::<Vec<_>>(), rows);
        assert!(tracks.alive.is_empty());
    }
}
