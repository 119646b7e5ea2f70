//! Finite-element meshes of real studies become image pairs whose truth is the finite-element solution.

use veloxel_core::{TetMesh, Warnings};
use veloxel_io::Strictness;
use veloxel_phantoms::{Phantom, RasteriseParams, eroded, rasterise_pair};

fn volume(mesh: &TetMesh) -> f64 {
    let element = |nodes: &[u32; 4]| {
        let p = nodes.map(|n| mesh.points[n as usize]);
        let edge = |k: usize| [0, 1, 2].map(|a| p[k][a] - p[0][a]);
        let (a, b, c) = (edge(1), edge(2), edge(3));
        let triple = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        triple.abs() / 6.0
    };
    mesh.tetrahedra.iter().map(element).sum()
}

/// Mean `|det(I + ∂d/∂x) − 1|` by central differences in the mask without its rim; every spacing has to be equal.
fn mean_volume_change(phantom: &Phantom) -> f64 {
    let mask = eroded(phantom.muscle.as_ref().expect("a mesh has an inside"), 1);
    let size = phantom.grid().size();
    let strides = [1, size[0], size[0] * size[1]];
    let d: Vec<&[f32]> = phantom.truth.components_vox().collect();
    let change = |i: usize| {
        let mut g = [[0.0f64; 3]; 3];
        for (r, row) in g.iter_mut().enumerate() {
            for (c, value) in row.iter_mut().enumerate() {
                let slope = f64::from(d[r][i + strides[c]] - d[r][i - strides[c]]) / 2.0;
                *value = slope + f64::from(u8::from(r == c));
            }
        }
        let [a, b, c] = g;
        let det = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        (det - 1.0).abs()
    };
    let inside: Vec<usize> = (0..mask.data().len()).filter(|&i| mask.data()[i]).collect();
    inside.iter().map(|&i| change(i)).sum::<f64>() / inside.len() as f64
}

/// The drawn mesh has the mesh's volume, keeps it, and moves as far as its nodes do.
fn check(reference: &TetMesh, moving: &TetMesh, spacing_mm: f64) {
    let phantom = rasterise_pair(reference, reference, moving, &RasteriseParams::new([spacing_mm; 3]))
        .expect("a phantom of two times of one mesh");
    let muscle = phantom.muscle.as_ref().expect("a mesh has an inside");
    let drawn = muscle.count() as f64 * spacing_mm.powi(3);
    // A flat end face rounds the height, 26 voxels of the cylinder, by up to half a voxel.
    assert!((drawn / volume(reference) - 1.0).abs() < 0.02, "{drawn} of {}", volume(reference));
    assert!((volume(moving) / volume(reference) - 1.0).abs() < 1e-3, "nearly incompressible material");

    let node = |i: usize| {
        let (from, to) = (reference.points[i], moving.points[i]);
        (0..3).map(|a| ((to[a] - from[a]) / spacing_mm).powi(2)).sum::<f64>().sqrt()
    };
    let farthest = (0..reference.points.len()).map(node).fold(0.0, f64::max);
    let voxel = |i: usize| phantom.truth.vector_vox(i).iter().map(|d| f64::from(d * d)).sum::<f64>().sqrt();
    let reached = (0..muscle.data().len()).filter(|&i| muscle.data()[i]).map(voxel).fold(0.0, f64::max);
    assert!(reached <= farthest + 1e-4 && reached > 0.9 * farthest, "{reached} of {farthest} voxels");

    let change = mean_volume_change(&phantom);
    assert!(change < 0.01, "the truth changes volumes by {change}");
    assert!(phantom.fixed.data().iter().chain(phantom.moving.data()).all(|v| (0.0..=1.0).contains(v)));
}

mod needs_data {
    use super::*;
    use veloxel_testkit::every_device::data;

    fn mesh(file: &str) -> TetMesh {
        let path = data("cardiac").join(file);
        let mesh = veloxel_io::read_mesh(&path, Strictness::Lenient, &mut Warnings::new());
        mesh.expect("the study's mesh should be readable")
    }

    #[test]
    fn the_beating_mouse_ventricle() {
        check(&mesh("mouse_lv_fe/position_0000.vtk"), &mesh("mouse_lv_fe/position_0008.vtk"), 1.25);
    }

    #[test]
    fn the_twisted_cylinder() {
        check(
            &mesh("cylinder_torsion/position_0000.vtk"),
            &mesh("cylinder_torsion/position_0020.vtk"),
            0.039,
        );
    }
}
