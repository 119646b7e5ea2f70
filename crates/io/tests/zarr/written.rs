//! What is written: levels, places, replacements, fields.

use super::*;
use veloxel_core::Flow;

#[test]
fn what_is_written_has_levels_that_lie_where_the_image_does() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::volume(300, 70, 20).and_then(|g| g.with_spacing_mm([1.0, 1.0, 4.0])).unwrap();
    let grid = grid.with_origin_mm([10.0, 20.0, 30.0]);
    let image = Volume::from_fn(grid.clone(), |[x, y, z]| (x + 2 * y + 3 * z) as f32);
    for name in ["a.ome.zarr", "b.ozx"] {
        let path = folder.path().join(name);
        write_image(&path, &image, &mut Warnings::new()).unwrap();
        let back = read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(back, image, "{name}");
    }
    let level = |nth: &str| {
        let path = folder.path().join("a.ome.zarr").join(nth);
        read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap()
    };
    // z lies four times as far apart: it keeps its samples until the others do as well.
    assert_eq!([level("1").grid().size(), level("2").grid().size()], [[150, 35, 20], [75, 17, 20]]);
    assert!(!folder.path().join("a.ome.zarr/3").exists());
    for nth in ["1", "2"] {
        let coarse = level(nth);
        for place in [[0, 0, 0], [30, 10, 7]] {
            let world = coarse.grid().world_from_voxel(place.map(|v| v as f64));
            let at = grid.voxel_from_world(world);
            let value = at[0] + 2.0 * at[1] + 3.0 * at[2];
            let index = place[0] + coarse.grid().size()[0] * (place[1] + coarse.grid().size()[1] * place[2]);
            assert!((f64::from(coarse.data()[index]) - value).abs() < 1e-4, "{nth} {place:?}");
        }
    }
    let labels = Volume::from_fn(grid, |[x, ..]| i32::from(x >= 100) * 70_000);
    let path = folder.path().join("l.ome.zarr");
    write_labels(&path, &labels).unwrap();
    let coarse = read_labels(&path.join("1"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert!(coarse.data().iter().all(|label| [0, 70_000].contains(label)));
    assert_eq!(read_labels(&path, Strictness::Strict, &mut Warnings::new()).unwrap().data(), labels.data());
}

#[test]
fn a_store_replaces_a_store_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ome.zarr");
    let image = |n: usize| Volume::from_fn(Grid::volume(n, 4, 3).unwrap(), |[x, ..]| x as f32);
    write_image(&path, &image(200), &mut Warnings::new()).unwrap();
    write_image(&path, &image(5), &mut Warnings::new()).unwrap();
    assert_eq!(read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap(), image(5));
    assert!(!path.join("0/c/0/0/1").exists() && !path.join("1").exists(), "nothing stays of the earlier one");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    for name in ["own.zarr", "file.zarr"] {
        let own = folder.path().join(name);
        if name == "own.zarr" {
            std::fs::create_dir(&own).unwrap();
            std::fs::write(own.join("precious"), "").unwrap();
        } else {
            std::fs::write(&own, "precious").unwrap();
        }
        for refused in
            [check_output(&own, ContentKind::Image, None), write_image(&own, &image(5), &mut Warnings::new())]
        {
            let line = refused.unwrap_err().to_string();
            assert!(line.contains("move it away"), "{line}");
        }
        assert!(own.join("precious").exists() || own.is_file());
    }
}

#[test]
fn fields_have_their_components_in_the_order_of_the_axes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.ome.zarr");
    let grid = Grid::volume(4, 3, 2).and_then(|g| g.with_spacing_mm([0.5, 2.0, 3.0])).unwrap();
    let flow = Flow::from_fn(grid, |[x, y, z]| [x + 1.0, y - 2.0, z + 0.25]);
    write_flow(&path, &flow).unwrap();
    let text = std::fs::read_to_string(path.join("zarr.json")).unwrap();
    let group: Value = serde_json::from_str(&text).unwrap();
    let image = &group["attributes"]["ome"]["multiscales"][0];
    let axis = &image["coordinateSystems"][0]["axes"][0];
    assert_eq!((&axis["type"], &axis["discrete"]), (&json!("displacement"), &json!(true)));
    let back = read_flow(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(back, flow);
    let refused = read_image(&path, Strictness::Strict, &mut Warnings::new()).unwrap_err();
    assert!(matches!(refused, IoError::Kind { .. }), "{refused}");
    // The first component is that along z, in millimetres.
    std::fs::remove_file(path.join("zarr.json")).unwrap();
    let first = read_image(&path.join("0@part:1"), Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!((first.data()[0], first.data()[12]), (0.75, 3.75));
}
