//! `engine --method clg …`: pictures and volumes one by one, from a folder, a file, a folder that grows; each field is that of
//! `flow` for the same two frames, bit by bit.

mod delivered;
mod holes;

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use std::path::Path;
use std::time::Duration;
use veloxel::io;
use veloxel::jobs::{self, DenseMethodOptions, EngineJob, FramesTaken, PhaseOptions, WatchUntil};
use veloxel::pipelines::engine::{
    ConfidenceChoice, Engine, EngineImage, EngineRequest, EngineTally, FeatureScales,
};
use veloxel::pipelines::{DenseDraft, MethodChoice, PairRequest, Wanted, WindowRequest, pair, window};
use veloxel::{
    Device, Diagnosis, ErrorKind, Grid, PhaseWanted, Sequence, Session, VeloxelError, Volume, Warnings,
};

const FRAMES: usize = 5;

/// A volume at a time: waves that move and beat, in 8 bits.
fn volume(t: usize) -> Volume<f32> {
    let shift = 0.6 * (t as f32 * std::f32::consts::TAU / 5.0).sin();
    let grid = Grid::volume(24, 20, 18).and_then(|grid| grid.with_spacing_mm([0.75, 0.75, 1.0])).unwrap();
    Volume::from_fn(grid, |[x, y, z]| {
        let (x, y, z) = (x as f32 - shift, y as f32, z as f32 + 0.5 * shift);
        (110.0 + 50.0 * ((0.5 * x).sin() + (0.4 * y + 0.2 * x).cos() * (0.3 * z).cos())).round()
    })
}

fn draft(method: &str, preset: &str) -> DenseDraft {
    let options = DenseMethodOptions::named(method).and_then(|method| method.preset(preset)).unwrap();
    options.draft().clone()
}

/// What a stream gives: the flow and the confidence of every frame that has them.
fn streamed(draft: &DenseDraft, frames: &[Volume<f32>], session: &Session) -> Vec<[Vec<f32>; 2]> {
    let fields = Some(ConfidenceChoice::Taken);
    let mut engine = Engine::new(EngineRequest { fields, ..EngineRequest::of_flow(draft) }, session).unwrap();
    let (mut tally, mut found) = (EngineTally::default(), Vec::new());
    for (t, frame) in frames.iter().enumerate() {
        let image = EngineImage::for_method(draft, frame, "frame", &mut Warnings::new()).unwrap();
        let Some(frame) = engine.push(image, None).unwrap() else { continue };
        let one = frame.fetch().unwrap();
        assert!(one.report.response_ms <= one.report.latency_ms && (one.report.frame as usize) < t.max(1));
        tally.add(&one);
        let fields = one.fields.unwrap();
        let (flow, confidence) = (fields.flow.unwrap(), fields.flow_confidence.unwrap());
        found.push([flow.planar_vox().to_vec(), confidence.into_data()]);
    }
    while let Some(frame) = engine.drain().unwrap() {
        tally.add(&frame.fetch().unwrap());
    }
    assert!(tally.response().unwrap().p99_ms > 0.0);
    assert_eq!(engine.finish().unwrap().frames, frames.len());
    found
}

/// Fails unless samples are the same, NaN included.
#[track_caller]
fn assert_same_bits(what: &str, own: &[Vec<f32>; 2], theirs: &[Vec<f32>; 2]) {
    let bits = |samples: &[Vec<f32>; 2]| samples.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(bits(own) == bits(theirs), "{what}");
}

fn assert_as_pairs(draft: &DenseDraft, frames: &[Volume<f32>]) {
    let own = without_files(|| streamed(draft, frames, &session()));
    let (method, session) = (MethodChoice::new(draft.clone()), session());
    assert_eq!(own.len(), frames.len() - 1);
    for (t, own) in own.iter().enumerate() {
        let found = pair(&PairRequest::new(&frames[t], &frames[t + 1], &method), &session).unwrap().found;
        let theirs = [found.flow.planar_vox().to_vec(), found.confidence.into_data()];
        assert_same_bits(&format!("{} of frame {t}", draft.method_name()), own, &theirs);
    }
}

#[test]
fn pictures_give_the_bits_of_their_pairs() {
    let frames: Vec<_> = (0..FRAMES).map(|t| pictures::texture(0.75 * t as f32)).collect();
    alone(|| {
        for (method, preset) in [
            ("clg", "fast"),
            ("clg", "realtime"),
            ("lucas-kanade", "accurate"),
            ("block-matching", "accurate"),
            ("fe", "fast"),
        ] {
            assert_as_pairs(&draft(method, preset), &frames[..3]);
        }
    });
}

#[test]
fn volumes_give_the_bits_of_their_pairs() {
    let frames: Vec<_> = (0..FRAMES).map(volume).collect();
    alone(|| {
        assert_as_pairs(&draft("clg", "fast"), &frames);
        assert_as_pairs(&draft("clg", "realtime"), &frames[..3]);
        assert_as_pairs(&draft("block-matching", "fast"), &frames[..3]);
    });
}

#[test]
fn phases_give_the_bits_of_their_windows() {
    let frames: Vec<_> = (0..6).map(|t| pictures::texture(0.75 * t as f32)).collect();
    alone(|| {
        let draft = draft("phase", "accurate");
        let own = streamed(&draft, &frames, &session());
        let method = MethodChoice::new(draft);
        for (first, own) in own.iter().enumerate() {
            let request = WindowRequest::new(&frames[first..first + 5], &method);
            let found = window(&request, &session()).unwrap().found;
            let theirs = [found.flow.planar_vox().to_vec(), found.confidence.into_data()];
            assert_same_bits(&format!("window {first}"), own, &theirs);
        }
        assert_eq!(own.len(), 2);
    });
}

#[test]
fn sentinels_count_as_in_a_pair() {
    let mut frames: Vec<_> = (0..3).map(volume).collect();
    frames[1].data_mut()[77] = f32::MAX;
    alone(|| assert_as_pairs(&draft("clg", "fast"), &frames));
}

#[test]
fn from_the_third_frame_on_memory_is_new_for_results_alone() {
    let (session, draft) = (Session::on(Device::cpu(1).unwrap()), draft("clg", "fast"));
    let mut engine = Engine::new(EngineRequest::of_flow(&draft), &session).unwrap();
    let mut allocations = Vec::new();
    for t in 0..8 {
        let image = EngineImage::for_method(&draft, &volume(t), "frame", &mut Warnings::new()).unwrap();
        drop(engine.push(image, None).unwrap().map(|frame| frame.fetch().unwrap()));
        allocations.push(session.device().unwrap().memory_stats().allocations);
    }
    // On a processor the results leave with their memory: three components and the confidence.
    let new: Vec<_> = allocations.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(new[2..].iter().all(|&new| new <= 4), "{new:?}");
}

#[test]
fn a_method_of_pairs_finds_flow_alone_and_phases_take_pictures() {
    let session = session();
    let clg = draft("clg", "fast");
    for wanted in [
        PhaseWanted { flow: true, stereo: true, features: false },
        PhaseWanted { flow: true, stereo: false, features: true },
        PhaseWanted { flow: false, stereo: false, features: false },
    ] {
        let request = EngineRequest { wanted, ..EngineRequest::of_flow(&clg) };
        let refused: VeloxelError = Engine::new(request, &session).unwrap_err();
        assert!(refused.kind() == ErrorKind::Input && refused.to_string().contains("phase"), "{refused}");
    }
    let mut engine = Engine::new(EngineRequest::of_flow(&draft("phase", "fast")), &session).unwrap();
    let refused = engine
        .push(EngineImage::new(&volume(0), "frame", &mut Warnings::new()).unwrap(), None)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("24 × 20 × 18") && refused.contains("clg"), "{refused}");
    let mut engine = Engine::new(EngineRequest::of_flow(&clg), &session).unwrap();
    let frame = |volume: &Volume<f32>| EngineImage::of_pairs(volume, "frame", &mut Warnings::new()).unwrap();
    assert!(engine.push(frame(&volume(0)), None).unwrap().is_none());
    let other = Volume::from_fn(Grid::volume(24, 20, 17).unwrap(), |[x, ..]| x as f32);
    let refused = engine.push(frame(&other), None).unwrap_err().to_string();
    assert!(refused.contains("24 × 20 × 17"), "{refused}");
    // The stream goes on where it was.
    assert!(engine.push(frame(&volume(1)), None).unwrap().is_some());
    let short =
        Engine::new(EngineRequest::of_flow(&clg), &session).unwrap().finish().unwrap_err().to_string();
    assert!(short.contains("not a single frame"), "{short}");
}

fn job(source: &Path, folder: &Path) -> EngineJob {
    let method = DenseMethodOptions::named("clg").and_then(|clg| clg.preset("fast")).unwrap();
    EngineJob {
        source: source.to_owned(),
        watch: None,
        taken: FramesTaken::All,
        right: None,
        wanted: PhaseWanted { flow: true, stereo: false, features: false },
        options: PhaseOptions { method, ..PhaseOptions::new().unwrap() },
        folder: Some(folder.to_owned()),
        confidences: ConfidenceChoice::Taken,
        samples: None,
        scales: FeatureScales::Finest,
        packed: Wanted::No,
        video: None,
        report: None,
        html: None,
    }
}

/// Fails unless a folder holds the fields of the volumes' pairs.
#[track_caller]
fn assert_fields(place: &Path, folder: &str, count: usize) {
    let method = MethodChoice::new(draft("clg", "fast"));
    let session = session();
    for t in 0..count {
        let found = pair(&PairRequest::new(&volume(t), &volume(t + 1), &method), &session).unwrap().found;
        let own = place.join("own.nii");
        io::write_flow(&own, &found.flow).unwrap();
        assert_same_file(&own, &place.join(format!("{folder}/flow_{t:06}.nii")));
        io::write_image(&own, &found.confidence, &mut Warnings::new()).unwrap();
        assert_same_file(&own, &place.join(format!("{folder}/flow_confidence_{t:06}.nii")));
    }
    let names = std::fs::read_dir(place.join(folder)).unwrap().count();
    assert_eq!(names, 2 * count, "nothing else is in {folder}");
}

#[test]
fn folders_and_files_with_a_time_axis_are_streams_of_volumes() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let frames: Vec<_> = (0..FRAMES).map(volume).collect();
        std::fs::create_dir(path("echo")).unwrap();
        for (t, frame) in frames.iter().enumerate() {
            io::write_image(path(&format!("echo/v{t}.mha")), frame, &mut Warnings::new()).unwrap();
        }
        let sequence = Sequence::new(frames, Some(20.0)).unwrap();
        for (source, folder) in
            [("echo", "a"), ("echo.nii.gz", "b"), ("echo.nrrd", "c"), ("echo.frames", "d")]
        {
            if source != "echo" {
                io::write_sequence(path(source), &sequence).unwrap();
            }
            let job = EngineJob { html: Some(path("p.html")), ..job(&path(source), &path(folder)) };
            let run = jobs::engine(&job, &session()).unwrap();
            assert_eq!((run.report.frames, run.report.results), (FRAMES, FRAMES - 1));
            assert_eq!(run.report.size, [24, 20, 18]);
            assert_fields(place.path(), folder, FRAMES - 1);
            let page = std::fs::read_to_string(path("p.html")).unwrap();
            assert!(page.contains("voxels have a vector") && page.contains("frame by frame"));
        }
        let job = EngineJob { video: Some(path("v.y4m")), ..job(&path("echo"), &path("e")) };
        let refused = jobs::engine(&job, &session()).unwrap_err().to_string();
        assert!(refused.contains("volumes") && !path("e").exists(), "{refused}");
    });
}

#[test]
fn a_folder_that_grows_is_a_stream() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        std::fs::create_dir(path("echo")).unwrap();
        let watch = Some(WatchUntil::Idle(Duration::from_secs(2)));
        let watching = EngineJob { watch, ..job(&path("echo"), &path("a")) };
        let run = std::thread::scope(|scope| {
            let run = scope.spawn(|| jobs::engine(&watching, &session()));
            for t in 0..FRAMES {
                let whole = path("whole.nii");
                io::write_image(&whole, &volume(t), &mut Warnings::new()).unwrap();
                // Half of it first: it is not read before it is whole.
                let bytes = std::fs::read(&whole).unwrap();
                let name = path(&format!("echo/v{t}.nii"));
                std::fs::write(&name, &bytes[..bytes.len() / 2]).unwrap();
                std::thread::sleep(Duration::from_millis(30));
                std::fs::write(&name, &bytes).unwrap();
            }
            run.join().unwrap().unwrap()
        });
        assert_eq!((run.report.frames, run.report.results), (FRAMES, FRAMES - 1));
        assert_fields(place.path(), "a", FRAMES - 1);

        // A frame of another size ends the stream; what was found before stays.
        let odd = Volume::from_fn(Grid::volume(8, 8, 8).unwrap(), |[x, ..]| x as f32);
        io::write_image(path("echo/v5.nii"), &odd, &mut Warnings::new()).unwrap();
        let broken =
            jobs::engine(&EngineJob { folder: Some(path("b")), ..watching }, &session()).unwrap_err();
        let text = broken.to_string();
        assert!(text.contains("v5.nii") && text.contains("5 frames before is written"), "{text}");
        assert_fields(place.path(), "b", FRAMES - 1);
        let no_folder = EngineJob { watch, ..job(&path("echo/v0.nii"), &path("c")) };
        assert!(jobs::engine(&no_folder, &session()).unwrap_err().to_string().contains("v0.nii"));
    });
}
