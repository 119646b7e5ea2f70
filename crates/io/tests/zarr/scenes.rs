//! Scenes: the way between two coordinate systems, and what is refused of them.

use super::*;

/// A scene of systems `a`, `b` and `c` in the plane, with these transformations.
fn scene_of(steps: Value) -> Scene {
    let system = |name: &str| json!({"name": name, "axes": axes(&["y", "x"])});
    let scene = json!({"coordinateSystems": [system("a"), system("b"), system("c")], "coordinateTransformations": steps});
    let store = Scene::new();
    let ome = json!({"version": "0.6", "scene": scene});
    store.json("zarr.json", &json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}}));
    store
}

fn step(from: &str, to: &str, kind: Value) -> Value {
    let mut step = kind;
    step["input"] = json!({"name": from});
    step["output"] = json!({"name": to});
    step
}

fn read(scene: &Scene) -> Result<veloxel_io::Scene, IoError> {
    veloxel_io::Scene::read(&scene.path(), Strictness::Lenient, &mut Warnings::new())
}

#[test]
fn a_way_goes_over_others_and_backwards() {
    let scale = json!({"type": "scale", "scale": [2, 4]});
    let shift = json!({"type": "translation", "translation": [10, 20]});
    let store = scene_of(json!([step("a", "b", scale), step("c", "b", shift)]));
    let scene = read(&store).unwrap();
    let names: Vec<(&str, usize)> =
        scene.coordinate_systems().map(|(name, axes)| (name, axes.len())).collect();
    assert_eq!(names, [("a", 2), ("b", 2), ("c", 2)]);
    let way = scene.between("a", "c").unwrap();
    assert_eq!((way.source_axes(), way.apply(&[1.0, 2.0])), (2, vec![-8.0, -12.0]));
    assert_eq!(scene.between("c", "a").unwrap().apply(&[-8.0, -12.0]), [1.0, 2.0]);
    assert_eq!(scene.between("b", "b").unwrap().apply(&[3.0, 5.0]), [3.0, 5.0]);
}

#[test]
fn a_way_goes_through_images_and_stored_matrices() {
    let own = json!({"type": "affine", "path": "to_image", "input": "a", "output": {"path": "image", "name": "own"}});
    let shift = json!({"type": "translation", "translation": [1, 1], "input": {"path": "image", "name": "own"}, "output": "c"});
    let store = scene_of(json!([own, shift]));
    let matrix = [0.0, 1.0, 0.1, 2.0, 0.0, 100_000.001];
    store.json("to_image/zarr.json", &json!({"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}, "fill_value": 0,
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}));
    store.put("to_image/c/0/0", matrix.map(f64::to_le_bytes).concat());
    let scene = read(&store).unwrap();
    // In 64 bits.
    assert_eq!(
        scene.between("a", "c").unwrap().apply(&[3.0, 5.0]),
        [5.0 + 0.1 + 1.0, 6.0 + 100_000.001 + 1.0]
    );
}

#[test]
fn what_leads_nowhere_is_refused_by_name() {
    let bent = json!({"type": "displacements", "path": "field"});
    let flat = json!({"type": "affine", "affine": [[1, 1, 0], [2, 2, 0]]});
    let store = scene_of(json!([step("a", "b", bent), step("b", "c", flat)]));
    let scene = read(&store).unwrap();
    for (from, to, words) in [
        ("a", "b", "linear way"),
        ("c", "b", "linear way"),
        ("a", "d", "a coordinate system d"),
        ("", "a", "a, b, c"),
    ] {
        let line = scene.between(from, to).unwrap_err().to_string();
        assert!(line.contains(words), "{from} to {to}: {line}");
    }
    assert!(scene.between("b", "c").is_ok());
    for (steps, words) in [
        (json!([{"type": "identity", "input": "a"}]), "output"),
        (json!([step("a", "b", json!({"type": "affine", "affine": [[1, 0, 0]]}))]), "output"),
        (json!([step("a", "b", json!({"type": "rotation", "path": "nothing"}))]), "nothing"),
        (json!(null), "coordinateTransformations"),
    ] {
        let line = read(&scene_of(steps)).unwrap_err().to_string();
        assert!(line.contains(words) && line.contains("a.ome.zarr"), "{line}");
    }
    assert!(read(&image_2()).unwrap_err().to_string().contains("scene"));
    assert!(matches!(read(&Scene::new()), Err(IoError::Open { .. })));
}
