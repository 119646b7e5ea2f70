//! Planes in order: slices along the normal of the image planes, frames of each over time.

mod copies;
mod evenly;
mod in_time;
mod split;
mod thin;

use super::Open;
use super::header::PlaneHeader;
use super::header::mosaic::TileDistance;
use super::header::spacing::Measured;
use crate::error::Result;
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::geometry::{length, normal};
use crate::read::reading::PartChoice;
use evenly::{Even, evenly};
pub(super) use split::{NAME_ONE, Part};
use std::collections::HashMap;
use veloxel_core::{Grid, WarningKind, Warnings};

/// The planes of a cine, and the grid that they form.
pub(super) struct Stack {
    pub grid: Grid,
    /// By slice, then by frame; none where a slice is missing between others.
    pub planes: Vec<Option<Vec<PlaneHeader>>>,
    pub frames: usize,
    pub frame_interval_ms: Option<f64>,
}

/// Slices that are told one by one; of the others their number is told.
const MOST_SAID: usize = 32;
/// Images of one slice lie so near to each other within their plane, mm.
const SAME_MM: f64 = 0.1;

/// Directions whose cosine is less are at right angles; the digits of a header round them.
const SKEWED: f64 = 1e-3;

/// The images of one slice in order of time.
struct Slice {
    along_mm: f64,
    /// Its first voxel, and the directions of its rows and columns.
    corner_mm: Option<[f64; 3]>,
    orientation: Option<[[f64; 3]; 2]>,
    planes: Vec<PlaneHeader>,
}

impl Stack {
    /// Orders the planes of one series, of which those of a part are asked for; `open` opens those that may be copies of each
    /// other.
    pub fn of(
        images: Vec<PlaneHeader>,
        part: Option<PartChoice>,
        open: Open<'_>,
        context: &mut Context,
    ) -> Result<Self> {
        let images = split::without_copies(images, context);
        let mut slices = slices(images, context)?;
        split::one_part(&mut slices, part, context)?;
        in_time::order(&mut slices, open, context)?;
        let slices = of_one_length(slices, context);
        let Even { planes, distance_mm, step_mm } = evenly(slices, context)?;
        let Some(first) = planes.iter().flatten().flatten().next().cloned() else {
            return Err(context.malformed("slices", "one at least", "none"));
        };
        let frames = planes.iter().flatten().next().map_or(0, Vec::len);
        let frame_interval_ms =
            in_time::interval_ms(&planes, context).and_then(|ms| context.frame_interval_ms(ms));
        tell_spacing(&first, context);
        let place = GridPlace { distance_mm, step_mm, origin_mm: first.position_mm };
        let grid = grid(&first, planes.len(), &place, context)?;
        if frames > 1 && frame_interval_ms.is_none() {
            let text = "the time between frames is not said: rates and times are unknown";
            context.note(WarningKind::Header, text);
        }
        Ok(Self { grid, planes, frames, frame_interval_ms })
    }
}

/// The parts of images that one grid holds, in the order of their numbers.
pub(super) fn parts(images: &[PlaneHeader], context: &Context) -> Vec<Part> {
    // What is to be said of them is said where they are taken.
    let mut unsaid = Warnings::new();
    let mut own = Context::new(context.path, context.reading.clone(), &mut unsaid);
    let images = split::without_copies(images.to_vec(), &mut own);
    let count = images.len();
    let parts = slices(images, &mut own).map(|slices| split::parts(&slices)).unwrap_or_default();
    if parts.is_empty() { vec![Part { label: String::new(), images: count }] } else { parts }
}

/// Planes by their place along the normal, in its direction.
fn slices(images: Vec<PlaneHeader>, context: &mut Context) -> Result<Vec<Slice>> {
    let is_film = images[0].film.is_some();
    let place = |image: &PlaneHeader| -> Option<f64> {
        let [rows, columns] = image.orientation?;
        let (p, n) = (image.position_mm?, normal(rows, columns));
        Some((0..3).map(|k| p[k] * n[k]).sum())
    };
    let along = |image: &PlaneHeader| place(image).or(image.location_mm);
    let guessed = images.iter().find(|image| image.is_guessed).cloned();
    let unplaced = images.iter().filter(|image| along(image).is_none()).count();
    let mut placed: Vec<(f64, PlaneHeader)> =
        images.into_iter().map(|image| (along(&image).unwrap_or(0.0), image)).collect();
    if let Some(guessed) = guessed {
        let distance = guessed.between_mm.or(guessed.thickness_mm).unwrap_or(1.0);
        context.assume(format!(
            "no positions of frames: they are taken as slices of one volume, {distance} mm apart"
        ))?;
    } else if unplaced > 0 && unplaced < placed.len() {
        let got = format!("{unplaced} of {} without", placed.len());
        return Err(context.malformed("positions of images", "all or none", got));
    } else if unplaced > 0 && !is_film {
        context.assume("no positions: all images are taken to lie in one slice")?;
    }
    let of_thickness =
        |image: &PlaneHeader| image.tile.is_some_and(|tile| tile.distance == TileDistance::Thickness);
    if let Some((_, image)) = placed.iter().find(|(_, image)| of_thickness(image)) {
        let distance = image.thickness_mm.unwrap_or(1.0);
        context.assume(format!(
            "a mosaic does not say how far its slices lie apart: their thickness, {distance} mm, is assumed, without gaps"
        ))?;
    }
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same_mm = thin::same_mm(&placed, context);
    let mut slices: Vec<Slice> = Vec::new();
    for (along_mm, image) in placed {
        match slices.last_mut().filter(|slice| along_mm - slice.along_mm < same_mm) {
            Some(slice) => {
                require_one_place(slice, &image, context)?;
                slice.planes.push(image);
            }
            None => slices.push(Slice {
                along_mm,
                corner_mm: image.position_mm,
                orientation: image.orientation,
                planes: vec![image],
            }),
        }
    }
    Ok(slices)
}

/// That an image of a slice is not shifted within its plane.
fn require_one_place(slice: &Slice, image: &PlaneHeader, context: &Context) -> Result<()> {
    let (Some(corner), Some(own), Some([rows, columns])) =
        (slice.corner_mm, image.position_mm, slice.orientation)
    else {
        return Ok(());
    };
    let aside = |axis: [f64; 3]| (0..3).map(|k| axis[k] * (own[k] - corner[k])).sum::<f64>();
    let beside = aside(rows).hypot(aside(columns));
    let expected = "images of one slice at one place";
    let got = format!("{} lies {beside:.2} mm beside the others in its plane", file_name(&image.path));
    context.require(beside < SAME_MM, "positions of images", expected, got)
}

/// The slices of the length that most images belong to; of the others, which are said, the place alone.
fn of_one_length(mut slices: Vec<Slice>, context: &mut Context) -> Vec<Slice> {
    let mut planes_of: HashMap<usize, usize> = HashMap::new();
    for length in slices.iter().map(|slice| slice.planes.len()) {
        *planes_of.entry(length).or_default() += length;
    }
    let most = planes_of.iter().max_by_key(|&(&length, &planes)| (planes, length));
    let most = most.map_or(0, |(&length, _)| length);
    let others = slices.iter().filter(|slice| slice.planes.len() != most);
    for slice in others.clone().take(MOST_SAID) {
        let (got, at, names) = (slice.planes.len(), slice.along_mm, file_names(&slice.planes));
        let text =
            format!("the slice at {at:.2} mm has {got} frames instead of {most} and was left out ({names})");
        context.note(WarningKind::Header, text);
    }
    let unsaid = others.skip(MOST_SAID).count();
    if unsaid > 0 {
        let text = format!("{unsaid} more slices have not {most} frames and were left out");
        context.note(WarningKind::Header, text);
    }
    // Between others a slice without images is a hole; at the ends there is no need of it.
    let is_whole = |slice: &Slice| slice.planes.len() == most;
    let end = slices.iter().rposition(is_whole).map_or(0, |last| last + 1);
    slices.truncate(end);
    slices.drain(..slices.iter().position(is_whole).unwrap_or(0));
    for slice in slices.iter_mut().filter(|slice| slice.planes.len() != most) {
        slice.planes.clear();
    }
    slices
}

fn file_names(planes: &[PlaneHeader]) -> String {
    match planes {
        [one] => file_name(&one.path),
        [first, .., last] => format!("{} to {}", file_name(&first.path), file_name(&last.path)),
        [] => String::new(),
    }
}

/// What a pixel spacing is measured by, where that is not the patient.
fn tell_spacing(first: &PlaneHeader, context: &mut Context) {
    let text = match first.measured {
        Measured::There | Measured::ByAspect => return,
        Measured::AtImager => {
            "pixel spacing is that at the detector (ImagerPixelSpacing): the patient's is smaller by an unknown magnification"
                .to_owned()
        }
        Measured::Demagnified(factor) => {
            format!("pixel spacing is that at the detector, divided by the magnification {factor:.4}")
        }
        Measured::InRegions => "pixel spacing is that of the ultrasound's regions".to_owned(),
        Measured::RegionsDiffer => {
            "the ultrasound's regions have pixels of several sizes: none is taken".to_owned()
        }
        Measured::OnFilm => "pixel spacing is that on the film that was scanned".to_owned(),
    };
    context.note(WarningKind::Header, text);
}

/// Where the slices of a grid lie.
struct GridPlace {
    distance_mm: Option<f64>,
    step_mm: Option<[f64; 3]>,
    origin_mm: Option<[f64; 3]>,
}

/// The grid of all slices; a picture if there is one.
fn grid(first: &PlaneHeader, count: usize, place: &GridPlace, context: &mut Context) -> Result<Grid> {
    let [nx, ny] = first.size;
    let grid = if count > 1 { Grid::volume(nx, ny, count) } else { Grid::image(nx, ny) };
    let mut grid = grid.map_err(|error| context.core(error))?;
    let thickness = place.step_mm.map(length).or(place.distance_mm);
    let thickness = thickness.or(first.between_mm).or(first.thickness_mm);
    if first.spacing_mm.is_none() {
        context.assume("no pixel spacing: 1 mm is assumed")?;
    } else if let (Measured::ByAspect, Some([_, height])) = (first.measured, first.spacing_mm) {
        let text = format!(
            "no pixel spacing: pixels are taken 1 mm wide and {height:.4} mm high, as PixelAspectRatio says"
        );
        context.assume(text)?;
    }
    let [sx, sy] = first.spacing_mm.unwrap_or([1.0; 2]);
    let spacing = [sx, sy, thickness.unwrap_or(1.0)];
    grid = grid.with_spacing_mm(spacing).map_err(|error| context.core(error))?;
    if let Some([rows, columns]) = first.orientation {
        let third = place.step_mm.map_or(normal(rows, columns), |step| step.map(|v| v / length(step)));
        let cosine = (0..3).map(|k| rows[k] * columns[k]).sum::<f64>();
        if cosine.abs() > SKEWED {
            let text = format!(
                "rows and columns are not at right angles (cosine {cosine:.4}): they are used as the header gives them"
            );
            context.note(WarningKind::Header, text);
        }
        let direction = [0, 1, 2].map(|k: usize| [rows[k], columns[k], third[k]]);
        grid = grid.with_direction(direction).map_err(|error| context.core(error))?;
    } else {
        context.note(WarningKind::Header, "no orientation: axes are taken to lie along the world's");
    }
    Ok(grid.with_origin_mm(place.origin_mm.unwrap_or_default()))
}
