//! Parts around medoids, on bodies whose parts are known.

use super::*;
use crate::cleaning::CleanMesh;
use crate::cuts::{CutsParams, cuts};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Control, Dimension, TriangleMesh};
use veloxel_gpu::Cpu;
use veloxel_testkit::on_every_device;

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
    DualGraph::new(
        &CleanMesh::new(&TriangleMesh::new(points, triangles).unwrap(), &Control::default()).unwrap(),
        &Control::default(),
    )
    .unwrap()
}

fn found(graph: &DualGraph, seeds: MedoidSeeds<'_>, params: &FuzzyParams, threads: usize) -> FuzzyClusters {
    let device = Device::cpu(threads).unwrap();
    let trees = cuts(graph, &CutsParams::default(), &Cpu::new(1).unwrap()).unwrap();
    let weights = ArcWeights::new(graph, &trees, params, &Cpu::new(threads).unwrap()).unwrap();
    fuzzy_clustering(graph, &weights, seeds, params, &device).unwrap()
}

#[test]
fn a_corner_is_cut_along_its_edge() {
    let graph = corner(12);
    for sharpness in [1.0, 6.0] {
        let params = FuzzyParams { sharpness, ..FuzzyParams::default() };
        let clusters = found(&graph, MedoidSeeds::Farthest(2), &params, 1);
        let half = graph.faces() / 2;
        assert!(clusters.labels[..half].iter().all(|&label| label == 0), "{sharpness}");
        assert!(clusters.labels[half..].iter().all(|&label| label == 1), "{sharpness}");
        for face in 0..graph.faces() {
            let sum: f64 = clusters.probabilities(face).iter().sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
        let certainty = clusters.certainty(&Control::default()).unwrap();
        assert!(certainty[half] < certainty[clusters.medoids[1] as usize]);
        assert_eq!(clusters, found(&graph, MedoidSeeds::Farthest(2), &params, 3), "any number of threads");
    }
}

#[test]
fn medoids_are_the_best_of_all_faces() {
    let (graph, device) = (corner(100), Device::cpu(2).unwrap());
    let faces = graph.faces();
    let weights: Vec<f32> = (0..graph.arcs.len()).map(|arc| 1.0 + (arc * arc % 7) as f32).collect();
    let paths = ShortestPaths::open(
        &graph.weighted(&weights, &Control::default()).unwrap(),
        DistanceRequest::default(),
        &device,
    )
    .unwrap();
    let mut search = MedoidSearch::new(&graph, &paths, &device).unwrap();
    let medoids = [30, 140, 700];
    let around = search.around(&medoids, 2.0).unwrap();
    let found = search.update(&medoids, &around).unwrap();
    let (shares, all) = (device.read(&around.weights).unwrap(), (0..faces as u32).collect::<Vec<_>>());
    let ways = paths.distances_from(&all).unwrap();
    let sum = |face: usize, part: usize| -> f64 {
        let terms = ways[face * faces..][..faces].iter().zip(&shares[part * faces..][..faces]);
        terms.map(|(&way, &share)| f64::from(way) * f64::from(share)).sum()
    };
    for (part, &medoid) in found.iter().enumerate() {
        assert_eq!(around.labels[medoid as usize], part as u32);
        let own = (0..faces).filter(|&face| around.labels[face] == part as u32);
        let least = own.map(|face| sum(face, part)).fold(f64::INFINITY, f64::min);
        assert!(
            sum(medoid as usize, part) <= least * (1.0 + 1e-5),
            "{part}: {} {least}",
            sum(medoid as usize, part)
        );
    }
    let middle = search.middle().unwrap() as usize;
    assert!(middle.abs_diff(faces / 2) < 20, "{middle}");
}

#[test]
fn blocked_sight_makes_ways_longer_across_the_corner_alone() {
    let graph = corner(12);
    let trees = cuts(&graph, &CutsParams::default(), &Cpu::new(1).unwrap()).unwrap();
    let ways = |sight_weight: f64| {
        let params = FuzzyParams { sight_weight, vote_weight: 0.0, ..FuzzyParams::default() };
        ArcWeights::new(&graph, &trees, &params, &Cpu::new(1).unwrap()).unwrap().ways
    };
    let (without, with) = (ways(0.0), ways(5.0));
    let longer: Vec<f32> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    let half = graph.faces() as u32 / 2;
    for (arc, &longer) in graph.arcs.iter().zip(&longer) {
        let [a, b] = arc.faces;
        if (a < half) != (b < half) {
            assert!(longer > 0.0, "{arc:?} {longer}");
        }
    }
    let far = graph.arcs.iter().zip(&longer).filter(|(arc, _)| arc.faces.iter().all(|&face| face < half / 3));
    assert!(far.map(|(_, longer)| longer.abs()).fold(0.0, f32::max) < 1e-6);
}

on_every_device! {
    fn clusters_are_those_of_the_processor(device: &Device) {
        let graph = corner(40);
        let params = FuzzyParams::default();
        let ways: Vec<f32> = (0..graph.arcs.len()).map(|arc| 1.0 + (arc * arc % 7) as f32).collect();
        let cut_costs = ways.iter().map(|&way| f64::from(way)).collect();
        let weights = ArcWeights { cut_costs, ways, rays_given_up: 0 };
        let clusters = |device: &Device| {
            fuzzy_clustering(&graph, &weights, MedoidSeeds::Farthest(5), &params, device).unwrap()
        };
        assert_eq!(clusters(device), clusters(&Device::cpu(1).unwrap()));
    }
}

#[test]
fn parts_seed_medoids_and_flat_meshes_have_no_angles() {
    // All in one plane: neither angle nor thickness differs.
    let points = (0..=30).flat_map(|x| [[f64::from(x), 0.0, 0.0], [f64::from(x), 1.0, 0.0]]).collect();
    let square = |x: u32| [[2 * x, 2 * x + 2, 2 * x + 3], [2 * x, 2 * x + 3, 2 * x + 1]];
    let mesh = TriangleMesh::new(points, (0..30).flat_map(square).collect()).unwrap();
    let graph =
        DualGraph::new(&CleanMesh::new(&mesh, &Control::default()).unwrap(), &Control::default()).unwrap();
    let seeds: Vec<u32> = (0..60).map(|face| u32::from(face >= 20)).collect();
    let clusters = found(&graph, MedoidSeeds::Parts(&seeds), &FuzzyParams::default(), 1);
    assert_eq!(clusters.parts(), 2);
    let first = clusters.labels.iter().filter(|&&label| label == 0).count();
    assert!((22..=38).contains(&first), "about halves of a strip: {first}");
    let device = Device::cpu(1).unwrap();
    let arcs = graph.arcs.len();
    let weights = ArcWeights { ways: vec![1.0; arcs], cut_costs: vec![1.0; arcs], rays_given_up: 0 };
    for count in [0, 61] {
        let error = fuzzy_clustering(
            &graph,
            &weights,
            MedoidSeeds::Farthest(count),
            &FuzzyParams::default(),
            &device,
        );
        assert!(matches!(error, Err(MeshError::Parts { faces: 60, .. })), "{error:?}");
    }
}

#[test]
fn lengths_without_clusters_are_those_of_clusters() {
    let (graph, cpu) = (corner(12), Cpu::new(2).unwrap());
    let trees = cuts(&graph, &CutsParams::default(), &cpu).unwrap();
    let declared: Vec<&str> = FuzzyParams::DECLARATIONS.iter().map(|one| one.name).collect();
    assert!(LENGTH_PARAMETERS.iter().all(|name| declared.contains(name)));
    for preset in [FuzzyPreset::Standard, FuzzyPreset::Paper] {
        for (sight_weight, vote_weight) in [(0.0, 0.0), (5.0, 0.0), (0.0, 4.0)] {
            let own = FuzzyParams::preset(preset, Dimension::Three);
            let params = FuzzyParams { sight_weight, vote_weight, ..own };
            let weights = ArcWeights::new(&graph, &trees, &params, &cpu).unwrap();
            assert_eq!(arc_lengths(&graph, &params, &cpu).unwrap().ways, weights.ways);
            let other =
                FuzzyParams { sharpness: 3.0, iterations: 1, band: 0.2, part_worth: 9.0, ..params.clone() };
            assert_eq!(arc_lengths(&graph, &other, &cpu).unwrap().ways, weights.ways);
        }
    }
}
