//! Parts by a face distance of your own: `cargo run -p veloxel --example own_face_distance [MESH K OUT.seg]`.
//!
//! Here climbing is far and level ground is near, so that parts are terraces. Without arguments three of them are made.
//!
//! ```text
//! 3 parts of 1682 triangles
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::unstable::mesh::{
    ArcWeights, CleanMesh, DualArc, DualGraph, FuzzyParams, MedoidSeeds, fuzzy_clustering,
};
use veloxel::{Control, Device, TriangleMesh, Warnings, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mesh, parts) = match arguments.as_slice() {
        [file, parts, _] => {
            let mut warnings = Warnings::new();
            (io::read_surface(file.as_ref(), io::Strictness::Lenient, &mut warnings)?, parts.parse()?)
        }
        _ => (terraces()?, 3),
    };
    let control = Control::default();
    let clean = CleanMesh::new(&mesh, &control)?;
    let graph = DualGraph::new(&clean, &control)?;
    let climb = |arc: &DualArc| {
        let [low, high] = arc.faces.map(|face| graph.centres[face as usize][2]);
        (arc.distance + 10.0 * (high - low).abs()) as f32
    };
    let weights = ArcWeights {
        ways: graph.arcs.iter().map(climb).collect(),
        cut_costs: graph.arcs.iter().map(|arc| arc.length).collect(),
        rays_given_up: 0,
    };
    let seeds = MedoidSeeds::Farthest(parts);
    let found = fuzzy_clustering(&graph, &weights, seeds, &FuzzyParams::default(), &Device::auto()?)?;
    let labels: Vec<u32> = clean.face_of.iter().map(|&face| found.labels[face as usize]).collect();
    println!("{} parts of {} triangles", found.parts(), labels.len());
    Ok(arguments.get(2).map_or(Ok(()), |path| io::write_face_labels(path, &labels))?)
}

fn terraces() -> Result<TriangleMesh, veloxel::CoreError> {
    let points = (0..30 * 30).map(|i| [i % 30, i / 30, i % 30 / 10 * 5].map(f64::from)).collect();
    let squares = (0..29 * 29).map(|i| i / 29 * 30 + i % 29);
    TriangleMesh::new(points, squares.flat_map(|i| [[i, i + 1, i + 31], [i, i + 31, i + 30]]).collect())
}
