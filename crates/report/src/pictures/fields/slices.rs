//! A volume slice by slice: the motion in colours over the image, in boxes that the reader scrolls through.

use crate::error::ReportError;
use crate::pictures::film::overlaid_uri;
use crate::pictures::overlay::{Canvas, letters_svg};
use crate::pictures::panel::{Picture, image};
use crate::pictures::picture::Raster;
use crate::pictures::planes::{Plane, planes_through, slices_of_thin_stack};
use crate::pictures::view::PairView;
use serde::Serialize;
use veloxel_core::{Control, Dimension, Stopped};
use veloxel_measure::finite_quantiles;

/// Most slices of a view.
const MOST_SLICES: usize = 13;
/// Longest side of a slice, pixels.
const LONGEST_SIDE: usize = 160;

/// Pictures one above the other, one of which is seen at a time.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Scroller {
    pub title: String,
    pub pictures: Vec<Picture>,
    /// The picture that is seen first.
    pub first: usize,
}

/// The axial, coronal and sagittal slices of a volume around the voxel that its panels show; none of a picture, and of a thin
/// stack, whose panels show every slice.
pub(crate) fn slice_scrollers(
    view: &PairView<'_>,
    scale_mm: f64,
    control: &Control,
) -> Result<Vec<Scroller>, ReportError> {
    let grid = view.grid();
    if grid.dimension() == Dimension::Two || slices_of_thin_stack(grid).is_some() {
        return Ok(Vec::new());
    }
    let centre = view.planes(control)?;
    let shown = centre.iter().flat_map(|plane| plane.indices().map(|i| view.fixed.data()[i]));
    let range = finite_quantiles(shown, [0.005, 0.995]).unwrap_or([0.0, 1.0]).map(|grey| grey as f32);
    let mut scrollers = Vec::new();
    for (nth, plane) in centre.iter().enumerate() {
        let canvas = Canvas::of(plane, plane.across.extent_mm().max(plane.down.extent_mm()));
        let mut scroller = Scroller { title: plane.name.to_owned(), ..Scroller::default() };
        for slice in slices_beside(view, plane, nth, control)? {
            control.check()?;
            if slice.position == plane.position {
                scroller.first = scroller.pictures.len();
            }
            let grey = Raster::sample(&slice, LONGEST_SIDE, |i| [view.fixed.data()[i]], control)?;
            let vector = |i| slice.page_vector_mm(view.flow.vector_vox(i));
            let motion = Raster::sample(&slice, LONGEST_SIDE, vector, control)?;
            let uri = overlaid_uri(&grey, &motion, range, scale_mm as f32)?;
            let content = format!("{}{}", image(&uri, canvas), letters_svg(&slice, canvas));
            let label = format!("{}, {}", slice.name, slice.position);
            scroller.pictures.push(Picture { label, ..Picture::framed(canvas, slice.name, &content) });
        }
        scrollers.push(scroller);
    }
    Ok(scrollers)
}

/// Slices of one view at equal distances, the given one among them, without those at both ends whose image is all one grey.
fn slices_beside(
    view: &PairView<'_>,
    plane: &Plane,
    nth: usize,
    control: &Control,
) -> Result<Vec<Plane>, Stopped> {
    let (grid, normal) = (view.grid(), plane.normal());
    let count = grid.size()[normal];
    let mut voxel = grid.position(plane.index(0, 0));
    let own = voxel[normal];
    let mut at = |position: usize| {
        voxel[normal] = position;
        planes_through(grid, voxel).swap_remove(nth)
    };
    let mut seen = Vec::with_capacity(count);
    for position in 0..count {
        control.check()?;
        let slice = at(position);
        let mut greys = slice.indices().map(|i| view.fixed.data()[i]);
        let first = greys.next();
        seen.push(greys.any(|grey| Some(grey) != first));
    }
    let low = seen.iter().position(|seen| *seen).unwrap_or(own).min(own);
    let high = seen.iter().rposition(|seen| *seen).unwrap_or(own).max(own);
    let step = (high - low + 1).div_ceil(MOST_SLICES).max(1);
    let first = low + (own - low) % step;
    Ok((first..=high).step_by(step).map(at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Flow, Grid, Volume};

    #[test]
    fn every_view_has_its_slices_and_begins_at_the_one_of_the_panels() {
        let grid = Grid::volume(40, 30, 20).unwrap();
        let fixed = Volume::from_fn(grid.clone(), |[x, y, z]| if z < 15 { (x * y) as f32 } else { 0.0 });
        let flow = Flow::from_fn(grid.clone(), |[x, ..]| [if x < 20.0 { 1.0 } else { 0.0 }, 0.0, 0.0]);
        let (one, control) = (fixed.map(|_| 1.0), Control::default());
        let view = PairView {
            title: "a → b",
            fixed: &fixed,
            moving: &fixed,
            warped: None,
            flow: &flow,
            confidence: &one,
            probability: None,
            jacobian: &one,
            truth: None,
            mask: None,
            moving_grid: None,
            frames: None,
        };
        let scrollers = slice_scrollers(&view, 1.0, &control).unwrap();
        assert_eq!(
            scrollers.iter().map(|s| s.title.as_str()).collect::<Vec<_>>(),
            ["axial", "coronal", "sagittal"]
        );
        for scroller in &scrollers {
            assert!((5..=MOST_SLICES).contains(&scroller.pictures.len()), "{}", scroller.title);
        }
        let axial = &scrollers[0];
        assert_eq!(axial.pictures[axial.first].label, "axial, z = 10");
        assert!(
            axial.pictures.iter().all(|picture| !picture.label.contains("z = 16")),
            "nothing is seen there"
        );
        let picture = Volume::from_fn(Grid::image(4, 4).unwrap(), |_| 0.0);
        let flow = Flow::zeros(picture.grid().clone());
        let view = PairView {
            fixed: &picture,
            moving: &picture,
            flow: &flow,
            confidence: &picture,
            jacobian: &picture,
            ..view
        };
        assert!(slice_scrollers(&view, 1.0, &control).unwrap().is_empty());
    }
}
