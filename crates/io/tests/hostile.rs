//! Broken and hostile files end in an error: never a panic, never an allocation on a header's word alone.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use veloxel_core::{Flow, Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

fn grid() -> Grid {
    Grid::volume(4, 3, 2).and_then(|g| g.with_spacing_mm([1.0, 2.0, 3.0])).unwrap()
}

fn picture() -> Volume<f32> {
    Volume::from_fn(Grid::image(5, 4).unwrap(), |[x, y, _]| (7 * x + 40 * y) as f32)
}

/// One small file of each kind of content in each format that can be written, by name.
fn samples() -> Vec<(String, Format, Vec<u8>)> {
    static SAMPLES: OnceLock<Vec<(String, Format, Vec<u8>)>> = OnceLock::new();
    SAMPLES.get_or_init(make_samples).clone()
}

fn make_samples() -> Vec<(String, Format, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut file = |name: &str| {
        files.push(folder.path().join(name));
        files.last().unwrap().clone()
    };
    let volume = Volume::from_fn(grid(), |[x, y, z]| (x + y * z) as f32);
    for extension in ["nii", "nii.gz", "mha", "nrrd"] {
        write_image(&file(&format!("image.{extension}")), &volume, &mut Warnings::new()).unwrap();
        write_flow(&file(&format!("flow.{extension}")), &Flow::zeros(grid())).unwrap();
    }
    for extension in ["nii", "nrrd"] {
        let sequence = Sequence::new(vec![volume.clone(), volume.clone()], Some(20.0)).unwrap();
        write_sequence(&file(&format!("cine.{extension}")), &sequence).unwrap();
    }
    for extension in ["png", "pgm", "ppm", "tif", "bmp", "pfm"] {
        write_image(&file(&format!("picture.{extension}")), &picture(), &mut Warnings::new()).unwrap();
    }
    for extension in ["gif", "y4m"] {
        // One frame: where a video of several is cut between two of them, the rest is a whole one.
        let rate = FrameRate { frames: 25, seconds: 1 };
        let shape = VideoShape { width: 5, height: 4, colour: VideoColour::Grey, rate };
        let mut video = VideoWriter::create(&file(&format!("video.{extension}")), shape).unwrap();
        video.push(&picture().data().iter().map(|&v| v as u8).collect::<Vec<_>>()).unwrap();
        video.finish().unwrap();
    }
    for extension in ["flo", "png", "pfm"] {
        write_flow(&file(&format!("field.{extension}")), &Flow::zeros(Grid::image(5, 4).unwrap())).unwrap();
    }
    files
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, Format::from_path(path).unwrap(), std::fs::read(path).unwrap())
        })
        .chain([
            ("text.pgm".to_owned(), Format::Pnm, b"P2 # grey\n3 2\n255\n1 2 3\n4 5 6\n".to_vec()),
            ("compressed.mha".to_owned(), Format::MetaImage, compressed_mha(b"")),
        ])
        .collect()
}

fn compressed_mha(behind: &[u8]) -> Vec<u8> {
    // zlib of six zero bytes, stored without compression.
    let body = [0x78, 0x01, 0x01, 6, 0, 0xf9, 0xff, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1];
    let mut bytes = b"NDims = 2\nDimSize = 3 2\nElementSpacing = 1 1\nElementType = MET_UCHAR\n\
        CompressedData = True\nElementDataFile = LOCAL\n"
        .to_vec();
    bytes.extend(body);
    bytes.extend(behind);
    bytes
}

fn read_as(format: Format, bytes: &[u8], strictness: Strictness) -> (Result<Content, IoError>, Warnings) {
    let mut warnings = Warnings::new();
    let result = read_bytes(format, (Path::new("hostile"), bytes), strictness, &mut warnings);
    (result, warnings)
}

fn lenient(format: Format, bytes: &[u8]) -> (Result<Content, IoError>, Warnings) {
    read_as(format, bytes, Strictness::Lenient)
}

#[test]
fn every_whole_file_is_read_and_every_prefix_is_refused() {
    for (name, format, bytes) in samples() {
        let (whole, warnings) = lenient(format, &bytes);
        assert!(whole.is_ok(), "{name}: {whole:?}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        // White space behind the last number of a text file may be missing.
        let needed = if name == "text.pgm" { bytes.len() - 1 } else { bytes.len() };
        for length in 0..needed {
            let (cut, _) = lenient(format, &bytes[..length]);
            let error =
                cut.err().unwrap_or_else(|| panic!("{name} cut to {length} of {} was read", bytes.len()));
            assert!(error.to_string().contains("hostile"), "{name}: {error}");
            assert!(!error.to_string().contains('\n'), "{name}: {error}");
        }
    }
}

#[test]
fn bytes_behind_the_content_are_a_warning() {
    for (name, format, mut bytes) in samples() {
        // TIFF finds its parts by offset: nothing is "behind"; in Y4M it should have been a frame.
        if matches!(format, Format::Tiff | Format::Y4m) {
            continue;
        }
        bytes.extend(*b"garbage");
        let (result, warnings) = lenient(format, &bytes);
        assert!(result.is_ok(), "{name}: {result:?}");
        assert_eq!(warnings.iter().count(), 1, "{name}: {warnings:?}");
    }
    let (result, warnings) = lenient(Format::MetaImage, &compressed_mha(b"x"));
    assert!(result.is_ok() && !warnings.is_empty());
}

#[test]
fn a_broken_checksum_is_an_error() {
    let (_, format, mut bytes) = samples().into_iter().find(|(name, ..)| name == "image.nii.gz").unwrap();
    let at = bytes.len() - 6;
    bytes[at] ^= 1;
    assert!(matches!(lenient(format, &bytes).0, Err(IoError::Malformed { .. })));
}

fn nifti() -> Vec<u8> {
    samples().into_iter().find(|(name, ..)| name == "image.nii").unwrap().2
}

fn with(mut bytes: Vec<u8>, at: usize, field: &[u8]) -> Vec<u8> {
    bytes[at..at + field.len()].copy_from_slice(field);
    bytes
}

#[test]
fn impossible_nifti_sizes_are_refused() {
    for (at, value) in [(40, 0i16), (40, 8), (40, -3), (42, 0), (44, -5), (46, 32767)] {
        let (result, _) = lenient(Format::Nifti, &with(nifti(), at, &value.to_le_bytes()));
        assert!(matches!(result, Err(IoError::Malformed { .. } | IoError::Truncated { .. })), "{at} {value}");
    }
    let huge: Vec<u8> =
        [7i16, 32767, 32767, 32767, 32767, 1, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let error = lenient(Format::Nifti, &with(nifti(), 40, &huge)).0.unwrap_err();
    assert!(error.to_string().contains("hostile"), "{error}");
}

#[test]
fn a_compressed_promise_beyond_the_ratio_of_deflate_is_refused() {
    use std::io::Write;
    let huge: Vec<u8> = [3i16, 2048, 2048, 2048, 1, 1, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&with(nifti(), 40, &huge)).unwrap();
    let error = lenient(Format::Nifti, &gz.finish().unwrap()).0.unwrap_err();
    assert!(matches!(error, IoError::Truncated { .. }), "{error}");
}

/// Read with one warning, refused when strict.
fn assert_assumed(format: Format, bytes: &[u8]) -> Content {
    let (result, warnings) = lenient(format, bytes);
    assert_eq!(warnings.iter().count(), 1, "{warnings:?}");
    let (strict, _) = read_as(format, bytes, Strictness::Strict);
    assert!(matches!(strict, Err(IoError::Strict { .. })), "{strict:?}");
    result.unwrap()
}

#[test]
fn headers_that_others_refuse_are_read_with_a_warning() {
    let nan = f32::NAN.to_le_bytes();
    assert_assumed(Format::Nifti, &with(nifti(), 112, &nan));
    // Spacing is judged with the sform out of the way.
    let plain = with(with(nifti(), 254, &[0, 0]), 252, &[0, 0]);
    for (spacing, expected) in [(0.0f32, 1.0), (-2.5, 2.5), (f32::NAN, 1.0)] {
        let content = assert_assumed(Format::Nifti, &with(plain.clone(), 80, &spacing.to_le_bytes()));
        let Content::Image(image) = content else { panic!("an image") };
        assert_eq!(image.grid().spacing_mm()[0], expected);
    }
    let unscaled: Vec<u8> =
        [-1f32, 0., 0., 0., 0., -1., 0., 0., 0., 0., 1., 0.].iter().flat_map(|v| v.to_le_bytes()).collect();
    let Content::Image(image) = assert_assumed(Format::Nifti, &with(nifti(), 280, &unscaled)) else {
        panic!("an image")
    };
    assert_eq!(image.grid().spacing_mm(), [1.0, 2.0, 3.0]);
    let skewed = with(nifti(), 284, &0.01f32.to_le_bytes());
    assert_assumed(Format::Nifti, &skewed);
    let mha = "NDims = 2\nDimSize = 1 1\nElementSpacing = nan 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n\0";
    assert_assumed(Format::MetaImage, mha.as_bytes());
    let nrrd = "NRRD0004\ntype: uchar\ndimension: 2\nspace dimension: 2\nsizes: 1 1\nencoding: raw\n\
        space directions: (1,0) (0.01,1)\nkinds: domain domain\n\n\0";
    let (_, warnings) = lenient(Format::Nrrd, nrrd.as_bytes());
    assert!(!warnings.is_empty());
}

#[test]
fn big_endian_and_scaled_samples_are_read() {
    // A header by hand: big-endian i16, slope 0.5, intercept -1, one unknown unit, no placement.
    let mut bytes = vec![0u8; 352];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &348i32.to_be_bytes());
    for (i, v) in [2i16, 2, 1, 1, 1, 1, 1, 1].iter().enumerate() {
        put(40 + 2 * i, &v.to_be_bytes());
    }
    put(70, &4i16.to_be_bytes());
    for i in 0..8 {
        put(76 + 4 * i, &1.5f32.to_be_bytes());
    }
    put(108, &352f32.to_be_bytes());
    put(112, &0.5f32.to_be_bytes());
    put(116, &(-1.0f32).to_be_bytes());
    put(344, b"n+1\0");
    bytes.extend(10i16.to_be_bytes());
    bytes.extend((-300i16).to_be_bytes());
    let (result, warnings) = lenient(Format::Nifti, &bytes);
    let Ok(Content::Image(image)) = result else { panic!("{result:?}") };
    assert_eq!(image.data(), [4.0, -151.0]);
    assert_eq!(image.grid().spacing_mm()[..2], [1.5, 1.5]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn big_endian_metaimage_and_nrrd_are_read() {
    let mha = b"NDims = 2\nBinaryDataByteOrderMSB = True\nDimSize = 1 2\nElementSpacing = 1 1\n\
        ElementType = MET_SHORT\nElementDataFile = LOCAL\n\x01\x02\xff\xfe";
    let nrrd =
        b"NRRD0001\ntype: short\ndimension: 2\nsizes: 1 2\nendian: big\nencoding: raw\n\n\x01\x02\xff\xfe";
    for (format, bytes) in [(Format::MetaImage, &mha[..]), (Format::Nrrd, &nrrd[..])] {
        let (result, _) = lenient(format, bytes);
        let Ok(Content::Image(image)) = result else { panic!("{result:?}") };
        assert_eq!(image.data(), [258.0, -2.0]);
    }
}

#[test]
fn missing_files_devices_and_folders_are_clear_errors() {
    for path in ["/nowhere/a.nii", "/dev"] {
        let error = read(&Path::new(path).with_extension("nii"), Strictness::Lenient, &mut Warnings::new());
        assert!(matches!(error, Err(IoError::Open { .. })), "{error:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let error = read_sequence(folder.path(), Strictness::Lenient, &mut Warnings::new());
    assert!(matches!(error, Err(IoError::NoFrames { .. })), "{error:?}");
    let mhd = folder.path().join("a.mhd");
    std::fs::write(&mhd, "NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementDataFile = none.raw\n")
        .unwrap();
    let error = read(&mhd, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
    assert!(error.to_string().contains("none.raw"), "{error}");
}

const VTK: &str = "# vtk DataFile Version 2.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n\
    0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n";

#[test]
fn text_meshes_are_read_and_broken_ones_refused() {
    let mesh = read_mesh_bytes(Path::new("a.vtk"), VTK.as_bytes()).unwrap();
    assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.points[4], [1.0; 3]);
    // The last number without its line end is whole; one digit less is another type of cell.
    for length in 0..VTK.len() - 1 {
        assert!(read_mesh_bytes(Path::new("a.vtk"), &VTK.as_bytes()[..length]).is_err(), "{length}");
    }
    for (from, to) in [
        ("3 4\nCELL", "3 5\nCELL"),
        ("10\n10\n", "10\n12\n"),
        ("POINTS 5", "POINTS 99999999999999"),
        ("CELLS 2", "CELLS 8446744073709551615"),
    ] {
        assert!(read_mesh_bytes(Path::new("a.vtk"), VTK.replace(from, to).as_bytes()).is_err(), "{to}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    /// Bytes changed anywhere never panic, whatever else comes of them.
    #[test]
    fn changed_bytes_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for (_, format, mut bytes) in samples() {
            for (at, value) in &changes {
                let at = at.index(bytes.len().min(400));
                bytes[at] = *value;
            }
            let _ = lenient(format, &bytes);
        }
        let mut mesh = VTK.as_bytes().to_vec();
        for (at, value) in &changes {
            let at = at.index(mesh.len());
            mesh[at] = *value;
        }
        let _ = read_mesh_bytes(Path::new("a.vtk"), &mesh);
    }
}
