//! The building of a tree of boxes: halves at the median, boxes around them, and turned ones where they pay.

use super::{Child, MOST_STEPS, NONE, Node, Order, RayTree, Search};
use crate::rays::ray::Ray;
use crate::rays::triangle::Triangle;
use crate::rays::turned_box::{TurnedBox, half_surface, volume_of};
use crate::vector::{Vector, bounds, cross, length, mean, minus};
use std::ops::Range;
use veloxel_core::{Control, Stopped};

/// Most triangles of a leaf.
const LEAF: usize = 4;
/// Steps before a ray is given up where boxes tell nothing: what rays would find with more of them is no thickness.
pub(super) const FEW_STEPS: usize = 256;
/// Rays that are tried to learn that.
const TRIED: usize = 128;
/// Steps of these rays, as a mean, beyond which boxes tell nothing: over surfaces they are some tens.
const MANY_STEPS: usize = 512;
/// Smaller branches are built within some milliseconds, and do not ask whether to go on.
const ASKS_ABOVE: usize = 1 << 12;
/// Width added to boxes, as a share of the mesh's size.
const MARGIN: f64 = 1e-12;
/// A box of so many times the area of its triangles holds slivers.
const OF_SLIVERS: f64 = 12.0;
/// A turned box pays where its surface is below this share of the other's.
const PAYS_BELOW: f64 = 0.3;
/// Boxes that fill the mesh's box so many times over hold sheets that lie close upon each other: a surface fills it once at most.
const OF_STACKS: f64 = 2.0;
/// Among stacked sheets a turned box pays where its volume is below this share of the other's.
const PAYS_BELOW_VOLUME: f64 = 0.3;
/// One of so many nodes holds stacked sheets at least where children are visited by their distance; of the Princeton meshes 1 of 35 at
/// most, of sheets that are wound, folded or fanned more than 1.
const STACKED_NODES: usize = 4;

impl RayTree {
    /// The tree of triangles with these corners.
    ///
    /// # Errors
    /// [`Stopped`].
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
                order: Order::DepthFirst,
            },
            stacked: 0,
        };
        if !corners.is_empty() {
            let all = 0..corners.len();
            let (sides, turned) = builder.boxes(all.clone());
            let root = builder.child(all, turned, control)?;
            builder.tree.root = Some((root, sides));
        }
        let Builder { order, mut tree, stacked, .. } = builder;
        if STACKED_NODES * stacked > tree.nodes.len() {
            tree.order = Order::NearestFirst;
        }
        tree.triangles = order.iter().map(|&number| Triangle::of(number, corners[number as usize])).collect();
        if tree.tells_nothing(corners) {
            tree.most_steps = FEW_STEPS;
        }
        Ok(tree)
    }

    /// Whether rays square to triangles that are spread over the mesh are compared with so many boxes and triangles that boxes tell
    /// nothing: a heap of large faces, or a thousand faces at one edge.
    fn tells_nothing(&self, corners: &[[Vector; 3]]) -> bool {
        let mut search = Search::default();
        let tried = (0..corners.len()).step_by(corners.len().div_ceil(TRIED).max(1));
        for (number, [a, b, c]) in tried.clone().map(|number| (number as u32, corners[number])) {
            let direction = cross(minus(b, a), minus(c, a));
            self.first(&Ray { origin: mean([a, b, c]), direction, from: number }, &mut search);
        }
        search.steps > MANY_STEPS * tried.len()
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
    /// Boxes that hold stacked sheets.
    stacked: usize,
}

impl Builder<'_> {
    /// The triangles at these places, with the nodes below.
    fn child(&mut self, places: Range<usize>, turned: u32, control: &Control) -> Result<Child, Stopped> {
        if places.len() > ASKS_ABOVE {
            control.check()?;
        }
        if places.len() <= LEAF {
            return Ok(Child { turned, first: places.start as u32, count: places.len() as u32 });
        }
        let (half, axis) = self.split(places.clone());
        let at = self.tree.nodes.len();
        let none = Child { turned: NONE, first: 0, count: 0 };
        self.tree.nodes.push(Node { low: [[0.0; 2]; 3], high: [[0.0; 2]; 3], children: [none; 2], axis });
        let halves = [places.start..half, half..places.end];
        // Turned boxes of both children lie side by side in memory, as rays look at both.
        let boxes = halves.clone().map(|places| self.boxes(places));
        for (nth, (places, ([low, high], turned))) in halves.into_iter().zip(boxes).enumerate() {
            let child = self.child(places, turned, control)?;
            let node = &mut self.tree.nodes[at];
            node.children[nth] = child;
            for axis in 0..3 {
                (node.low[axis][nth], node.high[axis][nth]) = (low[axis], high[axis]);
            }
        }
        Ok(Child { turned, first: at as u32, count: 0 })
    }

    /// Halves the triangles at these places along the axis on which their middles lie furthest apart: where the second half begins, and
    /// that axis.
    fn split(&mut self, places: Range<usize>) -> (usize, u32) {
        let Self { middles, order, .. } = self;
        let first = places.start;
        let order = &mut order[places];
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
    fn boxes(&mut self, places: Range<usize>) -> ([Vector; 2], u32) {
        let Self { corners, order, tree, volume, margin, stacked, .. } = self;
        let count = places.len();
        let triangles = order[places].iter().map(|&number| corners[number as usize]);
        let points = triangles.clone().flatten();
        let [low, high] = bounds(points.clone());
        let double_area = |[a, b, c]: [Vector; 3]| length(cross(minus(b, a), minus(c, a)));
        let area = 0.5 * triangles.map(double_area).sum::<f64>();
        let surface = half_surface(low, high);
        // As many boxes as this one as it takes to hold all triangles fill the mesh's box so many times.
        let nodes_alike = corners.len() as f64 / count as f64;
        let is_stacked = volume_of(low, high) * nodes_alike > OF_STACKS * *volume;
        *stacked += usize::from(is_stacked);
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
