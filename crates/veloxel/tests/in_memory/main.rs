//! Commands without files: what a pipeline gives in memory is, bit for bit, what the job of the same command writes; and a pipeline
//! opens no file.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod compare;
mod contours;
mod custom_method;
mod differing_images;
mod distances;
mod engine;
mod evaluate;
mod features;
mod flow;
mod no_files;
mod pictures;
mod segment;
mod sequence;
mod stereo;
mod stops;
mod streams;
mod threads;
mod track;
mod track_points;
mod views;
mod warp;

use std::path::Path;
use veloxel::{Device, Session};

/// A session of its own for each run, on two threads.
fn session() -> Session {
    Session::on(Device::cpu(2).expect("a processor should be there"))
}

/// Fails unless two files hold the same bytes.
#[track_caller]
fn assert_same_file(one: &Path, other: &Path) {
    let [a, b] = [one, other].map(|path| std::fs::read(path).expect("a file should be there"));
    assert!(
        a == b,
        "{} ({} bytes) and {} ({} bytes) differ",
        one.display(),
        a.len(),
        other.display(),
        b.len()
    );
}
