//! `veloxel track-points`: points or corners followed through a stream of frames.

use crate::{
    Bar, ComputeArguments, Ending, Outcome, Run, device_text, followed_until, length, print_lines, say, warn,
    written,
};
use clap::Args;
use std::path::{Path, PathBuf};
use veloxel::jobs::{EndedTracks, FramesTaken, TrackPointsJob, TrackStart, has_no_whole, track_points};
use veloxel::pipelines::TrackingParameters;
use veloxel::report::{PictureKey, TrackColours, TrackDrawing};

/// Follow points through pictures, each by a small window around it.
///
/// FRAMES are two pictures or more, or one source of frames: a folder, a pattern such as 'frames/*.png', a film (.mp4, .webm,
/// .mkv, …), a camera (/dev/video0), an address (rtsp://…), an animated GIF, a Y4M file, or - for Y4M on standard input. Films,
/// cameras and addresses are decoded by the program ffmpeg, which has to be installed. Ctrl-C ends a stream on standard input, of a
/// camera and of an address: the tracks until then are written. OUT.csv gets a row `frame,id,x,y,status,error,forward_backward,expected_error,expected_drift` for every
/// frame that a track reaches, and for the one that it ends in: found, left (the picture), flat (too little contrast), hole (no data there: NaN), inconsistent (the
/// way back leads elsewhere), undefined (no position), outside (of the first frame). Positions are pixels, errors the mean
/// absolute difference of the windows; expected errors are those of the step from the frame before,
/// expected drifts those of all steps since the track began, in pixels.
#[derive(Debug, Args)]
pub struct TrackPointsArguments {
    /// Two pictures or more, or one source of frames
    #[arg(value_name = "FRAMES", required = true)]
    frames: Vec<PathBuf>,

    /// Where tracks begin: a table with columns x and y, or the first two numbers of each line; or NumPy's .npy, [n, 2]
    #[arg(long, value_name = "P.csv", conflicts_with = "corners")]
    points: Option<PathBuf>,

    /// Number of corners of the first frame at which tracks begin
    #[arg(long, value_name = "N", default_value_t = 500)]
    corners: usize,

    /// Least distance between corners, in pixels
    #[arg(long, value_name = "PX", default_value_t = 8.0)]
    corner_distance: f32,

    /// New tracks begin at corners where others have ended
    #[arg(long)]
    replenish: bool,

    /// The table of all positions: .csv, .tsv or .txt; or the positions alone as NumPy's .npy, [frames, tracks, 2], NaN where there
    /// is none
    #[arg(short, long, value_name = "OUT.csv")]
    output: PathBuf,

    /// The frames with their points: .y4m, .gif, - for Y4M on standard output, or a folder for .png
    #[arg(long, value_name = "VIDEO")]
    overlay: Option<PathBuf>,

    /// The last frame with the whole way of every track: .png or .jpg
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,

    /// Frames of the way that --overlay shows behind each point
    #[arg(long, value_name = "N", requires = "overlay", default_value_t = 1, help_heading = "Drawing")]
    trail: usize,

    /// Colour points by where they went from the frame before, as the wheel in a strip below says; without it by their number
    #[arg(long, help_heading = "Drawing")]
    wheel: bool,

    /// The step with full colour, in pixels a frame; without it a round number that 99 % of a frame's steps do not exceed
    #[arg(long, value_name = "PX", requires = "wheel", value_parser = length, help_heading = "Drawing")]
    scale: Option<f64>,

    /// Drop frames that come faster than points are followed, and take the newest: of standard input, a camera or an address
    #[arg(long)]
    drop: bool,

    /// Side of the window, odd, in pixels
    #[arg(long, value_name = "PX", default_value_t = 21, value_parser = window, help_heading = "Method")]
    window: usize,

    /// Most levels of the pyramid: each further one doubles the motion that is found
    #[arg(long, value_name = "N", default_value_t = 4, help_heading = "Method")]
    levels: usize,

    /// Longest distance between a point and the end of its path there and back, in pixels; 0: no check, half the work
    #[arg(long, value_name = "PX", default_value_t = 1.0, help_heading = "Method")]
    check: f32,

    #[command(flatten)]
    compute: ComputeArguments,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

impl Run for TrackPointsArguments {
    fn run(self) -> Outcome {
        let (levels, check_px) = (self.levels, self.check);
        let parameters =
            TrackingParameters { radius: self.window / 2, levels, check_px, ..TrackingParameters::default() };
        let (colours, key) = match self.wheel {
            true => (TrackColours::Motion { scale_px: self.scale }, PictureKey::Wheel),
            false => (TrackColours::Track, PictureKey::LeftOut),
        };
        let drawing = TrackDrawing { trail_frames: self.trail, colours, key };
        let job = TrackPointsJob {
            frames: self.frames,
            taken: if self.drop { FramesTaken::Newest } else { FramesTaken::All },
            start: self.points.map_or(TrackStart::Corners(self.corners), TrackStart::Points),
            corner_distance_px: self.corner_distance,
            ended: if self.replenish { EndedTracks::AreReplaced } else { EndedTracks::Stay },
            parameters,
            output: self.output,
            overlay: self.overlay,
            picture: self.picture,
            drawing,
            reading: self.compute.reading()?,
        };
        let bar = if self.quiet { Bar::Hidden } else { Bar::Shown };
        let is_endless = job.frames.iter().any(|source| has_no_whole(source));
        let ending = if is_endless { Ending::WritesFound } else { Ending::Discards };
        let is_piped = job.overlay.as_deref() == Some(Path::new("-"));
        let session = self.compute.session();
        let run = followed_until(&session, bar, ending, |session| track_points(&job, session))?;
        let report = &run.report;
        warn(&report.warnings);
        if self.quiet {
            return Ok(());
        }
        let alive =
            format!("{} of {} reach the last of {} frames", report.alive, report.tracks, report.frames);
        let dropped = report
            .dropped
            .map(|dropped| ("dropped", format!("{dropped} of {} frames", dropped + report.frames)));
        let mut lines = vec![("points", alive), ("device", device_text(&report.device))];
        lines.extend(dropped);
        lines.extend(written(&run));
        if is_piped {
            // Standard output belongs to the video then.
            lines.iter().for_each(|(name, value)| say(&format!("{name:<14}{value}")));
            return Ok(());
        }
        print_lines(&lines)
    }
}

/// Reads the side of a window, which must have a middle.
fn window(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(side @ 3..=31) if side % 2 == 1 => Ok(side),
        _ => Err("expected an odd number from 3 to 31".to_owned()),
    }
}
