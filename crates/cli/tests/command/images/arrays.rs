//! NumPy's arrays for flow, disparities and points.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::phase::texture;
use crate::workplace::Workplace;
use veloxel_core::{Dimension, Warnings};
use veloxel_io::{PointFile, Strictness, read_disparity, read_flow};

const SIZE: [usize; 2] = [72, 56];

fn with_pair() -> Workplace {
    let place = Workplace::new();
    place.write_image("a.png", &texture(0.0, SIZE));
    place.write_image("b.png", &texture(1.0, SIZE));
    place
}

/// An array of 64-bit floats.
fn array(shape: &str, numbers: &[f64]) -> Vec<u8> {
    let mut head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    while (10 + head.len() + 1) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.into_bytes());
    bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    bytes
}

#[test]
fn fields_and_disparities_are_arrays() {
    let place = with_pair();
    let flow = |output: &str| {
        let run = ["flow", "a.png", "b.png", "-o", output, "--preset", "fast", "--device", "cpu", "-q"];
        place.run(&run).succeeded();
        read_flow(&place.path(output), Strictness::Strict, &mut Warnings::new()).unwrap()
    };
    assert_eq!(flow("f.npy").planar_vox(), flow("f.flo").planar_vox());
    place.run(&["warp", "image", "f.npy", "b.png", "-o", "w.png", "--device", "cpu"]).succeeded();
    place
        .run(&["flow", "a.png", "b.png", "-o", "again.npy", "--init", "f.npy", "--device", "cpu", "-q"])
        .succeeded();
    let disparity = |output: &str| {
        place.run(&["stereo", "a.png", "b.png", "-o", output, "--device", "cpu", "-q"]).succeeded();
        read_disparity(&place.path(output), None, Strictness::Strict, &mut Warnings::new()).unwrap()
    };
    let [numbers, picture] = ["d.npy", "d.pfm"].map(disparity);
    let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
    assert!(numbers.data().iter().zip(picture.data()).all(same));
    let told = place.run(&["evaluate", "disparity", "d.npy", "d.pfm", "--json"]).succeeded().stdout;
    let error: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(error["absolute_px"]["mean"], 0.0, "{told}");
}

#[test]
fn points_are_arrays_with_a_row_each() {
    let place = with_pair();
    place
        .run(&["flow", "a.png", "b.png", "-o", "f.flo", "--preset", "fast", "--device", "cpu", "-q"])
        .succeeded();
    place.write("p.npy", array("3, 2", &[30.0, 20.0, 40.5, 25.25, f64::NAN, 1.0]));
    place.write("p.csv", "x,y\n30,20\n40.5,25.25\n,\n");
    let moved = |input: &str, output: &str| {
        place.run(&["warp", "points", "f.flo", input, "-o", output]).succeeded();
        PointFile::read(&place.path(output), Dimension::Two, Strictness::Strict).unwrap().points()
    };
    let [rows, table] = [moved("p.npy", "q.npy"), moved("p.csv", "q.csv")];
    let near = |(a, b): (&Option<[f64; 3]>, &Option<[f64; 3]>)| match (a, b) {
        (Some(a), Some(b)) => (0..2).all(|axis| (a[axis] - b[axis]).abs() < 1e-6),
        (a, b) => a == b,
    };
    assert!(rows.len() == 3 && rows[2].is_none() && rows.iter().zip(&table).all(near), "{rows:?} {table:?}");
    place
        .run(&["track-points", "a.png", "b.png", "--points", "p.npy", "-o", "t.csv", "--device", "cpu", "-q"])
        .succeeded();
    place
        .run(&["track-points", "a.png", "b.png", "--points", "p.npy", "-o", "t.npy", "--device", "cpu", "-q"])
        .succeeded();
    let bytes = std::fs::read(place.path("t.npy")).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("(2, 3, 2)"));
    let numbers = &bytes[bytes.len() - 48..];
    let first: Vec<f32> = numbers.as_chunks().0[..4].iter().map(|four| f32::from_le_bytes(*four)).collect();
    assert_eq!(first, [30.0, 20.0, 40.5, 25.25]);
    place.run(&["warp", "points", "f.flo", "p.npy", "-o", "q.csv"]).failed_with(&[
        "q.csv",
        "p.npy",
        "extension",
    ]);
    place.write("wide.npy", array("1, 3", &[1.0, 2.0, 3.0]));
    place
        .run(&["warp", "points", "f.flo", "wide.npy", "-o", "q.npy"])
        .failed_with(&["wide.npy", "[n, 2]", "[1, 3]"]);
}
