//! Lines of sight: for each arc of the dual graph how much of what lies around it on one side cannot see the other side through
//! the body.
//!
//! *Paper*: S. Asafi, A. Goren, D. Cohen-Or, "Weak Convex Decomposition by Lines-of-sight", CGF 32(5), 2013,
//! doi:10.1111/cgf.12169, section 3: parts are sets of points that see each other; O. van Kaick et al., "Shape Segmentation by
//! Approximate Convexity Analysis", ACM TOG 34(1), 2014, doi:10.1145/2611811.
//! *Method*: on both sides of an arc's edge a straight walk leads away over the surface, square to the edge (K. Polthier, M.
//! Schmies, "Straightest Geodesics on Polyhedral Surfaces", 1998); points at five distances of one walk look at those at alike
//! distances of the other, from a little below the surface to a little below the surface. An arc counts the share of these
//! lines that leave the body. A convex body counts nothing; a crease that bends inwards counts at every distance, a
//! wide valley at the large ones.
//! *Where we differ*: the papers look at all pairs of samples of a whole shape, and cluster them; here pairs are local, so
//! that the measure belongs to an arc, as angles do.
//! *Cost*: at most 13 rays an arc, which end at the first face they meet, and two walks.
//! *Limits*: where walks pass [`MANY_STEPS`] faces as a mean (fans of slivers), all end after [`FEW_STEPS`], and the lines of sight
//! that are left are short: else the time would grow with the square of the number of faces.

use crate::dual_graph::DualGraph;
use crate::neighbours::neighbours;
use crate::rays::{RayFindings, RayTree, Search};
use crate::vector::{Vector, cross, dot, length, minus, plus, unit};
use veloxel_core::{Control, Stopped};
use veloxel_gpu::Cpu;

/// Distances of the points on a walk from its edge, as shares of the reach.
const STOPS: [f64; 5] = [0.0625, 0.125, 0.25, 0.5, 1.0];
/// Depth of a point below its face, as a share of the line's length: bends of less than a few degrees then block nothing.
const BELOW: f64 = 0.03;
/// Greatest depth of a point below its face, as a share of the thickness, so that the points of a thin body stay inside.
const BELOW_THICKNESS: f64 = 0.25;
/// Most faces of a walk.
const STEPS: usize = 1024;
/// Walks that pass so many faces as a mean lead over slivers; over 100,000 faces of one size they pass about 30.
const MANY_STEPS: usize = 64;
/// Most faces of a walk over slivers.
const FEW_STEPS: usize = 128;
/// Arcs from which walks are tried for that mean.
const TRIED: usize = 128;
/// What the rays of an arc cost beside copying a number, for the split over threads.
const COST: usize = 10_000;
/// A point of the surface, and the face that it lies on.
type Place = (Vector, usize);

/// The share of lines of sight across each arc that are blocked, 0 to 1.
///
/// `thickness` is the shape diameter of each face, and `reach` how far walks go, both in units of the square root of the mesh's
/// area, as the graph's lengths are.
///
/// # Errors
/// [`Stopped`].
pub(crate) fn blocked_sight(
    graph: &DualGraph,
    thickness: &[f64],
    reach: f64,
    cpu: &Cpu,
) -> Result<RayFindings, Stopped> {
    let sight = Sight::new(graph, thickness, reach, cpu.control())?;
    RayFindings::of_each(graph.arcs.len(), COST, cpu, |arc, search| {
        sight.across(graph.arcs[arc].faces, reach, search)
    })
}

struct Sight<'a> {
    graph: &'a DualGraph,
    thickness: &'a [f64],
    tree: RayTree,
    /// Neighbours of each face, in the order of the arcs.
    neighbours: Vec<Vec<(u32, ())>>,
    /// Most faces of a walk.
    most_steps: usize,
}

/// A straight walk over the surface.
struct Walk {
    /// The points at [`STOPS`]; none behind the surface's border.
    stops: [Option<Place>; STOPS.len()],
    /// Faces that it passed.
    steps: usize,
}

impl<'a> Sight<'a> {
    /// A surface to walk over, and how far walks of this reach go.
    fn new(
        graph: &'a DualGraph,
        thickness: &'a [f64],
        reach: f64,
        control: &Control,
    ) -> Result<Self, Stopped> {
        let neighbours = neighbours(graph.faces(), graph.arcs.iter().map(|arc| (arc.faces, ())));
        let tree = RayTree::new(&graph.corners, control)?;
        let mut sight = Self { graph, thickness, tree, neighbours, most_steps: STEPS };
        if sight.mean_steps(reach) > MANY_STEPS {
            sight.most_steps = FEW_STEPS;
        }
        Ok(sight)
    }

    /// The share of lines between the two walks that are blocked.
    fn across(&self, faces: [u32; 2], reach: f64, search: &mut Search) -> f64 {
        let [a, b] = faces.map(|face| face as usize);
        let Some(edge) = self.shared_edge(a, b) else { return 0.0 };
        let [here, there] = [a, b].map(|face| self.walk(face, edge, reach).stops);
        let (mut blocked, mut lines) = (0u32, 0u32);
        for (nth, from) in here.iter().enumerate() {
            for to in &there[nth.saturating_sub(1)..(nth + 2).min(there.len())] {
                if let (Some(from), Some(to)) = (from, to) {
                    lines += 1;
                    blocked += u32::from(self.is_blocked(*from, *to, search));
                }
            }
        }
        f64::from(blocked) / f64::from(lines.max(1))
    }

    /// How many faces walks pass, as a mean over arcs that are spread over the mesh.
    fn mean_steps(&self, reach: f64) -> usize {
        let (mut steps, mut walks) = (0, 0);
        for arc in self.graph.arcs.iter().step_by(self.graph.arcs.len().div_ceil(TRIED).max(1)) {
            let [a, b] = arc.faces.map(|face| face as usize);
            if let Some(edge) = self.shared_edge(a, b) {
                steps += self.walk(a, edge, reach).steps;
                walks += 1;
            }
        }
        steps / walks.max(1)
    }

    /// The straight walk from the middle of an edge over a face.
    fn walk(&self, face: usize, edge: [Vector; 2], reach: f64) -> Walk {
        let (mut stops, mut steps) = ([None; STOPS.len()], 0);
        let [u, v] = edge.map(|end| end.map(|c| 0.5 * c));
        let (mut at, mut face, mut edge, mut gone, mut next) = (plus(u, 1.0, v), face, edge, 0.0, 0);
        let mut direction = self.into(face, edge);
        while steps < self.most_steps {
            steps += 1;
            let Some((length, exit)) = self.exit(face, edge, at, direction) else { break };
            while next < STOPS.len() && STOPS[next] * reach <= gone + length {
                stops[next] = Some((plus(at, STOPS[next] * reach - gone, direction), face));
                next += 1;
            }
            let [u, v] = exit;
            let beyond = self.neighbours[face].iter().find(|(other, ())| self.has(*other as usize, exit));
            let Some(&(beyond, ())) = beyond.filter(|_| next < STOPS.len()) else { break };
            (at, gone) = (plus(at, length, direction), gone + length);
            (face, edge) = (beyond as usize, exit);
            // The same angle to the edge on its other side.
            let along = unit(minus(v, u));
            let share = dot(direction, along).clamp(-1.0, 1.0);
            let square = self.into(face, exit).map(|c| c * (1.0 - share * share).sqrt());
            direction = plus(square, share, along);
        }
        Walk { stops, steps }
    }

    /// The distance to the edge through which a walk leaves a face, and that edge; none where the face has no area.
    fn exit(
        &self,
        face: usize,
        entry: [Vector; 2],
        at: Vector,
        direction: Vector,
    ) -> Option<(f64, [Vector; 2])> {
        let [a, b, c] = self.graph.corners[face];
        let mut first: Option<(f64, [Vector; 2])> = None;
        for edge in [[a, b], [b, c], [c, a]] {
            let is_entry = entry.iter().all(|end| edge.contains(end));
            let inwards = self.into(face, edge);
            let speed = -dot(direction, inwards);
            if !is_entry && speed > 0.0 {
                let length = (dot(minus(at, edge[0]), inwards) / speed).max(0.0);
                if first.is_none_or(|first| length < first.0) {
                    first = Some((length, edge));
                }
            }
        }
        first
    }

    /// The direction within a face's plane that is square to one of its edges, inwards.
    fn into(&self, face: usize, [u, v]: [Vector; 2]) -> Vector {
        let square = unit(cross(self.graph.normals[face], minus(v, u)));
        if dot(square, minus(self.graph.centres[face], u)) < 0.0 { square.map(|c| -c) } else { square }
    }

    /// The edge that two faces share. Corners of one point are the same numbers.
    fn shared_edge(&self, a: usize, b: usize) -> Option<[Vector; 2]> {
        let [p, q, r] = self.graph.corners[a];
        [[p, q], [q, r], [r, p]].into_iter().find(|&edge| self.has(b, edge))
    }

    fn has(&self, face: usize, edge: [Vector; 2]) -> bool {
        edge.iter().all(|end| self.graph.corners[face].contains(end))
    }

    fn is_blocked(&self, from: Place, to: Place, search: &mut Search) -> bool {
        let distance = length(minus(to.0, from.0));
        let below = |(point, face): Place| {
            let depth = (BELOW * distance).min(BELOW_THICKNESS * self.thickness[face]);
            plus(point, -depth, self.graph.normals[face])
        };
        let origin = below(from);
        self.tree.is_met(origin, minus(below(to), origin), search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaning::CleanMesh;
    use crate::dual_graph::DualArc;
    use crate::shape_diameter::shape_diameter;
    use veloxel_core::TriangleMesh;

    /// A closed body of revolution around z: radii at equal steps of z from −1 to 1, between two poles.
    fn turned(radius: impl Fn(f64) -> f64) -> DualGraph {
        let (rings, sectors) = (40u32, 32u32);
        let mut points = vec![[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
        for ring in 1..rings {
            let z = 2.0 * f64::from(ring) / f64::from(rings) - 1.0;
            points.extend((0..sectors).map(|sector| {
                let turn = std::f64::consts::TAU * f64::from(sector) / f64::from(sectors);
                [radius(z) * turn.cos(), radius(z) * turn.sin(), z]
            }));
        }
        let at = |ring: u32, sector: u32| 2 + (ring - 1) * sectors + sector % sectors;
        let mut triangles = Vec::new();
        for sector in 0..sectors {
            triangles.push([0, at(1, sector + 1), at(1, sector)]);
            triangles.push([1, at(rings - 1, sector), at(rings - 1, sector + 1)]);
            for ring in 1..rings - 1 {
                let [a, b] = [at(ring, sector), at(ring, sector + 1)];
                let [c, d] = [at(ring + 1, sector), at(ring + 1, sector + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        DualGraph::new(
            &CleanMesh::new(&TriangleMesh::new(points, triangles).unwrap(), &Control::default()).unwrap(),
            &Control::default(),
        )
        .unwrap()
    }

    fn blocked(graph: &DualGraph, reach: f64, threads: usize) -> Vec<f64> {
        let cpu = Cpu::new(threads).unwrap();
        blocked_sight(graph, &shape_diameter(graph, &cpu).unwrap().values, reach, &cpu).unwrap().values
    }

    /// The mean over arcs within these heights.
    fn mean(graph: &DualGraph, blocked: &[f64], heights: std::ops::Range<f64>) -> f64 {
        let of_arc = |arc: &DualArc| graph.centres[arc.faces[0] as usize][2].abs();
        let top = graph.centres.iter().map(|centre| centre[2]).fold(0.0, f64::max);
        let inside = graph.arcs.iter().zip(blocked).filter(|(arc, _)| heights.contains(&(of_arc(arc) / top)));
        let values: Vec<f64> = inside.map(|(_, &blocked)| blocked).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn nothing_is_blocked_in_a_convex_body() {
        let graph = turned(|z| 0.6 * (1.0 - z * z).sqrt());
        assert!(blocked(&graph, 0.2, 1).iter().all(|&share| share == 0.0));
    }

    /// A cone of so many slivers.
    fn cone(count: u32) -> DualGraph {
        let turn = |nth: u32| std::f64::consts::TAU * f64::from(nth) / f64::from(count);
        let mut points = vec![[0.0, 0.0, 3.0]];
        points.extend((0..count).map(|nth| [turn(nth).cos(), turn(nth).sin(), 0.0]));
        let triangles = (0..count).map(|nth| [0, 1 + nth, 1 + (nth + 1) % count]).collect();
        let mesh = CleanMesh::new(&TriangleMesh::new(points, triangles).unwrap(), &Control::default());
        DualGraph::new(&mesh.unwrap(), &Control::default()).unwrap()
    }

    #[test]
    fn walks_over_slivers_are_short_and_others_are_not() {
        let most = |graph: &DualGraph| {
            let thickness = vec![1.0; graph.faces()];
            Sight::new(graph, &thickness, 0.05, &Control::default()).unwrap().most_steps
        };
        assert_eq!(most(&turned(|z| 0.6 * (1.0 - z * z).sqrt())), STEPS);
        assert_eq!(most(&cone(400)), STEPS);
        assert_eq!([4_000, 40_000].map(|count| most(&cone(count))), [FEW_STEPS; 2]);
    }

    #[test]
    fn the_waist_of_a_body_blocks_and_its_ends_do_not() {
        // Two cones of balls that meet in a sharp waist at z = 0.
        let graph = turned(|z| 0.15 + 0.5 * (z.abs() * (1.0 - z.abs())).sqrt());
        let found = blocked(&graph, 0.2, 1);
        assert!(found.iter().all(|share| (0.0..=1.0).contains(share)));
        let [waist, ends] = [0.0..0.06, 0.6..1.1].map(|heights| mean(&graph, &found, heights));
        assert!(waist > 0.15 && ends == 0.0, "{waist} {ends}");
        assert_eq!(found, blocked(&graph, 0.2, 3), "any number of threads");
    }

    #[test]
    fn a_wide_valley_blocks_within_a_wide_reach_alone() {
        let graph = turned(|z| 0.5 + 0.4 * z * z);
        let sum = |reach: f64| blocked(&graph, reach, 1).iter().sum::<f64>();
        assert_eq!(sum(0.02), 0.0);
        assert!(sum(0.3) > 100.0, "{}", sum(0.3));
    }
}
