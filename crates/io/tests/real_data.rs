//! Files of other programs, where `VELOXEL_DATA` names a folder that has them.

// A failed unwrap is a failed test, in functions beside the tests as well; a skipped test says so.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::PathBuf;
use veloxel_core::{Dimension, Warnings};
use veloxel_io::*;

fn data(relative: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("VELOXEL_DATA") else {
        println!("skipped: VELOXEL_DATA is not set");
        return None;
    };
    let path = PathBuf::from(root).join(relative);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

fn all(folder: &str, extension: &str) -> Vec<PathBuf> {
    let Some(folder) = data(folder) else { return Vec::new() };
    let mut folders = vec![folder];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(extension) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn everything_is_read_and_inspected_alike() {
    let mut files = Vec::new();
    for (folder, extension) in [
        ("flow", ".png"),
        ("flow", ".tif"),
        ("flow", ".flo"),
        ("stereo", ".png"),
        ("volumes", ".mha"),
        ("volumes", ".nrrd"),
        ("volumes/greedy", ".nii.gz"),
        ("volumes/nibabel", ".nii.gz"),
        ("cardiac/acdc", ".nii.gz"),
    ] {
        if extension != ".tif" || cfg!(feature = "tiff") {
            files.extend(all(folder, extension));
        }
    }
    for path in files {
        let mut warnings = Warnings::new();
        let content = read(&path, Strictness::Lenient, &mut warnings).unwrap();
        let info = inspect(&path, Strictness::Lenient).unwrap();
        let (grid, kind) = match &content {
            Content::Image(v) => (v.grid(), ContentKind::Image),
            Content::Sequence(s) => (s.grid(), ContentKind::Sequence),
            Content::Flow(f) => (f.grid(), ContentKind::Flow),
            Content::Mesh(_) | Content::Surface(_) => panic!("a mesh"),
        };
        assert_eq!((info.size, info.kind, info.dimension), (grid.size(), kind, grid.dimension()), "{path:?}");
    }
}

#[test]
fn ground_truths_are_fields() {
    for (path, size, valid) in [
        ("flow/middlebury-2frame/RubberWhale/flow10.flo", [584, 388, 1], 0.97..0.99),
        ("flow/kitti-sample/flow_gt.png", [1242, 375, 1], 0.1..0.25),
    ] {
        let Some(path) = data(path) else { return };
        let flow = read_flow(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(flow.grid().size(), size);
        let share =
            (0..flow.grid().len()).filter(|&i| flow.is_valid(i)).count() as f64 / flow.grid().len() as f64;
        assert!(valid.contains(&share), "{path:?}: {share}");
    }
}

#[test]
fn a_cine_keeps_its_frames_and_spacing() {
    let Some(path) = data("cardiac/acdc/training/patient090/patient090_4d.nii.gz") else { return };
    let mut warnings = Warnings::new();
    let cine = read_sequence(&path, Strictness::Lenient, &mut warnings).unwrap();
    // Its sform is an identity beside voxels of 1.8 × 1.8 × 10 mm.
    assert_eq!(warnings.iter().count(), 1);
    assert_eq!((cine.grid().size(), cine.frames().len()), ([154, 224, 7], 12));
    assert!(cine.grid().spacing_mm()[2] > 4.0);
    let error = read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
    assert!(error.to_string().contains("estimate a sequence"), "{error}");
}

#[test]
fn the_same_labels_from_two_formats() {
    let (Some(a), Some(b)) =
        (data("volumes/greedy/propagation/seg05.nii.gz"), data("volumes/greedy/propagation/seg05.nrrd"))
    else {
        return;
    };
    let a = read_labels(&a, Strictness::Lenient, &mut Warnings::new()).unwrap();
    let b = read_labels(&b, Strictness::Lenient, &mut Warnings::new()).unwrap();
    a.grid().require_same(b.grid(), "NIfTI and NRRD").unwrap();
    assert_eq!(a.data(), b.data());
}

#[test]
fn brains_keep_their_labels() {
    let Some(path) = data("volumes/nirep/na01_seg.nii.gz") else { return };
    let labels = read_labels(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!(labels.grid().size(), [256, 300, 256]);
    let mut seen = std::collections::BTreeSet::new();
    seen.extend(labels.data().iter().copied().filter(|&l| l != 0));
    assert!(seen.iter().copied().eq(1..=33), "{seen:?}");
}

#[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
#[test]
fn a_folder_is_a_sequence_in_natural_order() {
    let Some(folder) = data("flow/yosemite-clouds") else { return };
    let sequence = read_sequence(&folder, Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!((sequence.frames().len(), sequence.grid().dimension()), (15, Dimension::Two));
    let last = read_image(&folder.join("yos16.tif"), Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!(sequence.frames()[14], last);
}

#[test]
fn finite_element_meshes_keep_their_connectivity() {
    for (path, nodes, cells) in [
        ("cardiac/mouse_lv_fe/position_0000.vtk", 17_538, 56_525),
        ("cardiac/mouse_lv_fe/position_0008.vtk", 17_538, 56_525),
        ("cardiac/cylinder_torsion/position_0020.vtk", 3_604, 16_919),
    ] {
        let Some(path) = data(path) else { return };
        let mesh = read_mesh(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
        assert_eq!((mesh.points.len(), mesh.tetrahedra.len()), (nodes, cells));
        assert!(mesh.points.iter().flatten().all(|v| v.is_finite()));
    }
}
