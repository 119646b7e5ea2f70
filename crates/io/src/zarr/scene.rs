//! A scene of OME-Zarr 0.6: coordinate systems, and the linear transformations that lead from one to another.
//!
//! *Specification*: OME-Zarr 0.6 (RFC-5), scenes. *Evidence*: the official package of conformance tests, by
//! `crates/io/tests/zarr/transformations.py`.
//! *Limits*: coordinate systems of the scene itself; those of its images are met where a transformation of the scene leads to them.
//! Displacements and coordinates lead nowhere.

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::stored::StorePlace;
use crate::text::quotation::quoted;
use crate::zarr::array::Node;
use crate::zarr::fields::Fields;
use crate::zarr::image::axes;
use crate::zarr::opened::store_around;
use crate::zarr::store::{Store, joined, plain};
use crate::zarr::transforms::{Linear, Parser, Transformation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use veloxel_core::Warnings;

/// Coordinate systems, and the linear transformations between them.
#[derive(Debug, Clone)]
pub struct Scene {
    path: PathBuf,
    systems: Vec<System>,
    steps: Vec<Step>,
}

/// A coordinate system: one of the scene, or one of an image in it.
#[derive(Debug, Clone)]
struct System {
    name: Name,
    /// Its axes, in order; of one that only transformations name, nothing is known but their number.
    axes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    /// The path of the image, if it is one's.
    image: Option<String>,
    name: String,
}

#[derive(Debug, Clone)]
struct Step {
    from: usize,
    to: usize,
    transformation: Transformation,
}

/// The way from one coordinate system of a [`Scene`] to another.
#[derive(Debug, Clone)]
pub struct ScenePath {
    linear: Linear,
}

impl Scene {
    /// Reads the scene of a store, or of a group in it.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::Malformed`] for a group without a scene and for metadata that cannot be followed.
    pub fn read(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Self> {
        let mut context = Context::new(path, reading, warnings);
        let (root, node) = store_around(path).unwrap_or_else(|| (path.to_owned(), String::new()));
        if !is_store_address(&root) && !root.exists() {
            return Err(IoError::open(path)(std::io::ErrorKind::NotFound.into()));
        }
        let node = plain(&node, "the path in the store", &context)?;
        let store = Store::open(StorePlace::Path(root), &mut context)?;
        let group = match Node::at(&store, &node, &context)? {
            Some(Node::Group(attributes)) => attributes,
            _ => return Err(context.malformed("the store", "the metadata of a group", "none")),
        };
        let name = joined(&node, "metadata");
        let all = Fields { value: group.get("ome").unwrap_or(&group), name: &name };
        let found = all.get("scene").map(|scene| all.within(scene));
        let found = found.ok_or_else(|| all.wrong("scene", "a scene", &context))?;
        let mut scene = Self { path: path.to_owned(), systems: Vec::new(), steps: Vec::new() };
        for system in found.get("coordinateSystems").and_then(Value::as_array).into_iter().flatten() {
            let system = found.within(system);
            let own = system.text("name", &context)?.to_owned();
            let axes = axes::parse(system, &context)?.into_iter().map(|axis| axis.name).collect();
            let name = Name { image: None, name: own };
            if scene.systems.iter().any(|other| other.name == name) {
                return Err(system.wrong("name", "a name for each coordinate system", &context));
            }
            scene.systems.push(System { name, axes });
        }
        let parser = Parser { store: &store, node: &node, context: &context };
        for step in found.list("coordinateTransformations", &context)? {
            scene.add(found.within(step), &parser)?;
        }
        Ok(scene)
    }

    /// The names of the scene's own coordinate systems, in its order, each with the names of its axes.
    pub fn coordinate_systems(&self) -> impl Iterator<Item = (&str, &[String])> {
        let own = self.systems.iter().filter(|system| system.name.image.is_none());
        own.map(|system| (system.name.name.as_str(), &system.axes[..]))
    }

    /// The way from one of the scene's coordinate systems to another: the one of fewest transformations, some of them backwards.
    ///
    /// # Errors
    /// [`IoError::Malformed`] for a name that no coordinate system has, and where no linear transformations lead there.
    pub fn between(&self, source: &str, target: &str) -> Result<ScenePath> {
        let (source, target) = (self.named(source)?, self.named(target)?);
        let start = Linear::identity(self.systems[source].axes.len());
        let mut reached: Vec<Option<Linear>> = vec![None; self.systems.len()];
        reached[source] = Some(start.clone());
        let mut front = vec![(source, start)];
        while reached[target].is_none() && !front.is_empty() {
            let mut next = Vec::new();
            for (system, linear) in front {
                for (to, onwards) in self.leading_on(system) {
                    if reached[to].is_none() && onwards.inputs() == linear.outputs() {
                        let there = linear.then(onwards);
                        reached[to] = Some(there.clone());
                        next.push((to, there));
                    }
                }
            }
            front = next;
        }
        let linear = reached.swap_remove(target).ok_or_else(|| IoError::Malformed {
            path: self.path.clone(),
            what: "the transformations of the scene".into(),
            expected: format!(
                "a linear way from {} to {}",
                quoted(&self.systems[source].name.name),
                quoted(&self.systems[target].name.name)
            ),
            got: "none".into(),
        })?;
        Ok(ScenePath { linear })
    }

    /// The systems that one transformation leads to from another.
    fn leading_on(&self, system: usize) -> impl Iterator<Item = (usize, &Linear)> {
        self.steps.iter().flat_map(move |step| {
            let there = (step.from == system).then_some((step.to, &step.transformation.forward));
            let back = step.transformation.inverse.as_ref();
            let back = back.filter(|_| step.to == system).map(|back| (step.from, back));
            there.into_iter().chain(back)
        })
    }

    fn named(&self, name: &str) -> Result<usize> {
        let own = Name { image: None, name: name.to_owned() };
        let found = self.systems.iter().position(|system| system.name == own);
        found.ok_or_else(|| {
            let all: Vec<String> = self.coordinate_systems().take(8).map(|(name, _)| quoted(name)).collect();
            IoError::Malformed {
                path: self.path.clone(),
                what: "the scene".into(),
                expected: format!("a coordinate system {}", quoted(name)),
                got: if all.is_empty() { "none".to_owned() } else { all.join(", ") },
            }
        })
    }

    /// Adds a transformation, if it is linear.
    fn add(&mut self, found: Fields, parser: &Parser) -> Result<()> {
        let [from, to] = ["input", "output"].map(|end| name_of(found, end, parser.context));
        let from = self.system(from?);
        let to = self.system(to?);
        let axes = match self.systems[from].axes.len() {
            // One of an image: a transformation says how many axes it has.
            0 => self.systems[to].axes.len(),
            axes => axes,
        };
        let Some(transformation) = parser.parse(found, axes)? else { return Ok(()) };
        let (got, there) = (transformation.forward.outputs(), self.systems[to].axes.len());
        if there > 0 && got != there {
            return Err(found.wrong("output", &format!("a system of {got} axes"), parser.context));
        }
        self.steps.push(Step { from, to, transformation });
        Ok(())
    }

    /// The number of a coordinate system, which is added if only transformations name it.
    fn system(&mut self, name: Name) -> usize {
        let known = self.systems.iter().position(|system| system.name == name);
        known.unwrap_or_else(|| {
            self.systems.push(System { name, axes: Vec::new() });
            self.systems.len() - 1
        })
    }
}

/// The coordinate system at an end of a transformation.
fn name_of(found: Fields, end: &str, context: &Context) -> Result<Name> {
    let value = found.get(end).unwrap_or(&Value::Null);
    let text = |member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
    let name = value.as_str().map(str::to_owned).or_else(|| text("name"));
    let name = name.ok_or_else(|| found.wrong(end, "a coordinate system", context))?;
    Ok(Name { image: text("path").filter(|path| !path.is_empty()), name })
}

impl ScenePath {
    /// Numbers of a point that goes in.
    pub fn source_axes(&self) -> usize {
        self.linear.inputs()
    }

    /// Where a point of the source lies in the target, in the units of their axes.
    ///
    /// # Panics
    /// For a point of another number of axes than [`source_axes`](Self::source_axes).
    pub fn apply(&self, point: &[f64]) -> Vec<f64> {
        assert_eq!(point.len(), self.source_axes(), "a point should have a number an axis");
        self.linear.apply(point)
    }
}
