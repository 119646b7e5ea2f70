//! A field as a small picture for a table of many.

use crate::error::ReportError;
use crate::pictures::colour::wheel;
use crate::pictures::maps::full_colour;
use crate::pictures::picture::Raster;
use crate::pictures::planes::planes_through;
use veloxel_core::{Control, Flow};

/// Pixels of the longest side: a few kilobytes.
const LONGEST_SIDE: usize = 64;

/// The middle axial plane of a field (of a picture all of it) in the colours of the wheel, as the data URI of a PNG: full colour at a
/// round number that 99 % of its vectors do not exceed; transparent where the field is unknown.
///
/// # Errors
/// [`ReportError::Stopped`]; [`ReportError::Picture`] should not occur.
pub fn field_thumbnail(flow: &Flow, control: &Control) -> Result<String, ReportError> {
    let middle = flow.grid().size().map(|n| n / 2);
    let plane = planes_through(flow.grid(), middle).swap_remove(0);
    let vector = |i: usize| flow.is_valid(i).then(|| plane.page_vector_mm(flow.vector_vox(i)));
    let scale = full_colour(plane.indices().filter_map(vector).map(|[u, v]| u.hypot(v)));
    let vectors = Raster::<2>::sample(&plane, LONGEST_SIDE, |i| vector(i).unwrap_or([f32::NAN; 2]), control)?;
    vectors.to_data_uri_by(|vector| wheel(vector.map(|c| (f64::from(c) / scale) as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn a_thumbnail_is_small_and_follows_the_field() {
        let grid = Grid::volume(300, 200, 9).unwrap();
        let field =
            |most: f64| Flow::from_fn(grid.clone(), |[x, y, _]| [most * x / 300.0, most * y / 400.0, 0.0]);
        let thumbnail = field_thumbnail(&field(2.0), &Control::default()).unwrap();
        assert!(
            thumbnail.starts_with("data:image/png;base64,") && thumbnail.len() < 20_000,
            "{}",
            thumbnail.len()
        );
        assert_ne!(thumbnail, field_thumbnail(&field(-2.0), &Control::default()).unwrap());
    }
}
