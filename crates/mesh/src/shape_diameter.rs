//! Shape diameter: for each face how thick the body is below it, in units of the square root of the mesh's area.
//!
//! *Paper*: L. Shapira, A. Shamir, D. Cohen-Or, "Consistent Mesh Partitioning and Skeletonisation using the Shape Diameter
//! Function", Visual Computer 24, 2008, doi:10.1007/s00371-007-0197-5, section 3.
//! *Method*: rays in a cone around the inward normal, each to the first face that it meets from inside; their lengths without those
//! further than one deviation from the median, averaged with the inverse angle as weight.
//! *Where we differ*: rays lie on one spiral for all faces, so that nothing is random; the cone has a half angle of 60°, as the
//! paper's code; a face whose rays all leave through a hole gets the median of all.
//! *Cost*: 24 rays a face, about a microsecond each.

use crate::dual_graph::DualGraph;
use crate::rays::{Ray, RayFindings, RayTree, Search};
use crate::vector::{cross, dot, plus, unit};
use veloxel_core::Stopped;
use veloxel_gpu::Cpu;

const RAYS: usize = 24;
const HALF_ANGLE_RAD: f64 = std::f64::consts::PI / 3.0;
/// Depth below a face at which its rays start.
const BELOW: f64 = 1e-4;
/// Angle that is added to a ray's; the ray weighs 1 over the sum.
const ANGLE_OFFSET_RAD: f64 = 0.1;
/// What rays cost beside copying a number, for the split over threads.
const COST: usize = 20_000;

/// The thickness below each face; 1 everywhere if no ray meets a face from inside, as in a mesh without a volume.
///
/// # Errors
/// [`Stopped`].
pub fn shape_diameter(graph: &DualGraph, cpu: &Cpu) -> Result<RayFindings, Stopped> {
    let tree = RayTree::new(&graph.corners, cpu.control())?;
    let spiral: Vec<[f64; 2]> = (0..RAYS)
        .map(|ray| {
            const GOLDEN_TURN: f64 = 0.618_033_988_749_894_9;
            let away = ((ray as f64 + 0.5) / RAYS as f64).sqrt() * HALF_ANGLE_RAD;
            [away, std::f64::consts::TAU * (ray as f64 * GOLDEN_TURN).fract()]
        })
        .collect();
    let mut found = RayFindings::of_each(graph.faces(), COST, cpu, |face, search| {
        below(graph, face, &tree, &spiral, search)
    })?;
    let mut known: Vec<f64> = found.values.iter().copied().filter(|t| t.is_finite()).collect();
    let median = median(&mut known).unwrap_or(1.0);
    found.values.iter_mut().filter(|t| !t.is_finite()).for_each(|t| *t = median);
    Ok(found)
}

fn below(graph: &DualGraph, face: usize, tree: &RayTree, spiral: &[[f64; 2]], search: &mut Search) -> f64 {
    let (normal, centre) = (graph.normals[face], graph.centres[face]);
    let axis = if normal[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let across = unit(cross(normal, axis));
    let third = cross(normal, across);
    let origin = plus(centre, -BELOW, normal);
    // Lengths and weights.
    let (mut rays, mut many) = ([[0.0; 2]; RAYS], 0);
    for &[away, turn] in spiral {
        let side = plus(across.map(|c| c * turn.cos()), turn.sin(), third);
        let direction = plus(normal.map(|c| -c * away.cos()), away.sin(), side);
        let ray = Ray { origin, direction, from: face as u32 };
        if let Some((length, met)) = tree.first(&ray, search)
            && dot(graph.normals[met as usize], direction) > 0.0
        {
            rays[many] = [length + BELOW, 1.0 / (away + ANGLE_OFFSET_RAD)];
            many += 1;
        }
    }
    let rays = &rays[..many];
    let (mut lengths, lengths_of) = ([0.0; RAYS], rays.iter().map(|ray| ray[0]));
    lengths.iter_mut().zip(lengths_of).for_each(|(length, of_ray)| *length = of_ray);
    let lengths = &mut lengths[..many];
    let Some(median) = median(lengths) else { return f64::NAN };
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let deviation =
        (lengths.iter().map(|l| (l - mean) * (l - mean)).sum::<f64>() / lengths.len() as f64).sqrt();
    let near = rays.iter().filter(|ray| (ray[0] - median).abs() <= deviation + 1e-12);
    let [sum, weights] = near.fold([0.0; 2], |[sum, weights], [l, w]| [sum + w * l, weights + w]);
    sum / weights
}

/// The value in the middle; of an even number the mean of two.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[half]),
        _ => Some(0.5 * (values[half - 1] + values[half])),
    }
}
