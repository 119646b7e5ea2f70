use crate::read::reading::Strictness;
use std::path::{Path, PathBuf};
use veloxel_core::{Grid, Volume, Warnings};

/// A volume as a file of the first version.
fn first(folder: &Path) -> (Volume<f32>, Vec<u8>) {
    let grid = Grid::volume(4, 3, 2).unwrap().with_spacing_mm([1.5, 2.0, 3.0]).unwrap();
    let image =
        Volume::from_fn(grid.with_origin_mm([5.0, 6.0, 7.0]), |[x, y, z]| (7 * x + 40 * y + z) as f32);
    let path = folder.join("first.nii");
    crate::write_image(&path, &image, &mut Warnings::new()).unwrap();
    (image, std::fs::read(path).unwrap())
}

/// The same as a file of the second version.
fn second(first: &[u8], is_big: bool) -> Vec<u8> {
    let mut bytes = vec![0; 544];
    let mut put = |at: usize, value: &[u8]| {
        let mut value = value.to_vec();
        if is_big {
            value.reverse();
        }
        bytes[at..at + value.len()].copy_from_slice(&value);
    };
    let word = |at: usize| i16::from_le_bytes([first[at], first[at + 1]]);
    let float =
        |at: usize| f64::from(f32::from_le_bytes([first[at], first[at + 1], first[at + 2], first[at + 3]]));
    put(0, &540i32.to_le_bytes());
    put(12, &word(70).to_le_bytes());
    put(14, &word(72).to_le_bytes());
    (0..8).for_each(|n| put(16 + 8 * n, &i64::from(word(40 + 2 * n)).to_le_bytes()));
    (0..8).for_each(|n| put(104 + 8 * n, &float(76 + 4 * n).to_le_bytes()));
    put(168, &544i64.to_le_bytes());
    put(176, &1f64.to_le_bytes());
    put(344, &i32::from(word(252)).to_le_bytes());
    put(348, &i32::from(word(254)).to_le_bytes());
    (0..6).for_each(|n| put(352 + 8 * n, &float(256 + 4 * n).to_le_bytes()));
    (0..12).for_each(|n| put(400 + 8 * n, &float(280 + 4 * n).to_le_bytes()));
    put(500, &i32::from(first[123]).to_le_bytes());
    bytes[4..12].copy_from_slice(b"n+2\0\r\n\x1a\n");
    let samples = first[352..].as_chunks::<4>().0;
    for sample in samples {
        let ordered = if is_big { sample.iter().rev().copied().collect() } else { sample.to_vec() };
        bytes.extend(ordered);
    }
    bytes
}

fn read(path: &Path) -> Result<(Volume<f32>, String), String> {
    let mut warnings = Warnings::new();
    let image =
        crate::read_image(path, Strictness::Lenient, &mut warnings).map_err(|error| error.to_string())?;
    Ok((image, warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>().join("\n")))
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    std::fs::write(folder.join(name), bytes).unwrap();
    folder.join(name)
}

#[test]
fn the_second_version_is_read_in_both_orders() {
    let folder = tempfile::tempdir().unwrap();
    let (image, bytes) = first(folder.path());
    for is_big in [false, true] {
        let (found, said) = read(&put(folder.path(), "second.nii", &second(&bytes, is_big))).unwrap();
        assert_eq!((found.data(), found.grid(), said.as_str()), (image.data(), image.grid(), ""), "{is_big}");
    }
    let mut long = second(&bytes, false);
    long[24..32].copy_from_slice(&40_000i64.to_le_bytes());
    assert!(read(&put(folder.path(), "long.nii", &long)).unwrap_err().contains("40000"));
}

#[test]
fn pairs_are_read_by_either_name() {
    let folder = tempfile::tempdir().unwrap();
    let (image, bytes) = first(folder.path());
    let (header, samples) = (&bytes[..348], &bytes[352..]);
    let mut header = header.to_vec();
    header[344..348].copy_from_slice(b"ni1\0");
    header[108..112].fill(0);
    put(folder.path(), "a.hdr", &header);
    put(folder.path(), "a.img", samples);
    for name in ["a.hdr", "a.img"] {
        let (found, said) = read(&folder.path().join(name)).unwrap();
        assert_eq!((found.data(), found.grid(), said.as_str()), (image.data(), image.grid(), ""));
    }
    let alone = put(folder.path(), "alone.hdr", &header);
    assert!(read(&alone).unwrap_err().contains("alone.img"));
    // A header without magic is one of Analyze, and its place is not known.
    header[344..348].fill(0);
    put(folder.path(), "b.hdr", &header);
    put(folder.path(), "b.img", samples);
    let (found, said) = read(&folder.path().join("b.img")).unwrap();
    assert_eq!((found.data(), found.grid().spacing_mm()), (image.data(), [1.5, 2.0, 3.0]));
    assert!(found.grid().origin_mm() == [0.0; 3] && said.contains("Analyze"), "{said}");
    assert!(read(&put(folder.path(), "b.nii", &header)).unwrap_err().contains("magic"));
}

#[test]
fn two_places_that_differ_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mut bytes) = first(folder.path());
    bytes[252..254].copy_from_slice(&1i16.to_le_bytes());
    bytes[254..256].copy_from_slice(&2i16.to_le_bytes());
    bytes[268..272].copy_from_slice(&25f32.to_le_bytes());
    let (_, said) = read(&put(folder.path(), "two.nii", &bytes)).unwrap();
    assert!(said.contains("mm apart: the sform is used"), "{said}");
}

#[test]
fn bytes_behind_the_samples_are_told_by_whoever_looks() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mut bytes) = first(folder.path());
    bytes.extend([0; 24]);
    let path = put(folder.path(), "more.nii", &bytes);
    let info = crate::inspect(&path, Strictness::Lenient).unwrap();
    let looked: String = info.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(looked.contains("24 bytes after the last sample"), "{looked}");
    assert!(read(&path).unwrap().1.contains("after the last sample"));
}

#[test]
fn vectors_along_the_fourth_axis_and_axes_that_are_no_time_are_not_taken_for_frames() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mut bytes) = first(folder.path());
    // The two slices as two images of one slice.
    bytes[40..50].copy_from_slice(&[4, 0, 4, 0, 3, 0, 1, 0, 2, 0]);
    let path = folder.path().join("a.nii");
    let read_with = |at: usize, value: u8| {
        let mut changed = bytes.clone();
        changed[at] = value;
        if at == 68 {
            changed[69] = 3;
        }
        std::fs::write(&path, changed).unwrap();
        let mut warnings = Warnings::new();
        let sequence = crate::read_sequence(&path, Strictness::Lenient, &mut warnings);
        let said: String = warnings.iter().map(|w| w.message.clone()).collect();
        sequence.map(|sequence| (sequence.frame_interval_ms(), said)).map_err(|error| error.to_string())
    };
    // 1007 is 3 · 256 + 239: vectors.
    let refused = read_with(68, 239).unwrap_err();
    assert!(refused.contains("2 components of intent 1007 along the fourth axis"), "{refused}");
    let (interval, said) = read_with(123, 2 | 40).unwrap();
    assert!(interval.is_none() && said.contains("counts ppm, which is no time"), "{said}");
    assert_eq!(read_with(123, 2 | 8).unwrap().0, Some(1000.0));
}
