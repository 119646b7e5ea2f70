//! What small files may cost: one budget of memory for every reader, and no file but those that were named.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod samples;

use std::fs;
use std::io::Write;
use std::path::Path;
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::*;

/// Reads bytes under a name, within so many bytes of memory.
fn within(name: &str, bytes: &[u8], max_decode_bytes: u64) -> Result<Content, IoError> {
    let reading =
        Reading::alone(ReadOptions { max_decode_bytes: Some(max_decode_bytes), ..ReadOptions::default() });
    read_bytes(Path::new(name), bytes, reading, &mut Warnings::new())
}

/// A PNG of these chunks; their checksums are right.
fn png(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in chunks {
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(*name);
        bytes.extend(data);
        let mut crc = flate2::Crc::new();
        crc.update(*name);
        crc.update(data);
        bytes.extend(crc.sum().to_be_bytes());
    }
    bytes
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zlib.write_all(bytes).unwrap();
    zlib.finish().unwrap()
}

fn header(width: u32, height: u32, [bits, colour]: [u8; 2]) -> (&'static [u8; 4], Vec<u8>) {
    let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
    (b"IHDR", [sizes, vec![bits, colour, 0, 0, 0]].concat())
}

#[test]
fn every_format_keeps_to_the_budget() {
    for samples::Sample { name, bytes } in samples::samples() {
        assert!(within(&name, &bytes, 1 << 20).is_ok(), "{name}");
        let refused = within(&name, &bytes, 20);
        assert!(matches!(refused, Err(IoError::Memory { .. })), "{name}: {refused:?}");
    }
}

#[test]
fn images_that_load_at_the_same_time_count_together() {
    let folder = tempfile::tempdir().unwrap();
    let image = Volume::new(Grid::image(64, 64).unwrap(), vec![1.0; 4096]).unwrap();
    for name in ["a.nii", "b.nii"] {
        write_image(folder.path().join(name), &image, &mut Warnings::new()).unwrap();
    }
    let frames = ["a.nii", "b.nii"].map(|name| folder.path().join(name));
    let read = |bytes| {
        let reading = Reading::alone(ReadOptions { max_decode_bytes: Some(bytes), ..ReadOptions::default() });
        read_frames(&frames, reading, &mut Warnings::new())
    };
    assert!(read(3 * 4 * 4096).is_ok());
    assert!(matches!(read(3 * 4 * 4096 / 2), Err(IoError::Memory { .. })));
}

#[test]
fn frames_of_few_pixels_count_with_what_each_takes_beside_them() {
    let film = [&b"YUV4MPEG2 W2 H2 F25:1 Cmono\n"[..], &b"FRAME\n....".repeat(4000)].concat();
    assert!(within("a.y4m", &film, 4 << 20).is_ok());
    let refused = within("a.y4m", &film, 1 << 20);
    assert!(matches!(refused, Err(IoError::Memory { .. })), "{refused:?}");
}

#[test]
fn a_header_counts_with_what_is_kept_of_each_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let elements = "element e 1\nproperty float x\n".repeat(10_000);
    let text = format!("ply\nformat ascii 1.0\n{elements}end_header\n{}", "1\n".repeat(10_000));
    fs::write(&path, text).unwrap();
    let read = |bytes| {
        let reading = Reading::alone(ReadOptions { max_decode_bytes: Some(bytes), ..ReadOptions::default() });
        read_surface(&path, reading, &mut Warnings::new()).unwrap_err()
    };
    assert!(matches!(read(2 << 20), IoError::Memory { .. }));
    // There is room for it, and it is no mesh.
    assert!(!matches!(read(64 << 20), IoError::Memory { .. }));
}

#[test]
fn a_palette_that_is_no_list_of_colours_is_refused() {
    for length in [4, 5, 767] {
        let chunks = [
            header(1, 1, [8, 3]),
            (b"PLTE", vec![0; length]),
            (b"IDAT", deflated(&[0, 0])),
            (b"IEND", vec![]),
        ];
        let error = within("a.png", &png(&chunks), 1 << 20).unwrap_err();
        assert!(error.to_string().contains("palette"), "{error}");
    }
}

#[test]
fn profiles_and_texts_are_not_expanded() {
    let zeros = deflated(&vec![0; 80 << 20]);
    let profile = [&b"x\0\0"[..], &zeros].concat();
    let chunks = [
        header(2, 1, [8, 0]),
        (b"iCCP", profile.clone()),
        (b"zTXt", profile),
        (b"IDAT", deflated(&[0, 7, 9])),
        (b"IEND", vec![]),
    ];
    let Ok(Content::Image(image)) = within("a.png", &png(&chunks), 1 << 20) else { panic!("an image") };
    assert_eq!(image.data(), [7.0, 9.0]);
}

#[test]
fn what_a_header_declares_is_counted_before_it_is_decoded() {
    // 8192² indices of one bit in 8 KB: as colours 268 MB, as floats a gigabyte and more.
    let rows = deflated(&vec![0; 8192 * 1025]);
    let palette = [header(8192, 8192, [1, 3]), (b"PLTE", vec![0; 6]), (b"tRNS", vec![0])];
    let chunks = [&palette[..], &[(b"IDAT", rows), (b"IEND", vec![])]].concat();
    let refused = within("a.png", &png(&chunks), 100 << 20);
    assert!(matches!(refused, Err(IoError::Memory { .. })), "{refused:?}");
}

#[test]
fn a_label_map_that_packs_well_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::volume(256, 128, 128).unwrap();
    let labels = Volume::from_fn(grid, |[x, y, z]| i32::from(z > 60 && x > 40 || y > 100));
    let [plain, path] = ["labels.nii", "labels.nii.gz"].map(|name| folder.path().join(name));
    write_labels(&plain, &labels).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&fs::read(&plain).unwrap()).unwrap();
    fs::write(&path, gzip.finish().unwrap()).unwrap();
    let packed = fs::metadata(&path).unwrap().len();
    assert!(256 * 128 * 128 / packed >= 200, "{packed}");
    let reading = Reading::alone(ReadOptions { max_decode_bytes: Some(17 << 20), ..ReadOptions::default() });
    assert_eq!(read_labels(&path, reading, &mut Warnings::new()).unwrap(), labels);
}

/// Pages of 40 × 30 pixels whose strips lie where they are told.
#[cfg(feature = "tiff")]
fn pages(strips_at: &[u32]) -> Vec<u8> {
    const PIXELS: u32 = 40 * 30;
    let mut bytes = b"II*\0".to_vec();
    bytes.extend((8 + 2 * PIXELS).to_le_bytes());
    bytes.resize(8 + 2 * PIXELS as usize, 0);
    for (i, at) in strips_at.iter().enumerate() {
        let entries = [
            (256, 40),
            (257, 30),
            (258, 8),
            (259, 1),
            (262, 1),
            (273, *at),
            (277, 1),
            (278, 30),
            (279, PIXELS),
        ];
        bytes.extend((entries.len() as u16).to_le_bytes());
        for (tag, value) in entries {
            bytes.extend((tag as u16).to_le_bytes());
            bytes.extend([4, 0, 1, 0, 0, 0]);
            bytes.extend(u32::to_le_bytes(value));
        }
        let next = if i + 1 == strips_at.len() { 0 } else { bytes.len() as u32 + 4 };
        bytes.extend(next.to_le_bytes());
    }
    bytes
}

#[cfg(feature = "tiff")]
#[test]
fn pages_of_their_own_are_read_and_shared_ones_refused() {
    let Ok(Content::Sequence(frames)) = within("a.tif", &pages(&[8, 1208]), 1 << 20) else {
        panic!("a sequence")
    };
    assert_eq!(frames.frames().len(), 2);
    for strips_at in [&[8, 8][..], &[8, 1207], &[1208, 8, 600]] {
        let error = within("a.tif", &pages(strips_at), 1 << 20).unwrap_err();
        assert!(error.to_string().contains("share"), "{error}");
    }
    // A count of values that no file of this size has; the last entry of the only page.
    let mut entry = pages(&[8]);
    let at = entry.len() - 4 - 12 + 4;
    entry[at..at + 4].copy_from_slice(&4_128_769u32.to_le_bytes());
    let error = within("a.tif", &entry, 1 << 20).unwrap_err();
    assert!(error.to_string().contains("directory entry"), "{error}");
    let refused = within("a.tif", &pages(&[8, 1208]), 10_000);
    assert!(matches!(refused, Err(IoError::Memory { .. })), "{refused:?}");
}

#[cfg(feature = "tiff")]
#[test]
fn sides_whose_bytes_are_beyond_64_bits_are_refused() {
    let mut page = pages(&[8]);
    let sides = 8 + 2 * 40 * 30 + 2 + 8;
    // Columns, rows, and the rows of the one strip.
    for at in [sides, sides + 12, sides + 7 * 12] {
        page[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    }
    let refused = within("a.tif", &page, 1 << 20);
    assert!(matches!(refused, Err(IoError::Memory { .. })), "{refused:?}");
}

const MHD: &str =
    "NDims = 2\nDimSize = 2 1\nElementSpacing = 1 1\nElementType = MET_UCHAR\nElementDataFile = ";
const NHDR: &str = "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 1\nencoding: raw\ndata file: ";

/// Writes both kinds of headers over a data file, and reads them.
fn read_headers(folder: &Path, data: &str, options: ReadOptions) -> Vec<Result<Content, IoError>> {
    let read_one = |(name, text): (&str, &str)| {
        let path = folder.join(name);
        fs::write(&path, format!("{text}{data}\n")).unwrap();
        read(&path, Reading::alone(options), &mut Warnings::new())
    };
    [("a.mhd", MHD), ("a.nhdr", NHDR)].map(read_one).into()
}

#[test]
fn samples_outside_of_the_headers_folder_need_permission() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    fs::create_dir_all(own.join("below")).unwrap();
    for name in ["secret.raw", "own/beside.raw", "own/below/it.raw"] {
        fs::write(folder.path().join(name), [1, 2]).unwrap();
    }
    let anywhere = ReadOptions { data_files: DataFiles::Anywhere, ..ReadOptions::default() };
    let outside = folder.path().join("secret.raw").display().to_string();
    for data in ["../secret.raw", "below/../../secret.raw", outside.as_str()] {
        for result in read_headers(&own, data, ReadOptions::default()) {
            assert!(matches!(result, Err(IoError::Outside { .. })), "{data}: {result:?}");
        }
        assert!(read_headers(&own, data, anywhere).iter().all(Result::is_ok), "{data}");
    }
    for data in ["beside.raw", "./beside.raw", "below/it.raw"] {
        assert!(read_headers(&own, data, ReadOptions::default()).iter().all(Result::is_ok), "{data}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, own.join("link.raw")).unwrap();
        for result in read_headers(&own, "link.raw", ReadOptions::default()) {
            assert!(matches!(result, Err(IoError::Outside { .. })), "{result:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_before_they_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.nii");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(matches!(read(&pipe, Strictness::Lenient, &mut Warnings::new()), Err(IoError::Open { .. })));
    for result in read_headers(folder.path(), "pipe.nii", ReadOptions::default()) {
        assert!(result.unwrap_err().to_string().contains("not a regular file"));
    }
}

#[test]
fn a_header_alone_does_not_hide_that_compressed_samples_are_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nii.gz");
    // Samples that hardly pack.
    let noise = Volume::from_fn(Grid::volume(16, 16, 16).unwrap(), |[x, y, z]| {
        ((x * 7919 + y * 104_729 + z * 1_299_709) as f32).sin()
    });
    write_image(&path, &noise, &mut Warnings::new()).unwrap();
    let whole = fs::read(&path).unwrap();
    assert!(inspect(&path, Strictness::Lenient).is_ok());
    for length in [whole.len() - 1, whole.len() - 4, whole.len() / 2] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(inspect(&path, Strictness::Lenient).is_err(), "{length}");
    }
    // Two members: the last four bytes tell of the second alone.
    fs::write(&path, [&whole[..], &whole[..]].concat()).unwrap();
    assert!(inspect(&path, Strictness::Lenient).is_ok());
}
