//! Where the points of a primitive lie: moved by morph targets, then by the joints of a skin, or else by their node.
//!
//! *Specification*: Khronos, "glTF 2.0 Specification", 2021, sections 3.7.2.2 (morph targets) and 3.7.3 (skins: the place of the node
//! that holds a skinned mesh does not count).

use super::accessor::Accessor;
use super::placement::{IDENTITY, MOST_DEPTH, Placement, after, moved, placement};
use crate::error::Result;
use crate::read::context::Context;
use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// The points of a primitive.
pub(super) struct PosedPoints<'a> {
    pub positions: Accessor<'a>,
    /// Displacements of morph targets, and how much of each is added.
    pub targets: Vec<(f64, Accessor<'a>)>,
    pub pose: Pose<'a>,
}

/// What places points.
pub(super) enum Pose<'a> {
    Node(Placement),
    Skin(SkinnedPoints<'a>),
}

/// Points that joints move.
pub(super) struct SkinnedPoints<'a> {
    /// From the mesh to where each joint takes it.
    pub joints: Rc<Vec<Placement>>,
    /// Four joints of each point, and their weights; several sets of them.
    pub sets: Vec<[Accessor<'a>; 2]>,
}

impl PosedPoints<'_> {
    /// The place of a point in the scene.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) for a joint that the skin does not have.
    pub fn place(&self, index: usize, context: &Context) -> Result<[f64; 3]> {
        let mut point = self.positions.point(index);
        for (weight, target) in &self.targets {
            let offset = target.point(index);
            (0..3).for_each(|a| point[a] += weight * offset[a]);
        }
        match &self.pose {
            Pose::Node(placement) => Ok(moved(placement, point)),
            Pose::Skin(skin) => skin.place(index, point, context),
        }
    }
}

impl SkinnedPoints<'_> {
    fn place(&self, index: usize, point: [f64; 3], context: &Context) -> Result<[f64; 3]> {
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        for [joints, weights] in &self.sets {
            for nth in 0..4 {
                let weight = weights.component(index, nth);
                if weight != 0.0 {
                    let place = moved(self.joint(joints.component(index, nth), context)?, point);
                    (0..3).for_each(|a| sum[a] += weight * place[a]);
                    all += weight;
                }
            }
        }
        if all == 0.0 {
            // Without a weight a point belongs to its first joint.
            let first = self.sets[0][0].component(index, 0);
            return Ok(moved(self.joint(first, context)?, point));
        }
        // Weights of 8 bits rarely sum up to 1.
        Ok(sum.map(|v| v / all))
    }

    fn joint(&self, number: f64, context: &Context) -> Result<&Placement> {
        let joint = self.joints.get(number as usize).filter(|_| number >= 0.0);
        let expected = || format!("below {}", self.joints.len());
        joint.ok_or_else(|| context.malformed("a joint of a point", expected(), number))
    }
}

/// The nodes above each node, and the skins that were looked up so far.
pub(super) struct Skins<'a> {
    nodes: &'a [Value],
    above: HashMap<usize, usize>,
    known: HashMap<usize, Rc<Vec<Placement>>>,
}

impl<'a> Skins<'a> {
    /// The skins of a scene.
    pub fn of(json: &'a Value) -> Self {
        let nodes = json["nodes"].as_array().map_or(&[][..], Vec::as_slice);
        let mut above = HashMap::new();
        if json["skins"].is_array() {
            for (nth, node) in nodes.iter().enumerate() {
                for child in node["children"].as_array().into_iter().flatten().filter_map(index) {
                    above.entry(child).or_insert(nth);
                }
            }
        }
        Self { nodes, above, known: HashMap::new() }
    }

    /// From a mesh to where each joint of a skin takes it; `inverse` are the skin's matrices into the joints, if it has any.
    pub fn joints(
        &mut self,
        number: usize,
        skin: &Value,
        inverse: Option<&Accessor<'_>>,
        context: &Context,
    ) -> Result<Rc<Vec<Placement>>> {
        if let Some(known) = self.known.get(&number) {
            return Ok(known.clone());
        }
        let listed = skin["joints"].as_array().map_or(&[][..], Vec::as_slice);
        let has_all = inverse.is_none_or(|inverse| inverse.count >= listed.len());
        context.require(has_all, "inverse matrices of a skin", "one for each joint", "fewer")?;
        let mut joints = Vec::new();
        for (nth, joint) in listed.iter().enumerate() {
            let world = self.world(index(joint), context)?;
            joints.push(inverse.map_or(world, |inverse| after(&world, &inverse.matrix(nth))));
        }
        let joints = Rc::new(joints);
        self.known.insert(number, joints.clone());
        Ok(joints)
    }

    /// Where a node lies in the scene.
    fn world(&self, node: Option<usize>, context: &Context) -> Result<Placement> {
        let (mut at, mut world) = (node, IDENTITY);
        for _ in 0..=MOST_DEPTH {
            let Some(number) = at else { return Ok(world) };
            let node = self.nodes.get(number);
            let node = node.ok_or_else(|| context.malformed("a joint", "one of the nodes", number))?;
            world = after(&placement(node, context)?, &world);
            at = self.above.get(&number).copied();
        }
        Err(context.malformed("nodes above a joint", format!("at most {MOST_DEPTH}"), "more"))
    }
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}
