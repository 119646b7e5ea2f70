//! `engine … --samples flow=f16,confidence=u8`: arrays in the folder, the same as in memory, beside a film or without one.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use std::path::Path;
use veloxel::jobs::{self, EngineJob, FramesTaken, PhaseOptions};
use veloxel::pipelines::Wanted;
use veloxel::pipelines::engine::{
    ConfidenceChoice, Delivery, Engine, EngineFound, EngineImage, EngineRequest, FeatureScales,
};
use veloxel::{DeliveredType, Grid, PhaseWanted, Volume, Warnings, io};

const TYPES: &str = "flow=f16,confidence=u8,phase=u8";

fn job(place: &Path, folder: &str) -> EngineJob {
    EngineJob {
        source: place.join("frames"),
        watch: None,
        taken: FramesTaken::All,
        right: None,
        wanted: PhaseWanted { flow: true, stereo: false, features: true },
        options: PhaseOptions::new().unwrap(),
        folder: Some(place.join(folder)),
        confidences: ConfidenceChoice::Taken,
        samples: Some(TYPES.parse().unwrap()),
        scales: FeatureScales::Finest,
        packed: Wanted::No,
        video: None,
        report: None,
        html: None,
    }
}

fn found(frames: &[Volume<f32>], request: EngineRequest) -> Vec<EngineFound> {
    let session = session();
    let mut engine = Engine::new(request, &session).unwrap();
    let push =
        |frame| engine.push(EngineImage::new(frame, "frame", &mut Warnings::new()).unwrap(), None).unwrap();
    frames.iter().filter_map(push).map(|frame| frame.fetch().unwrap()).collect()
}

fn delivery() -> Delivery {
    let (confidences, scales) = (ConfidenceChoice::Taken, FeatureScales::Finest);
    Delivery { types: TYPES.parse().unwrap(), confidences, scales }
}

#[test]
fn arrays_are_the_same_in_files_and_in_memory() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("frames")).unwrap();
        let frames: Vec<_> = (0..7)
            .map(|t| {
                pictures::read(&pictures::write(
                    &place.path().join("frames"),
                    &format!("f{t}.png"),
                    0.75 * t as f32,
                ))
            })
            .collect();
        jobs::engine(&job(place.path(), "a"), &session()).unwrap();
        // With a film the fields leave the device as they are, and are rounded in memory.
        let filmed = EngineJob { video: Some(place.path().join("v.y4m")), ..job(place.path(), "b") };
        jobs::engine(&filmed, &session()).unwrap();
        let mut names: Vec<_> =
            place.path().join("a").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names.len(), 3 * 2 + 7 * 3, "{names:?}");
        for name in &names {
            assert_same_file(&place.path().join("a").join(name), &place.path().join("b").join(name));
        }

        let request = job(place.path(), "a");
        let request = EngineRequest {
            wanted: request.wanted,
            fields: None,
            delivery: Some(delivery()),
            ..EngineRequest::of_flow(request.options.method.draft())
        };
        let own = without_files(|| found(&frames, request));
        let one = own.iter().find(|one| one.report.frame == 3).unwrap();
        assert!(one.fields.is_none());
        let fields = one.delivered.as_ref().unwrap();
        let path = place.path().join("own.npy");
        let [nx, ny] = pictures::SIZE;
        io::write_delivered(&path, &[2, 1, ny, nx], &fields.flow.iter().flatten().collect::<Vec<_>>())
            .unwrap();
        assert_same_file(&path, &place.path().join("a/flow_000003.npy"));
        let phase = &fields.features[0].phase;
        assert_eq!(phase.kind(), DeliveredType::U8);
        io::write_delivered(&path, &[ny, nx], &[phase]).unwrap();
        assert_same_file(&path, &place.path().join("a/phase_000003.npy"));
        // Halves are read as any field is.
        let flow = io::read_flow(
            &place.path().join("a/flow_000003.npy"),
            io::Strictness::Strict,
            &mut Warnings::new(),
        );
        let known = flow.unwrap().component_vox(0).iter().filter(|x| (*x - 0.75).abs() < 0.1).count();
        assert!(known > nx * ny / 2, "{known} of {} vectors are those of the motion", nx * ny);
    });
}

#[test]
fn narrow_pictures_are_doubted_in_every_type() {
    let grid = Grid::image(60, 10).unwrap();
    let frame = |t: usize| {
        Volume::from_fn(grid.clone(), |[x, y, _]| {
            let x = x as f32 - 0.8 * t as f32;
            128.0 + 50.0 * ((0.6 * x).sin() + (0.25 * x + 0.5 * y as f32).cos())
        })
    };
    let frames: Vec<_> = (0..5).map(frame).collect();
    let draft = veloxel::pipelines::DenseDraft::named("phase").unwrap();
    let with = |fields, delivery| EngineRequest { fields, delivery, ..EngineRequest::of_flow(&draft) };
    let plain = found(&frames, with(Some(ConfidenceChoice::Taken), None)).remove(0);
    let own = found(&frames, with(None, Some(delivery()))).remove(0);
    assert_eq!(own.warnings, plain.warnings);
    assert!(!own.warnings.is_empty() && own.fields.is_none());
    let sure = own.delivered.unwrap().flow_confidence.unwrap();
    let exact = plain.fields.unwrap().flow_confidence.unwrap();
    let near = |(exact, found): (&f32, &u8)| (exact * 255.0 - f32::from(*found)).abs() <= 0.501;
    assert!(exact.data().iter().zip(sure.as_u8().unwrap()).all(near));
    assert!(exact.data().iter().any(|&sure| sure > 0.0));
}
