//! What a reader notices reaches its caller.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod samples;

use veloxel_core::Warnings;
use veloxel_io::*;

#[test]
fn a_mesh_says_what_it_leaves_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtk");
    std::fs::write(&path, format!("{}POINT_DATA 5\nSCALARS s float\n", samples::VTK)).unwrap();
    let mut warnings = Warnings::new();
    assert_eq!(read_mesh(&path, Strictness::Lenient, &mut warnings).unwrap().tetrahedra.len(), 2);
    let said: Vec<&str> = warnings.iter().map(|warning| &*warning.message).collect();
    assert!(matches!(said[..], [line] if line.contains("POINT_DATA")), "{said:?}");
    std::fs::write(&path, samples::VTK).unwrap();
    let mut warnings = Warnings::new();
    read_mesh(&path, Strictness::Strict, &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn outlines_of_labels_say_what_their_header_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.mha");
    let mut bytes = b"NDims = 2\nDimSize = 8 8\nElementSpacing = nan 1\nElementType = MET_UCHAR\n\
        ElementDataFile = LOCAL\n"
        .to_vec();
    bytes.extend((0..64).map(|i| if (2..6).contains(&(i % 8)) && (2..6).contains(&(i / 8)) { 3 } else { 0 }));
    std::fs::write(&path, bytes).unwrap();
    let mut warnings = Warnings::new();
    let file = read_contours(&path, None, &ContourReading::default(), &mut warnings).unwrap();
    assert_eq!(file.contours.contours().len(), 2);
    assert!(warnings.iter().any(|warning| warning.message.contains("spacing")), "{warnings:?}");
}
