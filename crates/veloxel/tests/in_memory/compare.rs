//! `compare a.png b.png --truth t.flo -o methods.html`.

use crate::no_files::{alone, without_files};
use crate::{pictures, session};
use veloxel::Flow;
use veloxel::io;
use veloxel::jobs::{self, CompareJob, DenseMethodOptions};
use veloxel::pipelines::{CompareRequest, MethodChoice, PairNames, compare};

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
