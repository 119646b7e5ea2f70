//! NumPy's arrays: axes, types, byte orders and orders of axes, read and written.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use veloxel_core::{Dimension, Flow, Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

/// A file of an array, as NumPy writes it.
fn array(numbers: &str, fortran_order: &str, shape: &str, samples: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{numbers}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    file(1, &text, samples)
}

fn file(version: u8, text: &str, samples: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = (text.len() + 1) as u32;
    match version {
        1 => bytes.extend((length as u16).to_le_bytes()),
        _ => bytes.extend(length.to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes.push(b'\n');
    bytes.extend(samples);
    bytes
}

fn read_array(bytes: &[u8]) -> (Result<Content, IoError>, Warnings) {
    let mut warnings = Warnings::new();
    let content = read_bytes(Path::new("a.npy"), bytes, Strictness::Strict, &mut warnings);
    (content, warnings)
}

fn image_of(bytes: &[u8]) -> Volume<f32> {
    match read_array(bytes).0 {
        Ok(Content::Image(image)) => image,
        other => panic!("{other:?}"),
    }
}

fn refusal(bytes: &[u8]) -> String {
    let text = read_array(bytes).0.unwrap_err().to_string();
    assert!(text.contains("a.npy") && !text.contains('\n'), "{text}");
    text
}

/// Reads a file that was written, without a warning.
fn quiet<T>(path: &Path, read: impl Fn(&Path, Strictness, &mut Warnings) -> Result<T, IoError>) -> T {
    let mut warnings = Warnings::new();
    let value = read(path, Strictness::Strict, &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    value
}

/// Samples that tell every axis from the others, and numbers that are none.
fn image(grid: Grid) -> Volume<f32> {
    let mut image = Volume::from_fn(grid, |[x, y, z]| 0.1 + x as f32 - 10.0 * y as f32 + 100.0 * z as f32);
    image.data_mut()[3] = f32::NAN;
    image.data_mut()[4] = f32::NEG_INFINITY;
    image
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn images_sequences_and_fields_keep_every_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    for grid in [Grid::image(5, 4), Grid::volume(5, 4, 3), Grid::volume(5, 4, 1)].map(Result::unwrap) {
        let written = image(grid.clone());
        let mut warnings = Warnings::new();
        write_image(&path, &written, &mut warnings).unwrap();
        let back = quiet(&path, read_image);
        assert_eq!((back.grid(), bits(back.data())), (&grid, bits(written.data())));
        assert!(warnings.is_empty(), "nothing is lost");

        let flow = Flow::from_fn(grid.clone(), |[x, y, z]| [0.25 * x, y - 0.1, z * f64::NAN]);
        write_flow(&path, &flow).unwrap();
        let back = quiet(&path, read_flow);
        let bits = |flow: &Flow| flow.components_vox().map(self::bits).collect::<Vec<_>>();
        assert_eq!((back.grid(), bits(&back)), (&grid, bits(&flow)));
        let error = read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap_err();
        assert!(matches!(error, IoError::Kind { .. }), "{error}");
    }
    for grid in [Grid::image(5, 4), Grid::volume(5, 4, 3)].map(Result::unwrap) {
        let frames = [0.0, 1000.0].map(|t| image(grid.clone()).map(|v| v + t));
        write_sequence(&path, &Sequence::new(frames.to_vec(), Some(20.0)).unwrap()).unwrap();
        let back = quiet(&path, read_sequence);
        assert_eq!((back.grid(), back.frame_interval_ms()), (&grid, None));
        for (a, b) in frames.iter().zip(back.frames()) {
            assert_eq!(bits(a.data()), bits(b.data()));
        }
    }
}

#[test]
fn a_place_that_is_not_kept_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let grid = Grid::volume(5, 4, 3).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 2.0])).unwrap();
    let mut warnings = Warnings::new();
    write_image(&path, &image(grid), &mut warnings).unwrap();
    let said: Vec<&str> = warnings.iter().map(|warning| &*warning.message).collect();
    assert!(matches!(said[..], [line] if line.contains("spacing")), "{said:?}");
    assert_eq!(quiet(&path, read_grid).spacing_mm(), [1.0; 3]);
    let npy = Format::from_path(&path).unwrap();
    assert!(npy.holds_volumes() && !npy.keeps_place());
}

#[test]
fn the_first_bytes_are_numpys_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let starts = |text: &str| {
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((&bytes[..8], bytes[127]), (&b"\x93NUMPY\x01\x00"[..], b'\n'));
        let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
        assert_eq!(header.trim_end(), text);
    };
    let labels = |top: i32| Volume::from_fn(Grid::volume(4, 3, 2).unwrap(), |[x, ..]| top - x as i32);
    for (top, numbers) in [(200, "|u1"), (300, "<i2"), (70_000, "<i4")] {
        write_labels(&path, &labels(top)).unwrap();
        starts(&format!("{{'descr': '{numbers}', 'fortran_order': False, 'shape': (2, 3, 4), }}"));
        assert_eq!(quiet(&path, read_labels).data(), labels(top).data());
    }
    write_flow(&path, &Flow::zeros(Grid::image(4, 3).unwrap())).unwrap();
    starts("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3, 4), }");
    write_image(&path, &Volume::from_fn(Grid::image(4, 3).unwrap(), |_| 0.0), &mut Warnings::new()).unwrap();
    starts("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
}

#[test]
fn every_type_is_read_in_both_byte_orders() {
    macro_rules! check {
        ($($name:literal: $type:ty),*) => {$(
            let numbers: [$type; 4] = [0, 1, 100, 127].map(|n| n as $type);
            let expected = numbers.map(|n| n as f32);
            let little: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            let big: Vec<u8> = numbers.iter().flat_map(|n| n.to_be_bytes()).collect();
            for (order, samples) in [("<", little), (">", big)] {
                let bytes = array(&format!("{order}{}", $name), "False", "(2, 2)", &samples);
                let (content, warnings) = read_array(&bytes);
                let Ok(Content::Image(image)) = content else { panic!("{content:?}") };
                assert_eq!((image.data(), warnings.is_empty()), (&expected[..], true), "{order}{}", $name);
            }
        )*};
    }
    check!("u1": u8, "i1": i8, "u2": u16, "i2": i16, "u4": u32, "i4": i32, "u8": u64, "i8": i64, "f4": f32);
    for numbers in ["|b1", "|u1"] {
        assert_eq!(image_of(&array(numbers, "False", "(1, 2)", &[1, 0])).data(), [1.0, 0.0]);
    }
    let doubles: Vec<u8> = [0.1f64, -2.0].iter().flat_map(|n| n.to_be_bytes()).collect();
    let (content, warnings) = read_array(&array(">f8", "False", "(1, 2)", &doubles));
    let Ok(Content::Image(image)) = content else { panic!("{content:?}") };
    assert_eq!((image.data(), warnings.iter().count()), (&[0.1, -2.0][..], 1), "rounding is said");
}

/// The samples of `0, 1, 2 …` in C's order, as Fortran puts them in a file.
fn fortran(shape: [usize; 4]) -> Vec<u8> {
    let [nt, nz, ny, nx] = shape;
    let mut samples = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                samples.extend((0..nt).map(|t| (x + nx * (y + ny * (z + nz * t))) as u8));
            }
        }
    }
    samples
}

#[test]
fn fortrans_order_has_the_same_axes() {
    let counted = |count: usize| (0..count).map(|i| i as f32).collect::<Vec<_>>();
    let picture = image_of(&array("|u1", "True", "(3, 4)", &fortran([1, 1, 3, 4])));
    assert_eq!((picture.grid().size(), picture.data()), ([4, 3, 1], &counted(12)[..]));
    let volume = image_of(&array("|u1", "True", "(2, 3, 4)", &fortran([1, 2, 3, 4])));
    assert_eq!((volume.grid().size(), volume.data()), ([4, 3, 2], &counted(24)[..]));
    for (shape, nz, dimension) in [("(3, 2, 3, 4)", 2, Dimension::Three), ("(3, 1, 3, 4)", 1, Dimension::Two)]
    {
        let content = read_array(&array("|u1", "True", shape, &fortran([3, nz, 3, 4]))).0;
        let Ok(Content::Sequence(sequence)) = content else { panic!("{content:?}") };
        assert_eq!((sequence.grid().size(), sequence.grid().dimension()), ([4, 3, nz], dimension));
        let samples: Vec<f32> = sequence.frames().iter().flat_map(|frame| frame.data().to_vec()).collect();
        assert_eq!(samples, counted(36 * nz));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.npy");
    std::fs::write(&path, array("|u1", "True", "(3, 2, 3, 4)", &fortran([3, 2, 3, 4]))).unwrap();
    let flow = quiet(&path, read_flow);
    assert_eq!(flow.planar_vox(), counted(72));
}

#[test]
fn headers_as_other_programs_write_them() {
    for (version, text) in [
        (1, "{'shape':(1,2),'fortran_order':False,'descr':'|u1'}"),
        (2, "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (1, 2)}   "),
        (3, "{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 2L,), }"),
    ] {
        assert_eq!(image_of(&file(version, text, &[7, 8])).data(), [7.0, 8.0], "{text}");
    }
}

#[test]
fn halves_are_numbers() {
    let head = |order| format!("{{'shape':(1,3),'fortran_order':False,'descr':'{order}f2'}}");
    assert_eq!(image_of(&file(1, &head("<"), &[0, 0x3c, 1, 0, 0, 0xc0])).data(), [1.0, 2f32.powi(-24), -2.0]);
    assert_eq!(image_of(&file(1, &head(">"), &[0x3c, 0, 0, 1, 0xc0, 0])).data(), [1.0, 2f32.powi(-24), -2.0]);
}

#[test]
fn what_is_no_array_of_numbers_is_refused() {
    for (numbers, order, shape, words) in [
        ("<c8", "False", "(1, 2)", "<c8"),
        ("|O", "False", "(1, 2)", "|O"),
        ("|f4", "False", "(1, 2)", "|f4"),
        ("=f4", "False", "(1, 2)", "=f4"),
        ("", "False", "(1, 2)", "type"),
        ("ß4", "False", "(1, 2)", "type"),
        ("<f4", "Maybe", "(1, 2)", "Maybe"),
        ("<f4", "False", "(2,)", "1 axes"),
        ("<f4", "False", "()", "0 axes"),
        ("<f4", "False", "(1, 1, 1, 1, 2)", "5 axes"),
        ("<f4", "False", "(0, 2)", "voxels"),
        ("<f4", "False", "(0, 1, 2, 2)", "empty"),
        ("<f4", "False", "(1, -2)", "whole numbers"),
        ("<f4", "False", "(1, 99999999999999999999)", "whole numbers"),
        ("<f4", "False", "(99999999, 2)", "voxels"),
        ("<f4", "False", "(9999999999, 2, 2, 2)", "cut short"),
        ("<f4", "False", "1, 2", "`(`"),
    ] {
        let line = refusal(&array(numbers, order, shape, &[0; 8]));
        assert!(line.contains(words), "{line}");
    }
    for text in [
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)} {",
        "{'descr': '<f4",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 2)}",
        "",
    ] {
        refusal(&file(1, text, &[0; 8]));
    }
    assert!(refusal(&file(4, "{}", &[])).contains("version"));
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    assert!(refusal(&long).contains("bytes"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.npy");
    for shape in ["(2, 3, 4)", "(2, 2, 1, 1)", "(4, 1, 1, 1)"] {
        std::fs::write(&path, array("|u1", "False", shape, &[0; 24])).unwrap();
        let error = read_flow(&path, Strictness::Lenient, &mut Warnings::new()).unwrap_err().to_string();
        assert!(error.contains("[3, z, y, x]"), "{error}");
    }
}

#[test]
fn many_small_frames_are_no_way_around_the_budget() {
    let frames = 100_000;
    let bytes = array("|u1", "False", &format!("({frames}, 1, 1, 1)"), &vec![0; frames]);
    let reading = Reading::alone(ReadOptions { max_decode_bytes: Some(1 << 20), ..ReadOptions::default() });
    let error = read_bytes(Path::new("a.npy"), &bytes, reading, &mut Warnings::new()).unwrap_err();
    assert!(matches!(error, IoError::Memory { .. }), "{error}");
}

#[test]
fn the_header_alone_tells_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    std::fs::write(&path, array(">i2", "True", "(3, 2, 3, 4)", &[0; 144])).unwrap();
    let info = inspect(&path, Strictness::Strict).unwrap();
    assert_eq!((info.kind, info.size, info.frames), (ContentKind::Sequence, [4, 3, 2], 3));
    assert_eq!((info.format.name(), &*info.sample_type), ("npy", "i16"));
    std::fs::write(&path, array(">i2", "True", "(3, 2, 3, 4)", &[0; 143])).unwrap();
    assert!(matches!(inspect(&path, Strictness::Strict), Err(IoError::Truncated { .. })));
}
