//! What is refused by name, in one line.

use super::*;

/// Changes a member by its path.
fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    *value.pointer_mut(pointer).unwrap() = new;
    value
}

#[test]
fn broken_metadata_are_one_clear_line() {
    for (pointer, new, words) in [
        ("/shape", json!([2, 3, 0]), "shape"),
        ("/shape", json!([2, -3, 4]), "shape"),
        ("/shape", json!([1u64 << 40, 1u64 << 40, 4]), "shape"),
        ("/shape", json!([1u64 << 20, 1u64 << 20, 4]), "not possible"),
        ("/shape", json!([2, 3]), "chunks"),
        ("/chunks", json!([2, 0, 2]), "chunks"),
        ("/chunks", json!([1u64 << 40, 1u64 << 40, 2]), "chunks"),
        ("/chunks", json!([2, 2, 1u64 << 40]), "memory"),
        ("/chunks", json!([2, 2, 3]), "24 bytes"),
        ("/dtype", json!("<c8"), "c8"),
        ("/dtype", json!([["a", "<f4"]]), "type"),
        ("/fill_value", json!("NaN"), "fill_value"),
        ("/order", json!("A"), "order"),
        ("/dimension_separator", json!("x"), "separator"),
        ("/compressor", json!({"id": "lzma"}), "lzma"),
        ("/compressor", json!({"level": 1}), "id"),
        ("/compressor", json!({"id": "gzip"}), "gzip"),
        ("/compressor", json!({"id": "zstd"}), "Zstandard"),
        ("/compressor", json!({"id": "blosc"}), "Blosc"),
        ("/filters", json!([{"id": "delta", "dtype": "<i2"}]), "delta"),
    ] {
        let scene = image_2();
        scene.json("0/.zarray", &with(array_2(), pointer, new.clone()));
        let line = scene.refusal();
        assert!(line.contains(words), "{pointer} {new}: {line}");
    }
    for (pointer, new, words) in [
        ("/codecs", json!([]), "codec"),
        ("/codecs", json!([{"name": "gzip"}, {"name": "bytes"}]), "codecs"),
        ("/codecs", json!([{"name": "bytes"}, {"name": "zfp"}]), "zfp"),
        (
            "/codecs",
            json!([{"name": "transpose", "configuration": {"order": [0, 0, 1]}}, {"name": "bytes"}]),
            "order",
        ),
        ("/chunk_grid/name", json!("rectilinear"), "grid of chunks"),
        ("/chunk_grid/configuration/chunk_shape", json!([2, 2, 0]), "chunk_shape"),
        ("/node_type", json!("thing"), "node_type"),
        ("/data_type", json!("complex64"), "complex64"),
        ("/chunk_key_encoding/name", json!("other"), "name"),
    ] {
        let scene = image_3(&with(array_3(), pointer, new.clone()));
        let line = scene.refusal();
        assert!(line.contains(words), "{pointer} {new}: {line}");
    }
    let scene = image_2();
    scene.put("0/.zarray", &array_2().to_string().as_bytes()[..40]);
    assert!(scene.refusal().contains("JSON"));
    scene.json("0/.zarray", &array_2()).put("0/0/0/0", [0; 15]);
    assert!(scene.refusal().contains("16 bytes"));
}

#[test]
fn paths_that_lead_out_of_the_store_are_refused() {
    for path in ["../b", "/etc", "0/../../b"] {
        let scene = image_2();
        let found = multiscales(&["z", "y", "x"], &[1.0; 3], &[0.0; 3]);
        scene.json(".zattrs", &json!({"multiscales": with(found, "/0/datasets/0/path", json!(path))}));
        assert!(scene.refusal().contains("a path below the group"), "{path}");
    }
    #[cfg(unix)]
    {
        let scene = image_2();
        let outside = scene.0.path().join("outside");
        std::fs::write(&outside, chunk([0, 0, 0])).unwrap();
        let link = scene.path().join("0/0/0/0");
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        assert!(scene.refusal().contains("outside"));
        let anywhere = ReadOptions { data_files: DataFiles::Anywhere, ..ReadOptions::default() };
        let image = read_image(&scene.path(), Reading::alone(anywhere), &mut Warnings::new()).unwrap();
        assert_eq!(image.data(), expected());
    }
}

#[test]
fn axes_that_cannot_be_followed_are_refused_by_name() {
    for (names, words) in
        [(&["z", "z", "x"][..], "axes"), (&["y", "x"], "scale"), (&["t", "c", "x"], "space")]
    {
        let scene = image_2();
        scene.json(
            ".zattrs",
            &json!({"multiscales": multiscales(names, &vec![1.0; names.len()], &vec![0.0; names.len()])}),
        );
        assert!(scene.refusal().contains(words), "{names:?}: {}", scene.refusal());
    }
    let scene = image_2();
    let found = multiscales(&["z", "y", "x"], &[1.0; 2], &[0.0; 3]);
    scene.json(".zattrs", &json!({"multiscales": found}));
    assert!(scene.refusal().contains("scale"));
    let found = multiscales(&["z", "y", "x"], &[1.0; 3], &[0.0; 3]);
    let unit = with(found.clone(), "/0/axes/2/unit", json!("pixel"));
    scene.json(".zattrs", &json!({"multiscales": unit}));
    let (image, said) = scene.image();
    assert!(image.is_ok() && said.len() == 1 && said[0].contains("pixel"), "{said:?}");
    let stored = json!([{"type": "scale", "path": "scales"}]);
    let stored = with(found, "/0/datasets/0/coordinateTransformations", stored);
    scene.json(".zattrs", &json!({"multiscales": stored}));
    assert!(scene.refusal().contains("scale"));
}

#[cfg(not(feature = "remote"))]
#[test]
fn stores_at_addresses_are_refused_with_what_to_do() {
    for address in
        ["http://127.0.0.1:9/a.ome.zarr", "s3://bucket/a.ome.zarr/0", "https://host/a.zarr@part:2@5"]
    {
        let address = std::path::Path::new(address);
        let line = read_image(address, Strictness::Lenient, &mut Warnings::new()).unwrap_err().to_string();
        assert!(line.contains("a store at an address is not supported"), "{line}");
        assert!(
            line.contains("copy the store to this machine, or build the program with its feature `remote`"),
            "{line}"
        );
        assert!(!is_live(address));
    }
}
