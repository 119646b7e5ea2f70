//! `stereo`, `features`, `engine` and `track-points`.

use super::{Job, files_alone};
use crate::BenchError;
use crate::stops::inputs::Inputs;
use std::path::PathBuf;
use veloxel::jobs::{
    self, EndedTracks, EngineJob, FeaturesJob, FramesTaken, PhaseOptions, StereoCameras, StereoJob,
    TrackPointsJob, TrackStart,
};
use veloxel::pipelines::TrackingParameters;
use veloxel::pipelines::Wanted;
use veloxel::pipelines::engine::{ConfidenceChoice, FeatureScales};
use veloxel::report::{DisparityDrawing, TrackDrawing};
use veloxel_io::ReadOptions;
use veloxel_motion::{MotionError, PhaseWanted};

fn options() -> Result<PhaseOptions, BenchError> {
    Ok(PhaseOptions::new().map_err(MotionError::from)?)
}

pub(super) fn stereo(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let size = [1536, 1152];
    let job = StereoJob {
        left: inputs.picture("left.png", size, 0.0)?,
        right: inputs.picture("right.png", size, -3.0)?,
        truth: None,
        truth_scale: None,
        mask: None,
        options: options()?,
        disparity: PathBuf::new(),
        confidence: None,
        expected_error: None,
        depth: None,
        cloud: None,
        rectified_left: None,
        rectified_right: None,
        picture: None,
        drawing: DisparityDrawing::default(),
        cameras: StereoCameras::Unknown,
        report: None,
        html: None,
    };
    Ok(Box::new(move |session, out| {
        let (confidence, html) = (Some(out.join("confidence.png")), Some(out.join("page.html")));
        let job = StereoJob { disparity: out.join("disparity.pfm"), confidence, html, ..job.clone() };
        jobs::stereo(&job, session).map(files_alone)
    }))
}

pub(super) fn features(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = FeaturesJob {
        image: inputs.picture("image.png", [1536, 1152], 0.0)?,
        options: options()?,
        folder: PathBuf::new(),
        report: None,
        html: None,
    };
    Ok(Box::new(move |session, out| {
        let html = Some(out.join("page.html"));
        let job = FeaturesJob { folder: out.join("features"), html, ..job.clone() };
        jobs::features(&job, session).map(files_alone)
    }))
}

pub(super) fn engine(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let (size, frames) = ([640, 480], 10);
    let job = EngineJob {
        source: inputs.frames("left", size, frames, 0.0)?,
        watch: None,
        taken: FramesTaken::All,
        right: Some(inputs.frames("right", size, frames, -2.0)?),
        wanted: PhaseWanted { flow: true, stereo: true, features: true },
        options: options()?,
        folder: None,
        confidences: ConfidenceChoice::Taken,
        samples: None,
        scales: FeatureScales::Finest,
        packed: Wanted::No,
        video: None,
        report: None,
        html: None,
    };
    Ok(Box::new(move |session, out| {
        let (folder, video) = (Some(out.join("fields")), Some(out.join("film.y4m")));
        let (html, report) = (Some(out.join("page.html")), Some(out.join("report.json")));
        jobs::engine(&EngineJob { folder, video, html, report, ..job.clone() }, session).map(files_alone)
    }))
}

pub(super) fn track_points(inputs: &Inputs<'_>) -> Result<Job, BenchError> {
    let job = TrackPointsJob {
        frames: vec![inputs.frames("frames", [1280, 960], 12, 0.0)?],
        taken: FramesTaken::All,
        start: TrackStart::Corners(800),
        corner_distance_px: 8.0,
        ended: EndedTracks::AreReplaced,
        parameters: TrackingParameters::default(),
        output: PathBuf::new(),
        overlay: None,
        picture: None,
        drawing: TrackDrawing::default(),
        reading: ReadOptions::default(),
    };
    Ok(Box::new(move |session, out| {
        let overlay = Some(out.join("tracks.y4m"));
        let job = TrackPointsJob { output: out.join("tracks.csv"), overlay, ..job.clone() };
        jobs::track_points(&job, session).map(files_alone)
    }))
}
