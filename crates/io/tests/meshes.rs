//! Meshes in parts as files for other programs: OBJ with groups, GLB with nodes; polygons, shared points and textures stay.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use veloxel_core::{TriangleMesh, Warnings};
use veloxel_io::{PaintedMesh, Strictness, read_surface, write_painted_mesh};

/// Two squares beside each other and a triangle on top, with a texture whose seam lies between the squares.
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0.1\nv 2 1 0\nv 0.5 2 0\n\
                   vt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0 1\nvt 0.75 0.25\nvt 1 1\n\
                   f 1/1 2/2 3/3 4/4\nf 2/1 5/2 6/3 3/4\nf -4/4 -5/5 -1/6\n";

fn read(path: &Path) -> TriangleMesh {
    read_surface(path, Strictness::Strict, &mut Warnings::new()).unwrap()
}

/// Writes the mesh in parts and reads it back.
fn written(segment: [u32; 5], name: &str) -> (TriangleMesh, TriangleMesh, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("in.obj"), OBJ).unwrap();
    let mesh = read(&file("in.obj"));
    let painted =
        PaintedMesh { mesh: &mesh, rgb: &[[200, 100, 50]; 5], certainty: &[1.0; 5], segment: &segment };
    write_painted_mesh(file(name), &painted).unwrap();
    let bytes = std::fs::read(file(name)).unwrap();
    let back = read(&file(name));
    (mesh, back, bytes)
}

#[test]
fn an_obj_has_a_group_a_part_and_keeps_polygons_and_texture() {
    let (mesh, back, bytes) = written([0, 0, 1, 1, 0], "out.obj");
    assert_eq!(mesh.texture().unwrap()[4], [[0.0, 1.0], [0.75, 0.25], [1.0, 1.0]]);
    assert_eq!((back.points(), back.file_face_count(), back.triangles().len()), (mesh.points(), 3, 5));
    let text = String::from_utf8(bytes).unwrap();
    let faces = |group: &str| {
        let lines = text.lines().skip_while(|line| *line != format!("g {group}")).skip(1);
        lines
            .take_while(|line| line.starts_with("f "))
            .map(|line| line.split(' ').count() - 1)
            .collect::<Vec<_>>()
    };
    assert_eq!((faces("part_00"), faces("part_01")), (vec![4, 3], vec![4]));
    // The parts one after the other: the triangles 0, 1, 4, 2 and 3.
    for (new, old) in [0, 1, 4, 2, 3].into_iter().enumerate() {
        assert_eq!(back.triangles()[new], mesh.triangles()[old]);
        assert_eq!(back.texture().unwrap()[new], mesh.texture().unwrap()[old]);
    }
    // A square in two parts becomes its triangles.
    assert_eq!(written([0, 1, 1, 1, 0], "out.obj").1.file_face_count(), 4);
}

#[test]
fn a_glb_has_a_node_a_part_that_shares_points_and_keeps_the_texture() {
    let (mesh, back, bytes) = written([0, 0, 1, 1, 0], "out.glb");
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let scene: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let names: Vec<_> = scene["nodes"].as_array().unwrap().iter().map(|node| &node["name"]).collect();
    assert_eq!(names, ["part_00", "part_01"]);
    let count = |mesh: usize, attribute: &str| {
        let accessor = scene["meshes"][mesh]["primitives"][0]["attributes"][attribute].as_u64().unwrap();
        scene["accessors"][accessor as usize]["count"].as_u64().unwrap()
    };
    // A square and the triangle on it share one point; the other one has two places in the texture.
    assert_eq!([count(0, "POSITION"), count(0, "TEXCOORD_0"), count(1, "COLOR_0")], [6, 6, 4]);
    assert_eq!((back.triangles().len(), back.points().len()), (5, 7));
    for (new, old) in [0, 1, 4, 2, 3].into_iter().enumerate() {
        assert_eq!(back.texture().unwrap()[new], mesh.texture().unwrap()[old]);
        let corners = mesh.corners(old).map(|corner| corner.map(|c| f64::from(c as f32)));
        assert_eq!(back.corners(new), corners);
    }
}

#[test]
fn a_texture_that_some_corners_lack_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.obj");
    for face in ["f 1/1 2/2 3\n", "f 1//1 2//1 3//1\n", "f 1/1 2/9 3/3\n"] {
        std::fs::write(&path, OBJ.to_owned() + face).unwrap();
        assert_eq!(read(&path).texture(), None, "{face}");
    }
}
