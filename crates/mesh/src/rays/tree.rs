//! The first triangle that a ray meets, or whether it meets any: a tree of boxes, split at the median along the axis on which the
//! triangles' middles lie furthest apart. A node holds the boxes of both children, which are looked at together.
//!
//! Boxes along the axes of space are as wide as a sliver is long where it lies obliquely, so that a ray meets all of them: nodes of
//! slivers have a turned box besides ([`TurnedBox`]).
//! What no box tells apart (random needles, heaps of large faces through each other) costs a ray as many steps as there are
//! faces: after [`MOST_STEPS`], or [`FEW_STEPS`] where most rays would end so, it is given up, and counted, so that the time of all
//! rays is linear whatever the mesh.
//!
//! Own code, since a crate for it (obvhs, parry3d) brings a dozen others along for a search of some hundred lines.

use super::ray::Ray;
use super::triangle::Triangle;
use super::turned_box::{TurnedBox, half_surface, slabs_entered, volume_of};
use crate::vector::{Vector, bounds, cross, length, mean, minus};
use veloxel_core::{Control, Stopped};

/// Triangles in a tree of boxes.
pub(crate) struct RayTree {
    nodes: Vec<Node>,
    root: Option<(Child, [Vector; 2])>,
    turned: Vec<TurnedBox>,
    /// Triangles in the order of the leaves.
    triangles: Vec<Triangle>,
    /// Boxes and triangles that a ray is compared with before it is given up.
    most_steps: usize,
}

/// Two children with their boxes, side by side for vector instructions: for each axis the sides of both.
struct Node {
    low: [[f64; 2]; 3],
    high: [[f64; 2]; 3],
    children: [Child; 2],
    /// The axis of the split.
    axis: u32,
}

/// A node, or the triangles of a leaf.
#[derive(Clone, Copy)]
struct Child {
    /// The node, or the first of the triangles.
    first: u32,
    /// How many triangles; 0: a node.
    count: u32,
    /// Which turned box it has besides, or [`NONE`].
    turned: u32,
}

/// Children that a search has still to visit at most: one a level of a tree whose halves are alike.
const MOST_LEVELS: usize = 64;

/// What the rays of a thread share: memory, and a count.
pub(crate) struct Search {
    /// Children that are still to be visited, and the distances at which the ray enters their boxes.
    stack: [(Child, f64); MOST_LEVELS],
    /// Rays that took too many steps, and have no answer.
    pub given_up: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self { stack: [(Child { first: 0, count: 0, turned: NONE }, 0.0); MOST_LEVELS], given_up: 0 }
    }
}

const NONE: u32 = u32::MAX;
const LEAF: usize = 4;
/// Boxes and triangles that a ray is compared with before it is given up.
const MOST_STEPS: usize = 2048;
/// Steps before a ray is given up where boxes tell nothing: what few rays would find with more of them is no thickness.
const FEW_STEPS: usize = 256;
/// Rays that are tried to learn that.
const TRIED: usize = 128;
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
        let [low, high] = bounds(corners.iter().flatten().copied());
        let margin = MARGIN * (1.0 + length(minus(high, low)));
        let mut builder = Builder {
            corners,
            order: (0..corners.len() as u32).collect(),
            middles: corners
                .iter()
                .map(|[a, b, c]| [0, 1, 2].map(|axis| a[axis] + b[axis] + c[axis]))
                .collect(),
            volume: volume_of(low, high),
            margin,
            tree: Self {
                nodes: Vec::with_capacity(corners.len() / 2),
                root: None,
                turned: Vec::new(),
                triangles: Vec::new(),
                most_steps: MOST_STEPS,
            },
        };
        if !corners.is_empty() {
            let root = builder.build(0, corners.len(), control)?;
            builder.tree.root = Some(root);
        }
        let Builder { order, mut tree, .. } = builder;
        tree.triangles = order.iter().map(|&number| Triangle::of(number, corners[number as usize])).collect();
        if tree.gives_up_most(corners) {
            tree.most_steps = FEW_STEPS;
        }
        Ok(tree)
    }

    /// Whether most rays square to triangles that are spread over the mesh are given up.
    fn gives_up_most(&self, corners: &[[Vector; 3]]) -> bool {
        let mut search = Search::default();
        let tried = (0..corners.len()).step_by(corners.len().div_ceil(TRIED).max(1));
        for (number, [a, b, c]) in tried.clone().map(|number| (number as u32, corners[number])) {
            let direction = cross(minus(b, a), minus(c, a));
            self.first(&Ray { origin: mean([a, b, c]), direction, from: number }, &mut search);
        }
        2 * search.given_up > tried.len()
    }

    /// The distance to the first triangle, in lengths of the direction, and its number.
    pub fn first(&self, ray: &Ray, search: &mut Search) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        self.visit(ray, f64::INFINITY, search, |triangles| {
            for triangle in triangles.iter().filter(|triangle| triangle.number != ray.from) {
                // Of triangles at one distance the first by number, whatever the tree's order.
                if let Some(t) = triangle.meet(ray)
                    && best.is_none_or(|best| (t, triangle.number) < best)
                {
                    best = Some((t, triangle.number));
                }
            }
            Some(best.map_or(f64::INFINITY, |(t, _)| t))
        })
        .and(best)
    }

    /// Whether the line from `origin` by `towards` meets any triangle before it ends; not, where that takes too many steps.
    pub(crate) fn is_met(&self, origin: Vector, towards: Vector, search: &mut Search) -> bool {
        let ray = Ray { origin, direction: towards, from: u32::MAX };
        let mut is_met = false;
        self.visit(&ray, 1.0, search, |triangles| {
            is_met = triangles.iter().any(|triangle| triangle.meet(&ray).is_some_and(|t| t < 1.0));
            (!is_met).then_some(1.0)
        });
        is_met
    }

    /// Shows the triangles of every leaf whose boxes a ray meets before it has gone so far, the nearer of two children first. They say
    /// how far that is from then on; nothing: that it is over. None after too many steps.
    #[inline(always)]
    fn visit(
        &self,
        ray: &Ray,
        mut limit: f64,
        search: &mut Search,
        mut show: impl FnMut(&[Triangle]) -> Option<f64>,
    ) -> Option<()> {
        let (root, [low, high]) = self.root?;
        let inverse = ray.direction.map(|d| 1.0 / d);
        if slabs_entered([low, high], ray.origin, inverse, limit).is_none() {
            return Some(());
        }
        let stack = &mut search.stack;
        stack[0] = (root, 0.0);
        let (mut top, mut steps) = (1, 1);
        while top > 0 {
            top -= 1;
            let (child, near) = stack[top];
            if near > limit {
                continue;
            }
            if steps > self.most_steps {
                search.given_up += 1;
                return None;
            }
            if child.count > 0 {
                let (first, count) = (child.first as usize, child.count as usize);
                steps += count;
                let Some(nearer) = show(&self.triangles[first..first + count]) else { return Some(()) };
                limit = nearer;
                continue;
            }
            steps += 2;
            let node = &self.nodes[child.first as usize];
            let (mut near, mut is_met) = node.entered(ray.origin, inverse, limit);
            if (node.children[0].turned & node.children[1].turned) != NONE {
                self.narrow(node, ray, limit, &mut near, &mut is_met);
            }
            // The nearer one first; of two boxes around the ray's origin the one that it leads into.
            let leads_back = ray.direction[node.axis as usize] < 0.0;
            let nearer = usize::from((near[1] < near[0]) | ((near[1] == near[0]) & leads_back));
            // What is not met is overwritten by what comes next: there is nothing here for a processor to guess.
            stack[top] = (node.children[1 - nearer], near[1 - nearer]);
            top += usize::from(is_met[1 - nearer]);
            stack[top] = (node.children[nearer], near[nearer]);
            top += usize::from(is_met[nearer]);
        }
        Some(())
    }

    /// Keeps the parts of a ray that lie within the turned boxes of children.
    #[inline(never)]
    fn narrow(&self, node: &Node, ray: &Ray, limit: f64, near: &mut [f64; 2], is_met: &mut [bool; 2]) {
        for (nth, child) in node.children.iter().enumerate().filter(|(_, child)| child.turned != NONE) {
            if is_met[nth] {
                let turned = self.turned[child.turned as usize].entered(ray, limit);
                is_met[nth] = turned.is_some();
                near[nth] = turned.map_or(near[nth], |turned| turned.max(near[nth]));
            }
        }
    }
}

impl Node {
    /// For each child the distance at which a ray enters its box, and whether it does before it has gone so far.
    #[inline(always)]
    fn entered(&self, origin: Vector, inverse: Vector, limit: f64) -> ([f64; 2], [bool; 2]) {
        // As the instructions of processors have it: of a number and NaN, for a ray within a box's side, the other one.
        let less = |a: f64, b: f64| if a < b { a } else { b };
        let more = |a: f64, b: f64| if a > b { a } else { b };
        let (mut near, mut far) = ([0.0f64; 2], [limit; 2]);
        for axis in 0..3 {
            let (low, high) = (self.low[axis], self.high[axis]);
            let a = [0, 1].map(|child| (low[child] - origin[axis]) * inverse[axis]);
            let b = [0, 1].map(|child| (high[child] - origin[axis]) * inverse[axis]);
            near = [0, 1].map(|child| more(less(a[child], b[child]), near[child]));
            far = [0, 1].map(|child| less(more(a[child], b[child]), far[child]));
        }
        (near, [0, 1].map(|child| near[child] <= far[child]))
    }
}

/// A tree that is being built.
struct Builder<'a> {
    corners: &'a [[Vector; 3]],
    /// Three times the middle of each triangle.
    middles: Vec<Vector>,
    /// The triangles' numbers, in the order of the leaves.
    order: Vec<u32>,
    /// Volume of the box around all of them.
    volume: f64,
    /// By how much boxes are wider than what they hold, so that rounding never hides a triangle from a ray.
    margin: f64,
    tree: RayTree,
}

impl Builder<'_> {
    /// The triangles at these places and its box, with the nodes below.
    fn build(
        &mut self,
        first: usize,
        end: usize,
        control: &Control,
    ) -> Result<(Child, [Vector; 2]), Stopped> {
        if end - first > ASKS_ABOVE {
            control.check()?;
        }
        let (sides, turned) = self.boxes(first, end);
        if end - first <= LEAF {
            return Ok((Child { turned, first: first as u32, count: (end - first) as u32 }, sides));
        }
        let (half, axis) = self.split(first, end);
        let at = self.tree.nodes.len();
        let none = Child { turned: NONE, first: 0, count: 0 };
        self.tree.nodes.push(Node { low: [[0.0; 2]; 3], high: [[0.0; 2]; 3], children: [none; 2], axis });
        for (nth, range) in [first..half, half..end].into_iter().enumerate() {
            let (child, [low, high]) = self.build(range.start, range.end, control)?;
            let node = &mut self.tree.nodes[at];
            node.children[nth] = child;
            for axis in 0..3 {
                (node.low[axis][nth], node.high[axis][nth]) = (low[axis], high[axis]);
            }
        }
        Ok((Child { turned, first: at as u32, count: 0 }, sides))
    }

    /// Halves the triangles at these places along the axis on which their middles lie furthest apart: where the second half begins, and
    /// that axis.
    fn split(&mut self, first: usize, end: usize) -> (usize, u32) {
        let Self { middles, order, .. } = self;
        let order = &mut order[first..end];
        let middle = |number: u32| middles[number as usize];
        let [low, high] = bounds(order.iter().map(|&number| middle(number)));
        let side = minus(high, low);
        let axis = (0..3).fold(0, |longest, axis| if side[axis] > side[longest] { axis } else { longest });
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&a, &b| {
            middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(&b))
        });
        (first + half, axis as u32)
    }

    /// The box of the triangles at these places, and which turned box they have besides.
    fn boxes(&mut self, first: usize, end: usize) -> ([Vector; 2], u32) {
        let Self { corners, order, tree, volume, margin, .. } = self;
        let triangles = order[first..end].iter().map(|&number| corners[number as usize]);
        let points = triangles.clone().flatten();
        let [low, high] = bounds(points.clone());
        let double_area = |[a, b, c]: [Vector; 3]| length(cross(minus(b, a), minus(c, a)));
        let area = 0.5 * triangles.map(double_area).sum::<f64>();
        let surface = half_surface(low, high);
        // As many boxes as this one as it takes to hold all triangles fill the mesh's box so many times.
        let nodes_alike = corners.len() as f64 / (end - first) as f64;
        let is_stacked = volume_of(low, high) * nodes_alike > OF_STACKS * *volume;
        let mut turned = NONE;
        if is_stacked || surface > OF_SLIVERS * area {
            let found = TurnedBox::around(points, *margin);
            let pays = found.half_surface() < PAYS_BELOW * surface;
            if pays || is_stacked && found.volume() < PAYS_BELOW_VOLUME * volume_of(low, high) {
                turned = tree.turned.len() as u32;
                tree.turned.push(found);
            }
        }
        ([low.map(|c| c - *margin), high.map(|c| c + *margin)], turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::plus;

    fn meet(ray: &Ray, corners: &[Vector; 3]) -> Option<f64> {
        Triangle::of(0, *corners).meet(ray)
    }

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
        assert_eq!((search.given_up, tree.most_steps), (2, FEW_STEPS));
        let steps = |mesh: Vec<_>| RayTree::new(&mesh, &Control::default()).unwrap().most_steps;
        assert_eq!([slivers(4000), pleats(4000), Vec::new()].map(steps), [MOST_STEPS; 3]);
    }
}
