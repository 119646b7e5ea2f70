//! Compressed pixels: codestreams that other programs wrote.

use super::tests::{Image, PIXELS, write};
use crate::Strictness;
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
        true => assert_eq!(found.unwrap(), ramp()),
        false => assert!(found.unwrap_err().contains("dicom-jpegls")),
    }
}

#[test]
fn jpeg_2000_is_decoded_or_its_feature_is_named() {
    let found = read(object(JPEG_2000, [64, 64], [16, 12]), "1.2.840.10008.1.2.4.90");
    match cfg!(feature = "dicom-jpeg2000") {
        true => assert!(found.unwrap().iter().all(|&v| v == 258.0)),
        false => assert!(found.unwrap_err().contains("dicom-jpeg2000")),
    }
}
