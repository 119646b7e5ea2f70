//! Compressed pixels: codestreams that other programs wrote.

use super::tests::{Image, PIXELS, write};
use crate::read::reading::Strictness;
use dicom_core::value::{PixelFragmentSequence, Value};
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_object::{InMemDicomObject, Tag};
use std::path::Path;
use veloxel_core::Warnings;

/// 4 × 3 samples of 77, baseline with 8 bits, by Pillow.
const BASELINE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706\
    080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffc0000b08000300040101\
    1100ffc40014000100000000000000000000000000000008ffc40014100100000000000000000000000000000000ffda0008\
    010100003f003bbfffd9";
/// 8 × 8 pixels of red 200, green 50 and blue 100, baseline by Pillow, whose colours were not transformed; without a mark that says so,
/// and with components 0, 1 and 2, as GDCM writes them.
const RED_GREEN_BLUE: &str = "\
    ffd8ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e11\
    0e0b0b1016101113141515150c0f171816141812141514ffc00011080008000803001100011100021100ffc400150001\
    0100000000000000000000000000000807ffc40014100100000000000000000000000000000000ffda000c0300000100\
    0200003f006005e9a3ffd9";
/// 4 × 3 samples `100 y + 7 x`, lossless with the first predictor, by GDCM.
const LOSSLESS: &str = "\
    ffd8ffc3000b100003000401011100ffc400160001010100000000000000000000000000030710ffda0008010100010000ce\
    ef64777b23bbff00ffd9";
/// The same samples by CharLS.
const JPEG_LS: &str = "ffd8fff7000b0c0003000401011100ffda0008010100000000a6cd96244e993848aa8980ffd9";
/// 64 × 64 samples of 258, reversible, by OpenJPEG.
const JPEG_2000: &str = "\
    ff4fff5100290000000000400000004000000000000000000000004000000040000000000000000000010b0101ff52000c00\
    000001000504040001ff5c00134060686870686870686870686870686870ff640025000143726561746564206279204f7065\
    6e4a5045472076657273696f6e20322e352e32ff90000a00000000001c0001ff93cfe4180884ded1617f8080808080ffd900";

/// 8 × 8 signed samples `70 y − 11 x y − 300`, by pyjpegls (CharLS) from pydicom.
const SIGNED_JPEG_LS: &str = "\
    ffd8fff7000b100008000801011100fff8000d01ffff0012004301140040ffda00080101000000006568010040100804\
    02012320b4168290942105a0a48b82d05a0a4250841682d22e0b4168290942105a0b4898290e8642a110520a50f1ba22\
    1a1a1a1284a464759050909090842142c158bf4b424243a1c0ffd900";
/// 32 × 32 signed samples `20 y − 9 x − 300`, reversible, by pylibjpeg (OpenJPEG) from pydicom.
const SIGNED_JPEG_2000: &str = "\
    ff4fff5100290000000000200000002000000000000000000000002000000020000000000000000000018f0101ff5200\
    0c00000001000504040001ff5c00134080888890888890888890888890888890ff640025000143726561746564206279\
    204f70656e4a5045472076657273696f6e20322e352e32ff90000a0000000000720001ff93c01f80100891c00fc00a00\
    fcc08005670329c007da09003f00300e0965cf0b3cacc003ea05800fb414216dc8684f037fbbcc2fc001f3878007d410\
    35f598ba54781f3da6343432a405dfc000f9044001f389005efbc588a00db07f9dac29403e1eb8483fffd900";

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: String = hexadecimal.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// An image of `size` pixels of so many bits, with a codestream as its pixels.
fn object(stream: &str, [width, height]: [u16; 2], [allocated, stored]: [u16; 2]) -> InMemDicomObject {
    let mut object = Image::new(0, 0).object();
    let words =
        [(0x0010, height), (0x0011, width), (0x0100, allocated), (0x0101, stored), (0x0102, stored - 1)];
    for (tag, word) in words {
        object.put(DataElement::new(Tag(0x0028, tag), VR::US, PrimitiveValue::from(word)));
    }
    let mut stream = bytes(stream);
    stream.resize(stream.len().next_multiple_of(2), 0);
    let fragments = PixelFragmentSequence::new(Vec::<u32>::new(), vec![stream]);
    object.put(DataElement::new(PIXELS, VR::OB, Value::PixelSequence(fragments)));
    object
}

fn read(object: InMemDicomObject, syntax: &str) -> Result<Vec<f32>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, syntax, &path);
    let image = crate::read_image(Path::new(&path), Strictness::Lenient, &mut Warnings::new());
    image.map(|image| image.data().to_vec()).map_err(|error| error.to_string())
}

/// An object whose samples have a sign.
fn signed(stream: &str, size: [u16; 2]) -> InMemDicomObject {
    let mut object = object(stream, size, [16, 16]);
    object.put(DataElement::new(Tag(0x0028, 0x0103), VR::US, PrimitiveValue::from(1u16)));
    object
}

/// Samples of a square of so many by a formula of their place.
fn square(side: i32, at: impl Fn(i32, i32) -> i32) -> Vec<f32> {
    (0..side * side).map(|i| at(i % side, i / side) as f32).collect()
}

fn ramp() -> Vec<f32> {
    (0..12).map(|i| (100 * (i / 4) + 7 * (i % 4)) as f32).collect()
}

#[test]
fn jpeg_is_decoded() {
    let baseline = read(object(BASELINE, [4, 3], [8, 8]), "1.2.840.10008.1.2.4.50").unwrap();
    assert_eq!(baseline, [77.0; 12]);
    let lossless = read(object(LOSSLESS, [4, 3], [16, 12]), "1.2.840.10008.1.2.4.70").unwrap();
    assert_eq!(lossless, ramp());
}

#[test]
fn broken_codestreams_are_one_line() {
    for (stream, bits, syntax) in [(BASELINE, [8, 8], "4.50"), (LOSSLESS, [16, 12], "4.70")] {
        for length in (0..stream.len()).step_by(10) {
            let broken = object(&stream[..length / 2 * 2], [4, 3], bits);
            // What ends within its last samples may be filled up.
            if let Err(error) = read(broken, &format!("1.2.840.10008.1.2.{syntax}")) {
                assert!(error.contains("a.dcm") && !error.contains('\n'), "{error}");
            }
        }
    }
}

#[test]
fn streams_that_lead_into_each_other_are_not_followed_again_and_again() {
    let mut many = object(BASELINE, [4, 3], [8, 8]);
    let starts = vec![vec![0xff, 0xd8]; 300_000];
    let fragments = PixelFragmentSequence::new(Vec::<u32>::new(), starts);
    many.put(DataElement::new(PIXELS, VR::OB, Value::PixelSequence(fragments)));
    let error = read(many, "1.2.840.10008.1.2.4.50").unwrap_err();
    assert!(error.contains("JPEG streams without frames"), "{error}");
}

#[test]
fn compressed_pixels_are_in_fragments() {
    // Found by fuzzing: the decoder takes other bytes as well, whose size nobody has checked.
    for syntax in ["4.50", "4.70", "5", "8.1"] {
        let mut object = object(BASELINE, [4, 3], [8, 8]);
        let mut stream = bytes(BASELINE);
        stream.resize(stream.len().next_multiple_of(2), 0);
        object.put(DataElement::new(PIXELS, VR::OB, PrimitiveValue::from(stream)));
        let error = read(object, &format!("1.2.840.10008.1.2.{syntax}")).unwrap_err();
        assert!(error.contains("without fragments"), "{error}");
    }
}

#[test]
fn jpeg_ls_is_decoded_or_its_feature_is_named() {
    let found = read(object(JPEG_LS, [4, 3], [16, 12]), "1.2.840.10008.1.2.4.80");
    match cfg!(feature = "dicom-jpegls") {
        true => {
            assert_eq!(found.unwrap(), ramp());
            let found = read(signed(SIGNED_JPEG_LS, [8, 8]), "1.2.840.10008.1.2.4.80");
            assert_eq!(found.unwrap(), square(8, |x, y| 70 * y - 11 * x * y - 300));
        }
        false => assert!(found.unwrap_err().contains("dicom-jpegls")),
    }
}

#[test]
fn jpeg_2000_is_decoded_or_its_feature_is_named() {
    let found = read(object(JPEG_2000, [64, 64], [16, 12]), "1.2.840.10008.1.2.4.90");
    match cfg!(feature = "dicom-jpeg2000") {
        true => {
            assert!(found.unwrap().iter().all(|&v| v == 258.0));
            let found = read(signed(SIGNED_JPEG_2000, [32, 32]), "1.2.840.10008.1.2.4.90");
            assert_eq!(found.unwrap(), square(32, |x, y| 20 * y - 9 * x - 300));
        }
        false => assert!(found.unwrap_err().contains("dicom-jpeg2000")),
    }
}

/// The luminance of a JPEG picture of red, green and blue, with its components renamed and marked so, under a photometric
/// interpretation.
fn luminance(mark: &str, names: [u8; 3], photometric: &str) -> f32 {
    let stream = RED_GREEN_BLUE.split_whitespace().collect::<String>();
    let at = |marker: &str| stream.find(marker).unwrap();
    let name = |stream: &mut String, place: usize, value: u8| {
        stream.replace_range(place..place + 2, &format!("{value:02x}"));
    };
    let mut told = stream.clone();
    for (nth, value) in names.into_iter().enumerate() {
        name(&mut told, at("ffc00011") + 20 + 6 * nth, value);
        name(&mut told, at("ffda000c") + 10 + 4 * nth, value);
    }
    told.insert_str(4, mark);
    let mut object = object(&told, [8, 8], [8, 8]);
    object.put(DataElement::new(Tag(0x0028, 0x0002), VR::US, PrimitiveValue::from(3u16)));
    object.put(DataElement::new(Tag(0x0028, 0x0004), VR::CS, PrimitiveValue::from(photometric)));
    object.put(DataElement::new(Tag(0x0028, 0x0006), VR::US, PrimitiveValue::from(0u16)));
    let values = read(object, "1.2.840.10008.1.2.4.50").unwrap();
    assert!(values.iter().all(|v| (v - values[0]).abs() < 2.0));
    values[0]
}

#[test]
fn colours_of_jpeg_are_what_header_and_marks_say() {
    let adobe = |transform: u8| format!("ffee000e41646f6265006400000000{transform:02x}");
    let jfif = "ffe000104a46494600010100000100010000";
    // As stored: 0.299 · 200 + 0.587 · 50 + 0.114 · 100; as luminance and two colours: the first channel.
    let (kept, turned) = (100.6, 200.0);
    let none = String::new();
    for (mark, names, photometric, expected) in [
        (&none, [0, 1, 2], "RGB", kept),
        (&none, [1, 2, 3], "RGB", kept),
        (&adobe(0), [1, 2, 3], "RGB", kept),
        (&adobe(0), *b"RGB", "RGB", kept),
        (&none, *b"RGB", "YBR_FULL", kept),
        (&none, [1, 2, 3], "YBR_FULL", turned),
        (&none, [0, 1, 2], "YBR_FULL_422", turned),
        (&adobe(1), [0, 1, 2], "RGB", turned),
        (&jfif.to_owned(), [1, 2, 3], "RGB", turned),
    ] {
        let found = luminance(mark, names, photometric);
        assert!(
            (found - expected).abs() < 1.5,
            "{mark} {names:?} {photometric}: {found}, {expected} expected"
        );
    }
}
