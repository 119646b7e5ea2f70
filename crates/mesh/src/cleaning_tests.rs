//! Meshes with everything that files bring along.

use crate::cleaning::CleanMesh;
use crate::dual_graph::{DualGraph, EdgeBend};
use crate::error::MeshError;
use veloxel_core::{Control, TriangleMesh, Warnings};

const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// Twelve triangles, outwards.
fn cube() -> Vec<[u32; 3]> {
    let squares = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

fn clean(points: &[[f64; 3]], triangles: Vec<[u32; 3]>) -> CleanMesh {
    CleanMesh::new(&TriangleMesh::new(points.to_vec(), triangles).unwrap(), &Control::default()).unwrap()
}

fn warnings(mesh: &CleanMesh) -> usize {
    let mut warnings = Warnings::new();
    mesh.report.warn(&mut warnings);
    warnings.urgent().count()
}

#[test]
fn a_good_mesh_stays_as_it_is() {
    let mesh = clean(&CUBE, cube());
    assert_eq!((mesh.triangles.clone(), mesh.report.components, warnings(&mesh)), (cube(), 1, 0));
    let graph = DualGraph::new(&mesh, &Control::default()).unwrap();
    assert_eq!(graph.arcs.len(), 18);
    assert!(graph.arcs.iter().all(|arc| arc.bend == EdgeBend::Convex));
    let right = graph.arcs.iter().filter(|arc| (arc.angle_rad - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    assert_eq!(right.count(), 12);
    assert!((graph.areas.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn faces_wound_the_wrong_way_are_turned() {
    let mut mixed = cube();
    mixed[3].swap(0, 1);
    mixed[8].swap(1, 2);
    let mesh = clean(&CUBE, mixed);
    assert_eq!((mesh.report.turned_faces, mesh.report.turned_components, warnings(&mesh)), (2, 0, 1));
    let inside_out = cube().into_iter().map(|[a, b, c]| [a, c, b]).collect();
    let mesh = clean(&CUBE, inside_out);
    assert_eq!((mesh.report.turned_faces, mesh.report.turned_components, warnings(&mesh)), (0, 1, 1));
    assert!(
        DualGraph::new(&mesh, &Control::default())
            .unwrap()
            .arcs
            .iter()
            .all(|arc| arc.bend == EdgeBend::Convex)
    );
}

#[test]
fn small_holes_do_not_hide_that_faces_look_inwards() {
    // Rings of a ball between two open poles.
    const ROUND: u32 = 16;
    let rings = |last: u32, step: f64| {
        let place = |ring: u32, nth: u32| {
            let (tilt, turn) = (step * f64::from(ring + 1), f64::from(nth) * std::f64::consts::TAU / 16.0);
            [tilt.sin() * turn.cos(), tilt.sin() * turn.sin(), tilt.cos()]
        };
        let points = (0..=last).flat_map(|ring| (0..ROUND).map(move |nth| place(ring, nth))).collect();
        let square = |ring: u32, nth: u32| {
            let [a, b] = [nth, (nth + 1) % ROUND].map(|nth| ROUND * ring + nth);
            [[a, b, b + ROUND], [a, b + ROUND, a + ROUND]]
        };
        let inwards = (0..last).flat_map(|ring| (0..ROUND).flat_map(move |nth| square(ring, nth))).collect();
        CleanMesh::new(&TriangleMesh::new(points, inwards).unwrap(), &Control::default())
            .unwrap()
            .report
            .turned_components
    };
    assert_eq!(rings(18, std::f64::consts::PI / 20.0), 1, "a ball with two holes");
    assert_eq!(rings(9, std::f64::consts::PI / 20.0), 0, "a bowl has no inside");
}

#[test]
fn what_bears_nothing_is_left_out_and_has_a_face_to_stand_for_it() {
    let mut triangles = cube();
    // A line, a repeated corner, and a second copy of the first face.
    triangles.extend([[0, 0, 6], [5, 6, 6], [2, 0, 3]]);
    let mesh = clean(&CUBE, triangles);
    assert_eq!((mesh.report.flat, mesh.report.duplicates, mesh.triangles.len()), (2, 1, 12));
    assert_eq!(mesh.face_of[14], 0);
    assert!(mesh.triangles[mesh.face_of[13] as usize].iter().any(|corner| [5, 6].contains(corner)));
    assert_eq!(warnings(&mesh), 2);
    let line = TriangleMesh::new(CUBE.to_vec(), vec![[0, 0, 1], [1, 2, 2]]).unwrap();
    let error = CleanMesh::new(&line, &Control::default()).unwrap_err().to_string();
    assert!(error.contains("no face has an area (2 in all)"), "{error}");
}

#[test]
fn points_in_one_place_are_joined() {
    let corners = cube();
    let points: Vec<_> = corners.iter().flatten().map(|&corner| CUBE[corner as usize]).collect();
    let triangles = (0..12).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    let mesh = clean(&points, triangles);
    assert_eq!((mesh.report.joined_points, mesh.report.border_edges, mesh.report.components), (28, 0, 1));
}

#[test]
fn open_crowded_and_one_sided_meshes_are_told() {
    let mut fin = cube();
    fin.push([0, 1, 6]);
    let mesh = clean(&CUBE, fin);
    assert_eq!((mesh.report.crowded_edges, mesh.report.border_edges), (2, 1));
    let mut two: Vec<[u32; 3]> = cube()[..2].to_vec();
    two.extend(cube()[2..4].iter());
    let mesh = clean(&CUBE, two);
    assert_eq!((mesh.report.components, mesh.report.border_edges), (2, 8));
    // A strip of five triangles with one twist.
    let points: Vec<[f64; 3]> =
        (0..5).map(|i| [f64::from(i).cos(), f64::from(i).sin(), f64::from(i % 2)]).collect();
    let strip = (0..5).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
    let mesh = clean(&points, strip);
    assert_eq!((mesh.report.one_sided_edges, warnings(&mesh)), (1, 2));
}

#[test]
fn coordinates_beyond_floats_are_told_as_such() {
    let sized = |size: f64| {
        let points = CUBE.iter().map(|point| point.map(|c| c * size)).collect();
        CleanMesh::new(&TriangleMesh::new(points, cube()).unwrap(), &Control::default())
    };
    let error = sized(1e300).unwrap_err();
    assert_eq!(error, MeshError::TooFar { point: 3, coordinate: 1e300 });
    assert!(error.to_string().contains("point 3 (counted from 0) lies at 1e300"), "{error}");
    let error = sized(1e-200).unwrap_err().to_string();
    assert!(error.contains("e-200 across"), "{error}");
    for size in [1e-30, 1e30] {
        assert_eq!(sized(size).unwrap().triangles, cube(), "{size}");
    }
    // A point that no face uses does not matter.
    let mut points = CUBE.to_vec();
    points.push([1e300; 3]);
    assert!(CleanMesh::new(&TriangleMesh::new(points, cube()).unwrap(), &Control::default()).is_ok());
}

/// The faces lie at one edge, like the pages of a book.
fn book(pages: usize) -> Result<CleanMesh, MeshError> {
    let turn = |page: usize| std::f64::consts::TAU * page as f64 / pages as f64;
    let outer = (0..pages).map(|page| [turn(page).cos(), turn(page).sin(), 0.5]);
    let points: Vec<_> = [[0.0; 3], [0.0, 0.0, 1.0]].into_iter().chain(outer).collect();
    let faces = (2..pages as u32 + 2).map(|page| [0, 1, page]).collect();
    CleanMesh::new(&TriangleMesh::new(points, faces).unwrap(), &Control::default())
}

#[test]
fn an_edge_of_many_faces_has_few_arcs() {
    let arcs = |pages| DualGraph::new(&book(pages).unwrap(), &Control::default()).unwrap().arcs.len();
    assert_eq!(arcs(32), 32 * 31 / 2);
    assert_eq!(arcs(1000), 999);
    let mesh = book(1000).unwrap();
    assert_eq!((mesh.report.components, mesh.report.crowded_edges), (1, 1));
    assert_eq!(book(20_000), Err(MeshError::Crowded { faces: 20_000, most: 1024 }));
}
