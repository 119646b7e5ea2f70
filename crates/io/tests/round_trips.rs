//! What is written is read back: oblique anisotropic grids, every kind of content, every format that holds it.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use veloxel_core::{Flow, Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

fn oblique_3d() -> Grid {
    // Two rotations, so that no entry of the direction is 0.
    let ((s, c), (t, d)) = (0.4f64.sin_cos(), (-0.7f64).sin_cos());
    Grid::volume(5, 4, 3)
        .and_then(|g| g.with_spacing_mm([0.7, 1.25, 2.5]))
        .and_then(|g| g.with_direction([[c, -s * d, s * t], [s, c * d, -c * t], [0.0, t, d]]))
        .unwrap()
        .with_origin_mm([10.5, -20.25, 33.0])
}

fn oblique_2d() -> Grid {
    let (s, c) = 0.3f64.sin_cos();
    Grid::image(6, 5)
        .and_then(|g| g.with_spacing_mm([0.5, 2.0, 1.0]))
        .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        .unwrap()
        .with_origin_mm([1.5, -2.5, 0.0])
}

fn image(grid: Grid) -> Volume<f32> {
    Volume::from_fn(grid, |[x, y, z]| 0.5 + x as f32 - 10.0 * y as f32 + 100.0 * z as f32)
}

fn flow(grid: Grid) -> Flow {
    let mut flow = Flow::from_fn(grid, |[x, y, z]| [0.25 * x - 1.0, 0.5 * y + 0.1, 0.125 * z * x]);
    for component in flow.components_vox_mut() {
        component[7] = f32::NAN;
    }
    flow
}

fn assert_same_grid(a: &Grid, b: &Grid) {
    assert_eq!((a.dimension(), a.size()), (b.dimension(), b.size()));
    let close = |p: [f64; 3], q: [f64; 3]| p.iter().zip(q).all(|(u, v)| (u - v).abs() < 1e-5);
    assert!(close(a.spacing_mm(), b.spacing_mm()), "{a:?} {b:?}");
    assert!(close(a.origin_mm(), b.origin_mm()), "{a:?} {b:?}");
    for r in 0..3 {
        assert!(close(a.direction()[r], b.direction()[r]), "{a:?} {b:?}");
    }
}

fn assert_close(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    for (u, v) in a.iter().zip(b) {
        assert!((u.is_nan() && v.is_nan()) || (u - v).abs() <= tolerance, "{u} against {v}");
    }
}

/// The extensions of formats that hold volumes in their place in the world.
fn volume_formats() -> Vec<&'static str> {
    extensions(|format| format.writes(ContentKind::Image) && format.keeps_place())
}

/// Those of them that hold fields.
fn field_formats() -> Vec<&'static str> {
    extensions(|format| format.writes(ContentKind::Flow) && format.keeps_place())
}

fn extensions(of: impl Fn(&Format) -> bool) -> Vec<&'static str> {
    let found: Vec<_> =
        Format::all().iter().filter(|f| of(f)).flat_map(|f| f.extensions()).copied().collect();
    assert!(found.len() > 2, "{found:?}");
    found
}

fn quiet<T>(path: &Path, read: impl Fn(&Path, Strictness, &mut Warnings) -> Result<T, IoError>) -> T {
    let mut warnings = Warnings::new();
    let value = read(path, Strictness::Strict, &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{}: {warnings:?}", path.display());
    value
}

#[test]
fn images_keep_samples_and_place() {
    let folder = tempfile::tempdir().unwrap();
    for extension in volume_formats() {
        for grid in [oblique_3d(), oblique_2d()] {
            let path = folder.path().join(format!("a.{extension}"));
            let written = image(grid);
            write_image(&path, &written, &mut Warnings::new()).unwrap();
            let back = quiet(&path, read_image);
            assert_same_grid(written.grid(), back.grid());
            assert_eq!(written.data(), back.data(), "{extension}");
        }
    }
    // .mhd and .nhdr share the one a.raw.
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, volume_formats().len() + 1, "no temporary is left");
}

#[test]
fn the_qform_places_as_the_sform_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.nii");
    // Every branch of the quaternion: half turns about each axis, oblique, and mirrored.
    let turn = |x: f64, y: f64, z: f64| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let oblique = oblique_3d().direction();
    let directions = [
        oblique,
        oblique.map(|[x, y, z]| [-x, y, z]),
        turn(1.0, 1.0, 1.0),
        turn(1.0, -1.0, -1.0),
        turn(-1.0, 1.0, -1.0),
        turn(-1.0, -1.0, 1.0),
        turn(-1.0, -1.0, -1.0),
    ];
    for direction in directions {
        let written = image(oblique_3d().with_direction(direction).unwrap());
        write_image(&path, &written, &mut Warnings::new()).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[254..256].copy_from_slice(&[0, 0]);
        std::fs::write(&path, bytes).unwrap();
        assert_same_grid(written.grid(), quiet(&path, read_image).grid());
    }
}

#[test]
fn fields_keep_their_voxel_vectors() {
    let folder = tempfile::tempdir().unwrap();
    for extension in field_formats() {
        for grid in [oblique_3d(), oblique_2d()] {
            let path = folder.path().join(format!("f.{extension}"));
            let written = flow(grid);
            write_flow(&path, &written).unwrap();
            let back = quiet(&path, read_flow);
            assert_same_grid(written.grid(), back.grid());
            for (a, b) in written.components_vox().zip(back.components_vox()) {
                assert_close(a, b, 1e-5);
            }
            let error = read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
            assert!(matches!(error, IoError::Kind { .. }), "{error}");
        }
    }
}

/// Slices as scanners place them: oblique, coronal, and in the world's xy plane above its origin; 8 mm thick.
fn planes() -> [Grid; 3] {
    let coronal = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];
    let plane = oblique_2d().with_spacing_mm([0.5, 2.0, 8.0]).unwrap();
    let turned = |direction| plane.clone().with_direction(direction).unwrap();
    let placed = |grid: Grid| grid.with_origin_mm([10.5, -20.25, 33.0]);
    [turned(oblique_3d().direction()), turned(coronal), plane.clone()].map(placed)
}

#[test]
fn planes_keep_their_place_in_space() {
    let folder = tempfile::tempdir().unwrap();
    for grid in planes() {
        for extension in field_formats() {
            let path = folder.path().join(format!("f.{extension}"));
            let written = flow(grid.clone());
            write_flow(&path, &written).unwrap();
            let back = quiet(&path, read_flow);
            assert_same_grid(&grid, back.grid());
            for (a, b) in written.components_vox().zip(back.components_vox()) {
                assert_close(a, b, 1e-5);
            }
            assert_same_grid(&grid, &inspect(&path, Strictness::Strict).unwrap().grid().unwrap());
        }
        for extension in volume_formats() {
            let path = folder.path().join(format!("i.{extension}"));
            let written = image(grid.clone());
            write_image(&path, &written, &mut Warnings::new()).unwrap();
            let back = quiet(&path, read_image);
            assert_same_grid(&grid, back.grid());
            assert_eq!(written.data(), back.data(), "{extension}");
        }
        for extension in extensions(|format| format.writes(ContentKind::Sequence) && format.keeps_place()) {
            let path = folder.path().join(format!("s.{extension}"));
            let frames = vec![image(grid.clone()), image(grid.clone()), image(grid.clone())];
            write_sequence(&path, &Sequence::new(frames, None).unwrap()).unwrap();
            let back = quiet(&path, read_sequence);
            assert_same_grid(&grid, back.grid());
            assert_eq!(back.frames().len(), 3, "{extension}");
        }
    }
}

#[test]
fn what_is_one_voxel_thick_is_a_plane() {
    let folder = tempfile::tempdir().unwrap();
    for (size, order) in [([5, 4, 1], [0, 1, 2]), ([5, 1, 4], [0, 2, 1]), ([1, 5, 4], [1, 2, 0])] {
        let [nx, ny, nz] = size;
        let volume = Grid::volume(nx, ny, nz).and_then(|g| g.with_spacing_mm([0.7, 1.25, 2.5])).unwrap();
        let volume = volume.with_direction(oblique_3d().direction()).unwrap();
        for extension in volume_formats() {
            let path = folder.path().join(format!("t.{extension}"));
            let written = image(volume.clone());
            write_image(&path, &written, &mut Warnings::new()).unwrap();
            let back = quiet(&path, read_image);
            assert_eq!(back.grid().size_text(), "5 × 4 pixels", "{extension}");
            assert_eq!(written.data(), back.data(), "{extension}");
            let corner = order.map(|axis| [1.0, 2.0, 3.0][axis]);
            let [here, there] =
                [volume.world_from_voxel([1.0, 2.0, 3.0]), back.grid().world_from_voxel(corner)];
            assert!(here.iter().zip(there).all(|(a, b)| (a - b).abs() < 1e-4), "{extension}");
        }
    }
}

#[test]
fn a_field_that_leads_out_of_its_plane_is_a_volume_s() {
    let folder = tempfile::tempdir().unwrap();
    let [plane, ..] = planes();
    let volume = Grid::volume(6, 5, 1).and_then(|g| g.with_direction(plane.direction())).unwrap();
    let across = Flow::from_fn(volume, |[x, y, _]| [0.25 * x - 1.0, 0.5 * y, 0.125 * x]);
    for extension in field_formats() {
        let path = folder.path().join(format!("a.{extension}"));
        write_flow(&path, &across).unwrap();
        let back = quiet(&path, read_flow);
        assert_same_grid(across.grid(), back.grid());
        for (a, b) in across.components_vox().zip(back.components_vox()) {
            assert_close(a, b, 1e-5);
        }
    }
}

#[test]
fn sequences_keep_frames_and_interval() {
    let folder = tempfile::tempdir().unwrap();
    for extension in extensions(|format| format.writes(ContentKind::Sequence) && format.keeps_place()) {
        for grid in [oblique_3d(), oblique_2d()] {
            let path = folder.path().join(format!("s.{extension}"));
            let frames = [0.0, 1000.0].map(|t| image(grid.clone()).map(|v| v + t));
            let written = Sequence::new(frames.to_vec(), Some(31.5)).unwrap();
            write_sequence(&path, &written).unwrap();
            let back = quiet(&path, read_sequence);
            assert_same_grid(written.grid(), back.grid());
            assert_eq!(written.frame_interval_ms(), back.frame_interval_ms(), "{extension}");
            for (a, b) in written.frames().iter().zip(back.frames()) {
                assert_eq!(a.data(), b.data());
            }
        }
    }
}

#[test]
fn labels_stay_exact_whatever_their_range() {
    let folder = tempfile::tempdir().unwrap();
    for extension in extensions(|format| format.writes_labels() && format.holds_volumes()) {
        for offset in [0, -5, 30_000, 1 << 23] {
            let path = folder.path().join(format!("l.{extension}"));
            let written = Volume::from_fn(oblique_3d(), |[x, y, z]| offset + (x * y * z) as i32);
            write_labels(&path, &written).unwrap();
            assert_eq!(quiet(&path, read_labels).data(), written.data());
        }
    }
    let path = folder.path().join("half.nii");
    write_image(&path, &image(oblique_3d()), &mut Warnings::new()).unwrap();
    let error = read_labels(&path, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
    assert!(matches!(error, IoError::NotLabel { value: 0.5, position: [0, 0, 0], .. }), "{error}");
}

#[test]
fn pictures_of_whole_numbers_stay_exact() {
    let folder = tempfile::tempdir().unwrap();
    let exact = extensions(|format| {
        format.writes(ContentKind::Image) && format.precision() != FormatPrecision::Lossy
    });
    let tops = |extension| [255.0f32, 65535.0].map(|top| (extension, top));
    // A BMP has 8 bits.
    for (extension, top) in exact.into_iter().flat_map(tops).filter(|case| *case != ("bmp", 65535.0)) {
        let path = folder.path().join(format!("p.{extension}"));
        let written =
            Volume::from_fn(Grid::image(7, 3).unwrap(), |[x, y, _]| (top - (x + 10 * y) as f32).max(0.0));
        let mut warnings = Warnings::new();
        write_image(&path, &written, &mut warnings).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(quiet(&path, read_image), written);
        write_labels(&path, &written.map(|&v| v as i32)).unwrap();
        assert_eq!(quiet(&path, read_image), written);
    }
}

#[test]
fn what_a_picture_cannot_hold_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.png");
    let mut warnings = Warnings::new();
    write_image(&path, &image(oblique_2d()), &mut warnings).unwrap();
    // Samples beyond 8 bits, and those between whole numbers.
    assert_eq!((warnings.urgent().count(), warnings.iter().count()), (1, 2));
    let error = write_image(&path, &image(oblique_3d()), &mut warnings).unwrap_err();
    assert!(matches!(error, IoError::Unsupported { .. }), "{error}");
}

#[test]
fn flo_is_bit_exact_and_keeps_unknowns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.flo");
    let written = flow(Grid::image(6, 5).unwrap());
    write_flow(&path, &written).unwrap();
    let back = quiet(&path, read_flow);
    for (a, b) in written.planar_vox().iter().zip(back.planar_vox().iter()) {
        assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
    }
    let first = std::fs::read(&path).unwrap();
    write_flow(&path, &back).unwrap();
    assert_eq!(first, std::fs::read(&path).unwrap());
}

#[test]
fn pfm_keeps_bits_and_unknowns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.pfm");
    let written = flow(Grid::image(6, 5).unwrap());
    write_flow(&path, &written).unwrap();
    let back = quiet(&path, read_flow);
    for (a, b) in written.components_vox().zip(back.components_vox()) {
        assert_close(a, b, 0.0);
    }
    let disparity = written.component_volume(0);
    write_image(&path, &disparity, &mut Warnings::new()).unwrap();
    assert_close(quiet(&path, read_image).data(), disparity.data(), 0.0);
}

#[test]
fn kitti_keeps_sixty_fourths_and_validity() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.png");
    let written = flow(Grid::image(6, 5).unwrap());
    write_flow(&path, &written).unwrap();
    let back = quiet(&path, read_flow);
    for (a, b) in written.components_vox().zip(back.components_vox()) {
        assert_close(a, b, 0.5 / 64.0 + 1e-6);
    }
    assert!(matches!(quiet(&path, read), Content::Flow(_)));
    let far = Flow::from_fn(Grid::image(2, 2).unwrap(), |_| [600.0, 0.0, 0.0]);
    assert!(matches!(write_flow(&path, &far), Err(IoError::Unsupported { .. })));
}

#[cfg(feature = "jpeg")]
#[test]
fn jpeg_is_for_looking_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jpg");
    let written = Volume::from_fn(Grid::image(70, 45).unwrap(), |[x, y, _]| (2 * x + y) as f32);
    let mut warnings = Warnings::new();
    write_image(&path, &written, &mut warnings).unwrap();
    assert_eq!(warnings.iter().count(), 1, "samples do not change in silence");
    let back = quiet(&path, read_image);
    assert_close(back.data(), written.data(), 2.0);

    let colour = folder.path().join("c.jpeg");
    let rgb: Vec<u8> = (0..16 * 16).flat_map(|_| [200, 100, 50]).collect();
    write_rgb_jpeg(&colour, 16, 16, &rgb).unwrap();
    let luma = read_image(&colour, Strictness::Strict, &mut Warnings::new()).unwrap();
    let expected = 0.299 * 200.0 + 0.587 * 100.0 + 0.114 * 50.0;
    assert!(luma.data().iter().all(|v| (v - expected).abs() < 2.0));

    let refused = |name: &str, image: &Volume<f32>| {
        let path = folder.path().join(name);
        let error = write_image(&path, image, &mut Warnings::new()).unwrap_err();
        assert!(matches!(error, IoError::Unsupported { .. }) && !path.exists(), "{error}");
    };
    refused("deep.jpg", &written.map(|v| 2.0 * v));
    refused("volume.jpg", &Volume::from_fn(Grid::volume(4, 4, 4).unwrap(), |_| 1.0));
    refused("long.jpg", &Volume::from_fn(Grid::image(65536, 1).unwrap(), |_| 1.0));
    let labels = written.map(|&v| v as i32);
    assert!(matches!(write_labels(&path, &labels), Err(IoError::UnknownExtension { .. })));
    assert!(matches!(write_rgb_jpeg(&path, 16, 15, &rgb), Err(IoError::Malformed { .. })));
    assert!(matches!(write_rgb_jpeg(&path, 0, 15, &[]), Err(IoError::Unsupported { .. })));
}

#[test]
fn unknown_extensions_list_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xyz");
    let fail = |path: &Path| read(path, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
    assert!(matches!(fail(&path), IoError::Open { .. }), "the path is wrong, whatever its name ends in");
    std::fs::write(&path, "x").unwrap();
    assert!(fail(&path).to_string().contains(".nii.gz"));
    assert!(matches!(fail(folder.path()), IoError::Kind { .. }));
    assert!(matches!(
        check_output(Path::new("a.y4m"), ContentKind::Image, None),
        Err(IoError::UnknownExtension { .. })
    ));
    assert!(matches!(
        check_output(Path::new("/nowhere/a.flo"), ContentKind::Flow, None),
        Err(IoError::NoFolder { .. })
    ));
    assert!(check_output(Path::new("a.nrrd"), ContentKind::Sequence, None).is_ok());
    let error = write_flow(Path::new("a.jpg"), &flow(oblique_2d())).unwrap_err();
    assert!(error.to_string().contains(".flo"), "{error}");
}

#[test]
fn inspection_says_what_reading_gives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.nrrd");
    write_flow(&path, &flow(oblique_3d())).unwrap();
    let info = inspect(&path, Strictness::Lenient).unwrap();
    assert_eq!((info.kind, info.size, info.frames), (ContentKind::Flow, [5, 4, 3], 1));
    assert_eq!(info.sample_type, "f32 × 3");
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(
        (&json["kind"], &json["format"], &json["dimension"]),
        (&"flow".into(), &"nrrd".into(), &"3-D".into())
    );
    // The header alone is looked at, but not believed beyond the bytes that are there.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(inspect(&path, Strictness::Lenient), Err(IoError::Truncated { .. })));
}

#[test]
fn rgb_pictures_are_encoded_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.png");
    write_rgb_png(&path, 2, 1, &[255, 0, 0, 9, 9, 9]).unwrap();
    let mut warnings = Warnings::new();
    let image = read_image(&path, Strictness::Strict, &mut warnings).unwrap();
    assert!((image.data()[0] - 76.245).abs() < 1e-3 && image.data()[1] == 9.0);
    assert_eq!(warnings.iter().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing() {
    // Runs itself again with a limit on the length of files, which breaks a write in its middle as a full disk does.
    const FOLDER: &str = "VELOXEL_TEST_FULL_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let image = Volume::from_fn(Grid::volume(64, 64, 64).unwrap(), |[x, ..]| x as f32);
        for name in ["a.nii", "a.mha", "a.mhd", "a.nhdr"] {
            let error = write_image(Path::new(&folder).join(name), &image, &mut Warnings::new()).unwrap_err();
            assert!(matches!(&error, IoError::Write { .. }), "{error}");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{name}");
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // 64 KiB; without the trap the system would end the program.
    let run = std::process::Command::new("sh")
        .args(["-c", "ulimit -f 128; trap '' XFSZ; exec \"$0\" a_full_disk_leaves_nothing"])
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}
