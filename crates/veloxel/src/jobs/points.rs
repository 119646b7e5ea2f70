//! Points moved by a field: from the space of the fixed image into that of the moving one.

use super::{Holds, Result, WarpJob};
use std::path::Path;
use veloxel_core::{Dimension, Flow, Warnings};
use veloxel_io::{self as io, PointFile};
use veloxel_motion::steps::composition::sample_vox;

/// Moves a point: pixels for 2-D fields, LPS millimetres for 3-D ones; none where the field is unknown.
///
/// Between voxels the field is linear.
pub fn move_point(flow: &Flow, point: [f64; 3]) -> Option<[f64; 3]> {
    let grid = flow.grid();
    let is_picture = grid.dimension() == Dimension::Two;
    // A point of the outermost voxels may lie a rounding error outside.
    let rounded = |v: f64| if (v - v.round()).abs() < 1e-6 { v.round() } else { v };
    let voxel = if is_picture { point } else { grid.voxel_from_world(point).map(rounded) };
    let d = sample_vox(flow, voxel)?;
    let moved = [0, 1, 2].map(|a| voxel[a] + d[a]);
    Some(if is_picture { moved } else { grid.world_from_voxel(moved) })
}

/// How many points a run moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsRun {
    /// In the file.
    pub points: usize,
    /// Without a position in the file.
    pub undefined: usize,
    /// Outside of the field, or where it is unknown.
    pub outside: usize,
}

/// `veloxel warp points`: a file of points ([`PointFile`]) with its points moved; what cannot be moved becomes `NaN`, or
/// *undefined* in markups.
///
/// # Errors
/// As [`PointFile::read`]; [`VeloxelError::Frames`](crate::VeloxelError::Frames) if the result would be named as another kind of file.
pub fn warp_points(job: &WarpJob) -> Result<(PointsRun, Warnings)> {
    let kind = |path: &Path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if kind(&job.input) != kind(&job.output) {
        let (input, output) = (job.input.display(), job.output.display());
        return Err(frames!(
            "{output}: the points of {input} are written as they came: give it the same extension"
        ));
    }
    let mut run = PointsRun { points: 0, undefined: 0, outside: 0 };
    let work = |flow: &Flow, _: &mut Warnings| {
        let file = PointFile::read(&job.input, flow.grid().dimension())?;
        let points = file.points();
        let moved: Vec<_> = points.iter().map(|point| point.and_then(|p| move_point(flow, p))).collect();
        let none = |points: &[Option<[f64; 3]>]| points.iter().filter(|p| p.is_none()).count();
        let undefined = none(&points);
        run = PointsRun { points: points.len(), undefined, outside: none(&moved) - undefined };
        Ok(file.with_points(&moved))
    };
    let warnings = job.run(Holds::Text, work, |path, moved, _| io::write_text(path, &moved))?;
    Ok((run, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn pixels_move_by_pixels() {
        let flow = Flow::from_fn(Grid::image(10, 8).unwrap(), |[x, _, _]| [0.5 * x, -1.0, 0.0]);
        assert_eq!(move_point(&flow, [2.5, 3.5, 0.0]), Some([3.75, 2.5, 0.0]));
        assert_eq!(move_point(&flow, [-1.0, 3.0, 0.0]), None);
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
