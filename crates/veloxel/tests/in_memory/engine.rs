//! `engine left --right right --confidence -o out --html p.html`.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel::io::{self, Strictness};
use veloxel::jobs::{self, EngineJob, FramesTaken, PhaseOptions};
use veloxel::pipelines::Wanted;
use veloxel::pipelines::engine::{
    ConfidenceChoice, Engine, EngineFound, EngineImage, EngineRequest, EngineTally, FeatureScales,
    FrameImages,
};
use veloxel::report::{EngineFilm, EngineTile, FilmFrame, MapPicture, OrientationMaps};
use veloxel::{
    Control, Diagnosis, ErrorKind, Observer, PhaseWanted, Session, Step, VeloxelError, Volume, Warnings,
};

const FRAMES: usize = 7;

/// Left and right frames in two folders.
fn frames(place: &Path) -> [Vec<PathBuf>; 2] {
    [("left", 0.0), ("right", -2.0)].map(|(name, view_px)| {
        std::fs::create_dir(place.join(name)).unwrap();
        let write =
            |t: usize| pictures::write(&place.join(name), &format!("f{t}.png"), 0.75 * t as f32 + view_px);
        (0..FRAMES).map(write).collect()
    })
}

fn job(place: &Path) -> EngineJob {
    EngineJob {
        source: place.join("left"),
        watch: None,
        taken: FramesTaken::All,
        right: Some(place.join("right")),
        wanted: PhaseWanted { flow: true, stereo: true, features: true },
        options: PhaseOptions::new().unwrap(),
        folder: Some(place.join("out")),
        confidences: ConfidenceChoice::Taken,
        samples: None,
        scales: FeatureScales::All,
        packed: Wanted::Yes,
        video: Some(place.join("v.y4m")),
        report: None,
        html: Some(place.join("p.html")),
    }
}

/// Runs the frames through an engine.
fn found(
    request: EngineRequest,
    views: &[Vec<Volume<f32>>; 2],
    session: &Session,
) -> (Vec<EngineFound>, usize) {
    let mut engine = Engine::new(request, session).unwrap();
    let mut found = Vec::new();
    for (left, right) in views[0].iter().zip(&views[1]) {
        let [left, right] =
            [left, right].map(|view| EngineImage::new(view, "frame", &mut Warnings::new()).unwrap());
        found.extend(engine.push(left, Some(right)).unwrap());
    }
    while let Some(frame) = engine.drain().unwrap() {
        found.push(frame);
    }
    (found.into_iter().map(|frame| frame.fetch().unwrap()).collect(), engine.finish().unwrap().frames)
}

/// The pictures of the film.
fn drawn(found: &[EngineFound]) -> Vec<MapPicture> {
    let mut film = EngineFilm::new(vec![EngineTile::Flow, EngineTile::Disparity]);
    let picture = |EngineFound { report, image, fields, .. }: &EngineFound| {
        let (fields, image) = (fields.as_ref().unwrap(), image.as_ref().unwrap());
        let maps = fields.features.as_ref().unwrap();
        let orientation = OrientationMaps { orientation_rad: &maps.orientation_rad, energy: &maps.energy };
        let frame = FilmFrame {
            number: report.frame,
            image,
            flow: fields.flow.as_ref(),
            disparity_px: fields.disparity_px.as_ref(),
            orientation: Some(orientation),
        };
        film.picture(&frame, &Control::default()).unwrap()
    };
    found.iter().map(picture).collect()
}

/// Fails unless numbers agree to half of 1/16 px, and are unknown in the same places.
#[track_caller]
fn assert_near(packed: &[f32], exact: &[f32]) {
    let near = |(p, e): (&f32, &f32)| (p.is_nan() && e.is_nan()) || (p - e).abs() <= 1.0 / 32.0;
    assert!(packed.len() == exact.len() && packed.iter().zip(exact).all(near));
}

#[test]
fn every_field_is_that_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let views = frames(place.path());
        let job = job(place.path());
        let run = jobs::engine(&job, &session()).unwrap();

        let views = views.map(|paths| paths.iter().map(|path| pictures::read(path)).collect());
        let request = EngineRequest {
            wanted: job.wanted,
            fields: Some(ConfidenceChoice::Taken),
            delivery: None,
            scales: job.scales,
            images: FrameImages::Returned,
            method: job.options.method.draft().clone(),
            name: "frames".to_owned(),
        };
        let session = session();
        let (found, frames) = without_files(|| found(request, &views, &session));
        let mut tally = EngineTally::default();
        found.iter().for_each(|found| tally.add(found));
        assert_eq!((frames, found.len()), (run.report.frames, run.report.results));
        assert_eq!(tally.mean_shares().flow, run.report.flow_valid_share);
        for EngineFound { report, fields, image, .. } in &found {
            let (fields, number) = (fields.as_ref().unwrap(), report.frame);
            assert_eq!(image.as_ref(), Some(&views[0][number as usize]));
            let theirs = |name: &str, end: &str| place.path().join(format!("out/{name}_{number:06}.{end}"));
            let own = place.path().join("own.flo");
            if let Some(flow) = &fields.flow {
                io::write_flow(&own, flow).unwrap();
                assert_same_file(&own, &theirs("flow", "flo"));
            }
            let packed = theirs("packed", "p63");
            if let Some(flow) = &fields.flow {
                let read = io::read_flow(&packed, Strictness::Strict, &mut Warnings::new()).unwrap();
                assert_near(read.planar_vox(), flow.planar_vox());
            }
            let read = io::read_disparity(&packed, None, Strictness::Strict, &mut Warnings::new()).unwrap();
            assert_near(read.data(), fields.disparity_px.as_ref().unwrap().data());
            let own = place.path().join("own.pfm");
            io::write_disparity(&own, fields.disparity_px.as_ref().unwrap()).unwrap();
            assert_same_file(&own, &theirs("disparity", "pfm"));
            let features = fields.features.as_ref().unwrap();
            for (name, map) in [
                ("flow_confidence", fields.flow_confidence.as_ref()),
                ("disparity_confidence", fields.disparity_confidence.as_ref()),
                ("energy", Some(&features.energy)),
                ("orientation", Some(&features.orientation_rad)),
                ("phase", Some(&features.phase_rad)),
            ] {
                let Some(map) = map else { continue };
                io::write_image(&own, map, &mut Warnings::new()).unwrap();
                assert_same_file(&own, &theirs(name, "pfm"));
            }
            assert!(!fields.coarser_features.is_empty());
            for (level, maps) in (1..).zip(&fields.coarser_features) {
                io::write_image(&own, &maps.energy, &mut Warnings::new()).unwrap();
                let coarser = place.path().join(format!("out/energy_{number:06}_{level}.pfm"));
                assert_same_file(&own, &coarser);
            }
        }
        assert_eq!(found.iter().filter(|found| found.fields.as_ref().unwrap().flow.is_some()).count(), 3);
        pictures::write_video(&place.path().join("own.y4m"), &without_files(|| drawn(&found)));
        assert_same_file(&place.path().join("own.y4m"), &place.path().join("v.y4m"));
    });
}

/// Stops a run at so many questions.
struct Stopping(AtomicUsize);

impl Observer for Stopping {
    fn step(&self, _: Step) -> ControlFlow<()> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 | 1 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_stopped_run_of_files_leaves_nothing() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        frames(place.path());
        let session = session();
        for questions in [1, 3, 6] {
            session.follow(Some(Arc::new(Stopping(AtomicUsize::new(questions)))));
            let stopped: VeloxelError = jobs::engine(&job(place.path()), &session).unwrap_err();
            assert_eq!(stopped.kind(), ErrorKind::Stopped, "{stopped}");
            let names = std::fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.file_name());
            let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
            names.sort();
            assert_eq!(names, ["left", "right"]);
        }
    });
}

#[test]
fn a_stopped_stream_keeps_what_was_found() {
    alone(|| {
        let session = session();
        let method = PhaseOptions::new().unwrap().method;
        let mut engine = Engine::new(EngineRequest::of_flow(method.draft()), &session).unwrap();
        let frame = |t: usize| {
            EngineImage::new(&pictures::texture(0.5 * t as f32), "frame", &mut Warnings::new()).unwrap()
        };
        let found: Vec<_> = (0..6).filter_map(|t| engine.push(frame(t), None).unwrap()).collect();
        session.control().stop();
        assert_eq!(engine.push(frame(6), None).unwrap_err().kind(), ErrorKind::Stopped);
        session.control().resume();
        assert!(engine.drain().unwrap().is_none());
        assert_eq!(found.len(), 2);
        for frame in found {
            assert!(frame.fetch().unwrap().fields.unwrap().flow.is_some());
        }
        assert_eq!(engine.finish().unwrap().frames, 6);
    });
}
