//! Points or corners, and a stream of frames, from files; their tracks to files.

use super::inputs::input_error::InputError;
use super::inputs::read_ahead::{AtStop, FramesTaken, ReadAhead, has_no_whole, stopped_after};
use super::outputs::film::{Audience, Film};
use super::{JobRun, OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{
    EndedTracks, PointTracks, PointsError, TrackingParameters, TracksBegin, TracksRequest, TracksResult,
};
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Control, Dimension, Stage, Volume, WarningKind, Warnings};
use veloxel_io::{
    self as io, FrameStream, IoError, PointFile, PointPosition, PositionCounts, ReadOptions, StreamEnd,
    Target,
};
use veloxel_report::{DeviceReport, TrackDrawing, TrackRow, tracks_csv};

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
    /// Two frames or more, or one source of them: `-`, a `.y4m` or `.gif` file, a film, a camera, an address, a folder, a pattern.
    pub frames: Vec<PathBuf>,
    /// Which of them are taken where they come faster than they are used.
    pub taken: FramesTaken,
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
    /// The last frame with the whole way of every track.
    pub picture: Option<PathBuf>,
    /// How both are drawn.
    pub drawing: TrackDrawing,
    /// How files are read.
    pub reading: ReadOptions,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackPointsReport {
    /// Frames.
    pub frames: usize,
    /// Frames that were dropped for newer ones, where that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// Tracks in all.
    pub tracks: usize,
    /// Tracks that reach the last frame.
    pub alive: usize,
    /// What computed.
    pub device: DeviceReport,
    /// What a user should know.
    pub warnings: Warnings,
}

/// `veloxel track-points`: a row `frame,id,x,y,status,error,forward_backward,expected_error,expected_drift` for every frame that a track reaches, and for the
/// one that it ends in; x and y are pixels, `nan` where there is no position. As `.npy` the positions alone, `[frames, tracks, 2]`.
///
/// Where a stream on standard input is stopped by the session's observer, it is taken to end there: the tracks until then are
/// written, and a warning says so.
///
/// # Errors
/// [`PointsError`] for fewer than two frames; [`VeloxelError::BrokenOff`] where a frame cannot be read after others, whose tracks are
/// written; [`VeloxelError::Motion`](crate::VeloxelError::Motion) for frames smaller than the
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
    let stream = stream(job, session, &mut warnings)?;
    // What was found until a stream is stopped is a result: nobody stops its frames halfway.
    let at_stop = AtStop::of(&job.frames);
    let beside = (at_stop == AtStop::EndsStream).then(|| session.beside()).transpose()?;
    let working = beside.as_ref().unwrap_or(session);
    let film = plan.target(OutputRole::Overlay)?.map(|to| to.under(working.files()));
    let mut film = film.map(|to| Film::new(to, stream.frame_interval_ms()));
    let mut incoming = Incoming::of(stream, job.taken, at_stop, session.control())?;
    let Some(first) = incoming.next()? else { return Err(PointsError::FewFrames { got: 0 }.into()) };
    let mut tracks = job.begin(&first, working)?.with_trails(job.drawing.trail_frames);
    let mut draw = |number: u64, frame: &Volume<f32>, tracks: &PointTracks<'_>| {
        let film = film.as_mut().filter(|film| film.audience() == Audience::Watches);
        film.map_or(Ok(()), |film| film.push(number, &tracks.picture(frame, &job.drawing)))
    };
    draw(0, &first, &tracks)?;
    let (mut last, mut number) = (first, 0);
    while let Some(frame) = incoming.next()? {
        tracks.push(&frame)?;
        number += 1;
        draw(number, &frame, &tracks)?;
        last = frame;
    }
    let broken = incoming.broken.take();
    let picture = job.picture.is_some().then(|| tracks.whole_picture(&last, &job.drawing));
    let came = incoming.end();
    warnings.extend(came.warnings);
    let dropped = (job.taken == FramesTaken::Newest).then_some(came.dropped);
    let (finished, broken) = match (tracks.finish(), broken) {
        // Too little was found before the stream broke off.
        (Err(_), Some(error)) => return Err(error),
        (finished, broken) => (finished?, broken),
    };
    let TracksResult { table, frames, tracks, alive, account } = finished;
    session.enter(Stage::Write)?;
    film.map_or(Ok(()), |film| film.finish(&mut warnings))?;
    plan.write(OutputRole::Tracks, |target| {
        write_tracks(target, table, PositionCounts { frames, points: tracks })
    })?;
    picture.map_or(Ok(()), |picture| {
        let size = [picture.width, picture.height];
        plan.write(OutputRole::Picture, |target| io::write_rgb(target, size, &picture.rgb))
    })?;
    warnings.extend(account.warnings);
    let report = TrackPointsReport { frames, dropped, tracks, alive, device: account.device, warnings };
    let written = plan.finish()?;
    match broken {
        Some(error) => Err(VeloxelError::BrokenOff { error: Box::new(error), frames }),
        None => Ok(JobRun { report, written }),
    }
}

/// The frames, one after the other.
fn stream(job: &TrackPointsJob, session: &Session, warnings: &mut Warnings) -> Result<FrameStream> {
    let reading = session.reading(job.reading).without_transparent();
    Ok(match &job.frames[..] {
        [one] => FrameStream::open(one, reading, warnings)?,
        several => FrameStream::of_files(several.to_vec(), reading),
    })
}

/// Writes tracks as a table, or their positions as an array.
fn write_tracks(target: Target, table: Vec<TrackRow>, counts: PositionCounts) -> Result<(), IoError> {
    if io::check_npy_output(target.path()).is_err() {
        return io::write_text(target, &tracks_csv(table));
    }
    let position = |TrackRow { frame, id, at_px, .. }: TrackRow| PointPosition { frame, point: id, at_px };
    io::write_positions(target, counts, table.into_iter().map(position))
}

/// A frame, and what there is to say of reading it.
struct StreamFrame {
    image: Volume<f32>,
    warnings: Warnings,
}

/// Ends a film or a camera with the run.
struct EndAtDrop(Option<StreamEnd>);

impl Drop for EndAtDrop {
    fn drop(&mut self) {
        self.0.iter().for_each(StreamEnd::end);
    }
}

/// What there is to say of frames that came.
struct Came {
    warnings: Warnings,
    /// Frames that were dropped for newer ones.
    dropped: usize,
}

/// Frames as they are read ahead, until they end or are stopped.
struct Incoming<'a> {
    frames: ReadAhead<StreamFrame>,
    end: EndAtDrop,
    at_stop: AtStop,
    control: &'a Control,
    count: usize,
    is_stopped: bool,
    /// Why a frame could not be read, after others.
    broken: Option<VeloxelError>,
    warnings: Warnings,
}

impl<'a> Incoming<'a> {
    fn of(
        mut stream: FrameStream,
        taken: FramesTaken,
        at_stop: AtStop,
        control: &'a Control,
    ) -> Result<Self> {
        let end = stream.end();
        let frames = ReadAhead::of(taken, move || {
            let mut warnings = Warnings::new();
            Ok(stream.next_frame(&mut warnings)?.map(|image| StreamFrame { image, warnings }))
        })?;
        let warnings = Warnings::new();
        let end = EndAtDrop(end);
        Ok(Self { frames, end, at_stop, control, count: 0, is_stopped: false, broken: None, warnings })
    }

    /// The next frame; none at the end of the stream, and where it is stopped or broken off.
    fn next(&mut self) -> Result<Option<Volume<f32>>> {
        let came = match self.frames.next(self.control) {
            Err(error) if self.at_stop.ends(&error, self.control) => {
                self.is_stopped = true;
                return Ok(None);
            }
            Err(error) if self.count > 0 && !matches!(error, VeloxelError::Stopped(_)) => {
                self.broken = Some(error);
                return Ok(None);
            }
            came => came?,
        };
        Ok(came.map(|StreamFrame { image, warnings }| {
            self.count += 1;
            self.warnings.extend(warnings);
            image
        }))
    }

    /// Ends reading; what there is to say of it.
    fn end(mut self) -> Came {
        let dropped = self.frames.dropped();
        if self.is_stopped {
            self.warnings.push(WarningKind::Content, stopped_after(self.count));
        } else {
            self.frames.join();
        }
        drop(self.end);
        Came { warnings: self.warnings, dropped }
    }
}

impl TrackPointsJob {
    fn plan(&self, session: &Session) -> Result<OutputPlan> {
        if let (FramesTaken::Newest, Some(waits)) =
            (self.taken, self.frames.iter().find(|source| !has_no_whole(source)))
        {
            return Err(InputError::NothingToDrop { source_name: waits.display().to_string() }.into());
        }
        let points = match &self.start {
            TrackStart::Points(path) => Some(path),
            TrackStart::Corners(_) => None,
        };
        OutputPlan::of(session)
            .reads("frames", &self.frames)
            .reads("points", points)
            .writes(OutputRole::Tracks, [&self.output], OutputContent::Tracks)
            .writes(OutputRole::Overlay, &self.overlay, OutputContent::Video)
            .writes(OutputRole::Picture, &self.picture, OutputContent::Picture)
            .members(OutputRole::Overlay, ["frame_"])
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
