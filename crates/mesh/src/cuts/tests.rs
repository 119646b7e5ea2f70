//! Bodies whose parts are known, and trees that keep their promises.

use super::*;
use crate::cleaning::CleanMesh;
use crate::connected_parts::connected_parts;
use veloxel_core::{Control, TriangleMesh};

/// Two spheres of `rings` rings with a waist between them.
fn dumb_bell(rings: u32, around: u32) -> TriangleMesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for ring in 0..=rings {
        let t = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        // Thin in the middle, closed at both ends.
        let radius = t.sin() * (0.15 + 1.4 * t.cos().powi(2));
        for step in 0..around {
            let turn = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            points.push([radius * turn.cos(), radius * turn.sin(), -2.0 * t.cos()]);
        }
    }
    let at = |ring: u32, step: u32| ring * around + step % around;
    for ring in 0..rings {
        for step in 0..around {
            let corners = [at(ring, step), at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step)];
            triangles.push([corners[0], corners[1], corners[2]]);
            triangles.push([corners[0], corners[2], corners[3]]);
        }
    }
    TriangleMesh::new(points, triangles).unwrap()
}

/// Beyond this height a face belongs to a sphere, in √area.
const BELL: f64 = 0.17;

fn graph(mesh: &TriangleMesh) -> DualGraph {
    DualGraph::new(&CleanMesh::new(mesh, &Control::default()).unwrap(), &Control::default()).unwrap()
}

#[test]
fn a_dumb_bell_is_cut_at_its_waist() {
    let graph = graph(&dumb_bell(40, 24));
    let found = cuts(&graph, &CutsParams::default(), &Cpu::new(1).unwrap()).unwrap();
    let labels = found.hierarchy.labels(2);
    let is_below = |face: usize| graph.centres[face][2] < 0.0;
    let ends = (0..graph.faces()).filter(|&face| graph.centres[face][2].abs() > BELL);
    assert!(ends.into_iter().all(|face| (labels[face] == labels[0]) == is_below(face)));
}

#[test]
fn trees_are_the_same_for_any_number_of_threads() {
    let graph = graph(&dumb_bell(16, 10));
    let [one, three] =
        [1, 3].map(|threads| cuts(&graph, &CutsParams::default(), &Cpu::new(threads).unwrap()).unwrap());
    assert_eq!(one, three);
}

#[test]
fn the_tree_above_parts_is_the_one_that_they_come_from() {
    let (graph, params) = (graph(&dumb_bell(16, 10)), CutsParams::default());
    let found = cuts(&graph, &params, &Cpu::new(1).unwrap()).unwrap();
    let labels = found.hierarchy.labels(9);
    let top = found.tree_above(&graph, &labels, &params, &Control::default()).unwrap();
    assert_eq!((top.merges.len(), top.faces.len()), (8, 9));
    let mut name: Vec<u32> = (0..9).collect();
    for (nth, [kept, joined]) in top.merges.iter().enumerate() {
        name.iter_mut().filter(|name| **name == *joined).for_each(|name| *name = *kept);
        let joined: Vec<u32> = labels.iter().map(|&label| name[label as usize]).collect();
        assert_eq!(crate::numbered::numbered(&joined), found.hierarchy.labels(8 - nth));
    }
}

#[test]
fn merges_of_coarse_parts_cost_what_they_cost_the_tree() {
    let (graph, params) = (graph(&dumb_bell(16, 10)), CutsParams::default());
    let found = cuts(&graph, &params, &Cpu::new(1).unwrap()).unwrap();
    let top = found.hierarchy.top(12);
    let parts =
        found.agglomeration(&graph, &top.labels, &found.cut_costs, &params, &Control::default()).unwrap();
    let costs = parts.merge_costs(&top.merges);
    let of_tree = &found.hierarchy.merges()[graph.faces() - 12..];
    assert_eq!(costs.len(), 11);
    for (cost, merge) in costs.iter().zip(of_tree) {
        assert!((cost - merge.cost).abs() < 1e-9 * merge.cost.abs().max(1.0), "{cost} for {}", merge.cost);
    }
}

#[test]
fn roughness_makes_no_more_parts() {
    let mut rough = dumb_bell(40, 24);
    let bumps = rough.points().iter().enumerate();
    let points = bumps.map(|(nth, point)| point.map(|c| c * (1.0 + 0.02 * (nth % 2) as f64))).collect();
    rough = TriangleMesh::new(points, rough.triangles().to_vec()).unwrap();
    let (graph, params) = (graph(&rough), CutsParams::default());
    let found = cuts(&graph, &params, &Cpu::new(1).unwrap()).unwrap();
    let count =
        |found: &Cuts| found.parts(&graph, PartCount::Chosen, &params, &Control::default()).unwrap().count;
    let by_sight = Cuts { bend_costs: found.cut_costs.clone(), ..found.clone() };
    assert!(count(&found) < count(&by_sight), "{} and {}", count(&found), count(&by_sight));
}

#[test]
fn trees_nest_and_levels_tell_where_arcs_are_cut() {
    let graph = graph(&dumb_bell(12, 8));
    let tree = cuts(&graph, &CutsParams::default(), &Cpu::new(1).unwrap()).unwrap().hierarchy;
    let levels = tree.levels(&graph.arcs);
    for parts in [1, 2, 7, 40] {
        let labels = tree.labels(parts);
        assert_eq!(labels.iter().max(), Some(&(parts as u32 - 1)));
        assert_eq!(
            connected_parts(&graph, &labels, 0.0, &Control::default()).unwrap(),
            labels,
            "parts are connected"
        );
        for (arc, level) in graph.arcs.iter().zip(&levels) {
            let [a, b] = arc.faces.map(|face| labels[face as usize]);
            assert_eq!(a != b, *level as usize <= parts, "{parts} parts, level {level}");
        }
    }
    assert_eq!(tree.fewest_parts(), 1);
}

#[test]
fn small_and_stray_pieces_join_a_neighbour() {
    let graph = graph(&dumb_bell(12, 8));
    let mut labels = vec![0; graph.faces()];
    labels[3] = 1;
    labels[90] = 1;
    let joined = connected_parts(&graph, &labels, 0.0, &Control::default()).unwrap();
    assert_eq!(joined.iter().filter(|&&label| label == 1).count(), 1, "one of both pieces");
    assert!(
        connected_parts(&graph, &labels, 0.02, &Control::default()).unwrap().iter().all(|&label| label == 0)
    );
}

#[test]
fn the_number_of_parts_is_chosen_or_refused() {
    let graph = graph(&dumb_bell(40, 24));
    let (params, cpu) = (CutsParams::default(), Cpu::new(1).unwrap());
    let found = cuts(&graph, &params, &cpu).unwrap();
    let chosen = found.parts(&graph, PartCount::Chosen, &params, &Control::default()).unwrap();
    assert!((2..=4).contains(&chosen.count), "{}", chosen.count);
    let two = found.parts(&graph, PartCount::Given(2), &params, &Control::default()).unwrap();
    let at_waist = (0..graph.faces()).min_by(|&a, &b| two.certainty[a].total_cmp(&two.certainty[b])).unwrap();
    assert!(graph.centres[at_waist][2].abs() < BELL, "the waist is least certain");
    for asked in [0, graph.faces() + 1] {
        let error = found
            .parts(&graph, PartCount::Given(asked), &params, &Control::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("{asked} parts of {} faces", graph.faces())), "{error}");
    }
    assert_eq!(
        found
            .parts(
                &graph,
                PartCount::Given(graph.faces()),
                &CutsParams { least_area: 0.0, ..params },
                &Control::default()
            )
            .unwrap()
            .count,
        graph.faces()
    );
}
