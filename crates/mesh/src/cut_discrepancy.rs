//! How far the cuts of two segmentations lie from each other.
//!
//! *Source*: X. Chen, A. Golovinskiy, T. Funkhouser, "A Benchmark for 3D Mesh Segmentation", ACM TOG 28(3), 2009,
//! doi:10.1145/1531326.1531379, section 4.1; the points of a cut are the corners along it, and ways lead along edges.

use crate::cleaning::CleanMesh;
use crate::neighbours::{nearest_ways, neighbours};
use crate::vector::{length, minus, plus};
use veloxel_core::{Control, Stopped};

/// The mean distance from the cuts of each to the nearest cut of the other, both directions added, over the mean distance of
/// the surface from its middle; none where one of the segmentations has no cut from which a path leads to one of the other.
///
/// # Panics
/// If there is not a label for every face.
///
/// # Errors
/// [`Stopped`].
pub fn cut_discrepancy(
    mesh: &CleanMesh,
    result: &[u32],
    truth: &[u32],
    control: &Control,
) -> Result<Option<f64>, Stopped> {
    assert!(
        [result, truth].iter().all(|labels| labels.len() == mesh.triangles.len()),
        "a label for each face"
    );
    let edges = mesh.edges(control)?.pairs;
    let cut = |labels: &[u32]| {
        let mut is_cut = vec![false; mesh.points.len()];
        for edge in &edges {
            let [a, b] = edge.faces.map(|face| labels[face as usize]);
            if a != b {
                edge.points.iter().for_each(|&point| is_cut[point as usize] = true);
            }
        }
        is_cut
    };
    let cuts = [cut(result), cut(truth)];
    let edge = |[a, b]: [u32; 2]| ([a, b], length(minus(mesh.points[a as usize], mesh.points[b as usize])));
    let edges = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(edge);
    let neighbours = neighbours(mesh.points.len(), edges);
    let ways = [&cuts[1], &cuts[0]].map(|to| nearest_ways(&neighbours, to, control));
    let mut sum = 0.0;
    for (from, ways) in cuts.iter().zip(ways) {
        let ways = ways?;
        let reached = ways.iter().zip(from).filter(|(way, from)| **from && way.is_finite());
        let reached: Vec<f64> = reached.map(|(way, _)| *way).collect();
        if reached.is_empty() {
            return Ok(None);
        }
        sum += reached.iter().sum::<f64>() / reached.len() as f64;
    }
    Ok(Some(sum / mean_radius(mesh)))
}

/// The mean distance of the faces' middles from the mean of them all.
fn mean_radius(mesh: &CleanMesh) -> f64 {
    let middles: Vec<[f64; 3]> = (mesh.triangles.iter())
        .map(|face| {
            let corners = face.map(|corner| mesh.points[corner as usize]);
            corners.iter().fold([0.0; 3], |sum, &corner| plus(sum, 1.0 / 3.0, corner))
        })
        .collect();
    let share = 1.0 / middles.len() as f64;
    let middle = middles.iter().fold([0.0; 3], |sum, &point| plus(sum, share, point));
    middles.iter().map(|&point| share * length(minus(point, middle))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::TriangleMesh;

    #[test]
    fn cuts_across_a_strip_are_as_far_apart_as_they_lie() {
        let points = (0..=20).flat_map(|x| [[f64::from(x), 0.0, 0.0], [f64::from(x), 1.0, 0.0]]).collect();
        let square = |x: u32| [[2 * x, 2 * x + 2, 2 * x + 3], [2 * x, 2 * x + 3, 2 * x + 1]];
        let mesh = TriangleMesh::new(points, (0..20).flat_map(square).collect()).unwrap();
        let mesh = CleanMesh::new(&mesh, &Control::default()).unwrap();
        let cut_at = |x: usize| (0..40).map(|face| u32::from(face / 2 >= x)).collect::<Vec<u32>>();
        let found = cut_discrepancy(&mesh, &cut_at(5), &cut_at(8), &Control::default()).unwrap().unwrap();
        // The mean distance along a strip of 20 from its middle is about 5.
        assert!((found - 6.0 / 5.0).abs() < 0.02, "{found}");
        assert_eq!(cut_discrepancy(&mesh, &cut_at(5), &cut_at(5), &Control::default()), Ok(Some(0.0)));
        assert_eq!(cut_discrepancy(&mesh, &cut_at(5), &cut_at(0), &Control::default()), Ok(None));
    }
}
