//! The outline of a labelled part of a plane, between its pixels.
//!
//! *Method*: the edges between pixels inside and outside are followed into closed loops; the largest loop is cut at the middles
//! of its edges (marching squares of a yes-or-no image at one half) and smoothed without shrinking.
//! *Papers*: Lorensen, Cline: Marching cubes, SIGGRAPH 1987; Taubin: Curve and surface smoothing without shrinkage, ICCV 1995.
//! *Where we differ*: where two parts touch at a corner, the loop keeps to its own part, so that loops never cross; a scale
//! about the centre restores the area that smoothing changes.

use super::Polygon;
use crate::error::CoreError;

/// Taubin's pass band: a step inwards, then a slightly longer step outwards.
const SHRINK: f64 = 0.5;
const GROW: f64 = -0.53;
const ROUNDS: usize = 8;

impl Polygon {
    /// The outline of the largest part of a plane of `size` (x, y) pixels in which `is_inside`, and how many more parts there are.
    ///
    /// None where no pixel is inside. Holes are filled.
    ///
    /// # Errors
    /// [`CoreError::Outline`] should not occur.
    pub fn outline(
        size: [usize; 2],
        is_inside: impl Fn([usize; 2]) -> bool,
    ) -> Result<Option<(Self, usize)>, CoreError> {
        let [nx, ny] = size.map(|n| n as i64);
        let inside = |x: i64, y: i64| {
            (0..nx).contains(&x) && (0..ny).contains(&y) && is_inside([x as usize, y as usize])
        };
        let loops = loops([nx, ny], &inside);
        // Outer loops turn from x to y, holes the other way.
        let area = |points: &Vec<[f64; 2]>| Self { points_px: points.clone() }.signed_area_px2();
        let outer: Vec<(f64, Vec<[f64; 2]>)> =
            loops.into_iter().map(|points| (area(&points), points)).filter(|(area, _)| *area > 0.0).collect();
        let others = outer.len().saturating_sub(1);
        let Some((area, corners)) = outer.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Ok(None);
        };
        Self::new(smoothed(&middles(&corners), area)).map(|polygon| Some((polygon, others)))
    }
}

/// The loops of edges around all parts, corner by corner; a corner lies half a pixel from the centres.
fn loops([nx, ny]: [i64; 2], inside: &dyn Fn(i64, i64) -> bool) -> Vec<Vec<[f64; 2]>> {
    // An edge above a pixel that is inside, the outside above it, walked towards +x: x turns towards y around the part.
    let starts_here = |x: i64, y: i64| inside(x, y) && !inside(x, y - 1);
    let columns = nx as usize;
    let mut walked = vec![false; columns * ny as usize];
    let mut loops = Vec::new();
    for y in 0..ny {
        for x in 0..nx {
            if !starts_here(x, y) || walked[y as usize * columns + x as usize] {
                continue;
            }
            // The corner (cx, cy) lies at (cx − ½, cy − ½).
            let (start, mut at, mut step) = ([x, y], [x, y], [1i64, 0i64]);
            let mut corners = Vec::new();
            loop {
                corners.push([at[0] as f64 - 0.5, at[1] as f64 - 0.5]);
                if step == [1, 0] {
                    walked[at[1] as usize * columns + at[0] as usize] = true;
                }
                at = [at[0] + step[0], at[1] + step[1]];
                step = next_step(at, step, inside);
                if at == start && step == [1, 0] {
                    break;
                }
            }
            loops.push(corners);
        }
    }
    loops
}

/// The step after one that arrived at a corner, the part to its right hand (with y down).
fn next_step([cx, cy]: [i64; 2], [dx, dy]: [i64; 2], inside: &dyn Fn(i64, i64) -> bool) -> [i64; 2] {
    // The pixels ahead, to the right (the part's side) and to the left.
    let pixel = |along: i64, across: i64| {
        // The middle of the pixel in doubled coordinates relative to the corner; right of (dx, dy) is (−dy, dx).
        let px = along * dx - across * dy;
        let py = along * dy + across * dx;
        inside(cx + (px - 1) / 2, cy + (py - 1) / 2)
    };
    match (pixel(1, 1), pixel(1, -1)) {
        // Turn towards the part: two parts that touch at a corner stay apart.
        (false, _) => [-dy, dx],
        (true, false) => [dx, dy],
        (true, true) => [dy, -dx],
    }
}

fn middles(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| [0, 1].map(|k: usize| 0.5 * (a[k] + b[k]))).collect()
}

/// Smooths by Taubin's method, then restores the area that the loop had before.
fn smoothed(points: &[[f64; 2]], area_px2: f64) -> Vec<[f64; 2]> {
    let n = points.len();
    let mut points = points.to_vec();
    for _ in 0..ROUNDS {
        for factor in [SHRINK, GROW] {
            let towards = |i: usize, k: usize| {
                0.5 * (points[(i + n - 1) % n][k] + points[(i + 1) % n][k]) - points[i][k]
            };
            points = (0..n).map(|i| [0, 1].map(|k: usize| points[i][k] + factor * towards(i, k))).collect();
        }
    }
    let polygon = Polygon { points_px: points };
    let (area, centre) = (polygon.signed_area_px2(), polygon.centroid_px());
    if area <= 0.0 {
        return polygon.points_px;
    }
    let scale = (area_px2 / area).sqrt();
    let scaled = |p: &[f64; 2]| [0, 1].map(|k: usize| centre[k] + scale * (p[k] - centre[k]));
    polygon.points_px.iter().map(scaled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_is_found_between_its_pixels() {
        let inside = |[x, y]: [usize; 2]| (x as f64 - 20.3).hypot(y as f64 - 17.6) < 9.5;
        let (outline, others) = Polygon::outline([40, 36], inside).unwrap().unwrap();
        let pixels = (0..40 * 36).filter(|i| inside([i % 40, i / 40])).count() as f64;
        assert!((outline.signed_area_px2() - pixels).abs() < 1e-6 && others == 0);
        for [x, y] in outline.points_px() {
            let radius = (x - 20.3).hypot(y - 17.6);
            assert!((radius - 9.5).abs() < 0.45, "({x}, {y}): {radius}");
        }
    }

    #[test]
    fn the_largest_part_counts_holes_are_filled_and_borders_are_walls() {
        let rows = ["##.......", "##..####.", "....#..##", "....####.", "#........"];
        let inside = |[x, y]: [usize; 2]| rows[y].as_bytes()[x] == b'#';
        let (outline, others) = Polygon::outline([9, 5], inside).unwrap().unwrap();
        assert_eq!(others, 2);
        // The ring with its hole: 11 pixels and 2.
        assert!((outline.signed_area_px2() - 13.0).abs() < 1e-6, "{}", outline.signed_area_px2());
        assert!(Polygon::outline([9, 5], |_| false).unwrap().is_none());
        assert!(Polygon::outline([3, 2], |_| true).unwrap().is_some());
    }

    #[test]
    fn parts_that_touch_at_a_corner_stay_apart() {
        let rows = ["##..", "##..", "..##", "..##"];
        let inside = |[x, y]: [usize; 2]| rows[y].as_bytes()[x] == b'#';
        let (outline, others) = Polygon::outline([4, 4], inside).unwrap().unwrap();
        assert!((outline.signed_area_px2() - 4.0).abs() < 1e-6 && others == 1);
    }
}
