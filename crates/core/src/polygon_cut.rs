//! Polygons in space cut into triangles: a fan around the first corner, or, where a corner turns inwards, ear by ear.
//!
//! *Paper*: G. H. Meisters, "Polygons Have Ears", American Mathematical Monthly 82(6), 1975, doi:10.2307/2319703.
//! *Where we differ*: corners are looked at along the polygon's mean normal (Newell's); what crosses itself stays a fan.
//! *Cost*: corners times corners that turn inwards, at most [`MOST_CORNERS`] of them in a polygon that is no fan.

/// Corners of a polygon that is not convex, at most: cutting takes their square.
pub const MOST_CORNERS: usize = 1 << 12;

/// The triangles of a polygon, as places in its list of corners; none for one that is not convex and has too many corners.
pub(crate) fn triangles(corners: &[[f64; 3]]) -> Option<Vec<[usize; 3]>> {
    let count = corners.len();
    let fan = || (2..count).map(|nth| [0, nth - 1, nth]).collect();
    if count <= 3 {
        return Some(fan());
    }
    let Some(flat) = along_normal(corners) else { return Some(fan()) };
    let turns = |[a, b, c]: [usize; 3]| cross(flat[a], flat[b], flat[c]);
    let scale = extent(&flat);
    let slack = 1e-12 * scale * scale;
    let is_reflex = |nth: usize| turns([(nth + count - 1) % count, nth, (nth + 1) % count]) < -slack;
    if !(0..count).any(is_reflex) {
        return Some(fan());
    }
    if count > MOST_CORNERS {
        return None;
    }
    let mut left: Vec<usize> = (0..count).collect();
    let mut found = Vec::with_capacity(count - 2);
    let mut at = 0;
    let mut refused = 0;
    while left.len() > 3 {
        let n = left.len();
        let ear = [left[(at + n - 1) % n], left[at % n], left[(at + 1) % n]];
        if turns(ear) > slack && !holds_another(&flat, ear, &left, &turns) {
            found.push(ear);
            left.remove(at % n);
            at = (at % n).saturating_sub(1);
            refused = 0;
            continue;
        }
        (at, refused) = ((at + 1) % n, refused + 1);
        if refused == n {
            // Corners in one line are left: without area, they may go anywhere.
            let Some(straight) =
                (0..n).find(|&k| turns([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]).abs() <= slack)
            else {
                return Some(fan());
            };
            found.push([left[(straight + n - 1) % n], left[straight], left[(straight + 1) % n]]);
            left.remove(straight);
            (at, refused) = (0, 0);
        }
    }
    found.push([left[0], left[1], left[2]]);
    Some(found)
}

/// Whether another corner that turns inwards lies in a triangle.
fn holds_another(
    flat: &[[f64; 2]],
    ear: [usize; 3],
    left: &[usize],
    turns: &impl Fn([usize; 3]) -> f64,
) -> bool {
    let n = left.len();
    let [a, b, c] = ear.map(|corner| flat[corner]);
    left.iter().enumerate().any(|(nth, &corner)| {
        let point = flat[corner];
        let is_own = ear.contains(&corner) || [a, b, c].contains(&point);
        let is_inside =
            || cross(a, b, point) >= 0.0 && cross(b, c, point) >= 0.0 && cross(c, a, point) >= 0.0;
        !is_own && is_inside() && turns([left[(nth + n - 1) % n], corner, left[(nth + 1) % n]]) <= 0.0
    })
}

/// The corners in the plane across the polygon's normal, anticlockwise; none without a normal.
fn along_normal(corners: &[[f64; 3]]) -> Option<Vec<[f64; 2]>> {
    let origin = corners[0];
    let from_origin = |p: &[f64; 3]| [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]];
    let mut normal = [0.0; 3];
    for (nth, corner) in corners.iter().enumerate() {
        let (p, q) = (from_origin(corner), from_origin(&corners[(nth + 1) % corners.len()]));
        for axis in 0..3 {
            let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
            normal[axis] += p[j] * q[k] - p[k] * q[j];
        }
    }
    let length = normal.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !length.is_normal() {
        return None;
    }
    let [x, y, z] = normal.map(|c| c / length);
    // Two axes across the normal (Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017).
    let sign = 1.0f64.copysign(z);
    let (a, b) = (-1.0 / (sign + z), x * y * (-1.0 / (sign + z)));
    let axes = [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y]];
    let flat = corners.iter().map(from_origin);
    Some(flat.map(|p| axes.map(|axis| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2])).collect())
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

fn extent(flat: &[[f64; 2]]) -> f64 {
    flat.iter().flatten().fold(0.0, |most, c| c.abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area of a polygon's triangles, each without a sign.
    fn area(corners: &[[f64; 3]]) -> f64 {
        let triangles = triangles(corners).unwrap();
        assert_eq!(triangles.len(), corners.len() - 2);
        let area = |[a, b, c]: [usize; 3]| {
            let [p, q] = [b, c].map(|nth| [0, 1, 2].map(|axis| corners[nth][axis] - corners[a][axis]));
            let cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
            0.5 * cross.iter().map(|c| c * c).sum::<f64>().sqrt()
        };
        triangles.into_iter().map(area).sum()
    }

    #[test]
    fn areas_are_those_of_the_polygons() {
        // An arrow whose tail turns inwards, from every corner, both ways round, in every plane.
        let arrow = [[0.0, 0.0], [4.0, 3.0], [0.0, 6.0], [1.0, 3.0]];
        let letter = [
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [4.0, 2.0],
            [4.0, 3.0],
            [1.0, 3.0],
            [1.0, 4.0],
            [0.0, 4.0],
        ];
        let comb: Vec<[f64; 2]> = (0..40)
            .map(|k| [f64::from(k), if k % 2 == 0 { 5.0 } else { 1.0 }])
            .chain([[39.0, 0.0], [0.0, 0.0]])
            .collect();
        for (polygon, expected) in
            [(&arrow[..], 9.0), (&letter[..], 5.0 + 3.0 + 3.0 - 2.0 - 0.0), (&comb[..], 39.0 * 3.0)]
        {
            let expected = if polygon.len() == letter.len() { shoelace(polygon) } else { expected };
            assert!((shoelace(polygon) - expected).abs() < 1e-9);
            for begin in 0..polygon.len() {
                for place in [
                    |[x, y]: [f64; 2]| [x, y, 7.0],
                    |[x, y]: [f64; 2]| [y, 2.0, x],
                    |[x, y]: [f64; 2]| [x, x, y / 2.0f64.sqrt()],
                ] {
                    let mut turned: Vec<[f64; 3]> = polygon.iter().map(|&p| place(p)).collect();
                    turned.rotate_left(begin);
                    let true_area = area_of(&turned);
                    assert!((area(&turned) - true_area).abs() < 1e-9 * true_area, "{turned:?}");
                    turned.reverse();
                    assert!((area(&turned) - true_area).abs() < 1e-9 * true_area, "{turned:?}");
                }
            }
        }
    }

    fn shoelace(polygon: &[[f64; 2]]) -> f64 {
        let next = |nth: usize| polygon[(nth + 1) % polygon.len()];
        (polygon.iter().enumerate().map(|(nth, p)| p[0] * next(nth)[1] - p[1] * next(nth)[0]).sum::<f64>()
            / 2.0)
            .abs()
    }

    /// The length of the sum of all corners' moments: the area of a polygon in a plane.
    fn area_of(corners: &[[f64; 3]]) -> f64 {
        let mut sum = [0.0; 3];
        for (nth, p) in corners.iter().enumerate() {
            let q = corners[(nth + 1) % corners.len()];
            (0..3).for_each(|axis| {
                sum[axis] += p[(axis + 1) % 3] * q[(axis + 2) % 3] - p[(axis + 2) % 3] * q[(axis + 1) % 3]
            });
        }
        0.5 * sum.iter().map(|c| c * c).sum::<f64>().sqrt()
    }

    #[test]
    fn convex_polygons_and_those_without_a_plane_are_fans() {
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]];
        assert_eq!(triangles(&square).unwrap(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(triangles(&[[1.0; 3]; 5]).unwrap().len(), 3);
        assert_eq!(triangles(&[[f64::NAN; 3]; 4]).unwrap().len(), 2);
    }

    #[test]
    fn large_polygons_that_are_not_convex_are_refused() {
        let comb = |count: usize| {
            (0..count)
                .map(|k| [k as f64, if k % 2 == 0 { 5.0 } else { 1.0 }, 0.0])
                .chain([[count as f64, 0.0, 0.0], [0.0; 3]])
                .collect::<Vec<_>>()
        };
        assert!(triangles(&comb(MOST_CORNERS)).is_none());
        assert!(triangles(&comb(1000)).is_some());
    }
}
