//! Broken and hostile files end in an error: never a panic, never an allocation on a header's word alone.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod samples;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use samples::{Sample, VTK, compressed_mha};
use std::path::Path;
use std::sync::OnceLock;
use veloxel_core::Warnings;
use veloxel_io::*;

fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(samples::samples)
}

/// What the sample of this name holds.
fn named(name: &str) -> Vec<u8> {
    samples().iter().find(|sample| sample.name == name).unwrap().bytes.clone()
}

/// Reads bytes under a name with the extension of another.
fn read_as(name: &str, bytes: &[u8], strictness: Strictness) -> (Result<Content, IoError>, Warnings) {
    let extension = name.split_once('.').map_or(name, |(_, extension)| extension);
    let mut warnings = Warnings::new();
    let path = format!("hostile.{extension}");
    let result = read_bytes(Path::new(&path), bytes, strictness, &mut warnings);
    (result, warnings)
}

fn lenient(name: &str, bytes: &[u8]) -> (Result<Content, IoError>, Warnings) {
    read_as(name, bytes, Strictness::Lenient)
}

#[test]
fn every_whole_file_is_read_and_every_prefix_is_refused() {
    for Sample { name, bytes } in samples() {
        let (whole, warnings) = lenient(name, bytes);
        assert!(whole.is_ok(), "{name}: {whole:?}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        // An OBJ file ends wherever it ends.
        if name.ends_with(".obj") {
            continue;
        }
        // White space behind the last number of a text file may be missing.
        let needed = if name.starts_with("text.") { bytes.len() - 1 } else { bytes.len() };
        for length in 0..needed {
            let (cut, _) = lenient(name, &bytes[..length]);
            let error =
                cut.err().unwrap_or_else(|| panic!("{name} cut to {length} of {} was read", bytes.len()));
            assert!(error.to_string().contains("hostile"), "{name}: {error}");
            assert!(!error.to_string().contains('\n'), "{name}: {error}");
        }
    }
}

#[test]
fn bytes_behind_the_content_are_a_warning() {
    for Sample { name, bytes } in samples() {
        // TIFF finds its parts by offset: nothing is "behind"; in Y4M it should have been a frame; in VTK data follow; OBJ leaves out what it does not know;
        // behind JSON nothing may follow.
        if [".tif", ".tiff", ".y4m", ".vtk", ".obj", ".gltf"]
            .iter()
            .any(|extension| name.ends_with(extension))
        {
            continue;
        }
        let (result, warnings) = lenient(name, &[bytes, &b"garbage"[..]].concat());
        assert!(result.is_ok(), "{name}: {result:?}");
        assert_eq!(warnings.iter().count(), 1, "{name}: {warnings:?}");
    }
    let (result, warnings) = lenient("mha", &compressed_mha(b"x"));
    assert!(result.is_ok() && !warnings.is_empty());
}

#[test]
fn a_broken_checksum_is_an_error() {
    let mut bytes = named("image.nii.gz");
    let at = bytes.len() - 6;
    bytes[at] ^= 1;
    assert!(matches!(lenient("image.nii.gz", &bytes).0, Err(IoError::Malformed { .. })));
}

fn nifti() -> Vec<u8> {
    named("image.nii")
}

fn with(mut bytes: Vec<u8>, at: usize, field: &[u8]) -> Vec<u8> {
    bytes[at..at + field.len()].copy_from_slice(field);
    bytes
}

#[test]
fn impossible_nifti_sizes_are_refused() {
    for (at, value) in [(40, 0i16), (40, 8), (40, -3), (42, 0), (44, -5), (46, 32767)] {
        let (result, _) = lenient("nii", &with(nifti(), at, &value.to_le_bytes()));
        assert!(matches!(result, Err(IoError::Malformed { .. } | IoError::Truncated { .. })), "{at} {value}");
    }
    let huge: Vec<u8> =
        [7i16, 32767, 32767, 32767, 32767, 1, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let error = lenient("nii", &with(nifti(), 40, &huge)).0.unwrap_err();
    assert!(error.to_string().contains("hostile"), "{error}");
}

#[test]
fn a_compressed_promise_beyond_the_ratio_of_deflate_is_refused() {
    use std::io::Write;
    let huge: Vec<u8> = [3i16, 2048, 2048, 2048, 1, 1, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&with(nifti(), 40, &huge)).unwrap();
    let error = lenient("nii", &gz.finish().unwrap()).0.unwrap_err();
    assert!(matches!(error, IoError::Truncated { .. }), "{error}");
}

/// Read with one warning, refused when strict.
fn assert_assumed(extension: &str, bytes: &[u8]) -> Content {
    let (result, warnings) = lenient(extension, bytes);
    assert_eq!(warnings.iter().count(), 1, "{warnings:?}");
    let (strict, _) = read_as(extension, bytes, Strictness::Strict);
    assert!(matches!(strict, Err(IoError::Strict { .. })), "{strict:?}");
    result.unwrap()
}

#[test]
fn headers_that_others_refuse_are_read_with_a_warning() {
    let nan = f32::NAN.to_le_bytes();
    assert_assumed("nii", &with(nifti(), 112, &nan));
    // Spacing is judged with the sform out of the way.
    let plain = with(with(nifti(), 254, &[0, 0]), 252, &[0, 0]);
    for (spacing, expected) in [(0.0f32, 1.0), (-2.5, 2.5), (f32::NAN, 1.0)] {
        let content = assert_assumed("nii", &with(plain.clone(), 80, &spacing.to_le_bytes()));
        let Content::Image(image) = content else { panic!("an image") };
        assert_eq!(image.grid().spacing_mm()[0], expected);
    }
    let unscaled: Vec<u8> =
        [-1f32, 0., 0., 0., 0., -1., 0., 0., 0., 0., 1., 0.].iter().flat_map(|v| v.to_le_bytes()).collect();
    let Content::Image(image) = assert_assumed("nii", &with(nifti(), 280, &unscaled)) else {
        panic!("an image")
    };
    assert_eq!(image.grid().spacing_mm(), [1.0, 2.0, 3.0]);
    let skewed = with(nifti(), 284, &0.01f32.to_le_bytes());
    assert_assumed("nii", &skewed);
    let mha = "NDims = 2\nDimSize = 1 1\nElementSpacing = nan 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n\0";
    assert_assumed("mha", mha.as_bytes());
    let nrrd = "NRRD0004\ntype: uchar\ndimension: 2\nspace dimension: 2\nsizes: 1 1\nencoding: raw\n\
        space directions: (1,0) (0.01,1)\nkinds: domain domain\n\n\0";
    let (_, warnings) = lenient("nrrd", nrrd.as_bytes());
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
    let (result, warnings) = lenient("nii", &bytes);
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
    for (extension, bytes) in [("mha", &mha[..]), ("nrrd", &nrrd[..])] {
        let (result, _) = lenient(extension, bytes);
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

#[test]
fn text_meshes_are_read_and_broken_ones_refused() {
    let Ok(Content::Mesh(mesh)) = lenient("vtk", VTK.as_bytes()).0 else { panic!("a mesh") };
    assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.points[4], [1.0; 3]);
    for (from, to) in [
        ("3 4\nCELL", "3 5\nCELL"),
        ("10\n10\n", "10\n12\n"),
        ("POINTS 5", "POINTS 99999999999999"),
        ("CELLS 2", "CELLS 8446744073709551615"),
    ] {
        assert!(lenient("vtk", VTK.replace(from, to).as_bytes()).0.is_err(), "{to}");
    }
}

/// The surface in a file's bytes.
fn surface(name: &str, bytes: &[u8]) -> veloxel_core::TriangleMesh {
    match lenient(name, bytes).0 {
        Ok(Content::Surface(mesh)) => mesh,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn every_surface_has_its_faces() {
    for name in ["text.off", "text.obj", "text.ply", "big.ply"] {
        let mesh = surface(name, &named(name));
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 2, 1]], "{name}");
        assert_eq!((mesh.file_face_count(), mesh.points()[3]), (2, [0.0, 1.0, 0.5]), "{name}");
    }
    for name in ["text.stl", "binary.stl"] {
        let mesh = surface(name, &named(name));
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]], "{name}: points in one place are one");
    }
    let scene = surface("text.gltf", &named("text.gltf"));
    assert_eq!((scene.triangles(), scene.points()[3]), (&[[0, 1, 2], [0, 2, 3]][..], [0.0, 1.0, 0.5]));
    // Three corners a triangle become four points again.
    let scene = surface("mesh.glb", &named("mesh.glb"));
    assert_eq!((scene.triangles().len(), scene.points().len()), (3, 4));
    let written = surface("mesh.ply", &named("mesh.ply"));
    assert_eq!((written.triangles()[2], written.points()[3]), ([0, 3, 2], [0.0, 0.0, 0.1]));
}

#[test]
fn broken_surfaces_are_refused_in_one_line() {
    let refused = |name: &str, from: &str, to: &str, words: &str| {
        let text = String::from_utf8(named(name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        let error = lenient(name, text.replace(from, to).as_bytes()).0.unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{name}: {error}");
    };
    refused("text.off", "3 0 2 1", "3 0 2 4", "point 4");
    refused("text.off", "3 0 2 1", "2 0 2", "2 corners");
    refused("text.off", "4 2 0", "99999999999999 2 0", "cut short");
    refused("text.off", "1 1 0\n", "1 NaN 0\n", "point 2");
    refused("text.off", "OFF", "OFX", "head of an OFF file");
    refused("text.obj", "f -4", "f -5", "line 9");
    refused("text.obj", "f 1/1/1", "f 0", "line 8");
    refused("text.obj", "v 1 1 0", "v 1 1", "three coordinates");
    refused("text.ply", "element face 2", "element face 0", "no faces");
    refused("text.ply", "property float x", "property float u", "x, y and z");
    refused("text.ply", "2 7 8", "99999999 7 8", "cut short");
    refused("text.ply", "format ascii", "format binary", "PLY header");
    refused("text.stl", "vertex 1 1 0", "vortex 1 1 0", "vertex");
    refused("text.stl", "endsolid", "", "cut short");
}

#[test]
fn buffers_of_a_scene_lie_beside_it() {
    let text = String::from_utf8(named("text.gltf")).unwrap();
    let (before, rest) = text.split_once("data:").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    let folder = tempfile::tempdir().unwrap();
    let read = |place: &str, address: &str, options: ReadOptions| {
        let path = folder.path().join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{before}{address}\"{after}")).unwrap();
        read_surface(&path, Reading::alone(options), &mut Warnings::new())
    };
    let mut buffer: Vec<u8> =
        [0.0f32, 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.5].map(f32::to_le_bytes).concat();
    buffer.extend([0, 1, 2, 0, 2, 3]);
    std::fs::write(folder.path().join("my data.bin"), &buffer).unwrap();
    let usual = ReadOptions::default();
    let inside = read("a.gltf", "my%20data.bin", usual).unwrap();
    assert_eq!(inside.triangles(), [[0, 1, 2], [0, 2, 3]]);
    let outside = read("below/b.gltf", "../my%20data.bin", usual).unwrap_err().to_string();
    assert!(outside.contains("my data.bin") && !outside.contains('\n'), "{outside}");
    let anywhere = ReadOptions { data_files: DataFiles::Anywhere, ..usual };
    assert!(read("below/b.gltf", "../my%20data.bin", anywhere).is_ok());
    for (address, words) in [("none.bin", "none.bin"), ("https://a.b/c.bin", "https"), ("data:,x", "base64")]
    {
        let line = read("c.gltf", address, usual).unwrap_err().to_string();
        assert!(line.contains(words) && !line.contains('\n'), "{line}");
    }
    std::fs::write(folder.path().join("my data.bin"), &buffer[..50]).unwrap();
    let cut = read("a.gltf", "my%20data.bin", usual).unwrap_err().to_string();
    assert!(cut.contains("within its buffer"), "{cut}");
}

#[test]
fn a_scene_of_too_many_empty_primitives_is_refused() {
    let many = |item: &str| vec![item; 600].join(",");
    let (nodes, primitives) = (many(r#"{"mesh":0}"#), many(r#"{"attributes":{"POSITION":0}}"#));
    let roots: Vec<String> = (0..600).map(|node| node.to_string()).collect();
    let scene = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{primitives}]}}],"buffers":[{{"uri":"data:;base64,AAAA"}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":0,"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":3}}]}}"#,
        roots.join(",")
    );
    let refused = lenient("gltf", scene.as_bytes()).0.unwrap_err().to_string();
    assert!(refused.contains("primitives of a scene"), "{refused}");
}

#[test]
fn a_text_that_is_as_long_as_its_file_is_quoted_in_part() {
    let long = "A".repeat(100_000);
    for (name, text) in [
        ("a.off", format!("{long} 1 2 3")),
        ("a.off", format!("OFF 1 1 1\n{long}")),
        ("a.obj", format!("v 0 0 0\nf {long}")),
        ("a.ply", format!("ply\nformat ascii 1.0\n{long}")),
        ("a.stl", format!("solid x\n{long}")),
        ("a.vtk", format!("# vtk DataFile Version 2.0\nx\nASCII\nDATASET {long}")),
        ("a.gltf", format!("{{\"asset\": {{\"version\": \"{long}\"}}}}")),
        ("a.pgm", format!("P2 {long}")),
        ("a.nrrd", format!("NRRD0004\ntype: {}\n\n", &long[..60_000])),
        ("a.mha", format!("NDims = {}\n", &long[..60_000])),
    ] {
        let line = lenient(name, text.as_bytes()).0.unwrap_err().to_string();
        assert!(line.len() < 800, "{name}: {} bytes, {}", line.len(), &line[..300]);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let contours = |name: &str, text: &str| {
        read_contours(&path(name, text), None, &ContourReading::default(), &mut Warnings::new()).map(drop)
    };
    let point = |text: &str| {
        let strict = Strictness::Lenient;
        PointFile::read(&path("p.csv", text), veloxel_core::Dimension::Two, strict).map(drop)
    };
    let graph = read_graph(
        &path("g.txt", &format!("0 1\n{long}")),
        veloxel_core::GraphKind::Directed,
        Strictness::Lenient,
        &mut Warnings::new(),
    );
    for refused in [
        contours("a.csv", &long),
        contours("a.csv", &format!("structure,frame,slice,x,y\n{long}")),
        contours(
            "a.json",
            &format!("{{\"format\": \"{long}\", \"version\": 1, \"unit\": \"px\", \"contours\": []}}"),
        ),
        contours("a.json", &format!("{{\"markups\": [{{\"type\": \"{long}\"}}]}}")),
        contours("endo.txt", &long),
        point(&format!("1 2\n{long}")),
        graph.map(drop),
        read_face_labels(&path("a.seg", &long), Strictness::Lenient).map(drop),
    ] {
        let line = refused.unwrap_err().to_string();
        assert!(line.len() < 800, "{} bytes, {}", line.len(), &line[..300]);
    }
}

#[test]
fn nodes_of_a_glb_place_their_meshes() {
    let whole = named("mesh.glb");
    let text = String::from_utf8_lossy(&whole).into_owned();
    let replaced = |from: &str, to: &str| {
        // The JSON in between, with its length and the file's mended.
        let json_length = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
        let json = std::str::from_utf8(&whole[20..20 + json_length]).unwrap();
        assert!(json.contains(from), "{text}");
        let json = json.replace(from, to);
        let mut bytes = whole[..8].to_vec();
        bytes.extend(((whole.len() - json_length + json.len()) as u32).to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(&whole[16..20]);
        bytes.extend(json.as_bytes());
        bytes.extend(&whole[20 + json_length..]);
        lenient("glb", &bytes).0
    };
    let Ok(Content::Surface(moved)) = replaced(
        "\"mesh\":0,",
        "\"mesh\":0,\"translation\":[1,2,3],\"scale\":[2,2,2],\"rotation\":[0,0,1,0],",
    ) else {
        panic!("a surface")
    };
    assert!(moved.points().contains(&[-1.0, 2.0, 3.0]), "{:?}", moved.points());
    for (from, to) in [
        ("\"mode\":4", "\"mode\":7"),
        ("\"mesh\":0,", "\"mesh\":2,"),
        ("\"mesh\":0,", "\"children\":[0],"),
        ("\"mesh\":0,", "\"mesh\":0,\"matrix\":[1,0,0],"),
        ("\"mesh\":0,", "\"mesh\":0,\"scale\":[1,\"2\",3],"),
        ("\"count\":3,", "\"count\":9000000000000000,"),
        ("\"VEC3\"", "\"VEC2\""),
    ] {
        assert!(replaced(from, to).is_err(), "{to}");
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
        for Sample { name, bytes } in samples() {
            let mut bytes = bytes.clone();
            for (at, value) in &changes {
                let at = at.index(bytes.len().min(400));
                bytes[at] = *value;
            }
            let _ = lenient(name, &bytes);
        }
    }
}
