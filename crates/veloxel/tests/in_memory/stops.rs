//! A stop at any step ends a pipeline with the error that says so, and the session runs again as if nothing had been.

use crate::session;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel::phantoms::{CineParams, CinePhantom};
use veloxel::pipelines::DenseDraft;
use veloxel::pipelines::distances::{DistancesRequest, distances};
use veloxel::pipelines::heart::{Cine, TrackRequest, track};
use veloxel::pipelines::segment::{SegmentRequest, segment};
use veloxel::{
    ArcList, Control, Diagnosis, ErrorKind, Graph, GraphKind, Grid, Observer, Session, Step, TriangleMesh,
    VeloxelError, WeightedArc,
};

/// Answers so many steps before it stops the run.
struct StopsAfter(AtomicUsize);

impl Observer for StopsAfter {
    fn step(&self, _: Step) -> ControlFlow<()> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Stops a pipeline at its first steps, each in a run of its own, until one run is through; all that are through are equal.
fn stop_at_each_step<R: PartialEq>(run: impl Fn(&Session) -> Result<R, VeloxelError>) {
    let session = session();
    let whole = run(&session).expect("a run without a stop should succeed");
    let mut stopped = 0;
    for steps in (0..12).chain((12..).step_by(17)) {
        session.follow(Some(Arc::new(StopsAfter(steps.into()))));
        match run(&session) {
            Ok(found) => {
                assert!(found == whole, "a run after {stopped} stopped ones should find the same");
                break;
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Stopped, "{error}"),
        }
        stopped += 1;
    }
    assert!(stopped > 0, "no run was stopped");
    session.follow(None);
    assert!(run(&session).is_ok_and(|found| found == whole));
}

#[test]
fn segmentation_stops() {
    let size = 24;
    let points = (0..=size * (size + 1) + size).map(|i| [i % (size + 1), i / (size + 1)]);
    let height = |[x, y]: [usize; 2]| if (6..14).contains(&x) && (4..12).contains(&y) { 8.0 } else { 0.0 };
    let points = points.map(|[x, y]| [x as f64, y as f64, height([x, y])]).collect();
    let square = |i: usize| {
        let first = (i / size * (size + 1) + i % size) as u32;
        let next = first + size as u32 + 1;
        [[first, first + 1, next + 1], [first, next + 1, next]]
    };
    let mesh = TriangleMesh::new(points, (0..size * size).flat_map(square).collect()).unwrap();
    stop_at_each_step(|session| Ok(segment(&SegmentRequest::new(&mesh), session)?.labels));
}

#[test]
fn distances_stop() {
    let arc = |i: u32| [1, 20].map(|step| WeightedArc { from: i, to: (i + step) % 400, weight: 1.0 });
    let arcs = (0..400).flat_map(arc).collect();
    let graph =
        Graph::new(&ArcList { nodes: 400, kind: GraphKind::Undirected, arcs }, &Control::default()).unwrap();
    stop_at_each_step(|session| Ok(distances(&DistancesRequest::new(&graph), session)?.values));
}

#[test]
fn tracking_stops() {
    let grid = Grid::volume(64, 64, 1).and_then(|g| g.with_spacing_mm([2.4, 2.4, 8.0])).unwrap();
    let phantom = CinePhantom::new(CineParams { grid, frames: 3, ..CineParams::default() }).unwrap();
    let cine = Cine::new(phantom.sequence(), &session()).unwrap();
    let methods = [DenseDraft::named("block-matching").unwrap()];
    let contours = phantom.contours();
    let request = TrackRequest { start_frames: &[0], ..TrackRequest::new(&cine, &contours, &methods) };
    stop_at_each_step(|session| {
        let found = track(&request, session)?.runs.remove(0);
        Ok((found.contours, found.fields, found.labels))
    });
}
