//! Takes points of one coordinate system of a scene to another: `scene_points STORE SOURCE TARGET POINTS`.
//!
//! POINTS is a list of lists of numbers in JSON, and so is what is printed, as `{"coordinates": [[…], …]}`. It is what the official package
//! of conformance tests asks of an implementation (`crates/io/tests/zarr/transformations.py`).

// A command prints; the library does not.
#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use veloxel_core::Warnings;
use veloxel_io::{Scene, Strictness};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [store, source, target, points] = &arguments[..] else {
        eprintln!("usage: scene_points STORE SOURCE TARGET POINTS");
        return ExitCode::from(2);
    };
    match moved(Path::new(store), source, target, points) {
        Ok(points) => {
            println!("{}", serde_json::json!({ "coordinates": points }));
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{}", serde_json::json!({ "message": message }));
            ExitCode::FAILURE
        }
    }
}

fn moved(store: &Path, source: &str, target: &str, points: &str) -> Result<Vec<Vec<f64>>, String> {
    let points: Vec<Vec<f64>> = serde_json::from_str(points).map_err(|error| error.to_string())?;
    let scene = Scene::read(store, Strictness::Lenient, &mut Warnings::new());
    let way = scene.and_then(|scene| scene.between(source, target)).map_err(|error| error.to_string())?;
    if let Some(other) = points.iter().find(|point| point.len() != way.source_axes()) {
        return Err(format!("a point has {} numbers, {source} has {} axes", other.len(), way.source_axes()));
    }
    Ok(points.iter().map(|point| way.apply(point)).collect())
}
