//! The first triangle that a ray meets, or whether it meets any: a tree of boxes, split at the median along the axis on which the
//! triangles' middles lie furthest apart. A node holds the boxes of both children, which are looked at together.
//!
//! Boxes along the axes of space are as wide as a sliver is long where it lies obliquely, so that a ray meets all of them: nodes of
//! slivers, and of sheets that lie close upon each other, have a turned box besides ([`TurnedBox`]). Where many nodes hold such sheets,
//! children are visited by their distance ([`Order::NearestFirst`]).
//! What no box tells apart (random needles, heaps of large faces through each other) costs a ray as many steps as there are
//! faces: after [`MOST_STEPS`], or fewer where most rays would end so, it is given up, and counted, so that the time of all
//! rays is linear whatever the mesh.
//!
//! Own code, since a crate for it (obvhs, parry3d) brings a dozen others along for a search of some hundred lines.

mod builder;

use super::ray::Ray;
use super::triangle::Triangle;
use super::turned_box::{TurnedBox, slabs_entered};
use crate::vector::Vector;

/// Triangles in a tree of boxes.
pub(crate) struct RayTree {
    nodes: Vec<Node>,
    root: Option<(Child, [Vector; 2])>,
    turned: Vec<TurnedBox>,
    /// Triangles in the order of the leaves.
    triangles: Vec<Triangle>,
    /// Boxes and triangles that a ray is compared with before it is given up.
    most_steps: usize,
    /// Which of the children that are still to be visited is next.
    order: Order,
}

/// The order in which a search visits children.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Order {
    /// Down to the leaves, the nearer of two children first: the least work for each of them.
    DepthFirst,
    /// The nearest of all: no child beyond the first triangle is visited. Among sheets that lie upon each other, a branch that is
    /// finished before the next one begins may hold hundreds of them beyond that triangle.
    NearestFirst,
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
/// Children that a search which visits the nearest of all next has still to visit at most: half of its steps, as each node has two.
const MOST_OPEN: usize = MOST_STEPS / 2 + MOST_LEVELS;

/// What the rays of a thread share: memory, and a count.
pub(crate) struct Search {
    /// Children that are still to be visited, and the distances at which the ray enters their boxes.
    stack: [(Child, f64); MOST_OPEN],
    /// Boxes and triangles that rays were compared with.
    pub steps: usize,
    /// Rays that took too many steps, and have no answer.
    pub given_up: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self { stack: [(Child { first: 0, count: 0, turned: NONE }, 0.0); MOST_OPEN], steps: 0, given_up: 0 }
    }
}

const NONE: u32 = u32::MAX;
/// Boxes and triangles that a ray is compared with before it is given up.
const MOST_STEPS: usize = 2048;

impl RayTree {
    /// The distance to the first triangle, in lengths of the direction, and its number.
    pub fn first(&self, ray: &Ray, search: &mut Search) -> Option<(f64, u32)> {
        match self.order {
            Order::DepthFirst => self.first_in_order::<false>(ray, search),
            Order::NearestFirst => self.first_in_order::<true>(ray, search),
        }
    }

    #[inline(always)]
    fn first_in_order<const NEAREST: bool>(&self, ray: &Ray, search: &mut Search) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        self.visit::<NEAREST>(ray, f64::INFINITY, search, |triangles| {
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
        // Any triangle will do, so that none has to be the nearest.
        self.visit::<false>(&ray, 1.0, search, |triangles| {
            is_met = triangles.iter().any(|triangle| triangle.meet(&ray).is_some_and(|t| t < 1.0));
            (!is_met).then_some(1.0)
        });
        is_met
    }

    /// Shows the triangles of every leaf whose boxes a ray meets before it has gone so far, the nearest of all first, or the nearer of
    /// two children. They say how far that is from then on; nothing: that it is over. None after too many steps.
    #[inline(always)]
    fn visit<const NEAREST: bool>(
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
                search.steps += steps;
                search.given_up += 1;
                return None;
            }
            if child.count > 0 {
                let (first, count) = (child.first as usize, child.count as usize);
                steps += count;
                let Some(nearer) = show(&self.triangles[first..first + count]) else { break };
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
            if NEAREST {
                for nth in [1 - nearer, nearer].into_iter().filter(|&nth| is_met[nth]) {
                    keep_sorted(stack, top, node.children[nth], near[nth]);
                    top += 1;
                }
                continue;
            }
            // What is not met is overwritten by what comes next: there is nothing here for a processor to guess.
            stack[top] = (node.children[1 - nearer], near[1 - nearer]);
            top += usize::from(is_met[1 - nearer]);
            stack[top] = (node.children[nearer], near[nearer]);
            top += usize::from(is_met[nearer]);
        }
        search.steps += steps;
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

/// Puts a child among the first `top` of the stack, of which the nearest is the last.
fn keep_sorted(stack: &mut [(Child, f64)], top: usize, child: Child, near: f64) {
    let further = stack[..top].iter().rposition(|(_, other)| *other >= near);
    let at = further.map_or(0, |at| at + 1);
    stack.copy_within(at..top, at + 1);
    stack[at] = (child, near);
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

#[cfg(test)]
mod tests;
