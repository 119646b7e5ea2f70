//! `distances graph.mtx -o distances.npy --precision u16`.

use crate::no_files::{alone, without_files};
use crate::session;
use std::fmt::Write;
use std::path::Path;
use veloxel::io;
use veloxel::jobs::{self, DistancesJob};
use veloxel::pipelines::distances::{
    DistanceMethod, DistancePrecision, DistanceValues, DistancesRequest, distances,
};
use veloxel::{Graph, GraphKind};

/// The side of a grid of nodes.
const SIDE: usize = 20;

/// A grid of streets with lengths of their own, as a list of edges.
fn streets() -> String {
    let mut text = String::new();
    for (x, y) in (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)) {
        let length = |k: usize| 1.0 + ((x * 7 + y * 13 + k * 5) % 11) as f32 * 0.25;
        if x + 1 < SIDE {
            let _ = writeln!(text, "{} {} {}", y * SIDE + x, y * SIDE + x + 1, length(0));
        }
        if y + 1 < SIDE {
            let _ = writeln!(text, "{} {} {}", y * SIDE + x, (y + 1) * SIDE + x, length(1));
        }
    }
    text
}

/// The numbers of a `.npy` file.
fn numbers<T, const N: usize>(path: &Path, number: fn([u8; N]) -> T) -> Vec<T> {
    let bytes = std::fs::read(path).unwrap();
    bytes[128..].chunks_exact(N).map(|bytes| number(bytes.try_into().unwrap())).collect()
}

fn compare(precision: DistancePrecision, algorithm: DistanceMethod, sources: Option<Vec<u32>>) {
    let folder = tempfile::tempdir().unwrap();
    let (file, output) = (folder.path().join("streets.txt"), folder.path().join("distances.npy"));
    io::write_text(&file, &streets()).unwrap();
    let job = DistancesJob {
        graph: file.clone(),
        lengths: None,
        kind: GraphKind::Undirected,
        sources: sources.clone(),
        algorithm,
        precision,
        output: output.clone(),
        report: None,
    };
    let report = jobs::distances(&job, &session()).unwrap().report;
    let list =
        io::read_graph(&file, GraphKind::Undirected, io::Strictness::Lenient, &mut veloxel::Warnings::new())
            .unwrap();
    let (session, sources) = (session(), sources.as_deref());
    let graph = Graph::new(&list, session.control()).unwrap();
    let request = DistancesRequest { sources, algorithm, precision, ..DistancesRequest::new(&graph) };
    let found = without_files(|| distances(&request, &session)).unwrap();
    match &found.values {
        DistanceValues::Floats(values) => assert_eq!(*values, numbers(&output, f32::from_le_bytes)),
        DistanceValues::Steps(values) => assert_eq!(*values, numbers(&output, u16::from_le_bytes)),
    }
    assert_eq!((found.rows, found.columns), (report.rows, SIDE * SIDE));
    assert_eq!((found.found.longest, found.step.map(|step| step.length)), (report.longest, report.step));
    assert_eq!(found.algorithm.name(), report.method);
}

#[test]
fn distances_are_those_of_the_command() {
    alone(|| {
        compare(DistancePrecision::U16, DistanceMethod::Auto, None);
        compare(DistancePrecision::U16, DistanceMethod::FloydWarshallUndirected, None);
        compare(DistancePrecision::F32, DistanceMethod::Dissection, Some(vec![7, 0, 7, 399]));
    });
}
