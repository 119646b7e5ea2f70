//! Stores at addresses: read as those in folders are, from a server of this machine.

mod server;

use super::*;
use server::{Ranges, Server};
use std::path::Path;
use veloxel_core::{Control, Flow, GridBox};

fn read(address: &str) -> (Result<Volume<f32>, IoError>, Vec<String>) {
    let mut warnings = Warnings::new();
    let image = read_image(Path::new(address), Strictness::Lenient, &mut warnings);
    (image, warnings.iter().map(|warning| warning.message.clone()).collect())
}

#[test]
fn both_versions_have_the_samples_and_places_of_their_folders() {
    for scene in [image_2(), image_3(&array_3())] {
        let server = Server::of(&scene.path(), Ranges::Never);
        let (image, said) = read(&server.address("a.ome.zarr"));
        let (here, _) = scene.image();
        let (image, here) = (image.unwrap(), here.unwrap());
        assert_eq!((image.data(), image.grid()), (here.data(), here.grid()), "{said:?}");
        let (level, _) = read(&server.address("a.ome.zarr/0"));
        assert_eq!(level.unwrap().data(), here.data());
        let info = inspect(Path::new(&server.address("a.ome.zarr")), Strictness::Strict).unwrap();
        assert_eq!((info.size, info.sample_type.as_str()), ([4, 3, 2], "i16"));
        let labels =
            read_labels(Path::new(&server.address("a.ome.zarr")), Strictness::Strict, &mut Warnings::new());
        assert!(labels.unwrap().data().iter().zip(expected()).all(|(label, value)| *label as f32 == value));
    }
}

#[test]
fn missing_chunks_are_the_fill_value_and_are_counted() {
    let scene = image_3(&array_3());
    std::fs::remove_file(scene.path().join("0/c/0/1/1")).unwrap();
    let server = Server::of(&scene.path(), Ranges::Never);
    let (image, said) = read(&server.address("a.ome.zarr"));
    assert_eq!(image.unwrap().data(), scene.image().0.unwrap().data());
    assert!(said.len() == 1 && said[0].contains("1 of 4 chunks"), "{said:?}");
}

#[test]
fn a_chunk_is_asked_for_once_and_a_box_asks_for_its_own_chunks() {
    let scene = image_3(&array_3());
    let server = Server::of(&scene.path(), Ranges::Always);
    let address = server.address("a.ome.zarr");
    let file = PartialImage::open(Path::new(&address), Strictness::Strict, &mut Warnings::new()).unwrap();
    let before = server.requests();
    let part = GridBox { begin: [2, 0, 0], size: [2, 2, 2] };
    let samples = file.part(part, &mut Warnings::new()).unwrap();
    assert_eq!(samples, part.of(&expected(), [4, 3, 2]));
    assert_eq!(server.requests() - before, 1);
}

#[test]
fn shards_are_read_by_ranges() {
    for location in ["start", "end"] {
        let (scene, _) = image_in_a_shard(location);
        let server = Server::of(&scene.path(), Ranges::Always);
        let (image, said) = read(&server.address("a.ome.zarr"));
        assert_eq!(image.unwrap().data(), scene.image().0.unwrap().data());
        assert!(said.len() == 1 && said[0].contains("1 of 4 chunks"), "{said:?}");
        let server = Server::of(&scene.path(), Ranges::Never);
        let line = read(&server.address("a.ome.zarr")).0.unwrap_err().to_string();
        assert!(line.contains("some servers send whole files alone"), "{line}");
    }
}

#[test]
fn fields_have_the_vectors_of_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field.ome.zarr");
    let grid = Grid::volume(80, 70, 66).and_then(|grid| grid.with_spacing_mm([1.0, 1.5, 2.0])).unwrap();
    let field = Flow::from_fn(grid, |[x, y, z]| [0.01 * x, 0.02 * y - 1.0, 0.03 * z]);
    write_flow(&path, &field).unwrap();
    let server = Server::of(&path, Ranges::Never);
    let address = server.address("field.ome.zarr");
    let found = read_flow(Path::new(&address), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(found, read_flow(&path, Strictness::Strict, &mut Warnings::new()).unwrap());
}

#[test]
fn what_a_server_refuses_is_told_in_one_line() {
    let scene = image_2();
    let server = Server::of(&scene.path(), Ranges::Never);
    let line = |address: &str| {
        let line = read(address).0.unwrap_err().to_string();
        assert!(line.len() < 800 && !line.contains('\n'), "{line}");
        line
    };
    assert!(line(&server.address("none.ome.zarr")).contains("is it a Zarr store"));
    assert!(line(&server.address("a.ome.zarr/3")).contains("the metadata of a group or an array"));
    let forbidden = line(&server.address("forbidden.ome.zarr"));
    assert!(forbidden.contains("cannot open") && forbidden.contains("403"), "{forbidden}");
    let password = line(&server.address("a.ome.zarr").replace("http://", "http://me:secret@"));
    assert!(password.contains("a name and a password") && !password.contains("secret"), "{password}");
    let output = |address: &str| check_output(Path::new(address), ContentKind::Image, None);
    assert!(output(&server.address("none.ome.zarr")).is_ok());
    for (name, words) in [
        (server.address("a.ome.zarr"), "a store is there"),
        (server.address("a.ome.zarr/0"), "name a whole store"),
        (server.address("forbidden.ome.zarr"), "403"),
        ("http://127.0.0.1:9/a.ome.zarr".to_owned(), "error sending request"),
    ] {
        let refused = output(&name).unwrap_err().to_string();
        assert!(refused.contains("cannot write") && refused.contains(words), "{refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
}

#[test]
fn a_run_that_is_to_stop_does_not_wait_for_a_server() {
    let scene = image_2();
    let server = Server::of(&scene.path(), Ranges::Never);
    let control = Control::default();
    let reading = Files::under(control.clone()).reading(ReadOptions::default());
    server.when_asked(move || control.stop());
    let address = server.address("never.ome.zarr");
    let found = read_image(Path::new(&address), reading, &mut Warnings::new());
    assert!(matches!(found, Err(IoError::Stopped(_))), "{found:?}");
}
