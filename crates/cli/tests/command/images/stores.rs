//! OME-Zarr in and out: every command takes stores by their names, and the results are those of other formats.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::workplace::{Workplace, pair};
use veloxel_core::{Dimension, Sequence, Volume, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};
use veloxel_phantoms::catalogue::{isotropic_grid, oblique_grid};

const OPTIONS: [&str; 6] = ["--preset", "fast", "--device", "cpu", "--threads", "2"];

/// A pair as stores and as MetaImage.
fn volumes() -> Workplace {
    let place = Workplace::new();
    let phantom = pair(&oblique_grid(Dimension::Three, 24).unwrap());
    for (image, name) in [(&phantom.fixed, "fixed"), (&phantom.moving, "moving")] {
        place.write_image(&format!("{name}.ome.zarr"), image);
        place.write_image(&format!("{name}.mha"), image);
    }
    place
}

fn image(place: &Workplace, name: &str) -> Volume<f32> {
    read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap()
}

#[test]
fn a_field_between_stores_is_that_between_files() {
    let place = volumes();
    let of_files = ["flow", "fixed.mha", "moving.mha", "-o", "f.mha", "--warped", "w.mha"];
    place.run(&[&of_files[..], &OPTIONS].concat()).succeeded();
    let before = place.names().len();
    let of_stores = ["flow", "fixed.ome.zarr", "moving.ome.zarr", "-o", "f.ome.zarr", "--warped", "w.ozx"];
    let run = [&of_stores[..], &["--confidence", "c.zarr", "--report", "r.json"], &OPTIONS].concat();
    // The second run replaces what the first one wrote.
    for _ in 0..2 {
        let told = place.run(&run).succeeded();
        assert_eq!(told.stderr, "");
        assert_eq!(place.names().len(), before + 4, "{:?}", place.names());
    }
    let field = |name: &str| read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
    let (file, store) = (field("f.mha"), field("f.ome.zarr"));
    for (a, b) in file.components_vox().zip(store.components_vox()) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5));
    }
    assert_eq!(image(&place, "w.mha").data(), image(&place, "w.ozx").data());
    assert!(image(&place, "c.zarr").data().iter().all(|c| (0.0..=1.0).contains(c)));
    let report = std::fs::read_to_string(place.path("r.json")).unwrap();
    assert!(report.contains("OME-Zarr"), "{report}");
    place.run(&["warp", "image", "f.ome.zarr", "moving.ome.zarr", "-o", "again.ome.zarr"]).succeeded();
    place.run(&["evaluate", "flow", "f.ome.zarr", "f.mha"]).succeeded();
    let told = place.run(&["info", "f.ome.zarr"]).succeeded().stdout;
    assert!(told.contains("OME-Zarr") && told.contains("30 × 20 × 12"), "{told}");
    let told = place.run(&[&of_stores[..], &OPTIONS, &["--dry-run"]].concat()).succeeded().stdout;
    assert!(told.contains("30 × 20 × 12") && told.contains("f.ome.zarr"), "{told}");
}

#[test]
fn no_store_that_is_read_is_replaced_and_no_folder_of_something_else() {
    let place = volumes();
    std::fs::create_dir(place.path("own.zarr")).unwrap();
    std::fs::write(place.path("own.zarr/precious"), "").unwrap();
    let names = place.names();
    let flow = |output: &'static str| {
        place.run(&[&["flow", "fixed.ome.zarr", "moving.ome.zarr", "-o", output], &OPTIONS[..]].concat())
    };
    flow("fixed.ome.zarr").failed_with(&["is an input"]);
    flow("own.zarr").failed_with(&["own.zarr", "move it away"]);
    place.write("file.zarr", "");
    flow("file.zarr").failed_with(&["file.zarr", "move it away"]);
    std::fs::remove_file(place.path("file.zarr")).unwrap();
    assert_eq!(place.names(), names);
    assert!(place.path("own.zarr/precious").exists() && place.path("fixed.ome.zarr/zarr.json").exists());
}

#[test]
fn frames_of_a_store_and_a_store_for_every_field() {
    let place = Workplace::new();
    let phantom = pair(&isotropic_grid(Dimension::Two, 40).unwrap());
    let frames = vec![phantom.fixed.clone(), phantom.moving.clone(), phantom.fixed];
    let cine = Sequence::new(frames, Some(20.0)).unwrap();
    veloxel_io::write_sequence(place.path("cine.ome.zarr"), &cine).unwrap();
    let run =
        ["flow", "cine.ome.zarr", "-o", "fields", "--sequence", "consecutive", "--field-format", "zarr"];
    place.run(&[&run[..], &OPTIONS].concat()).succeeded();
    let mut fields: Vec<_> =
        std::fs::read_dir(place.path("fields")).unwrap().map(|e| e.unwrap().path()).collect();
    fields.retain(|path| path.extension().is_some_and(|extension| extension == "zarr"));
    assert_eq!(fields.len(), 2, "{fields:?}");
    for field in fields {
        let flow = read_flow(&field, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(flow.grid().size(), [40, 40, 1]);
    }
    let pair = ["flow", "cine.ome.zarr@0", "cine.ome.zarr@1", "-o", "one.zarr"];
    place.run(&[&pair[..], &OPTIONS].concat()).succeeded();
    let told = place.run(&["info", "cine.ome.zarr"]).succeeded().stdout;
    assert!(told.contains('3') && told.contains("20"), "{told}");
}
