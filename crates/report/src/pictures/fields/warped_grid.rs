//! A regular grid, moved by a field: how the lines of the fixed image lie in the moving one.

use crate::pictures::overlay::Canvas;
use crate::pictures::planes::Plane;
use std::fmt::Write;

/// Points of a line between two crossings.
const POINTS_A_STEP: usize = 3;

/// The lines of a grid with about this many squares along `longest_mm`, moved by vectors (right, down) in millimetres; lines are
/// broken at gaps.
pub(crate) fn warped_grid_svg(
    plane: &Plane,
    vector_mm: impl Fn(usize) -> [f32; 2],
    canvas: Canvas,
    longest_mm: f64,
    squares: f64,
) -> String {
    let (columns, rows) = plane.shape();
    let step = |spacing_mm: f64| ((longest_mm / squares / spacing_mm).round() as usize).max(1);
    let (step_x, step_y) = (step(plane.across.spacing_mm), step(plane.down.spacing_mm));
    let place = |column: usize, row: usize| {
        let [u, v] = vector_mm(plane.index(column, row)).map(|c| f64::from(c) * canvas.units_per_mm);
        [
            (column as f64 + 0.5) * canvas.width / columns as f64 + u,
            (row as f64 + 0.5) * canvas.height / rows as f64 + v,
        ]
    };
    let mut path = String::new();
    for row in (0..rows).step_by(step_y) {
        write_line(along(columns, step_x).map(|column| place(column, row)), &mut path);
    }
    for column in (0..columns).step_by(step_x) {
        write_line(along(rows, step_y).map(|row| place(column, row)), &mut path);
    }
    format!(r#"<path class="grid-halo" d="{path}"/><path class="grid-line" d="{path}"/>"#)
}

/// The voxels along an axis at which a line has points, the last one among them.
fn along(count: usize, step: usize) -> impl Iterator<Item = usize> {
    let last = count - 1;
    (0..last).step_by((step / POINTS_A_STEP).max(1)).chain([last])
}

/// Writes a line through all places that are known.
fn write_line(places: impl Iterator<Item = [f64; 2]>, path: &mut String) {
    let mut begun = false;
    for [x, y] in places {
        let is_known = x.is_finite() && y.is_finite();
        if is_known {
            let _ = write!(path, "{}{x:.1} {y:.1}", if begun { "L" } else { "M" });
        }
        begun = is_known;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::planes::planes_through;
    use veloxel_core::Grid;

    #[test]
    fn lines_move_with_the_field_and_end_at_gaps() {
        let plane = &planes_through(&Grid::image(4, 1).unwrap(), [0; 3])[0];
        let canvas = Canvas { width: 40.0, height: 10.0, units_per_mm: 10.0 };
        let vector = |i: usize| if i == 2 { [f32::NAN; 2] } else { [0.5, 0.0] };
        let svg = warped_grid_svg(plane, vector, canvas, 4.0, 4.0);
        // A line of pixel centres at 5, 15, 25 and 35, each half a pixel to the right, and four points of lines down.
        assert!(
            svg.contains(r#"class="grid-line" d="M10.0 5.0L20.0 5.0M40.0 5.0M10.0 5.0M20.0 5.0M40.0 5.0""#),
            "{svg}"
        );
    }
}
