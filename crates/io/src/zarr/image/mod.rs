//! What OME-Zarr adds to arrays: images of several levels, whose axes have kinds, units and a place.

pub(crate) mod axes;
mod channels;
pub(crate) mod place;
mod units;

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use crate::zarr::array::{Array, Node};
use crate::zarr::fields::Fields;
use crate::zarr::store::{Store, joined, plain};
use crate::zarr::transforms::{Linear, Parser};
use axes::{Axis, AxisKind};
use serde_json::Value;
use veloxel_core::WarningKind;

pub(crate) use channels::chosen_channel;

/// One level of an image.
pub(crate) struct Level {
    pub array: Array,
    /// The axes of the array.
    pub axes: Vec<Axis>,
    /// From the array's indices to the image's own coordinate system.
    intrinsic: Linear,
    /// From there to another one, where the image names one.
    world: Option<World>,
    /// Names of channels, where they have some.
    pub channels: Vec<String>,
}

/// A coordinate system beyond the image's own.
struct World {
    from_intrinsic: Linear,
    axes: Vec<Axis>,
}

/// How many groups may lie between an array and that of its image.
const MOST_GROUPS: usize = 4;

/// The image of a node: of a group its finest level, of an array itself, with what the group around it says.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) where there is no image, and for metadata that cannot be followed.
pub(crate) fn find(store: &Store, node: &str, context: &mut Context) -> Result<Level> {
    match Node::at(store, node, context)? {
        Some(Node::Group(attributes)) => {
            let name = joined(node, "metadata");
            let Some(image) = multiscale(&attributes, &name, context)? else {
                return Err(no_image(store, node, &attributes, context));
            };
            level(store, node, image, 0, context)
        }
        Some(Node::Array(array)) => of_array(store, node, *array, context),
        None => {
            let got = "none (is it a Zarr store, and copied completely?)";
            Err(context.malformed("the store", "the metadata of a group or an array", got))
        }
    }
}

/// The metadata of an image in attributes.
#[derive(Clone, Copy)]
struct Multiscale<'v> {
    found: Fields<'v>,
    /// Attributes of OME-Zarr.
    ome: &'v Value,
}

fn multiscale<'v>(
    attributes: &'v Value,
    name: &'v str,
    context: &mut Context,
) -> Result<Option<Multiscale<'v>>> {
    let ome = attributes.get("ome").filter(|ome| ome.is_object()).unwrap_or(attributes);
    let Some(all) = ome.get("multiscales").and_then(Value::as_array) else { return Ok(None) };
    let found = Fields { value: ome, name };
    let first = all.first().ok_or_else(|| found.wrong("multiscales", "an image at least", context))?;
    if all.len() > 1 {
        let text = format!("the first of {} images of this group is read", all.len());
        context.note(WarningKind::Header, text);
    }
    Ok(Some(Multiscale { found: found.within(first), ome }))
}

/// A level of an image by its number.
fn level(store: &Store, node: &str, image: Multiscale, nth: usize, context: &mut Context) -> Result<Level> {
    let Multiscale { found, ome } = image;
    let datasets = found.list("datasets", context)?;
    let dataset = datasets.get(nth).ok_or_else(|| found.wrong("datasets", "a level at least", context))?;
    let dataset = found.within(dataset);
    let path = plain(dataset.text("path", context)?, "the path of a level", context)?;
    let Some(Node::Array(array)) = Node::at(store, &joined(node, &path), context)? else {
        return Err(context.malformed(format!("level {}", quoted(&path)), "an array", "none"));
    };
    let count = array.shape.len();
    let (axes, intrinsic, world) = if found.get("coordinateSystems").is_some() {
        in_systems(found, dataset, count, store, node, context)?
    } else {
        let axes = match found.get("axes") {
            Some(_) => axes::parse(found, context)?,
            // Before OME-Zarr 0.3.
            None if count == 5 => ["t", "c", "z", "y", "x"].map(Axis::named).to_vec(),
            None => return Err(found.wrong("axes", "the axes of the image", context)),
        };
        let parser = Parser { store, node, context };
        let whole = parser.of_list(found, count)?;
        let own = parser.of_list(dataset, count)?;
        if dataset.get("coordinateTransformations").or(found.get("coordinateTransformations")).is_none() {
            context.assume("the image has no scale: 1 mm is assumed")?;
        }
        (axes, own.then(&whole), None)
    };
    let expected = format!("as many as the array has, {count}");
    context.require(axes.len() == count, "the axes of the image", expected, axes.len())?;
    Ok(Level { array: *array, axes, intrinsic, world, channels: channels::names(ome) })
}

/// Axes and places of OME-Zarr 0.6: the image's own coordinate system, and the first one beyond it that a linear transformation
/// leads to.
fn in_systems(
    found: Fields,
    dataset: Fields,
    count: usize,
    store: &Store,
    node: &str,
    context: &mut Context,
) -> Result<(Vec<Axis>, Linear, Option<World>)> {
    let parser = Parser { store, node, context };
    let systems = found.list("coordinateSystems", context)?;
    let system = |name: Option<&str>| {
        let is_it = |system: &&Value| name.is_none() || system.get("name").and_then(Value::as_str) == name;
        systems.iter().find(is_it).map(|system| axes::parse(found.within(system), context)).transpose()
    };
    let own = dataset.list("coordinateTransformations", context)?;
    let own_name = own.first().and_then(|first| end(first, "output"));
    let axes =
        system(own_name)?.ok_or_else(|| found.wrong("coordinateSystems", "that of the image", context))?;
    let intrinsic = parser.of_list(dataset, count)?;
    let mut beyond = Vec::new();
    let all = found.get("coordinateTransformations").and_then(Value::as_array);
    for step in all.into_iter().flatten() {
        let leads_on = end(step, "input") == own_name && end(step, "output") != own_name;
        if leads_on
            && let Some(parsed) = parser.parse(found.within(step), count)?
            && let Some(axes) = system(end(step, "output"))?
            && axes.len() == count
            && parsed.forward.outputs() == count
        {
            let from_intrinsic = parsed.forward;
            beyond.push((World { from_intrinsic, axes }, end(step, "output").unwrap_or_default()));
        }
    }
    if let [(_, first), _, ..] = &beyond[..] {
        let text =
            format!("the image lies in {} coordinate systems: {} is taken", beyond.len(), quoted(first));
        context.note(WarningKind::Header, text);
    }
    Ok((axes, intrinsic, beyond.into_iter().next().map(|(world, _)| world)))
}

/// The name of the coordinate system at an end of a transformation.
pub(super) fn end<'v>(step: &'v Value, which: &str) -> Option<&'v str> {
    let end = step.get(which)?;
    end.as_str().or_else(|| end.get("name")?.as_str())
}

/// An array that is named itself: a level of the image around it, or samples without OME-Zarr's metadata.
fn of_array(store: &Store, node: &str, array: Array, context: &mut Context) -> Result<Level> {
    let mut group = node;
    for _ in 0..MOST_GROUPS {
        if group.is_empty() {
            break;
        }
        group = group.rsplit_once('/').map_or("", |(group, _)| group);
        let Some(Node::Group(attributes)) = Node::at(store, group, context)? else { continue };
        let name = joined(group, "metadata");
        let Some(image) = multiscale(&attributes, &name, context)? else { continue };
        let below = node[group.len()..].trim_start_matches('/');
        let datasets = image.found.list("datasets", context)?;
        let is_it = |dataset: &Value| {
            dataset.get("path").and_then(Value::as_str).is_some_and(|path| path.trim_matches('/') == below)
        };
        if let Some(nth) = datasets.iter().position(is_it) {
            return level(store, group, image, nth, context);
        }
    }
    let count = array.shape.len();
    let usual = ["t", "c", "z", "y", "x"];
    let usual = &usual[usual.len().saturating_sub(count)..];
    let is_named = array.names.iter().all(Option::is_some);
    context.support(
        usual.len() == count || is_named,
        format!("an array of {count} axes"),
        "give its axes names",
    )?;
    let axes: Vec<Axis> = if is_named {
        array.names.iter().flatten().map(|name| Axis::named(name)).collect()
    } else {
        usual.iter().map(|name| Axis::named(name)).collect()
    };
    let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
    context.assume(format!(
        "an array without the metadata of an image: axes {}, 1 mm apart, are assumed",
        quoted(&names.join(" "))
    ))?;
    let intrinsic = Linear::identity(count);
    Ok(Level { array, axes, intrinsic, world: None, channels: Vec::new() })
}

/// What a group without an image holds instead, and the way to an image in it.
fn no_image(store: &Store, node: &str, attributes: &Value, context: &Context) -> crate::IoError {
    let ome = attributes.get("ome").unwrap_or(attributes);
    let holds = ["plate", "well", "labels", "bioformats2raw.layout", "scene"];
    let what = holds.into_iter().find(|what| ome.get(what).is_some() || attributes.get(what).is_some());
    let below = store.names_below(node);
    let named: Vec<String> = below.iter().take(8).map(|name| quoted(name)).collect();
    let got = match (what, named.is_empty()) {
        (_, true) => "a group without one".to_owned(),
        (what, false) => {
            let what = what.map(|what| format!(" ({what})")).unwrap_or_default();
            format!("a group{what} that holds {}: name one of them, as a path in the store", named.join(", "))
        }
    };
    context.malformed(format!("group {}", quoted(if node.is_empty() { "/" } else { node })), "an image", got)
}

impl Level {
    /// The one axis of a kind; none if there is none.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) for two of them.
    pub fn axis_of(&self, kind: AxisKind, context: &Context) -> Result<Option<usize>> {
        let mut all =
            (0..self.axes.len()).filter(|&axis| self.axes[axis].kind == kind && self.array.shape[axis] > 1);
        let first = all.next().or_else(|| self.axes.iter().position(|axis| axis.kind == kind));
        let what =
            || format!("an image with two axes like {}", quoted(&self.axes[first.unwrap_or_default()].name));
        context.support(all.next().is_none(), what(), "write one of them")?;
        Ok(first)
    }
}
