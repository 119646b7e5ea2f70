//! Both versions of Zarr, every way to say an array, and the places of images.

use super::*;

#[test]
fn both_versions_with_their_place_in_micrometres() {
    for scene in [image_2(), image_3(&array_3())] {
        let (image, said) = scene.image();
        let image = image.unwrap();
        assert_eq!((image.data(), said.len()), (&expected()[..], 0), "{said:?}");
        let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(image.grid().spacing_mm(), [0.0005, 0.002, 0.003]), "{:?}", image.grid());
        assert!(close(image.grid().origin_mm(), [0.005, 0.020, 0.030]), "{:?}", image.grid());
        let info = inspect(&scene.path(), Strictness::Strict).unwrap();
        assert_eq!(
            (info.size, info.sample_type.as_str(), info.format.name()),
            ([4, 3, 2], "i16", "ome-zarr")
        );
        let labels = read_labels(&scene.path(), Strictness::Strict, &mut Warnings::new()).unwrap();
        assert!(labels.data().iter().zip(expected()).all(|(label, value)| *label as f32 == value));
    }
}

#[test]
fn missing_chunks_are_the_fill_value_and_are_counted() {
    for (scene, key) in [(image_2(), "0/0/1/1"), (image_3(&array_3()), "0/c/0/1/1")] {
        std::fs::remove_file(scene.path().join(key)).unwrap();
        let (image, said) = scene.image();
        let image = image.unwrap();
        let is_missing = |[x, y, _]: [usize; 3]| x >= 2 && y >= 2;
        let values = Volume::from_fn(image.grid().clone(), |place| {
            if is_missing(place) { -7.0 } else { f32::from(sample(place)) }
        });
        assert_eq!(image.data(), values.data());
        assert!(said.len() == 1 && said[0].contains("1 of 4 chunks") && said[0].contains("-7"), "{said:?}");
    }
    let mut array = array_3();
    array["data_type"] = json!("float32");
    array["fill_value"] = json!("NaN");
    let scene = image_3(&array);
    std::fs::remove_dir_all(scene.path().join("0/c")).unwrap();
    assert!(scene.image().0.unwrap().data().iter().all(|value| value.is_nan()));
}

#[test]
fn keys_orders_and_filters_of_version_2() {
    let mut array = array_2();
    array["dimension_separator"] = Value::Null;
    let scene = image_2();
    scene.json("0/.zarray", &array);
    std::fs::remove_dir_all(scene.path().join("0/0")).unwrap();
    for [y, x] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        scene.put(&format!("0/0.{y}.{x}"), chunk([0, y, x]));
    }
    assert_eq!(scene.image().0.unwrap().data(), expected());
    // Fortran's order within chunks.
    let mut array = array_2();
    array["order"] = json!("F");
    let scene = image_2();
    scene.json("0/.zarray", &array);
    put_chunks(&scene, "0", |bytes| {
        let c = |n: usize| 4 * (n % 2) + 2 * (n / 2 % 2) + n / 4;
        (0..8).flat_map(|n| bytes[2 * c(n)..2 * c(n) + 2].to_vec()).collect()
    });
    assert_eq!(scene.image().0.unwrap().data(), expected());
    // Bytes by their place, then zlib.
    let mut array = array_2();
    array["filters"] = json!([{"id": "shuffle", "elementsize": 2}]);
    array["compressor"] = json!({"id": "zlib", "level": 1});
    let scene = image_2();
    scene.json("0/.zarray", &array);
    put_chunks(&scene, "0", |bytes| {
        use std::io::Write;
        let shuffled: Vec<u8> = (0..16).map(|n| bytes[n % 8 * 2 + n / 8]).collect();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&shuffled).unwrap();
        zlib.finish().unwrap()
    });
    assert_eq!(scene.image().0.unwrap().data(), expected());
}

#[test]
fn transposed_chunks_and_shards_of_version_3() {
    let mut array = array_3();
    array["codecs"] = json!([{"name": "transpose", "configuration": {"order": [2, 1, 0]}},
        {"name": "bytes", "configuration": {"endian": "big"}}]);
    let scene = image_3(&array);
    put_chunks(&scene, "0/c", |bytes| {
        let c = |n: usize| 4 * (n % 2) + 2 * (n / 2 % 2) + n / 4;
        (0..8).flat_map(|n| bytes[2 * c(n)..2 * c(n) + 2].to_vec()).collect()
    });
    assert_eq!(scene.image().0.unwrap().data(), expected());
    // One shard of 2 × 4 × 4 with four chunks, of which the last is missing.
    for location in ["start", "end"] {
        let (scene, shard) = image_in_a_shard(location);
        let (image, said) = scene.image();
        let image = image.unwrap();
        let value =
            |[x, y, z]: [usize; 3]| if x >= 2 && y >= 2 { -7.0 } else { f32::from(sample([x, y, z])) };
        assert_eq!(image.data(), Volume::from_fn(image.grid().clone(), value).data(), "{location}");
        assert!(said[0].contains("1 of 4 chunks"), "{said:?}");
        scene.put("0/c/0/0/0", &shard[..shard.len().min(100)]);
        assert!(scene.image().0.is_err());
        scene.put("0/c/0/0/0", &shard[..10]);
        assert!(scene.refusal().contains("shard"));
    }
}

#[test]
fn axes_in_any_order_frames_and_channels() {
    // x, y, z: the grid's x is the array's first axis.
    let mut array = array_2();
    array["chunks"] = json!([2, 3, 4]);
    let scene = image_2();
    std::fs::remove_dir_all(scene.path().join("0/0")).unwrap();
    let bytes: Vec<u8> = (0..24i16).flat_map(i16::to_be_bytes).collect();
    scene.json("0/.zarray", &array).put("0/0/0/0", &bytes);
    scene
        .json(".zattrs", &json!({"multiscales": multiscales(&["x", "y", "z"], &[3.0, 2.0, 0.5], &[0.0; 3])}));
    let image = scene.image().0.unwrap();
    assert_eq!(image.grid().size(), [2, 3, 4]);
    let value = |[x, y, z]: [usize; 3]| (12 * x + 4 * y + z) as f32;
    assert_eq!(image.data(), Volume::from_fn(image.grid().clone(), value).data());
    // Two frames of pictures, half a second apart.
    scene
        .json(".zattrs", &json!({"multiscales": multiscales(&["t", "y", "x"], &[0.5, 2.0, 1.0], &[0.0; 3])}));
    let cine = read_sequence(&scene.path(), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!((cine.frames().len(), cine.frame_interval_ms()), (2, Some(500.0)));
    assert_eq!(cine.frames()[1].data()[0], 12.0);
    let one = scene.path().with_file_name("a.ome.zarr@1");
    let one = read_image(&one, Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(one.data(), cine.frames()[1].data());
    // Two channels.
    let mut attributes = json!({"multiscales": multiscales(&["c", "y", "x"], &[1.0, 2.0, 1.0], &[0.0; 3])});
    attributes["omero"] = json!({"channels": [{"label": "DAPI"}, {"label": "GFP"}]});
    scene.json(".zattrs", &attributes);
    let line = scene.refusal();
    assert!(
        line.contains("2 channels") && line.contains("1 (DAPI), 2 (GFP)") && line.contains("@part:1"),
        "{line}"
    );
    for (part, first) in [("1", 0.0), ("GFP", 12.0)] {
        let named = scene.path().with_file_name(format!("a.ome.zarr@part:{part}"));
        let image = read_image(&named, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(image.data()[0], first, "{part}");
    }
}

#[test]
fn orientations_turn_the_axes() {
    let scene = image_2();
    let mut found = multiscales(&["z", "y", "x"], &[3000.0, 2000.0, 500.0], &[30_000.0, 20_000.0, 5000.0]);
    for (axis, value) in ["inferior-to-superior", "posterior-to-anterior", "left-to-right"].iter().enumerate()
    {
        found[0]["axes"][axis]["orientation"] = json!({"type": "anatomical", "value": value});
    }
    scene.json(".zattrs", &json!({"multiscales": found}));
    let (image, said) = scene.image();
    let image = image.unwrap();
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(image.grid().direction(), [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(image.grid().origin_mm(), [-5.0, -20.0, 30.0]);
}

#[test]
fn levels_labels_and_bare_arrays_by_their_path() {
    let scene = image_2();
    let labels = multiscales(&["z", "y", "x"], &[6.0, 4.0, 1.0], &[0.0; 3]);
    scene.json("labels/.zattrs", &json!({"labels": ["cells"]}));
    scene.json("labels/cells/.zattrs", &json!({"multiscales": labels, "image-label": {}}));
    scene.json("labels/cells/0/.zarray", &array_2());
    let read = |below: &str| {
        let mut warnings = Warnings::new();
        let image = read_image(&scene.path().join(below), Strictness::Lenient, &mut warnings);
        (image, warnings.iter().count())
    };
    let (level, said) = read("0");
    assert_eq!((level.unwrap().grid().spacing_mm()[2], said), (0.003, 0));
    let (cells, said) = read("labels/cells");
    assert_eq!((cells.unwrap().grid().spacing_mm()[2], said), (0.006, 1), "chunks are missing");
    let line = read("labels").0.unwrap_err().to_string();
    assert!(line.contains("labels") && line.contains("cells: name one of them"), "{line}");
    std::fs::remove_file(scene.path().join(".zattrs")).unwrap();
    let (bare, said) = read("0");
    assert_eq!((bare.unwrap().grid().spacing_mm(), said), ([1.0; 3], 1));
}

#[test]
fn an_affine_transformation_of_0_6_places_the_image() {
    let scene = image_3(&array_3());
    let system = |name: &str| {
        let axis = |name: &str| json!({"name": name, "type": "space", "unit": "millimeter"});
        let axes = ["z", "y", "x"].map(axis);
        json!({"name": name, "axes": axes})
    };
    let image = json!({
        "coordinateSystems": [system("intrinsic"), system("scanner")],
        "datasets": [{"path": "0", "coordinateTransformations": [
            {"type": "scale", "scale": [3, 2, 1], "input": {"path": "0"}, "output": {"name": "intrinsic"}}]}],
        "coordinateTransformations": [{"type": "affine", "input": {"name": "intrinsic"}, "output": {"name": "scanner"},
            "affine": [[1, 0, 0, 30], [0, 0, 1, 20], [0, -1, 0, 10]]}],
    });
    let ome = json!({"version": "0.6", "multiscales": [image]});
    scene.json("zarr.json", &json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}}));
    let (image, said) = scene.image();
    let image = image.unwrap();
    assert!(said.is_empty(), "{said:?}");
    assert_eq!((image.grid().spacing_mm(), image.grid().origin_mm()), ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]));
    assert_eq!(image.grid().direction(), [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
}
