//! Holes: samples that are NaN or infinite. They are left out of the data and filled, so that methods can smooth and shrink the image.

use crate::pipelines::prepare::grids::{intersection, mask_on};
use crate::pipelines::prepare::passes::Passes;
use veloxel_core::{CoreError, Flow, Grid, Mask, Volume, WarningKind, Warnings};
use veloxel_motion::voxel_map;

/// Fills the holes of an image from the nearest samples on both sides, first across slices, then along columns and rows; returns where it
/// has data, or none if it has no holes.
///
/// # Errors
/// [`CoreError::NoData`] for an image of holes alone.
pub(crate) fn fill_holes(
    image: &mut Volume<f32>,
    name: &str,
    passes: Passes<'_>,
) -> Result<Option<Mask>, CoreError> {
    let extremes = passes.extremes(image);
    if extremes.are_finite {
        return Ok(None);
    }
    if extremes.least > extremes.greatest {
        return Err(CoreError::NoData { what: name.to_owned() });
    }
    let known = image.map(|v| v.is_finite());
    let [nx, ny, nz] = image.grid().size();
    for (count, stride, starts) in [(nz, nx * ny, nx * ny), (ny, nx, nx * nz), (nx, 1, ny * nz)] {
        for line in 0..starts {
            let first = match stride {
                1 => line * nx,
                _ if stride == nx => line / nx * nx * ny + line % nx,
                _ => line,
            };
            fill_line(image.data_mut(), first, stride, count);
        }
    }
    Ok(Some(known))
}

/// Fills the holes of an image as [`fill_holes`] does, and says how many there are that a mask does not cover.
///
/// # Errors
/// As [`fill_holes`].
pub(crate) fn fill_noted(
    image: &mut Volume<f32>,
    mask: Option<&Mask>,
    name: &str,
    passes: Passes<'_>,
    warnings: &mut Warnings,
) -> Result<Option<Mask>, CoreError> {
    let known = fill_holes(image, name, passes)?;
    known.iter().for_each(|known| note_holes(known, mask, name, warnings));
    Ok(known)
}

/// Makes holes of what lies outside of a mask, which is looked up on the image's grid.
///
/// # Errors
/// As [`require_inside`]; [`CoreError::GridMismatch`] as for moving images.
pub(crate) fn leave_out(
    image: &mut Volume<f32>,
    mask: &Mask,
    what: &str,
    passes: Passes<'_>,
) -> Result<Mask, CoreError> {
    let mask = require_inside(mask_on(mask.clone(), image.grid())?, what)?;
    passes.replace(image.data_mut(), f32::NAN, |index, _| !mask.data()[index]);
    Ok(mask)
}

/// Refuses a mask that leaves nothing.
///
/// # Errors
/// [`CoreError::EmptyMask`].
pub(crate) fn require_inside(mask: Mask, what: &str) -> Result<Mask, CoreError> {
    if mask.data().contains(&true) {
        return Ok(mask);
    }
    let reason = "no voxel of the image lies inside, so nothing would count";
    Err(CoreError::EmptyMask { what: what.to_owned(), reason })
}

/// A mask and what is known, where there are both, one of them otherwise.
///
/// # Errors
/// [`CoreError::EmptyMask`] where nothing lies inside of both.
pub(crate) fn known_within(mask: Option<Mask>, known: Option<&Mask>) -> Result<Option<Mask>, CoreError> {
    match (mask, known) {
        (Some(mask), Some(known)) => {
            let within = intersection(mask, known);
            if !within.data().contains(&true) {
                let reason = "the image has no data where it lies";
                return Err(CoreError::EmptyMask { what: "the mask".to_owned(), reason });
            }
            Ok(Some(within))
        }
        (mask, known) => Ok(mask.or_else(|| known.cloned())),
    }
}

/// Fills the holes of frames that may lie on several grids, and counts them; where each has data on its own grid, or nothing if all have
/// data everywhere. `mask` says where holes matter, on their grid.
///
/// # Errors
/// As [`fill_holes`].
pub(crate) fn fill_frames(
    frames: &mut [Volume<f32>],
    mask: Option<&Mask>,
    name: impl Fn(usize) -> String,
    passes: Passes<'_>,
    warnings: &mut Warnings,
) -> Result<Vec<Mask>, CoreError> {
    let mut all = Vec::with_capacity(frames.len());
    for (nth, frame) in frames.iter_mut().enumerate() {
        all.push(fill_noted(frame, mask, &name(nth), passes, warnings)?);
    }
    if all.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let everywhere = |(known, frame): (Option<Mask>, &Volume<f32>)| {
        known.unwrap_or_else(|| Mask::everywhere(frame.grid().clone()))
    };
    Ok(all.into_iter().zip(frames.iter()).map(everywhere).collect())
}

/// Fills the holes between two samples of a line as a straight line between them, and those at an end with the last sample.
fn fill_line(samples: &mut [f32], first: usize, stride: usize, count: usize) {
    let at = |nth: usize| first + nth * stride;
    let mut last = None;
    for nth in 0..count {
        if !samples[at(nth)].is_finite() {
            continue;
        }
        let begin = last.map_or(0, |last: usize| last + 1);
        for hole in begin..nth {
            let after = samples[at(nth)];
            samples[at(hole)] = last.map_or(after, |last| {
                let share = (hole - last) as f32 / (nth - last) as f32;
                samples[at(last)] + share * (after - samples[at(last)])
            });
        }
        last = Some(nth);
    }
    if let Some(last) = last {
        (last + 1..count).for_each(|hole| samples[at(hole)] = samples[at(last)]);
    }
}

/// Says how many holes there are that a mask does not cover.
pub(crate) fn note_holes(known: &Mask, mask: Option<&Mask>, name: &str, warnings: &mut Warnings) {
    let counts = |index: &usize| {
        let inside = mask.is_none_or(|mask| mask.data().len() != known.data().len() || mask.data()[*index]);
        !known.data()[*index] && inside
    };
    let mut holes = (0..known.data().len()).filter(counts);
    let Some(first) = holes.next() else { return };
    let (count, all) = (1 + holes.count(), known.data().len());
    let position = known.grid().position(first);
    let text = format!(
        "{name}: {count} of {all} samples are NaN or infinite, the first at voxel (x, y, z) = {position:?}: they are left out of the data, \
         with confidence 0"
    );
    warnings.push(WarningKind::Content, text);
}

/// Where both images of a pair have data, on the fixed grid, before anything has moved.
///
/// # Errors
/// [`CoreError::GridMismatch`] as for moving images.
pub(crate) fn known_in_both(
    [fixed, moving]: [Option<&Mask>; 2],
    grid: &Grid,
) -> Result<Option<Mask>, CoreError> {
    // Beyond the moving image's border nothing is a hole: that is another matter.
    let holes = moving
        .map(|known| Mask::from_fn(known.grid().clone(), |voxel| !known.data()[known.grid().index(voxel)]));
    let holes = holes.map(|holes| mask_on(holes, grid)).transpose()?;
    Ok(match (fixed.cloned(), holes) {
        (None, None) => None,
        (known, None) => known,
        (known, Some(holes)) => Some(Mask::from_fn(grid.clone(), |voxel| {
            let index = grid.index(voxel);
            !holes.data()[index] && known.as_ref().is_none_or(|known| known.data()[index])
        })),
    })
}

/// Takes the confidence from vectors that begin in a hole of the fixed image, or lead to one of the moving image.
pub(crate) fn doubt_vectors_of_holes(
    flow: &Flow,
    [fixed, moving]: [Option<&Mask>; 2],
    confidence: &mut Volume<f32>,
    passes: Passes<'_>,
) {
    if let Some(known) = fixed {
        passes.replace(confidence.data_mut(), 0.0, |index, _| !known.data()[index]);
    }
    let Some(known) = moving else { return };
    let (grid, size) = (flow.grid().clone(), known.grid().size());
    let map = voxel_map(&grid, known.grid());
    passes.replace(confidence.data_mut(), 0.0, |index, _| {
        let (voxel, d) = (grid.position(index), flow.vector_vox(index));
        let end = map.apply([0, 1, 2].map(|a| voxel[a] as f64 + f64::from(d[a])));
        let nearest = end.map(|v| (v + 0.5).floor());
        let inside = (0..3).all(|a| nearest[a] >= 0.0 && nearest[a] < size[a] as f64);
        inside && !known.data()[known.grid().index(nearest.map(|v| v as usize))]
    });
}

/// Share of a voxel that positions are rounded by.
const ROUNDING_VOX: f64 = 1e-3;

/// Makes unknown what was sampled from a hole of the moving image: where any of the voxels around the place, those with a bi- or trilinear
/// weight, is one; with `nearest` the nearest voxel alone.
pub(crate) fn blank_sampled_holes(
    flow: &Flow,
    known: &Mask,
    nearest: bool,
    warped: &mut Volume<f32>,
    passes: Passes<'_>,
) {
    let (grid, size) = (flow.grid().clone(), known.grid().size());
    let map = voxel_map(&grid, known.grid());
    let reach = if nearest { 0.5 } else { 1.0 - ROUNDING_VOX };
    passes.replace(warped.data_mut(), f32::NAN, |index, _| {
        let (voxel, d) = (grid.position(index), flow.vector_vox(index));
        let end = map.apply([0, 1, 2].map(|a| voxel[a] as f64 + f64::from(d[a])));
        if !end.iter().all(|v| v.is_finite()) {
            return false;
        }
        // Voxels nearer than the reach have weight.
        let span = [0, 1, 2].map(|a| {
            let last = size[a] as f64 - 1.0;
            let (first, end) = ((end[a] - reach).ceil(), (end[a] + reach).floor());
            first.clamp(0.0, last) as usize..end.clamp(0.0, last) as usize + 1
        });
        let [xs, ys, zs] = span;
        let mut around = zs.flat_map(|z| {
            let xs = xs.clone();
            ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
        });
        around.any(|at| !known.data()[known.grid().index(at)])
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_slice_is_the_mean_of_its_neighbours_and_no_data() {
        let grid = Grid::volume(3, 2, 4).unwrap();
        let mut image =
            Volume::from_fn(grid, |[x, _, z]| if z == 1 { f32::NAN } else { 10.0 * z as f32 + x as f32 });
        let known = fill_holes(&mut image, "FIXED", Passes::ALONE).unwrap().expect("there are holes");
        assert_eq!(known.count(), 18);
        assert_eq!(image.data()[6..9], [10.0, 11.0, 12.0]);
        assert_eq!(fill_holes(&mut image, "FIXED", Passes::ALONE), Ok(None));
    }

    #[test]
    fn a_ground_without_data_continues_what_is_there() {
        let grid = Grid::image(5, 3).unwrap();
        let mut image = Volume::from_fn(grid.clone(), |[x, y, _]| match (x, y) {
            (0, _) | (_, 2) => f32::NAN,
            (4, _) => f32::INFINITY,
            _ => x as f32,
        });
        let known = fill_holes(&mut image, "FIXED", Passes::ALONE).unwrap().unwrap();
        assert_eq!(image.data(), [1.0, 1.0, 2.0, 3.0, 3.0].repeat(3));
        let mut warnings = Warnings::new();
        note_holes(&known, None, "FIXED", &mut warnings);
        let text = warnings.iter().next().unwrap().message.clone();
        assert!(
            text.starts_with(
                "FIXED: 9 of 15 samples are NaN or infinite, the first at voxel (x, y, z) = [0, 0, 0]"
            ),
            "{text}"
        );
        let mut warnings = Warnings::new();
        note_holes(&known, Some(&known), "FIXED", &mut warnings);
        assert!(warnings.is_empty());
        let nothing =
            fill_holes(&mut Volume::from_fn(grid, |_| f32::NAN), "FIXED", Passes::ALONE).unwrap_err();
        assert_eq!(nothing.to_string(), "FIXED has no data: none of its samples is a number");
    }

    #[test]
    fn samples_of_holes_are_unknown() {
        let grid = Grid::image(8, 2).unwrap();
        let known = Mask::from_fn(grid.clone(), |[x, ..]| x != 4);
        let found = |shift: f64, nearest: bool| {
            let mut warped = Volume::from_fn(grid.clone(), |_| 1.0);
            let flow = Flow::from_fn(grid.clone(), |_| [shift, 0.0, 0.0]);
            blank_sampled_holes(&flow, &known, nearest, &mut warped, Passes::ALONE);
            (0..8).filter(|&x| warped.data()[x].is_nan()).collect::<Vec<_>>()
        };
        assert_eq!(
            (found(0.0, false), found(1.0, false), found(0.25, false)),
            (vec![4], vec![3], vec![3, 4])
        );
        assert_eq!((found(0.25, true), found(0.75, true)), (vec![4], vec![3]));
    }

    #[test]
    fn what_a_mask_leaves_out_is_a_hole_and_an_empty_one_is_refused() {
        let grid = Grid::image(4, 1).unwrap();
        let mut image = Volume::from_fn(grid.clone(), |[x, ..]| x as f32);
        let mask = Mask::from_fn(grid.clone(), |[x, ..]| x < 2);
        leave_out(&mut image, &mask, "the mask", Passes::ALONE).unwrap();
        assert!(image.data()[..2] == [0.0, 1.0] && image.data()[2..].iter().all(|v| v.is_nan()));
        let empty = Mask::from_fn(grid.clone(), |_| false);
        let error =
            leave_out(&mut image, &empty, "the mask of MOVING", Passes::ALONE).unwrap_err().to_string();
        assert!(error.starts_with("the mask of MOVING is empty"), "{error}");
        let beside = Mask::from_fn(grid, |[x, ..]| x == 3);
        let error = known_within(Some(mask), Some(&beside)).unwrap_err().to_string();
        assert!(error.contains("no data where it lies"), "{error}");
    }

    #[test]
    fn vectors_from_and_into_holes_are_not_trusted() {
        let grid = Grid::image(6, 1).unwrap();
        let [fixed, moving] = [0, 4].map(|hole| Mask::from_fn(grid.clone(), |[x, ..]| x != hole));
        let mut confidence = Volume::from_fn(grid.clone(), |_| 1.0);
        let flow = Flow::from_fn(grid, |_| [1.0, 0.0, 0.0]);
        doubt_vectors_of_holes(&flow, [Some(&fixed), Some(&moving)], &mut confidence, Passes::ALONE);
        assert_eq!(confidence.data(), [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    }
}
