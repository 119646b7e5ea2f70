//! Points or corners, and a stream of frames, from files; their tracks to files.

use super::inputs::read_ahead::ReadAhead;
use super::outputs::film::Film;
use super::{JobRun, OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{
    EndedTracks, PointTracks, PointsError, TrackingParameters, TracksBegin, TracksRequest, TracksResult,
};
use crate::{Result, Session};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Dimension, Stage, Volume, Warnings};
use veloxel_io::{self as io, FrameStream, PointFile, ReadOptions};
use veloxel_report::{DeviceReport, tracks_csv};

/// Where tracks begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackStart {
    /// At the points of a file, pixels of the first frame.
    Points(PathBuf),
    /// At so many corners of the first frame.
    Corners(usize),
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
    /// How files are read.
    pub reading: ReadOptions,
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

/// `veloxel track-points`: a row `frame,id,x,y,status,error,forward_backward` for every frame that a track reaches, and for the
/// one that it ends in; x and y are pixels, `nan` where there is no position.
///
/// # Errors
/// [`PointsError`] for fewer than two frames; [`VeloxelError::Motion`](crate::VeloxelError::Motion) for frames smaller than the
/// window; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped); anything else that is wrong with files or the device, as one
/// line.
pub fn track_points(job: &TrackPointsJob, session: &Session) -> Result<JobRun<TrackPointsReport>> {
    planned(job, session, job.plan(session)?)
}

fn planned(
    job: &TrackPointsJob,
    session: &Session,
    mut plan: OutputPlan,
) -> Result<JobRun<TrackPointsReport>> {
    session.device()?;
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let reading = session.reading(job.reading);
    let mut stream = match &job.frames[..] {
        [one] => FrameStream::open(one, reading, &mut warnings)?,
        several => FrameStream::of_files(several.to_vec(), reading),
    };
    let mut film = plan.target(OutputRole::Overlay)?.map(|to| Film::new(to, stream.frame_interval_ms()));
    let frames = ReadAhead::of(move || {
        let mut warnings = Warnings::new();
        Ok(stream.next_frame(&mut warnings)?.map(|image| StreamFrame { image, warnings }))
    })?;
    let mut next = || -> Result<Option<Volume<f32>>> {
        let Some(StreamFrame { image, warnings: own }) = frames.next(session.control())? else {
            return Ok(None);
        };
        warnings.extend(own);
        Ok(Some(image))
    };
    let Some(first) = next()? else { return Err(PointsError::FewFrames { got: 0 }.into()) };
    let mut tracks = job.begin(&first, session)?;
    let mut draw = |number: u64, frame: &Volume<f32>, tracks: &PointTracks<'_>| {
        film.as_mut().map_or(Ok(()), |film| film.push(number, &tracks.picture(frame)))
    };
    draw(0, &first, &tracks)?;
    drop(first);
    let mut number = 0;
    while let Some(frame) = next()? {
        tracks.push(&frame)?;
        number += 1;
        draw(number, &frame, &tracks)?;
    }
    frames.join();
    let TracksResult { table, frames, tracks, alive, account } = tracks.finish()?;
    session.enter(Stage::Write)?;
    film.map_or(Ok(()), Film::finish)?;
    plan.write(OutputRole::Tracks, |target| io::write_text(target, &tracks_csv(table)))?;
    warnings.extend(account.warnings);
    let report = TrackPointsReport { frames, tracks, alive, device: account.device, warnings };
    Ok(JobRun { report, written: plan.finish()? })
}

/// A frame, and what there is to say of reading it.
struct StreamFrame {
    image: Volume<f32>,
    warnings: Warnings,
}

impl TrackPointsJob {
    fn plan(&self, session: &Session) -> Result<OutputPlan> {
        let points = match &self.start {
            TrackStart::Points(path) => Some(path),
            TrackStart::Corners(_) => None,
        };
        OutputPlan::of(session)
            .reads("frames", &self.frames)
            .reads("points", points)
            .writes(OutputRole::Tracks, [&self.output], OutputContent::Table)
            .writes(OutputRole::Overlay, &self.overlay, OutputContent::Video)
            .members(OutputRole::Overlay, &["frame_"])
            .checked()
    }

    /// Begins the tracks in the first frame.
    fn begin<'s>(&self, first: &Volume<f32>, session: &'s Session) -> Result<PointTracks<'s>> {
        let points = match &self.start {
            TrackStart::Points(path) => {
                PointFile::read(path, Dimension::Two, session.reading(self.reading))?.points()
            }
            TrackStart::Corners(_) => Vec::new(),
        };
        let begin = match self.start {
            TrackStart::Points(_) => TracksBegin::Points(&points),
            TrackStart::Corners(count) => TracksBegin::Corners(count),
        };
        let Self { corner_distance_px, ended, parameters, .. } = *self;
        PointTracks::begin(first, &TracksRequest { begin, corner_distance_px, ended, parameters }, session)
    }
}
