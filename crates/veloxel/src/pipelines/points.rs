//! Points in memory, moved by a field from the space of the fixed image into that of the moving one.

use crate::{Result, Session};
use veloxel_core::{Dimension, Flow, Stage};
use veloxel_motion::steps::composition::sample_vox;

/// Number of points that are moved between two questions whether to go on.
const POINTS_AT_ONCE: usize = 1 << 14;

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

/// Points that a field has moved.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedPoints {
    /// Where each point is now; none where it had no position, or the field is unknown.
    pub points: Vec<Option<[f64; 3]>>,
    /// Points without a position to begin with.
    pub undefined: usize,
    /// Points outside of the field, or where it is unknown.
    pub outside: usize,
}

/// Moves points by a field ([`move_point`]).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn move_points(flow: &Flow, points: &[Option<[f64; 3]>], session: &Session) -> Result<MovedPoints> {
    session.enter(Stage::Solve)?;
    let mut moved = Vec::with_capacity(points.len());
    for some in points.chunks(POINTS_AT_ONCE) {
        session.control().check()?;
        moved.extend(some.iter().map(|point| point.and_then(|p| move_point(flow, p))));
    }
    let none = |points: &[Option<[f64; 3]>]| points.iter().filter(|p| p.is_none()).count();
    let undefined = none(points);
    Ok(MovedPoints { undefined, outside: none(&moved) - undefined, points: moved })
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
