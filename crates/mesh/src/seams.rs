//! Seams: points of open edges that rounding alone keeps apart become one.
//!
//! A surface that was written part by part, or in text with few digits, may have two points where it should have one, so that it is
//! open along a seam. Such points are joined where they lie within [`TOLERANCE`] of the mesh's size from each other.
//! *What is kept*: points inside of a surface are never joined, so that thin walls stay two; nor are points whose distance is
//! more than [`OF_EDGE`] of the shortest edge at either of them, so that small features stay as they are.

use crate::vector::{Vector, has_area, length, minus};
use std::collections::HashMap;
use veloxel_core::{Control, Stopped, TriangleMesh, sort};

/// Greatest distance of the points of a seam, as a share of the diagonal of the box around the mesh: rounding of 32-bit floats,
/// and of text with seven digits.
const TOLERANCE: f64 = 1e-6;
/// Greatest distance of the points of a seam, as a share of the shortest edge at either.
const OF_EDGE: f64 = 0.01;
/// Width of a cell, in greatest distances: wide enough that a point looks into about three cells, and narrow enough that few points
/// lie in one.
const OF_REACH: f64 = 4.0;
/// Added to what a point looks at, as a share of it, so that rounding hides no cell.
const MARGIN: f64 = 1e-3;
/// Points of a cell that a point is compared with. A cell is some millionths of the mesh wide: only meshes that were made for it have
/// more, all of them in edges of a hundred millionth.
const MOST_IN_CELL: usize = 256;
/// Points or faces between two questions whether to go on: some milliseconds.
const POINTS_AT_ONCE: usize = 1 << 13;

/// Gives points of open edges the place of the first that lies within rounding of them; how many had another.
///
/// `place` holds for each point the first that lies where it does, and `size` is the diagonal of the box around the mesh.
pub(crate) fn join_seams(
    mesh: &TriangleMesh,
    place: &mut [u32],
    size: f64,
    control: &Control,
) -> Result<usize, Stopped> {
    let shortest = shortest_open_edges(mesh, place, control)?;
    let Some(&(first, _)) = shortest.first() else { return Ok(0) };
    let (origin, reach) = (mesh.points()[first as usize], TOLERANCE * size);
    // The cell of a point that lies so much further along each axis.
    let cell = |point: Vector, further: f64| {
        minus(point, origin).map(|c| ((c + further) / (OF_REACH * reach)).floor() as i64)
    };
    let around = reach * (1.0 + MARGIN);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(shortest.len());
    let mut joined: HashMap<u32, u32> = HashMap::new();
    let mut pace = control.once_in(POINTS_AT_ONCE);
    for (nth, &(point, own_edge)) in (0u32..).zip(&shortest) {
        pace.step()?;
        let at = mesh.points()[point as usize];
        let mut nearest: Option<(f64, u32)> = None;
        for beside in cells_between(cell(at, -around), cell(at, around)) {
            for &index in cells.get(&beside).into_iter().flatten().take(MOST_IN_CELL) {
                let (other, edge) = shortest[index as usize];
                let distance = length(minus(at, mesh.points()[other as usize]));
                let is_seam = distance <= reach.min(OF_EDGE * own_edge.min(edge));
                if is_seam && nearest.is_none_or(|nearest| (distance, other) < nearest) {
                    nearest = Some((distance, other));
                }
            }
        }
        match nearest {
            Some((_, other)) => {
                joined.insert(point, other);
            }
            None => cells.entry(cell(at, 0.0)).or_default().push(nth),
        }
    }
    if !joined.is_empty() {
        place.iter_mut().for_each(|place| *place = joined.get(place).copied().unwrap_or(*place));
    }
    Ok(joined.len())
}

/// The cells from the first to the last one along each axis.
fn cells_between([x, y, z]: [i64; 3], last: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let ys = move |x: i64| (y..=last[1]).map(move |y| [x, y]);
    (x..=last[0]).flat_map(ys).flat_map(move |[x, y]| (z..=last[2]).map(move |z| [x, y, z]))
}

/// The points at edges of one face, each with the length of the shortest edge there; sorted.
fn shortest_open_edges(
    mesh: &TriangleMesh,
    place: &[u32],
    control: &Control,
) -> Result<Vec<(u32, f64)>, Stopped> {
    let mut sides: Vec<[u32; 2]> = Vec::with_capacity(3 * mesh.triangles().len());
    let mut shortest = vec![f64::INFINITY; place.len()];
    let mut pace = control.once_in(POINTS_AT_ONCE);
    for corners in mesh.triangles() {
        pace.step()?;
        let corners = corners.map(|corner| place[corner as usize]);
        let points = corners.map(|corner| mesh.points()[corner as usize]);
        if !has_area(points) {
            continue;
        }
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            sides.push([corners[a].min(corners[b]), corners[a].max(corners[b])]);
            let edge = length(minus(points[a], points[b]));
            for end in [corners[a], corners[b]] {
                shortest[end as usize] = edge.min(shortest[end as usize]);
            }
        }
    }
    sort(&mut sides, control)?;
    let open = sides.chunk_by(|a, b| a == b).filter(|group| group.len() == 1);
    let mut points: Vec<u32> = open.flat_map(|group| group[0]).collect();
    sort(&mut points, control)?;
    points.dedup();
    Ok(points.into_iter().map(|point| (point, shortest[point as usize])).collect())
}

#[cfg(test)]
mod tests {
    use crate::cleaning::CleanMesh;
    use veloxel_core::{Control, TriangleMesh};

    /// Two squares that meet at x = 1, each with points of its own, the second so far above.
    fn squares(gap: f64, size: f64) -> CleanMesh {
        let at = |x: f64, y: f64, z: f64| [x, y, z].map(|c| c * size);
        let points = vec![
            at(0.0, 0.0, 0.0),
            at(1.0, 0.0, 0.0),
            at(1.0, 1.0, 0.0),
            at(0.0, 1.0, 0.0),
            at(1.0, 0.0, gap),
            at(2.0, 0.0, 0.0),
            at(2.0, 1.0, 0.0),
            at(1.0, 1.0, -gap),
        ];
        let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]].to_vec();
        CleanMesh::new(&TriangleMesh::new(points, triangles).unwrap(), &Control::default()).unwrap()
    }

    /// Components, points joined and border edges.
    fn seam(mesh: &CleanMesh) -> [usize; 3] {
        [mesh.report.components, mesh.report.seam_points, mesh.report.border_edges]
    }

    #[test]
    fn a_seam_within_rounding_is_closed_at_any_size() {
        for size in [1.0, 1e-20, 1e20] {
            assert_eq!(seam(&squares(1e-6, size)), [1, 2, 6], "{size}");
            // The box is 2.24 across.
            assert_eq!(seam(&squares(2.5e-6, size)), [2, 0, 8], "{size}");
        }
        assert_eq!(seam(&squares(0.0, 1.0)), [1, 0, 6], "points in one place are no matter of rounding");
    }

    #[test]
    fn cells_do_not_part_points_of_a_seam() {
        // Wherever the seam lies beside the borders of cells, which begin at the first point.
        for shift in 0..80 {
            let shift = f64::from(shift) * 1e-7;
            let mut points: Vec<[f64; 3]> = [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [1.0 + 6e-7, -6e-7, 6e-7],
                [1.0, 1.0, 0.0],
                [-6e-7, 1.0 - 6e-7, -6e-7],
            ]
            .map(|point| point.map(|c| c + shift))
            .to_vec();
            points[0] = [0.0; 3];
            let mesh = TriangleMesh::new(points, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
            assert_eq!(seam(&CleanMesh::new(&mesh, &Control::default()).unwrap()), [1, 2, 4], "{shift}");
        }
    }

    #[test]
    fn small_features_and_thin_walls_stay() {
        // A large triangle, and a strip of squares that is smaller than the tolerance.
        let mut points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut triangles = vec![[0, 1, 2]];
        for nth in 0..8u32 {
            let x = 0.5 + 2e-8 * f64::from(nth);
            points.extend([[x, 0.7, 0.0], [x, 0.7 + 2e-8, 0.0]]);
            if nth > 0 {
                let a = 3 + 2 * (nth - 1);
                triangles.extend([[a, a + 2, a + 3], [a, a + 3, a + 1]]);
            }
        }
        let mesh =
            CleanMesh::new(&TriangleMesh::new(points, triangles.clone()).unwrap(), &Control::default())
                .unwrap();
        assert_eq!((seam(&mesh), mesh.triangles.len()), ([2, 0, 19], triangles.len()));
        // A closed plate thinner than the tolerance: its points lie inside of the surface.
        let corner = |x: f64, y: f64, z: f64| [x, y, z * 5e-7];
        let plate: Vec<[f64; 3]> = (0..8u32)
            .map(|nth| corner(f64::from(nth & 1), f64::from(nth >> 1 & 1), f64::from(nth >> 2)))
            .collect();
        let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let sides = squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = CleanMesh::new(&TriangleMesh::new(plate, sides).unwrap(), &Control::default()).unwrap();
        assert_eq!((seam(&mesh), mesh.triangles.len()), ([1, 0, 0], 12));
    }
}
