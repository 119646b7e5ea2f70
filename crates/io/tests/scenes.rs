//! Scenes of glTF in every form that their specification has: each gives the same triangles, or is refused by name.

// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::Path;
use veloxel_core::{TriangleMesh, Warnings};
use veloxel_io::{Content, IoError, Strictness, read_bytes};

/// A square of four points as floats, bytes, and indices, in one buffer; beginnings in bytes.
fn buffer() -> Vec<u8> {
    let square = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let mut bytes: Vec<u8> = square.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
    // 48: the same as whole numbers of 8 bits, four bytes a point; 64: of normalized 16 bits.
    bytes.extend(square.iter().flat_map(|p| [p[0] as u8, p[1] as u8, p[2] as u8, 9]));
    bytes.extend(
        square
            .iter()
            .flat_map(|p| [p[0], p[1], p[2], 0.0].map(|c| (c * 32767.0) as i16))
            .flat_map(i16::to_le_bytes),
    );
    // 96: indices of triangles, of a strip and of a fan, as bytes; 108: the index and the value of a sparse point.
    bytes.extend([0, 1, 2, 1, 3, 2, 0, 1, 3, 2, 0, 1]);
    bytes.extend([3, 0, 0, 0]);
    bytes.extend([1.0f32, 1.0, 0.0].iter().flat_map(|c| c.to_le_bytes()));
    bytes
}

fn scene(position: Value, indices: Option<(usize, usize)>, mode: u64) -> Value {
    let bytes = buffer();
    let coded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let mut primitive = json!({"attributes": {"POSITION": 0}, "mode": mode});
    let mut accessors = vec![position];
    let mut views: Vec<Value> =
        [(0, 48, 0), (48, 16, 4), (64, 32, 8), (96, 12, 0), (108, 1, 0), (112, 12, 0)]
            .iter()
            .map(|&(begin, length, stride)| match stride {
                0 => json!({"buffer": 0, "byteOffset": begin, "byteLength": length}),
                _ => json!({"buffer": 0, "byteOffset": begin, "byteLength": length, "byteStride": stride}),
            })
            .collect();
    views.truncate(6);
    if let Some((offset, count)) = indices {
        primitive["indices"] = 1.into();
        accessors.push(json!({"bufferView": 3, "byteOffset": offset, "componentType": 5121, "count": count, "type": "SCALAR"}));
    }
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}], "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{coded}")}],
    })
}

fn floats() -> Value {
    json!({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"})
}

fn read(scene: &Value) -> Result<(TriangleMesh, Warnings), IoError> {
    let mut warnings = Warnings::new();
    match read_bytes(Path::new("a.gltf"), scene.to_string().as_bytes(), Strictness::Lenient, &mut warnings)? {
        Content::Surface(mesh) => Ok((mesh, warnings)),
        _ => panic!("no surface"),
    }
}

/// Corners of the triangles, each from its least corner on, in order.
fn triangles(scene: &Value) -> Vec<[[i64; 3]; 3]> {
    let (mesh, _) = read(scene).unwrap();
    let mut all: Vec<_> = (0..mesh.triangles().len())
        .map(|nth| {
            let mut corners = mesh.corners(nth).map(|corner| corner.map(|c| (1000.0 * c).round() as i64));
            let least = (0..3).min_by_key(|&k| corners[k]).unwrap();
            corners.rotate_left(least);
            corners
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn the_same_square_in_every_form() {
    let expected = triangles(&scene(floats(), Some((0, 6)), 4));
    assert_eq!(expected.len(), 2);
    assert_eq!(triangles(&scene(floats(), None, 5)), expected, "a strip without indices");
    assert_eq!(triangles(&scene(floats(), Some((7, 2 + 1)), 5)).len(), 1);
    let fan = triangles(&scene(floats(), Some((6, 4)), 6));
    assert_eq!(fan.len(), 2, "a fan of 0, 1, 3, 2");
    let bytes = json!({"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC3"});
    assert_eq!(triangles(&scene(bytes, Some((0, 6)), 4)), expected, "quantized");
    let words =
        json!({"bufferView": 2, "componentType": 5122, "normalized": true, "count": 4, "type": "VEC3"});
    assert_eq!(triangles(&scene(words, Some((0, 6)), 4)), expected, "quantized and normalized");
    let mut sparse = floats();
    sparse["sparse"] =
        json!({"count": 1, "indices": {"bufferView": 4, "componentType": 5121}, "values": {"bufferView": 5}});
    assert_eq!(triangles(&scene(sparse.clone(), Some((0, 6)), 4)), expected, "sparse");
    sparse.as_object_mut().unwrap().remove("bufferView");
    let zeros = scene(sparse, Some((0, 6)), 4);
    assert_eq!(read(&zeros).unwrap().0.points().len(), 2, "sparse over zeros");
    let mut unlisted = scene(floats(), Some((0, 6)), 4);
    unlisted.as_object_mut().unwrap().remove("scenes");
    unlisted["nodes"] = json!([{"children": [1]}, {"mesh": 0}]);
    assert_eq!(triangles(&unlisted), expected, "nodes without a scene");
}

#[test]
fn what_is_not_read_is_said() {
    let mut lines = scene(floats(), Some((0, 6)), 4);
    lines["meshes"][0]["primitives"]
        .as_array_mut()
        .unwrap()
        .push(json!({"attributes": {"POSITION": 0}, "mode": 1}));
    let (mesh, warnings) = read(&lines).unwrap();
    assert_eq!(mesh.triangles().len(), 2);
    assert!(format!("{warnings:?}").contains("1 primitives of points and lines"), "{warnings:?}");
    let mut instanced = scene(floats(), Some((0, 6)), 4);
    instanced["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": {}}});
    let (mesh, warnings) = read(&instanced).unwrap();
    assert_eq!(mesh.triangles().len(), 2);
    assert!(format!("{warnings:?}").contains("1 nodes stand once"), "{warnings:?}");
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "X_unheard"] {
        let mut required = scene(floats(), Some((0, 6)), 4);
        required["extensionsRequired"] = json!([name]);
        assert!(read(&required).unwrap_err().to_string().contains(name));
        required["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_mesh_quantization"]);
        assert!(read(&required).is_ok());
    }
    for (broken, said) in [
        (json!({"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"}), "within its buffer"),
        (json!({"bufferView": 9, "componentType": 5126, "count": 4, "type": "VEC3"}), "bufferView"),
        (json!({"componentType": 5126, "count": 4, "type": "VEC3"}), "without numbers"),
        (
            json!({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": {"count": 9}}),
            "sparse",
        ),
    ] {
        let refused = read(&scene(broken, Some((0, 6)), 4)).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}

/// A square whose points hang on two joints, and which a morph target may move.
fn skinned(weights: [[f32; 4]; 4], joints: [[u8; 4]; 4]) -> Value {
    let mut skin = scene(floats(), Some((0, 6)), 4);
    let translated = |z: f32| -> Vec<f32> {
        let mut columns = vec![0.0; 16];
        (0..4).for_each(|k| columns[5 * k] = 1.0);
        columns[14] = z;
        columns
    };
    let mut bytes: Vec<u8> = weights.as_flattened().iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.extend(joints.as_flattened());
    bytes.extend([translated(0.0), translated(-2.0)].concat().iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([0.0f32, 0.0, 1.0].repeat(4).iter().flat_map(|v| v.to_le_bytes()));
    let coded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let uri = format!("data:application/octet-stream;base64,{coded}");
    let push = |list: &mut Value, entry: Value| list.as_array_mut().unwrap().push(entry);
    push(&mut skin["buffers"], json!({"byteLength": bytes.len(), "uri": uri}));
    for (begin, length) in [(0, 64), (64, 16), (80, 128), (208, 48)] {
        push(&mut skin["bufferViews"], json!({"buffer": 1, "byteOffset": begin, "byteLength": length}));
    }
    for (view, component, count, kind) in
        [(6, 5126, 4, "VEC4"), (7, 5121, 4, "VEC4"), (8, 5126, 2, "MAT4"), (9, 5126, 4, "VEC3")]
    {
        let accessor = json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        push(&mut skin["accessors"], accessor);
    }
    let primitive = &mut skin["meshes"][0]["primitives"][0];
    primitive["attributes"]["WEIGHTS_0"] = 2.into();
    primitive["attributes"]["JOINTS_0"] = 3.into();
    primitive["targets"] = json!([{"POSITION": 5}]);
    skin["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": 4}]);
    // Joint 1 stood at z = 2 when the skin was bound, and stands at z = 5 now.
    skin["nodes"] = json!([
        {"mesh": 0, "skin": 0, "translation": [100, 0, 0]},
        {"translation": [0, 0, 1], "children": [2]},
        {"translation": [0, 0, 4]},
    ]);
    skin["scenes"][0]["nodes"] = json!([0, 1]);
    skin
}

/// The height of each point of the square, by its x and y.
fn heights(scene: &Value) -> [f64; 4] {
    let (mesh, _) = read(scene).unwrap();
    let height = |[x, y]: [f64; 2]| mesh.points().iter().find(|p| p[..2] == [x, y]).unwrap()[2];
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(height)
}

#[test]
fn skins_are_in_the_pose_of_their_joints_and_morph_targets_by_their_weights() {
    let (first, second) = ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]);
    let joints = [[0, 1, 0, 0]; 4];
    // Joint 0 lifts by 1, joint 1 by 5 − 2; weights count by their share; a point without any belongs to its first joint.
    let mut skin = skinned([first, second, [0.5, 0.5, 0.0, 0.0], [0.0; 4]], joints);
    assert_eq!(heights(&skin), [1.0, 3.0, 2.0, 1.0]);
    skin["meshes"][0]["weights"] = json!([2.0]);
    assert_eq!(heights(&skin), [3.0, 5.0, 4.0, 3.0], "a morph target moves the mesh before its joints do");
    skin["nodes"][0]["weights"] = json!([0.0]);
    assert_eq!(heights(&skin), [1.0, 3.0, 2.0, 1.0], "the node's weights come first");
    let uneven = skinned([[0.25, 0.25, 0.0, 0.0], first, first, first], joints);
    assert_eq!(heights(&uneven), [2.0, 1.0, 1.0, 1.0]);

    let said = |scene: &Value| read(scene).unwrap_err().to_string();
    assert!(said(&skinned([first; 4], [[2, 0, 0, 0]; 4])).contains("a joint of a point"));
    let mut few = skinned([first; 4], joints);
    few["accessors"][4]["count"] = 1.into();
    assert!(said(&few).contains("inverse matrices of a skin"), "{}", said(&few));
    let mut short = skinned([first; 4], joints);
    short["accessors"][2]["count"] = 3.into();
    assert!(said(&short).contains("numbers of a point"), "{}", said(&short));
    let mut circle = skinned([first; 4], joints);
    circle["nodes"][2]["children"] = json!([1]);
    circle["scenes"][0]["nodes"] = json!([0]);
    assert!(said(&circle).contains("nodes above a joint"), "{}", said(&circle));
}

#[test]
fn a_scene_of_lines_alone_is_refused_by_what_it_holds() {
    let refused = read(&scene(floats(), None, 1)).unwrap_err().to_string();
    assert!(refused.contains("1 primitives of points and lines and no triangles"), "{refused}");
}
