//! A box around points that is turned as they lie: thin where they are a sliver, or a sheaf of slivers, that lies obliquely.
//!
//! *Paper*: S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", SIGGRAPH 1996,
//! doi:10.1145/237170.237244, section 4: the axes are the directions of the points' covariance.

use super::ray::Ray;
use crate::vector::{Vector, bounds, cross, dot, mean, minus, plus, unit};

/// Steps of the power iteration: an axis that is not found sharply makes a wider box, not a wrong one.
const STEPS: usize = 12;

/// A box with axes of its own.
pub(crate) struct TurnedBox {
    /// Directions of length 1, square to each other.
    axes: [Vector; 3],
    /// The lowest and the highest corner along the axes.
    low: Vector,
    high: Vector,
}

impl TurnedBox {
    /// The box along the points' directions, wider by `margin` on each side.
    pub fn around(points: impl Iterator<Item = Vector> + Clone, margin: f64) -> Self {
        let axes = axes(points.clone());
        let [low, high] = bounds(points.map(|point| along(&axes, point)));
        Self { axes, low: low.map(|c| c - margin), high: high.map(|c| c + margin) }
    }

    /// Half of the surface.
    pub fn half_surface(&self) -> f64 {
        half_surface(self.low, self.high)
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        volume_of(self.low, self.high)
    }

    /// The distance at which a ray enters the box, if it does before it has gone so far.
    pub fn entered(&self, ray: &Ray, limit: f64) -> Option<f64> {
        let direction = along(&self.axes, ray.direction);
        slabs_entered([self.low, self.high], along(&self.axes, ray.origin), direction.map(|d| 1.0 / d), limit)
    }
}

/// Half of the surface of a box.
pub(crate) fn half_surface(low: Vector, high: Vector) -> f64 {
    let [x, y, z] = minus(high, low);
    x * y + y * z + z * x
}

/// Volume of a box.
pub(crate) fn volume_of(low: Vector, high: Vector) -> f64 {
    let [x, y, z] = minus(high, low);
    x * y * z
}

/// The distance at which a ray enters the box between two corners, if it does before it has gone so far; `inverse` is one over its
/// direction.
#[inline]
pub(crate) fn slabs_entered(
    [low, high]: [Vector; 2],
    origin: Vector,
    inverse: Vector,
    limit: f64,
) -> Option<f64> {
    let (mut near, mut far) = (0.0f64, limit);
    for axis in 0..3 {
        let a = (low[axis] - origin[axis]) * inverse[axis];
        let b = (high[axis] - origin[axis]) * inverse[axis];
        // A ray within a box's side gives NaN, which min and max leave out.
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    (near <= far).then_some(near)
}

fn along(axes: &[Vector; 3], vector: Vector) -> Vector {
    axes.map(|axis| dot(axis, vector))
}

/// The direction in which the points lie furthest, the next one square to it, and the last.
fn axes(points: impl Iterator<Item = Vector> + Clone) -> [Vector; 3] {
    let middle = mean(points.clone());
    let mut rows = [[0.0; 3]; 3];
    for from_middle in points.map(|point| minus(point, middle)) {
        for (row, component) in rows.iter_mut().zip(from_middle) {
            *row = plus(*row, component, from_middle);
        }
    }
    let longest = |rows: &[Vector; 3]| {
        let largest =
            (0..3).fold(0, |best, axis| if rows[axis][axis] > rows[best][best] { axis } else { best });
        (0..STEPS).fold(unit(rows[largest]), |direction, _| unit(rows.map(|row| dot(row, direction))))
    };
    let first = longest(&rows);
    // What is left beside the first direction.
    let beside = |v: Vector| plus(v, -dot(v, first), first);
    let columns = rows.map(beside);
    let transposed = [0, 1, 2].map(|axis| columns.map(|column| column[axis]));
    let found = unit(beside(longest(&transposed.map(beside))));
    // Of points on a line nothing but rounding is left, which may lie anywhere.
    let found = beside(found);
    let second = if dot(found, found) > 0.5 { unit(found) } else { any_beside(first) };
    let first = if dot(first, first) > 0.5 { first } else { cross(second, [0.0, 0.0, 1.0]) };
    [first, second, cross(first, second)]
}

/// Any direction square to one of length 1, or the x-axis for none.
fn any_beside(direction: Vector) -> Vector {
    let axis = if direction[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    if dot(direction, direction) > 0.5 { unit(cross(direction, axis)) } else { axis }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sliver_that_lies_obliquely_has_a_thin_box() {
        let (axis, across) = (unit([1.0, 2.0, 3.0]), unit([3.0, 0.0, -1.0]));
        let corners = [[0.0; 3], axis.map(|c| 10.0 * c), across.map(|c| 0.01 * c)];
        let found = TurnedBox::around(corners.into_iter(), 0.0);
        assert!(found.half_surface() < 0.15, "{}", found.half_surface());
        let [low, high] = bounds(corners);
        assert!(half_surface(low, high) > 50.0);
        for point in corners {
            let origin = plus(point, 1.0, [0.3, -0.2, 0.5]);
            let ray = Ray { origin, direction: minus(point, origin), from: u32::MAX };
            assert!(TurnedBox::around(corners.into_iter(), 1e-12).entered(&ray, 1.0).is_some(), "{point:?}");
        }
    }

    #[test]
    fn points_on_a_line_or_in_one_place_have_square_axes() {
        for points in [vec![[1.0, 2.0, 3.0]; 3], vec![[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]] {
            let axes = axes(points.iter().copied());
            for (nth, axis) in axes.iter().enumerate() {
                for (other, beside) in axes.iter().enumerate() {
                    let expected = f64::from(u8::from(nth == other));
                    assert!((dot(*axis, *beside) - expected).abs() < 1e-9, "{axes:?}");
                }
            }
        }
    }
}
