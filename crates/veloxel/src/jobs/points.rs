//! Points moved by a field: from the space of the fixed image into that of the moving one.

use super::WarpJob;
use super::output_plan::Holds;
use crate::VeloxelError;
use veloxel_core::{Dimension, Flow, Warnings};
use veloxel_io as io;
use veloxel_io::IoError;
use veloxel_motion::composition::sample_vox;

/// The longest file of points.
const MOST_BYTES: u64 = 1 << 28;

/// Moves a point: pixels for 2-D fields, LPS millimetres for 3-D ones; none where the field is unknown.
///
/// Between voxels the field is linear.
pub fn move_point(flow: &Flow, point: [f64; 3]) -> Option<[f64; 3]> {
    let grid = flow.grid();
    match grid.dimension() {
        Dimension::Two => {
            let d = sample_vox(flow, point)?;
            Some([0, 1, 2].map(|a| point[a] + d[a]))
        }
        Dimension::Three => {
            // A point of the outermost voxels may lie a rounding error outside.
            let voxel = grid
                .voxel_from_world(point)
                .map(|v| if (v - v.round()).abs() < 1e-6 { v.round() } else { v });
            let d = sample_vox(flow, voxel)?;
            Some(grid.world_from_voxel([0, 1, 2].map(|a| voxel[a] + d[a])))
        }
    }
}

/// `veloxel warp points`: text with one point a line, numbers parted by commas, semicolons or blanks; what follows the
/// coordinates, comments (`#`), empty lines and one head line are kept as they are. Unknown points become `NaN`.
///
/// # Errors
/// [`VeloxelError::Io`] with the line that holds no point.
pub fn warp_points(job: &WarpJob) -> Result<Warnings, VeloxelError> {
    let work = |flow: &Flow, _: &mut Warnings| {
        let text = io::read_text(&job.input, MOST_BYTES)?;
        let moved = move_text(flow, &text).map_err(|(line, got)| IoError::Malformed {
            what: format!("line {line}"),
            expected: format!("{} coordinates", flow.grid().dimension().count()),
            got,
            path: job.input.clone(),
        })?;
        Ok(moved)
    };
    job.run(Holds::Text, work, |path, moved, _| io::write_text(path, &moved))
}

/// The text with its points moved; a failure is the line's number and content.
fn move_text(flow: &Flow, text: &str) -> Result<String, (usize, String)> {
    let axes = flow.grid().dimension().count();
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        let separator = [',', ';', '\t'].into_iter().find(|s| line.contains(*s)).unwrap_or(' ');
        // Several blanks part two cells; between two commas there is one, even if it is empty.
        let is_cell = |cell: &&str| separator != ' ' || !cell.is_empty();
        let cells: Vec<&str> = line.split(separator).map(str::trim).filter(is_cell).collect();
        let values: Vec<f64> = cells.iter().take(axes).filter_map(|c| c.parse().ok()).collect();
        let is_comment = line.trim().is_empty() || line.trim_start().starts_with('#');
        // A head names its columns: no cell of it is a number.
        if is_comment || number == 0 && values.is_empty() {
            out.push_str(line);
        } else if values.len() < axes {
            return Err((number + 1, format!("\"{line}\"")));
        } else {
            let mut point = [0.0; 3];
            point[..axes].copy_from_slice(&values);
            let moved = move_point(flow, point).unwrap_or([f64::NAN; 3]);
            let mut shown: Vec<String> = moved[..axes].iter().map(|v| format!("{v:.6}")).collect();
            shown.extend(cells[axes..].iter().map(|c| (*c).to_owned()));
            out.push_str(&shown.join(&separator.to_string()));
        }
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn pixels_move_by_pixels_and_what_is_unknown_is_nan() {
        let flow = Flow::from_fn(Grid::image(10, 8).unwrap(), |[x, _, _]| [0.5 * x, -1.0, 0.0]);
        let moved = move_text(&flow, "x,y,name\n2,3,apex\n\n2.5,3.5,base\n-1,3,out\n").unwrap();
        let expected = "x,y,name\n3.000000,2.000000,apex\n\n3.750000,2.500000,base\nNaN,NaN,out\n";
        assert_eq!(moved, expected);
        assert_eq!(move_text(&flow, "1 2\n3\n"), Err((2, "\"3\"".to_owned())));
        let moved = move_text(&flow, "x,y,name,group,note\n2,3,apex,,late\n").unwrap();
        assert_eq!(moved, "x,y,name,group,note\n3.000000,2.000000,apex,,late\n");
        assert_eq!(move_text(&flow, "1,,2\n"), Err((1, "\"1,,2\"".to_owned())));
    }

    #[test]
    fn millimetres_move_by_millimetres() {
        let grid = Grid::volume(6, 6, 6)
            .and_then(|g| g.with_spacing_mm([2.0, 1.0, 3.0]))
            .unwrap()
            .with_origin_mm([10.0, 20.0, 30.0]);
        let flow = Flow::from_fn(grid, |_| [0.5, -0.25, 1.0]);
        let moved = move_point(&flow, [14.0, 22.0, 33.0]).unwrap();
        for (got, expected) in moved.iter().zip([15.0, 21.75, 36.0]) {
            assert!((got - expected).abs() < 1e-6);
        }
        assert!(move_point(&flow, [0.0; 3]).is_none());
    }
}
