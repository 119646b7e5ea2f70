//! The first triangle that a ray meets, or whether it meets any: a tree of boxes, split at the median along the longest axis.
//!
//! Own code, since a crate for it (obvhs, parry3d) brings a dozen others along for a search that takes a tenth of a run.

use crate::vector::{Vector, bounds, cross, dot, minus};
use veloxel_core::{Control, Stopped};

/// Triangles in a tree of boxes.
pub(crate) struct RayTree {
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves, each with its number.
    triangles: Vec<(u32, [Vector; 3])>,
}

struct Node {
    low: Vector,
    high: Vector,
    inside: Inside,
}

enum Inside {
    /// The axis of the split, and the second child; the first follows its parent.
    Children { axis: usize, second: usize },
    /// Places among the triangles.
    Leaf { first: usize, end: usize },
}

/// Where a ray begins and leads to.
pub(crate) struct Ray {
    pub origin: Vector,
    pub direction: Vector,
    /// The triangle that it begins at, which it does not meet.
    pub from: u32,
}

const LEAF: usize = 4;
/// Smaller branches are built within some milliseconds, and do not ask whether to go on.
const ASKS_ABOVE: usize = 1 << 12;

impl RayTree {
    pub fn new(corners: &[[Vector; 3]], control: &Control) -> Result<Self, Stopped> {
        let mut triangles: Vec<(u32, [Vector; 3])> = (0..).zip(corners.iter().copied()).collect();
        let mut nodes = Vec::with_capacity(corners.len());
        build(&mut nodes, &mut triangles, 0, control)?;
        Ok(Self { nodes, triangles })
    }

    /// The distance to the first triangle, in lengths of the direction, and its number; `stack` is memory that rays share.
    pub fn first(&self, ray: &Ray, stack: &mut Vec<usize>) -> Option<(f64, u32)> {
        let inverse = ray.direction.map(|d| 1.0 / d);
        let mut best: Option<(f64, u32)> = None;
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            let nearest = best.map_or(f64::INFINITY, |(t, _)| t);
            if !node.is_met(ray, inverse, nearest) {
                continue;
            }
            match node.inside {
                Inside::Children { axis, second } if ray.direction[axis] >= 0.0 => {
                    stack.extend([second, at + 1]);
                }
                Inside::Children { second, .. } => stack.extend([at + 1, second]),
                Inside::Leaf { first, end } => {
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

    /// Whether the line from `origin` by `towards` meets any triangle before it ends.
    pub(crate) fn is_met(&self, origin: Vector, towards: Vector, stack: &mut Vec<usize>) -> bool {
        let ray = Ray { origin, direction: towards, from: u32::MAX };
        let inverse = towards.map(|d| 1.0 / d);
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            if !node.is_met(&ray, inverse, 1.0) {
                continue;
            }
            match node.inside {
                Inside::Children { second, .. } => stack.extend([second, at + 1]),
                Inside::Leaf { first, end } => {
                    let mut triangles = self.triangles[first..end].iter();
                    if triangles.any(|(_, corners)| meet(&ray, corners).is_some_and(|t| t < 1.0)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl Node {
    /// Whether a ray meets the box before it has gone so far.
    fn is_met(&self, ray: &Ray, inverse: Vector, limit: f64) -> bool {
        let (mut near, mut far) = (0.0f64, limit);
        for axis in 0..3 {
            let a = (self.low[axis] - ray.origin[axis]) * inverse[axis];
            let b = (self.high[axis] - ray.origin[axis]) * inverse[axis];
            // A ray within a box's side gives NaN, which min and max leave out.
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        near <= far
    }
}

/// Adds the node of these triangles, the first of which has the place `first` among all.
fn build(
    nodes: &mut Vec<Node>,
    triangles: &mut [(u32, [Vector; 3])],
    first: usize,
    control: &Control,
) -> Result<(), Stopped> {
    if triangles.len() > ASKS_ABOVE {
        control.check()?;
    }
    let [low, high] = bounds(triangles.iter().flat_map(|(_, corners)| *corners));
    let at = nodes.len();
    nodes.push(Node { low, high, inside: Inside::Leaf { first, end: first + triangles.len() } });
    if triangles.len() <= LEAF {
        return Ok(());
    }
    let side = minus(high, low);
    let axis = (0..3).fold(0, |longest, axis| if side[axis] > side[longest] { axis } else { longest });
    let middle = |corners: &[Vector; 3]| corners[0][axis] + corners[1][axis] + corners[2][axis];
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |a, b| middle(&a.1).total_cmp(&middle(&b.1)).then(a.0.cmp(&b.0)));
    let (before, behind) = triangles.split_at_mut(half);
    build(nodes, before, first, control)?;
    let second = nodes.len();
    build(nodes, behind, first + half, control)?;
    nodes[at].inside = Inside::Children { axis, second };
    Ok(())
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
            assert_eq!(tree.first(&ray, &mut Vec::new()), expected);
            let is_near = corners.iter().any(|c| meet(&ray, c).is_some_and(|t| t < 1.0));
            assert_eq!(tree.is_met(ray.origin, ray.direction, &mut Vec::new()), is_near);
            near += usize::from(is_near);
            met += usize::from(expected.is_some());
        }
        assert!(met > 50 && near >= 5 && near < met, "{met} {near}");
    }
}
