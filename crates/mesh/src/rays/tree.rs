//! The first triangle that a ray meets, or whether it meets any: a tree of boxes, split at the median along the axis on which the
//! triangles' middles lie furthest apart.
//!
//! Boxes along the axes of space are as wide as a sliver is long where it lies obliquely, so that a ray meets all of them: nodes of
//! slivers have a turned box besides ([`TurnedBox`]).
//! What no box tells apart (random needles, heaps of large faces through each other) costs a ray as many steps as there are
//! faces: after [`MOST_STEPS`] it is given up, and counted, so that the time of all rays is linear whatever the mesh.
//!
//! Own code, since a crate for it (obvhs, parry3d) brings a dozen others along for a search that takes a tenth of a run.

use super::ray::Ray;
use super::turned_box::{TurnedBox, half_surface, slabs_are_met, volume_of};
use crate::vector::{Vector, bounds, cross, dot, length, minus};
use veloxel_core::{Control, Stopped};

/// Triangles in a tree of boxes.
pub(crate) struct RayTree {
    nodes: Vec<Node>,
    turned: Vec<TurnedBox>,
    /// Triangles in the order of the leaves, each with its number.
    triangles: Vec<(u32, [Vector; 3])>,
    /// Volume of the box around all of them.
    volume: f64,
    /// By how much boxes are wider than what they hold, so that rounding never hides a triangle from a ray.
    margin: f64,
}

struct Node {
    low: Vector,
    high: Vector,
    /// Which turned box the node has besides, or [`NONE`].
    turned: u32,
    inside: Inside,
}

enum Inside {
    /// The axis of the split, and the second child; the first follows its parent.
    Children { axis: usize, second: usize },
    /// Places among the triangles.
    Leaf { first: usize, end: usize },
}

/// What the rays of a thread share: memory, and a count.
#[derive(Default)]
pub(crate) struct Search {
    stack: Vec<usize>,
    /// Rays that took too many steps, and have no answer.
    pub given_up: usize,
}

const NONE: u32 = u32::MAX;
const LEAF: usize = 4;
/// Boxes and triangles that a ray is compared with before it is given up.
const MOST_STEPS: usize = 2048;
/// Smaller branches are built within some milliseconds, and do not ask whether to go on.
const ASKS_ABOVE: usize = 1 << 12;
/// Width added to boxes, as a share of the mesh's size.
const MARGIN: f64 = 1e-12;
/// A box of so many times the area of its triangles holds slivers.
const OF_SLIVERS: f64 = 12.0;
/// A turned box pays where its surface is below this share of the other's.
const PAYS_BELOW: f64 = 0.3;
/// Boxes that fill the mesh's box so many times over hold sheets that lie close upon each other: a surface fills it once at most.
const OF_STACKS: f64 = 4.0;
/// Among stacked sheets a turned box pays where its volume is below this share of the other's.
const PAYS_BELOW_VOLUME: f64 = 0.1;

impl RayTree {
    pub fn new(corners: &[[Vector; 3]], control: &Control) -> Result<Self, Stopped> {
        let triangles = (0..).zip(corners.iter().copied()).collect();
        let [low, high] = bounds(corners.iter().flatten().copied());
        let margin = MARGIN * (1.0 + length(minus(high, low)));
        let nodes = Vec::with_capacity(corners.len());
        let mut tree = Self { nodes, turned: Vec::new(), triangles, volume: volume_of(low, high), margin };
        tree.build(0, corners.len(), control)?;
        Ok(tree)
    }

    /// The distance to the first triangle, in lengths of the direction, and its number.
    pub fn first(&self, ray: &Ray, search: &mut Search) -> Option<(f64, u32)> {
        let inverse = ray.direction.map(|d| 1.0 / d);
        let (mut best, mut steps): (Option<(f64, u32)>, usize) = (None, 0);
        search.stack.clear();
        search.stack.push(0);
        while let Some(at) = search.stack.pop() {
            steps += 1;
            if steps > MOST_STEPS {
                search.given_up += 1;
                return None;
            }
            let node = &self.nodes[at];
            let nearest = best.map_or(f64::INFINITY, |(t, _)| t);
            if !self.meets(node, ray, inverse, nearest) {
                continue;
            }
            match node.inside {
                Inside::Children { axis, second } if ray.direction[axis] >= 0.0 => {
                    search.stack.extend([second, at + 1]);
                }
                Inside::Children { second, .. } => search.stack.extend([at + 1, second]),
                Inside::Leaf { first, end } => {
                    steps += end - first;
                    for (number, corners) in &self.triangles[first..end] {
                        let met = (*number != ray.from).then(|| meet(ray, corners)).flatten();
                        // Of triangles at one distance the first by number, whatever the tree's order.
                        if let Some(t) = met
                            && best.is_none_or(|best| (t, *number) < best)
                        {
                            best = Some((t, *number));
                        }
                    }
                }
            }
        }
        best
    }

    /// Whether the line from `origin` by `towards` meets any triangle before it ends; not, where that takes too many steps.
    pub(crate) fn is_met(&self, origin: Vector, towards: Vector, search: &mut Search) -> bool {
        let ray = Ray { origin, direction: towards, from: u32::MAX };
        let (inverse, mut steps) = (towards.map(|d| 1.0 / d), 0);
        search.stack.clear();
        search.stack.push(0);
        while let Some(at) = search.stack.pop() {
            steps += 1;
            if steps > MOST_STEPS {
                search.given_up += 1;
                return false;
            }
            let node = &self.nodes[at];
            if !self.meets(node, &ray, inverse, 1.0) {
                continue;
            }
            match node.inside {
                Inside::Children { second, .. } => search.stack.extend([second, at + 1]),
                Inside::Leaf { first, end } => {
                    steps += end - first;
                    let mut triangles = self.triangles[first..end].iter();
                    if triangles.any(|(_, corners)| meet(&ray, corners).is_some_and(|t| t < 1.0)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether a ray meets the boxes of a node before it has gone so far.
    fn meets(&self, node: &Node, ray: &Ray, inverse: Vector, limit: f64) -> bool {
        slabs_are_met([node.low, node.high], ray.origin, inverse, limit)
            && (node.turned == NONE || self.turned[node.turned as usize].is_met(ray, limit))
    }

    /// Adds the node of the triangles at these places, and those below it.
    fn build(&mut self, first: usize, end: usize, control: &Control) -> Result<(), Stopped> {
        if end - first > ASKS_ABOVE {
            control.check()?;
        }
        let at = self.nodes.len();
        let node = self.node_of(first, end);
        self.nodes.push(node);
        if end - first <= LEAF {
            return Ok(());
        }
        let triangles = &mut self.triangles[first..end];
        let middle = |[a, b, c]: &[Vector; 3]| [0, 1, 2].map(|axis| a[axis] + b[axis] + c[axis]);
        let [low, high] = bounds(triangles.iter().map(|(_, corners)| middle(corners)));
        let side = minus(high, low);
        let axis = (0..3).fold(0, |longest, axis| if side[axis] > side[longest] { axis } else { longest });
        let half = triangles.len() / 2;
        triangles.select_nth_unstable_by(half, |a, b| {
            middle(&a.1)[axis].total_cmp(&middle(&b.1)[axis]).then(a.0.cmp(&b.0))
        });
        self.build(first, first + half, control)?;
        let second = self.nodes.len();
        self.build(first + half, end, control)?;
        self.nodes[at].inside = Inside::Children { axis, second };
        Ok(())
    }

    /// A leaf with the boxes of the triangles at these places.
    fn node_of(&mut self, first: usize, end: usize) -> Node {
        let triangles = &self.triangles[first..end];
        let points = triangles.iter().flat_map(|(_, corners)| *corners);
        let [low, high] = bounds(points.clone());
        let double_area = |[a, b, c]: &[Vector; 3]| length(cross(minus(*b, *a), minus(*c, *a)));
        let area = 0.5 * triangles.iter().map(|(_, corners)| double_area(corners)).sum::<f64>();
        let surface = half_surface(low, high);
        // As many boxes as this one as it takes to hold all triangles fill the mesh's box so many times.
        let nodes_alike = self.triangles.len() as f64 / (end - first) as f64;
        let is_stacked = volume_of(low, high) * nodes_alike > OF_STACKS * self.volume;
        let mut turned = NONE;
        if is_stacked || surface > OF_SLIVERS * area {
            let found = TurnedBox::around(points, self.margin);
            let pays = found.half_surface() < PAYS_BELOW * surface;
            if pays || is_stacked && found.volume() < PAYS_BELOW_VOLUME * volume_of(low, high) {
                turned = self.turned.len() as u32;
                self.turned.push(found);
            }
        }
        let [low, high] = [low.map(|c| c - self.margin), high.map(|c| c + self.margin)];
        Node { low, high, turned, inside: Inside::Leaf { first, end } }
    }
}

/// Möller and Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", 1997, both sides of the triangle.
fn meet(ray: &Ray, [a, b, c]: &[Vector; 3]) -> Option<f64> {
    let (ab, ac) = (minus(*b, *a), minus(*c, *a));
    let p = cross(ray.direction, ac);
    let determinant = dot(ab, p);
    if determinant == 0.0 {
        return None;
    }
    let from = minus(ray.origin, *a);
    let u = dot(from, p) / determinant;
    let q = cross(from, ab);
    let v = dot(ray.direction, q) / determinant;
    let t = dot(ac, q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{mean, plus};

    #[test]
    fn the_tree_finds_what_a_search_through_all_finds() {
        // Triangles from a hash of their numbers.
        let number = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1u64 << 24) as f64;
        let corners: Vec<[Vector; 3]> = (0..300)
            .map(|i| {
                [0, 1, 2].map(|k| {
                    [0, 1, 2].map(|axis| number(9 * i + axis) + 0.2 * number(9 * i + 3 * k + axis + 7000))
                })
            })
            .collect();
        let tree = RayTree::new(&corners, &Control::default()).unwrap();
        let (mut met, mut near) = (0, 0);
        for r in 0..200 {
            let direction = [0, 1, 2].map(|axis| number(r * 3 + axis + 90_000) - 0.5);
            let ray = Ray { origin: [0.6; 3], direction, from: 5 };
            let all = (0..).zip(&corners).filter(|(n, _)| *n != 5);
            let expected =
                all.filter_map(|(n, c)| Some((meet(&ray, c)?, n))).min_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(tree.first(&ray, &mut Search::default()), expected);
            let is_near = corners.iter().any(|c| meet(&ray, c).is_some_and(|t| t < 1.0));
            assert_eq!(tree.is_met(ray.origin, ray.direction, &mut Search::default()), is_near);
            near += usize::from(is_near);
            met += usize::from(expected.is_some());
        }
        assert!(met > 50 && near >= 5 && near < met, "{met} {near}");
    }

    /// The first triangle that a ray meets, by a search through all.
    fn first_of_all(corners: &[[Vector; 3]], ray: &Ray) -> Option<(f64, u32)> {
        let all = (0..).zip(corners).filter(|(n, _)| *n != ray.from);
        all.filter_map(|(n, c)| Some((meet(ray, c)?, n)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
    }

    /// A cylinder of slivers around an oblique axis.
    fn slivers(count: usize) -> Vec<[Vector; 3]> {
        let frame = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let at = |nth: usize, along: f64| {
            let turn = std::f64::consts::TAU * nth as f64 / count as f64;
            [0, 1, 2].map(|a| frame[0][a] * turn.cos() + frame[1][a] * turn.sin() + frame[2][a] * along)
        };
        let side = |i: usize| {
            [[at(i, 0.0), at(i + 1, 0.0), at(i + 1, 9.0)], [at(i, 0.0), at(i + 1, 9.0), at(i, 9.0)]]
        };
        (0..count).flat_map(side).collect()
    }

    #[test]
    fn a_ray_among_slivers_is_compared_with_few_and_finds_what_a_search_through_all_finds() {
        let corners = slivers(4000);
        let tree = RayTree::new(&corners, &Control::default()).unwrap();
        let mut search = Search::default();
        for r in 0..200u32 {
            let turn = 0.1 * f64::from(r);
            let direction = [turn.cos(), turn.sin(), 0.3 * (0.7 * turn).cos()];
            let ray = Ray { origin: [0.48 * 4.5, 0.64 * 4.5, 0.6 * 4.5], direction, from: r };
            let expected = first_of_all(&corners, &ray);
            assert!(expected.is_some());
            assert_eq!(tree.first(&ray, &mut search), expected);
            assert!(tree.is_met(ray.origin, direction.map(|c| 20.0 * c), &mut search));
        }
        assert_eq!(search.given_up, 0);
    }

    /// A tent of so many pleats: slivers that meet in one point, each nearly upon the next.
    fn pleats(count: usize) -> Vec<[Vector; 3]> {
        let at = |nth: usize| {
            let (turn, out) = (std::f64::consts::TAU * nth as f64 / count as f64, (nth % 2) as f64);
            [(1.0 + 0.2 * out) * turn.cos(), (1.0 + 0.2 * out) * turn.sin(), 0.0]
        };
        (0..count).map(|nth| [[0.0, 0.0, 3.0], at(nth), at((nth + 1) % count)]).collect()
    }

    #[test]
    fn a_ray_along_sheets_that_lie_close_upon_each_other_is_compared_with_few_of_them() {
        let corners = pleats(40_000);
        let tree = RayTree::new(&corners, &Control::default()).unwrap();
        let mut search = Search::default();
        for nth in (0..40_000u32).step_by(401) {
            let [a, b, c] = corners[nth as usize];
            let direction = cross(minus(b, a), minus(c, a));
            let ray = Ray { origin: mean([a, b, c]), direction, from: nth };
            assert_eq!(tree.first(&ray, &mut search), first_of_all(&corners, &ray));
        }
        assert_eq!(search.given_up, 0);
    }

    #[test]
    fn a_ray_that_no_box_keeps_from_most_triangles_is_given_up_and_counted() {
        // Needles from anywhere to anywhere in a cube; numbers by SplitMix64.
        let number = |n: u64| {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 40) as f64 / (1u64 << 24) as f64
        };
        let corners: Vec<[Vector; 3]> = (0..8000)
            .map(|i| {
                let [from, to] = [0, 3].map(|end| [0, 1, 2].map(|axis| number(6 * i + end + axis)));
                [from, to, plus(to, 1e-9, [1.0, 2.0, 3.0])]
            })
            .collect();
        let tree = RayTree::new(&corners, &Control::default()).unwrap();
        let mut search = Search::default();
        let ray = Ray { origin: [-1.0, 0.49, 0.51], direction: [1.0, 0.003, 0.001], from: u32::MAX };
        assert_eq!(tree.first(&ray, &mut search), None);
        assert!(!tree.is_met(ray.origin, ray.direction.map(|c| 3.0 * c), &mut search));
        assert_eq!(search.given_up, 2);
    }
}
