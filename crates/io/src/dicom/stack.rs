//! Planes in order: slices along the normal of the image planes, frames of each over time.

use super::header::PlaneHeader;
use super::thin;
use crate::error::Result;
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::geometry::cross;
use std::collections::HashMap;
use veloxel_core::{Grid, WarningKind};

/// The planes of a cine, and the grid that they form.
pub(super) struct Stack {
    pub grid: Grid,
    /// By slice, then by frame; none where a slice is missing between others.
    pub planes: Vec<Option<Vec<PlaneHeader>>>,
    pub frames: usize,
    pub frame_interval_ms: Option<f64>,
}

/// Distances of slices may differ by this share.
const EVEN: f64 = 0.02;
/// Slices that are told one by one; of the others their number is told.
const MOST_SAID: usize = 32;

/// The images of one slice in order of time.
struct Slice {
    along_mm: f64,
    planes: Vec<PlaneHeader>,
}

impl Stack {
    /// Orders the planes of one series.
    pub fn of(images: Vec<PlaneHeader>, context: &mut Context) -> Result<Self> {
        let first = images[0].clone();
        let mut slices = slices(images, context)?;
        for slice in &mut slices {
            in_time(slice, context)?;
        }
        let slices = of_one_length(slices, context);
        let (planes, distance_mm) = evenly(slices, context)?;
        let frames = planes.iter().flatten().next().map_or(0, Vec::len);
        let frame_interval_ms = interval_ms(&planes).and_then(|ms| context.frame_interval_ms(ms));
        let origin = planes.iter().flatten().next().and_then(|slice| slice[0].position_mm);
        let grid = grid(&first, planes.len(), distance_mm, origin, context)?;
        if frames > 1 && frame_interval_ms.is_none() {
            let text = "the time between frames is not said: rates and times are unknown";
            context.note(WarningKind::Header, text);
        }
        Ok(Self { grid, planes, frames, frame_interval_ms })
    }
}

/// Planes by their place along the normal, in its direction.
fn slices(images: Vec<PlaneHeader>, context: &mut Context) -> Result<Vec<Slice>> {
    let is_frames = images[0].frames > 1 && images.iter().all(|image| image.position_mm.is_none());
    let is_cine = images[0].cine_ms.is_some();
    let place = |image: &PlaneHeader| -> Option<f64> {
        let [rows, columns] = image.orientation?;
        let (p, n) = (image.position_mm?, cross(rows, columns));
        Some((0..3).map(|k| p[k] * n[k]).sum())
    };
    let along = |image: &PlaneHeader| {
        let by_frame = (is_frames && !is_cine).then_some(f64::from(image.frame));
        place(image).or(image.location_mm).or(by_frame)
    };
    let unplaced = images.iter().filter(|image| along(image).is_none()).count();
    let mut placed: Vec<(f64, PlaneHeader)> =
        images.into_iter().map(|image| (along(&image).unwrap_or(0.0), image)).collect();
    if is_frames && !is_cine {
        context
            .assume("no positions: the frames of the file are taken as slices of one volume, 1 mm apart")?;
    } else if unplaced > 0 && unplaced < placed.len() {
        let got = format!("{unplaced} of {} without", placed.len());
        return Err(context.malformed("positions of images", "all or none", got));
    } else if unplaced > 0 && !is_frames {
        context.assume("no positions: all images are taken to lie in one slice")?;
    }
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same_mm = thin::same_mm(&placed, context);
    let mut slices: Vec<Slice> = Vec::new();
    for (along_mm, image) in placed {
        match slices.last_mut().filter(|slice| along_mm - slice.along_mm < same_mm) {
            Some(slice) => slice.planes.push(image),
            None => slices.push(Slice { along_mm, planes: vec![image] }),
        }
    }
    Ok(slices)
}

/// Orders the images of a slice by time: the first of trigger time, temporal index, instance number, acquisition time and frame of
/// the file that all have and in which all differ.
fn in_time(slice: &mut Slice, context: &mut Context) -> Result<()> {
    if slice.planes.len() < 2 {
        return Ok(());
    }
    type Key = fn(&PlaneHeader) -> Option<f64>;
    let keys: [(&str, Key); 5] = [
        ("trigger time", |p| p.trigger_ms),
        ("index of their temporal position", |p| p.temporal_index.map(|v| v as f64)),
        ("instance number", |p| p.instance.map(|v| v as f64)),
        ("acquisition time", |p| p.acquired_s),
        ("place in their file", |p| (p.frames > 1).then_some(f64::from(p.frame))),
    ];
    for (nth, (name, key)) in keys.into_iter().enumerate() {
        let Some(mut times) = slice.planes.iter().map(key).collect::<Option<Vec<f64>>>() else { continue };
        times.sort_by(f64::total_cmp);
        if times.windows(2).any(|two| two[0] == two[1]) {
            continue;
        }
        slice.planes.sort_by(|a, b| key(a).unwrap_or(0.0).total_cmp(&key(b).unwrap_or(0.0)));
        if nth > 0 && slice.planes[0].frames == 1 {
            context.assume(format!(
                "no trigger times that tell the images of a slice apart: frames are in order of {name}"
            ))?;
        }
        return Ok(());
    }
    let got = format!("{} images at {:.2} mm that nothing tells apart", slice.planes.len(), slice.along_mm);
    Err(context.malformed("the frames of a slice", "trigger times, or instance numbers, that differ", got))
}

/// The slices of the length that most images belong to; the others are said.
fn of_one_length(slices: Vec<Slice>, context: &mut Context) -> Vec<Slice> {
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
    slices.into_iter().filter(|slice| slice.planes.len() == most).collect()
}

fn file_names(planes: &[PlaneHeader]) -> String {
    match planes {
        [one] => file_name(&one.path),
        [first, .., last] => format!("{} to {}", file_name(&first.path), file_name(&last.path)),
        [] => String::new(),
    }
}

/// Slices at equal distances, with none where one is missing, and that distance.
type Even = (Vec<Option<Vec<PlaneHeader>>>, Option<f64>);

fn evenly(slices: Vec<Slice>, context: &mut Context) -> Result<Even> {
    let steps: Vec<f64> = slices.windows(2).map(|two| two[1].along_mm - two[0].along_mm).collect();
    let Some(step) = steps.iter().copied().min_by(f64::total_cmp) else {
        return Ok((slices.into_iter().map(|slice| Some(slice.planes)).collect(), None));
    };
    let gaps: Vec<f64> = steps.iter().map(|d| (d / step).round()).collect();
    let is_even = steps.iter().zip(&gaps).all(|(d, n)| (d - n * step).abs() < EVEN.max(1e-3) * step * n);
    let all = gaps.iter().sum::<f64>() + 1.0;
    // Slices may lie so far apart that their number has no end.
    if !is_even || all > 4.0 * slices.len() as f64 {
        let (least, most) = (step, steps.iter().copied().fold(0.0, f64::max));
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        context.assume(format!(
            "its slices lie {least:.3} to {most:.3} mm apart: {mean:.3} mm is assumed for all"
        ))?;
        return Ok((slices.into_iter().map(|slice| Some(slice.planes)).collect(), Some(mean)));
    }
    let mut planes = Vec::with_capacity(all as usize);
    let (mut said, mut unsaid) = (0, 0);
    for (slice, gap) in slices.into_iter().zip(gaps.iter().copied().map(Some).chain([None])) {
        let at = slice.along_mm;
        planes.push(Some(slice.planes));
        for missing in 1..gap.unwrap_or(1.0) as usize {
            let (nth, at) = (planes.len(), at + step * missing as f64);
            planes.push(None);
            if said == MOST_SAID {
                unsaid += 1;
                continue;
            }
            said += 1;
            let text = format!("slice {nth}, at {at:.2} mm, is missing: it is 0 everywhere");
            context.note(WarningKind::Header, text);
        }
    }
    if unsaid > 0 {
        let text = format!("{unsaid} more slices are missing: they are 0 everywhere");
        context.note(WarningKind::Header, text);
    }
    Ok((planes, Some(step)))
}

/// The mean time between frames of the slices.
fn interval_ms(planes: &[Option<Vec<PlaneHeader>>]) -> Option<f64> {
    if let Some(ms) = planes.iter().flatten().next()?.first()?.cine_ms {
        return Some(ms);
    }
    let of = |slice: &Vec<PlaneHeader>| {
        let (first, last) = (slice.first()?.trigger_ms?, slice.last()?.trigger_ms?);
        (slice.len() > 1 && last > first).then(|| (last - first) / (slice.len() - 1) as f64)
    };
    let all: Vec<f64> = planes.iter().flatten().filter_map(of).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// The grid of all slices; a picture if there is one.
fn grid(
    first: &PlaneHeader,
    count: usize,
    distance_mm: Option<f64>,
    origin: Option<[f64; 3]>,
    context: &mut Context,
) -> Result<Grid> {
    let [nx, ny] = first.size;
    let grid = if count > 1 { Grid::volume(nx, ny, count) } else { Grid::image(nx, ny) };
    let mut grid = grid.map_err(|error| context.core(error))?;
    let thickness = distance_mm.or(first.between_mm).or(first.thickness_mm);
    if first.spacing_mm.is_none() {
        context.assume("no pixel spacing: 1 mm is assumed")?;
    }
    let [sx, sy] = first.spacing_mm.unwrap_or([1.0; 2]);
    let spacing = [sx, sy, thickness.unwrap_or(1.0)];
    grid = grid.with_spacing_mm(spacing).map_err(|error| context.core(error))?;
    if let Some([rows, columns]) = first.orientation {
        let normal = cross(rows, columns);
        let direction = [0, 1, 2].map(|k: usize| [rows[k], columns[k], normal[k]]);
        grid = grid.with_direction(direction).map_err(|error| context.core(error))?;
    } else {
        context.note(WarningKind::Header, "no orientation: axes are taken to lie along the world's");
    }
    Ok(grid.with_origin_mm(origin.unwrap_or_default()))
}
