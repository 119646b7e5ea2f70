//! `flow --sequence` and `demo`: fields between the frames of a sequence.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, session};
use std::path::Path;
use veloxel::io::{self, Strictness};
use veloxel::jobs::{self, DemoJob, DenseMethodOptions, DenseOptions, SequenceJob};
use veloxel::pipelines::{
    DemoPhantom, FrameNames, MethodChoice, OutsideFill, PairWanted, SequenceOutput, SequenceRequest, Wanted,
    demo, sequence,
};
use veloxel::{Flow, Grid, Sequence, SequenceMode, Volume, Warnings};

/// A 4-D file of a small volume that beats.
fn cine(path: &Path) -> Sequence {
    let grid = Grid::volume(20, 18, 12).unwrap();
    let frame = |t: usize| {
        let shift = 0.8 * (t as f32 * std::f32::consts::TAU / 5.0).sin();
        Volume::from_fn(grid.clone(), move |[x, y, z]| {
            let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
            (100.0 + 50.0 * ((0.5 * x).sin() + (0.4 * y + 0.2 * x).cos() * (0.3 * z).cos())).round()
        })
    };
    let cine = Sequence::new((0..5).map(frame).collect(), Some(40.0)).unwrap();
    io::write_sequence(path, &cine).unwrap();
    io::read_sequence(path, Strictness::Lenient, &mut Warnings::new()).unwrap()
}

fn options() -> DenseOptions {
    let method = DenseMethodOptions::named("clg").and_then(|clg| clg.preset("fast")).unwrap();
    DenseOptions { method, ..DenseOptions::default() }
}

fn job(folder: &Path, mode: SequenceMode) -> SequenceJob {
    SequenceJob {
        inputs: vec![folder.join("cine.nii.gz")],
        frames: Default::default(),
        mode,
        reference: None,
        truth: None,
        options: options(),
        folder: folder.join("fields"),
        field_format: None,
        confidence: None,
        warped: None,
        outside: OutsideFill::default(),
        report: None,
        html: None,
    }
}

/// Every field that is delivered, with its name.
fn keep(fields: &mut Vec<(String, Flow, Option<Volume<f32>>)>, field: SequenceOutput<'_>) {
    fields.push((field.label.name(), field.found.flow.clone(), field.warped));
}

/// A page whose measured times, such as `12.6 ms` in a cell of a table, are left out.
fn without_times(page: &str) -> String {
    let is_time = |text: &str| {
        let number =
            text.rsplit('>').next().and_then(|cell| cell.strip_suffix(" ms").or(cell.strip_suffix(" s")));
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    page.split('<').filter(|text| !is_time(text)).collect::<Vec<_>>().join("<")
}

#[test]
fn both_series_and_their_page() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let cine = cine(&place.path().join("cine.nii.gz"));
        let html = Some(place.path().join("fields/report.html"));
        let run = jobs::sequence(&SequenceJob { html, ..job(place.path(), SequenceMode::Both) }, &session())
            .unwrap();
        let (method, session) = (MethodChoice::new(options().method.draft().clone()), session());
        let request = SequenceRequest {
            mode: SequenceMode::Both,
            wanted: PairWanted { measures: Wanted::Yes, page: Wanted::Yes, ..PairWanted::default() },
            ..SequenceRequest::new(cine.frames(), &method)
        };
        let mut fields = Vec::new();
        let mut deliver = |field: SequenceOutput<'_>| {
            keep(&mut fields, field);
            Ok(())
        };
        let result = without_files(|| sequence(&request, &session, &mut deliver)).unwrap();
        assert_eq!((fields.len(), result.drift_vox), (9, run.report.cycle_closure_vox));
        for (name, flow, _) in &fields {
            let own = place.path().join("own.nii.gz");
            io::write_flow(&own, flow).unwrap();
            assert_same_file(&own, &place.path().join("fields").join(format!("{name}.nii.gz")));
        }
        let page = std::fs::read_to_string(place.path().join("fields/report.html")).unwrap();
        assert_eq!(
            without_times(&result.page(&run.report, session.control()).unwrap()),
            without_times(&page)
        );
    });
}

#[test]
fn some_frames_from_a_reference_with_warped_images() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let cine = cine(&place.path().join("cine.nii.gz"));
        let job = SequenceJob {
            frames: "0:5:2".parse().unwrap(),
            warped: Some(place.path().join("warped.nii.gz")),
            ..job(place.path(), SequenceMode::Reference)
        };
        jobs::sequence(&job, &session()).unwrap();
        let (method, session) = (MethodChoice::new(options().method.draft().clone()), session());
        let request = SequenceRequest {
            names: FrameNames { numbers: vec![0, 2, 4], files: Vec::new() },
            mode: SequenceMode::Reference,
            wanted: PairWanted {
                warped: Some(OutsideFill::default()),
                measures: Wanted::Yes,
                ..PairWanted::default()
            },
            ..SequenceRequest::new(cine.frames().iter().step_by(2), &method)
        };
        let mut fields = Vec::new();
        let mut deliver = |field: SequenceOutput<'_>| {
            keep(&mut fields, field);
            Ok(())
        };
        without_files(|| sequence(&request, &session, &mut deliver)).unwrap();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let mut warped = Vec::new();
        for (name, flow, image) in fields {
            let own = place.path().join("own.nii.gz");
            io::write_flow(&own, &flow).unwrap();
            assert_same_file(&own, &place.path().join("fields").join(format!("{name}.nii.gz")));
            warped.extend(image);
        }
        let own = place.path().join("own_warped.nii.gz");
        io::write_sequence(&own, &Sequence::new(warped, Some(80.0)).unwrap()).unwrap();
        assert_same_file(&own, &place.path().join("warped.nii.gz"));
    });
}

#[test]
#[ignore = "slow: the demonstration twice"]
fn the_demonstration() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("demo");
        jobs::demo(&DemoJob { folder: folder.clone(), command_line: String::new() }, &session()).unwrap();
        let session = session();
        let mut fields = Vec::new();
        let mut deliver = |field: SequenceOutput<'_>| {
            keep(&mut fields, field);
            Ok(())
        };
        without_files(|| demo(&DemoPhantom::new(session.control())?, &session, &mut deliver)).unwrap();
        for (name, flow, _) in &fields {
            let own = place.path().join("own.nii.gz");
            io::write_flow(&own, flow).unwrap();
            assert_same_file(&own, &folder.join(format!("{name}.nii.gz")));
        }
    });
}
