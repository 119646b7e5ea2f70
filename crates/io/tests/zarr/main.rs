//! Stores of Zarr that others write: both versions, every way to say an array, and what is refused of them.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]
#![cfg(feature = "zarr")]

mod boxes;
mod parts;
mod refused;
#[cfg(feature = "remote")]
mod remote;
mod scenes;
mod stores;
mod written;

use serde_json::{Value, json};
use std::path::PathBuf;
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::*;

/// A store in a folder of its own.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a.ome.zarr")
    }

    fn put(&self, key: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    fn json(&self, key: &str, value: &Value) -> &Self {
        self.put(key, value.to_string())
    }

    fn image(&self) -> (Result<Volume<f32>, IoError>, Vec<String>) {
        let mut warnings = Warnings::new();
        let image = read_image(&self.path(), Strictness::Lenient, &mut warnings);
        (image, warnings.iter().map(|warning| warning.message.clone()).collect())
    }

    /// The line of a refusal, which names the store.
    fn refusal(&self) -> String {
        let line = self.image().0.unwrap_err().to_string();
        assert!(line.contains("a.ome.zarr") && !line.contains('\n') && line.len() < 800, "{line}");
        line
    }
}

/// Axes z, y, x in micrometres, or as many of the last of them.
fn axes(names: &[&str]) -> Value {
    let axis = |name: &&str| match *name {
        "t" => json!({"name": "t", "type": "time", "unit": "second"}),
        "c" => json!({"name": "c", "type": "channel"}),
        name => json!({"name": name, "type": "space", "unit": "micrometer"}),
    };
    names.iter().map(axis).collect()
}

fn multiscales(names: &[&str], scale: &[f64], translation: &[f64]) -> Value {
    json!([{"version": "0.4", "axes": axes(names), "datasets": [{"path": "0", "coordinateTransformations": [
        {"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}]}]}])
}

/// An array of version 2 with samples of 16 bits, 2 × 3 × 4 in chunks of 2 × 2 × 2.
fn array_2() -> Value {
    json!({"zarr_format": 2, "shape": [2, 3, 4], "chunks": [2, 2, 2], "dtype": ">i2", "compressor": null,
        "fill_value": -7, "order": "C", "filters": null, "dimension_separator": "/"})
}

/// The same in version 3.
fn array_3() -> Value {
    json!({"zarr_format": 3, "node_type": "array", "shape": [2, 3, 4], "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": -7, "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]})
}

/// The sample at a place.
fn sample([x, y, z]: [usize; 3]) -> i16 {
    (x + 10 * y) as i16 - 100 * z as i16
}

/// The samples of a chunk of 2 × 2 × 2 in C order, big-endian; beyond the array they are anything.
fn chunk([cz, cy, cx]: [usize; 3]) -> Vec<u8> {
    let place = |n: usize| [2 * cx + n % 2, 2 * cy + n / 2 % 2, 2 * cz + n / 4];
    (0..8).flat_map(|n| sample(place(n)).to_be_bytes()).collect()
}

/// All four chunks, under keys with this beginning.
fn put_chunks(scene: &Scene, before: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) {
    for [y, x] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        scene.put(&format!("{before}/0/{y}/{x}"), change(chunk([0, y, x])));
    }
}

/// A whole image of version 2.
fn image_2() -> Scene {
    let scene = Scene::new();
    scene.json(".zgroup", &json!({"zarr_format": 2})).json("0/.zarray", &array_2());
    scene.json(
        ".zattrs",
        &json!({"multiscales": multiscales(&["z", "y", "x"], &[3.0, 2.0, 0.5], &[30.0, 20.0, 5.0])}),
    );
    put_chunks(&scene, "0", |bytes| bytes);
    scene
}

/// A whole image of version 3.
fn image_3(array: &Value) -> Scene {
    let scene = Scene::new();
    let ome = json!({"version": "0.5", "multiscales": multiscales(&["z", "y", "x"], &[3.0, 2.0, 0.5], &[30.0, 20.0, 5.0])});
    scene.json("zarr.json", &json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}}));
    scene.json("0/zarr.json", array);
    put_chunks(&scene, "0/c", |bytes| bytes);
    scene
}

/// An image of version 3 in one shard of 2 × 4 × 4 with four chunks, of which the last is missing, and the bytes of the shard; its index
/// is at the `start` or the `end`.
fn image_in_a_shard(location: &str) -> (Scene, Vec<u8>) {
    let mut array = array_3();
    array["chunk_grid"]["configuration"]["chunk_shape"] = json!([2, 4, 4]);
    array["codecs"] = json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2, 2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}], "index_location": location,
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]);
    let scene = image_3(&array);
    std::fs::remove_dir_all(scene.path().join("0/c")).unwrap();
    let before = if location == "start" { 64u64 } else { 0 };
    let mut index: Vec<u64> = (0..3).flat_map(|n| [before + 16 * n, 16]).collect();
    index.extend([u64::MAX; 2]);
    let index: Vec<u8> = index.iter().flat_map(|number| number.to_le_bytes()).collect();
    let content = [chunk([0, 0, 0]), chunk([0, 0, 1]), chunk([0, 1, 0])].concat();
    let shard = if before > 0 { [index, content].concat() } else { [content, index].concat() };
    scene.put("0/c/0/0/0", &shard);
    (scene, shard)
}

fn expected() -> Vec<f32> {
    let grid = Grid::volume(4, 3, 2).unwrap();
    Volume::from_fn(grid, |place| f32::from(sample(place))).data().to_vec()
}
