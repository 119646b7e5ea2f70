//! A dense method of another crate, the one of the example, through pipelines and jobs: nothing inside knows it.

use crate::no_files::{alone, without_files};
use crate::session;
use std::path::PathBuf;
use veloxel::jobs::{self, CompareJob, DenseMethodOptions, DenseOptions, FlowJob, FlowOutputs, MaskFile};
use veloxel::method::DenseDraft;
use veloxel::pipelines::{
    CompareRequest, Directions, MethodChoice, PairRequest, PairWanted, SequenceRequest, Wanted, compare,
    pair, sequence,
};
use veloxel::{ClgParams, Diagnosis, Dimension, ErrorKind, Grid, Hint, Mask, Volume, io};

#[path = "../../../../examples/custom_method.rs"]
#[allow(dead_code, reason = "the example's own program is not called")]
mod example;

use example::{TRANSLATION, pattern};

const SHIFT: [f32; 2] = [1.5, -0.75];

fn images() -> [Volume<f32>; 2] {
    let grid = Grid::image(48, 40).unwrap();
    [pattern(&grid, [0.0; 2]), pattern(&grid, SHIFT)]
}

/// The method in both directions, with a setting.
fn choice() -> MethodChoice {
    let mut draft = DenseDraft::new(&TRANSLATION);
    draft.set("tolerance", 1e-6.into(), "").unwrap();
    MethodChoice { directions: Directions::Both, ..MethodChoice::new(draft) }
}

#[track_caller]
fn assert_shift(vector: [f32; 3]) {
    let [x, y, _] = vector;
    assert!((x - SHIFT[0]).abs() < 0.02 && (y - SHIFT[1]).abs() < 0.02, "{vector:?}");
}

#[test]
fn its_flow_is_found_in_both_directions_with_its_parameters() {
    alone(|| {
        let ([fixed, moving], method, session) = (images(), choice(), session());
        let wanted = PairWanted { measures: Wanted::Yes, ..PairWanted::default() };
        let request = PairRequest { wanted, ..PairRequest::new(&fixed, &moving, &method) };
        let first = without_files(|| pair(&request, &session)).unwrap();
        assert_shift(first.found.flow.vector_vox(20 * 48 + 24));
        assert_eq!(first.account.parameters["tolerance"], 1e-6);
        assert_eq!(first.account.parameters["most_steps"], 50);
        assert!(first.found.statistics.inverse_residual_vox.unwrap() < 0.05);
        // The session keeps the opened method, which gives the same again.
        let again = pair(&request, &session).unwrap();
        assert_eq!(
            (&again.found.flow, &again.found.confidence),
            (&first.found.flow, &first.found.confidence)
        );
    });
}

#[test]
fn its_presets_and_settings_are_checked_as_every_methods() {
    let mut draft = DenseDraft::new(&TRANSLATION);
    draft.set_preset("fast").unwrap();
    assert_eq!(draft.values(Dimension::Two).unwrap()["most_steps"], 5);
    let text = draft.set_preset("paper").unwrap_err().to_string();
    assert_eq!(text, "translation: parameter `preset` is paper, expected accurate or fast");
    let text = draft.set("tolerance", 2.into(), "here").unwrap_err().to_string();
    assert_eq!(text, "here: parameter `tolerance` is 2, expected a number from 0 to 1 voxels");
    let text = draft.set("alpha", 1.into(), "here").unwrap_err().to_string();
    assert_eq!(text, "here: translation has no parameter `alpha`, which belongs to clg");
    assert!(draft.build::<ClgParams>(Dimension::Two).is_err());
    assert!(DenseDraft::named("translation").is_err(), "it is no method of the table");
}

#[test]
fn an_input_that_it_does_not_use_is_refused() {
    let ([fixed, moving], method, session) = (images(), choice(), session());
    let mask = Mask::everywhere(fixed.grid().clone());
    let request = PairRequest { mask: Some(&mask), ..PairRequest::new(&fixed, &moving, &method) };
    let error = pair(&request, &session).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("translation does not use a mask: clg, phase, "), "{text}");
    assert_eq!((error.kind(), error.hint()), (ErrorKind::Parameter, Some(Hint::Mask)));
}

#[test]
fn sequences_and_comparisons_take_it() {
    let ([fixed, moving], method, session) = (images(), choice(), session());
    let mut vectors = Vec::new();
    let frames = [&fixed, &moving];
    sequence(&SequenceRequest::new(frames, &method), &session, &mut |field| {
        vectors.push(field.found.flow.vector_vox(20 * 48 + 24));
        Ok(())
    })
    .unwrap();
    assert_eq!(vectors.len(), 1);
    vectors.into_iter().for_each(assert_shift);
    let methods = [method, MethodChoice::default()];
    let request = CompareRequest::new(&fixed, &moving, &methods);
    let found = compare(&request, &session).unwrap();
    let names: Vec<_> = found.measured.iter().map(|run| run.method.as_str()).collect();
    assert_eq!(names, ["translation", "clg"]);
}

#[test]
fn jobs_take_it_from_files_to_files() {
    alone(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let inputs: Vec<PathBuf> = vec![path("fixed.nrrd"), path("moving.nrrd")];
        for (path, image) in inputs.iter().zip(images()) {
            io::write_image(path, &image, &mut veloxel::Warnings::new()).unwrap();
        }
        std::fs::write(path("own.toml"), "most_steps = 30\n").unwrap();
        let method = DenseMethodOptions::new(&TRANSLATION).file(&path("own.toml")).unwrap();
        let options = DenseOptions { method: method.clone(), ..DenseOptions::default() };
        let outputs = FlowOutputs { flow: path("flow.flo"), ..FlowOutputs::default() };
        let job = FlowJob { inputs: inputs.clone(), options, outputs, ..FlowJob::default() };
        let run = jobs::flow(&job, &session()).unwrap();
        let header = &run.report.header;
        assert_eq!((header.method.as_str(), header.preset.as_deref()), ("translation", Some("accurate")));
        assert_eq!(header.parameters["most_steps"], 30);
        let mut warnings = veloxel::Warnings::new();
        let read = io::read_flow(&path("flow.flo"), io::Reading::default(), &mut warnings).unwrap();
        assert_shift(read.vector_vox(20 * 48 + 24));

        let mut refused = job;
        refused.options.mask = Some(MaskFile { path: path("no-such-mask.png"), labels: Default::default() });
        let text = jobs::flow(&refused, &session()).unwrap_err().to_string();
        assert!(text.starts_with("translation does not use a mask"), "{text}");

        let [fixed, moving] = [&inputs[0], &inputs[1]].map(PathBuf::clone);
        let job = CompareJob {
            fixed,
            moving,
            methods: vec![method],
            html: path("page.html"),
            ..CompareJob::default()
        };
        let run = jobs::compare(&job, &session()).unwrap();
        assert_eq!(run.report.runs[0].method, "translation");
    });
}
