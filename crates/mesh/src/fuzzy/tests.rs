//! Parts around medoids, on bodies whose parts are known.

use super::*;
use crate::{CleanMesh, shape_diameter};
use veloxel_core::TriangleMesh;
use veloxel_gpu::Cpu;

/// An L of two flat strips of squares that meet in a concave edge.
fn corner(squares: u32) -> DualGraph {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for along in 0..=2 * squares {
        let place = f64::from(along) - f64::from(squares);
        for across in 0..=2 {
            points.push([place.max(0.0), f64::from(across), (-place).max(0.0)]);
        }
    }
    for along in 0..2 * squares {
        for across in 0..2 {
            let a = 3 * along + across;
            triangles.extend([[a, a + 3, a + 4], [a, a + 4, a + 1]]);
        }
    }
    DualGraph::new(&CleanMesh::new(&TriangleMesh::new(points, triangles).unwrap()).unwrap())
}

fn found(graph: &DualGraph, seeds: Seeds<'_>, params: &FuzzyParams, threads: usize) -> FuzzyClusters {
    let device = Device::cpu(threads).unwrap();
    let thickness = shape_diameter(graph, &Cpu::new(1).unwrap());
    let weights = face_distances(graph, &thickness, params);
    fuzzy_clustering(graph, &weights, seeds, params, &device).unwrap()
}

#[test]
fn a_corner_is_cut_along_its_edge() {
    let graph = corner(12);
    for samples in [0, 40] {
        let params = FuzzyParams { samples, ..FuzzyParams::default() };
        let clusters = found(&graph, Seeds::Farthest(2), &params, 1);
        let half = graph.faces() / 2;
        assert!(clusters.labels[..half].iter().all(|&label| label == 0), "{samples}");
        assert!(clusters.labels[half..].iter().all(|&label| label == 1), "{samples}");
        for face in 0..graph.faces() {
            let sum: f64 = clusters.probabilities(face).iter().sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
        let certainty = clusters.certainty();
        assert!(certainty[half] < certainty[clusters.medoids[1] as usize]);
        assert_eq!(clusters, found(&graph, Seeds::Farthest(2), &params, 3), "any number of threads");
    }
}

#[test]
fn parts_seed_medoids_and_flat_meshes_have_no_angles() {
    // All in one plane: neither angle nor thickness differs.
    let points = (0..=30).flat_map(|x| [[f64::from(x), 0.0, 0.0], [f64::from(x), 1.0, 0.0]]).collect();
    let square = |x: u32| [[2 * x, 2 * x + 2, 2 * x + 3], [2 * x, 2 * x + 3, 2 * x + 1]];
    let mesh = TriangleMesh::new(points, (0..30).flat_map(square).collect()).unwrap();
    let graph = DualGraph::new(&CleanMesh::new(&mesh).unwrap());
    let seeds: Vec<u32> = (0..60).map(|face| u32::from(face >= 20)).collect();
    let clusters = found(&graph, Seeds::Parts(&seeds), &FuzzyParams::default(), 1);
    assert_eq!(clusters.parts(), 2);
    let first = clusters.labels.iter().filter(|&&label| label == 0).count();
    assert!((24..=36).contains(&first), "halves of a strip: {first}");
    let device = Device::cpu(1).unwrap();
    let weights = vec![1.0; graph.arcs.len()];
    for count in [0, 61] {
        let error =
            fuzzy_clustering(&graph, &weights, Seeds::Farthest(count), &FuzzyParams::default(), &device);
        assert!(matches!(error, Err(MeshError::Parts { faces: 60, .. })), "{error:?}");
    }
}
