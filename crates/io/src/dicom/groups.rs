//! Images of one shape, orientation and pixel spacing: one grid holds no others.
//!
//! *Rule*: the shape and orientation that most images of a series have are taken, and the others are said. A part that is asked
//! for is looked for among all of them: the parts of the largest group have the first numbers, then come those of the others, in
//! the order of their sizes.

use super::header::PlaneHeader;
use super::series::listed;
use super::stack::{self, NAME_ONE, Part};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::normal;
use crate::read::reading::PartChoice;
use veloxel_core::WarningKind;

/// Directions that differ by less are one.
const DIRECTION: f64 = 1e-3;
/// Pixel spacings that differ by less than this share are one.
const SPACING: f64 = 1e-3;
/// Groups that the images of a series may have; every image is compared with each.
const MOST_GROUPS: usize = 256;
/// A normal that leads along an axis of the world by more than this is called after it alone.
const ALONG_AXIS: f64 = 0.999;

/// Images that one grid may hold.
struct Group {
    first: PlaneHeader,
    images: Vec<PlaneHeader>,
}

/// Keeps the images of one group; the part that is asked for among them, by its number there.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the parts that there are; [`IoError::Malformed`](crate::IoError::Malformed) if none is the one asked for.
pub(super) fn choose(images: &mut Vec<PlaneHeader>, context: &mut Context) -> Result<Option<PartChoice>> {
    let asked = context.reading.options.part;
    let mut groups = groups(std::mem::take(images), context)?;
    if groups.len() == 1 {
        *images = groups.remove(0).images;
        return Ok(asked);
    }
    let parts: Vec<(usize, Part)> = groups
        .iter()
        .enumerate()
        .flat_map(|(nth, group)| {
            stack::parts(&group.images, context).into_iter().map(move |part| (nth, part))
        })
        .collect();
    let shown = |number: usize, nth: usize, part: &Part| {
        let label = format!("{} {}", group_name(&groups[nth].first), part.label);
        Part { label: label.trim_end().to_owned(), ..part.clone() }.shown(number)
    };
    let list = |from: usize| {
        let others = (1..).zip(&parts).filter(|(_, (nth, _))| *nth >= from);
        let count = others.clone().count();
        listed(others.map(|(number, (nth, part))| shown(number, *nth, part)), count)
    };
    let (chosen, part) = match asked {
        Some(asked) => {
            let is_it = |(number, (_, part)): &(usize, &(usize, Part))| asked.is(*number, &part.label);
            let Some((number, (nth, _))) = (1..).zip(&parts).find(is_it) else {
                return Err(context.malformed("part asked for", list(0), asked));
            };
            let before = parts.iter().filter(|(other, _)| other < nth).count();
            (*nth, (number - before).to_string().parse().ok())
        }
        None => {
            let (first, second) = (&groups[0], &groups[1]);
            if let Some(other) = groups[1..].iter().find(|group| is_like(&group.first, &first.first)) {
                let what = format!(
                    "images of several pixel spacings ({} and {})",
                    spacing(&first.first),
                    spacing(&other.first)
                );
                return Err(context.ambiguous(what, list(0), NAME_ONE));
            }
            if second.images.len() == first.images.len() {
                let what = "images of several shapes or orientations".to_owned();
                return Err(context.ambiguous(what, list(0), NAME_ONE));
            }
            let left: usize = groups[1..].iter().map(|group| group.images.len()).sum();
            let (count, [w, h]) = (first.images.len(), first.first.size);
            let text = format!(
                "{left} images of another shape or orientation than the {count} of {w} × {h} were left out; they are named as in folder@part:{}: {}",
                parts.iter().filter(|(nth, _)| *nth == 0).count() + 1,
                list(1)
            );
            context.note(WarningKind::Header, text);
            (0, None)
        }
    };
    *images = groups.swap_remove(chosen).images;
    Ok(part)
}

/// The groups of images, the largest first.
fn groups(images: Vec<PlaneHeader>, context: &Context) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for image in images {
        let is_its = |group: &&mut Group| is_like(&group.first, &image) && are_as_large(&group.first, &image);
        if let Some(group) = groups.iter_mut().find(is_its) {
            group.images.push(image);
            continue;
        }
        if groups.len() == MOST_GROUPS {
            let expected = format!("at most {MOST_GROUPS}");
            return Err(context.malformed("shapes and orientations of images", expected, "more"));
        }
        groups.push(Group { first: image.clone(), images: vec![image] });
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.images.len()));
    Ok(groups)
}

/// Whether two images have one shape and lie in parallel planes, turned alike.
fn is_like(a: &PlaneHeader, b: &PlaneHeader) -> bool {
    let directions = match (a.orientation, b.orientation) {
        (Some(a), Some(b)) => (0..2).all(|r| (0..3).all(|k| (a[r][k] - b[r][k]).abs() < DIRECTION)),
        (None, None) => true,
        _ => false,
    };
    a.size == b.size && directions && a.tile.is_some() == b.tile.is_some()
}

/// Whether the pixels of two images have one size.
fn are_as_large(a: &PlaneHeader, b: &PlaneHeader) -> bool {
    match (a.spacing_mm, b.spacing_mm) {
        (Some(a), Some(b)) => (0..2).all(|axis| (a[axis] - b[axis]).abs() <= SPACING * b[axis]),
        (None, None) => true,
        _ => false,
    }
}

fn spacing(image: &PlaneHeader) -> String {
    image.spacing_mm.map_or("none".to_owned(), |[x, y]| format!("{x} × {y} mm"))
}

/// The shape of a group's images, the plane in which they lie, and the size of their pixels.
fn group_name(first: &PlaneHeader) -> String {
    let [w, h] = first.size;
    let plane = first.orientation.map_or("", |[rows, columns]| plane_name(normal(rows, columns)));
    format!("{w} × {h} {plane} {}", spacing(first)).replace("  ", " ")
}

/// What planes of a normal are called, by the axis of the world that it leads along most.
fn plane_name(normal: [f64; 3]) -> &'static str {
    const NAMES: [[&str; 2]; 3] =
        [["sagittal", "near sagittal"], ["coronal", "near coronal"], ["transverse", "near transverse"]];
    let along = normal.map(f64::abs);
    let axis = (0..3).max_by(|&a, &b| along[a].total_cmp(&along[b])).unwrap_or(2);
    NAMES[axis][usize::from(along[axis] < ALONG_AXIS)]
}
