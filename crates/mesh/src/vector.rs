//! Vectors in space.

pub(crate) type Vector = [f64; 3];

pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector `a + t b`.
pub(crate) fn plus(a: Vector, t: f64, b: Vector) -> Vector {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The vector with length 1; zero stays zero.
pub(crate) fn unit(a: Vector) -> Vector {
    let length = length(a);
    if length > 0.0 { a.map(|c| c / length) } else { a }
}

/// The mean of points.
pub(crate) fn mean(points: impl IntoIterator<Item = Vector>) -> Vector {
    let (sum, count) =
        points.into_iter().fold(([0.0; 3], 0), |(sum, count), point| (plus(sum, 1.0, point), count + 1));
    sum.map(|c| c / f64::from(count))
}

/// The lowest and the highest corner of the box around points.
pub(crate) fn bounds(points: impl IntoIterator<Item = Vector>) -> [Vector; 2] {
    points.into_iter().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], point| {
        [[0, 1, 2].map(|axis| low[axis].min(point[axis])), [0, 1, 2].map(|axis| high[axis].max(point[axis]))]
    })
}

/// Whether a triangle is more than a line: its height against its longest side.
pub(crate) fn has_area([a, b, c]: [Vector; 3]) -> bool {
    const LEAST_HEIGHT: f64 = 1e-12;
    let sides = [minus(b, a), minus(c, b), minus(a, c)];
    let longest = sides.iter().map(|side| dot(*side, *side)).fold(0.0, f64::max);
    length(cross(sides[0], sides[1])) > LEAST_HEIGHT * longest
}
