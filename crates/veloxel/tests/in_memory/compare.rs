//! `compare a.png b.png --truth t.flo -o methods.html`.

use crate::no_files::{alone, without_files};
use crate::{pictures, session};
use veloxel::io;
use veloxel::jobs::{self, CompareJob, DenseMethodOptions};
use veloxel::pipelines::{CompareRequest, DenseError, MethodChoice, PairNames, compare};
use veloxel::{Flow, VeloxelError};

#[test]
fn the_methods_are_those_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let (fixed, moving) =
            (pictures::write(place.path(), "a.png", 0.0), pictures::write(place.path(), "b.png", 1.5));
        let truth = Flow::from_fn(pictures::read(&fixed).grid().clone(), |_| [1.5, 0.0, 0.0]);
        io::write_flow(place.path().join("t.flo"), &truth).unwrap();
        let given = ["clg", "phase", "lucas-kanade"].map(|name| DenseMethodOptions::named(name).unwrap());
        let job = CompareJob {
            fixed: fixed.clone(),
            moving: moving.clone(),
            truth: Some(place.path().join("t.flo")),
            methods: given.to_vec(),
            html: place.path().join("methods.html"),
            ..CompareJob::default()
        };
        let run = jobs::compare(&job, &session()).unwrap();
        let methods = given.map(|own| MethodChoice::new(own.draft().clone()));
        let (fixed, moving) = (pictures::read(&fixed), pictures::read(&moving));
        let request = CompareRequest {
            fixed: (&fixed).into(),
            moving: (&moving).into(),
            names: PairNames { title: "a.png → b.png", ..PairNames::default() },
            mask: None,
            visible: None,
            truth: Some(&truth),
            strictness: io::Strictness::Lenient,
            methods: &methods,
        };
        let session = session();
        let result = without_files(|| compare(&request, &session)).unwrap();
        let of_job = &run.report.runs;
        assert_eq!((result.measured.len(), of_job.len()), (3, 3));
        for (own, told) in result.measured.iter().zip(of_job) {
            assert_eq!((&own.method, own.occluded_share), (&told.method, told.occluded_share));
            assert_eq!((own.pair.motion, &own.pair.error), (told.pair.motion, &told.pair.error));
        }
        assert_eq!(result.views("a.png → b.png", Some(&truth)).len(), 3);
    });
}

#[test]
fn what_all_methods_take_is_asked_for_before_the_first_one_runs() {
    let [fixed, moving] = [0.0, 1.5].map(pictures::texture);
    let methods = ["clg", "lucas-kanade"]
        .map(|name| MethodChoice::new(DenseMethodOptions::named(name).unwrap().draft().clone()));
    let found = |methods: &[MethodChoice], bytes: u64| {
        let session = session().with_max_memory(Some(bytes));
        compare(&CompareRequest::new(&fixed, &moving, methods), &session)
    };
    let needed = |methods: &[MethodChoice]| match found(methods, 1).unwrap_err() {
        VeloxelError::Dense(DenseError::Memory { needed_bytes, budget_bytes: 1, .. }) => needed_bytes,
        other => panic!("{other}"),
    };
    let [first, second, both] = [&methods[..1], &methods[1..], &methods[..]].map(needed);
    let kept = 4 * 4 * fixed.grid().len() as u64;
    assert_eq!(both, first.max(second + kept), "what the first one found is kept");
    assert!(found(&methods, both - 1).is_err());
    assert_eq!(found(&methods, both).unwrap().runs.len(), 2);
}
