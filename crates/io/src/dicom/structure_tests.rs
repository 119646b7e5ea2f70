//! What is declared and not there.

use super::structure::{Fault, content_length};
use super::tests::{Image, write};
use crate::error::IoError;
use std::io::{Cursor, Write};

const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const DEFLATED: &str = "1.2.840.10008.1.2.1.99";

/// A file's own group with a transfer syntax, behind the magic at the very beginning.
fn file(syntax: &str, elements: &[u8]) -> Vec<u8> {
    let mut uid = syntax.to_owned();
    uid.extend(std::iter::repeat_n('\0', syntax.len() % 2));
    let mut bytes = b"DICM\x02\0\0\0UL\x04\0".to_vec();
    bytes.extend((8 + uid.len() as u32).to_le_bytes());
    bytes.extend(b"\x02\0\x10\0UI");
    bytes.extend((uid.len() as u16).to_le_bytes());
    bytes.extend(uid.as_bytes());
    bytes.extend(elements);
    bytes
}

fn walk(bytes: &[u8]) -> Result<u64, Fault> {
    content_length(&mut Cursor::new(bytes), bytes.len() as u64, &mut |_| Ok(()))
}

/// Why bytes are refused.
fn fault(bytes: &[u8]) -> String {
    match walk(bytes) {
        Err(Fault::Structure(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// An element of four bytes, explicit.
fn element(tag: [u8; 4]) -> Vec<u8> {
    [&tag[..], b"UL\x04\0\x01\0\0\0"].concat()
}

const PIXELS: [u8; 4] = [0xe0, 0x7f, 0x10, 0];
const ROWS: [u8; 4] = [0x28, 0, 0x10, 0];
const SEQUENCE: &[u8] = b"\x08\0\x40\x11SQ\0\0\xff\xff\xff\xff";
const ITEM: &[u8] = b"\xfe\xff\0\xe0\xff\xff\xff\xff";

#[test]
fn lengths_beyond_what_is_there_are_refused() {
    // Found by fuzzing: 168 MB for 78 bytes.
    let vast = b"\x08\0\x08\0OB\0\0\0\0\0\x0a1234";
    assert_eq!(fault(&file(EXPLICIT, vast)), "it is cut short");
    let in_its_group = b"DICM\x02\0\0\0UL\x04\0\xff\0\0\0\x02\0\x02\x01OB\0\0\0\0\0\x0a1234";
    assert_eq!(fault(in_its_group), "it is cut short");
    let uid = b"DICM\x02\0\0\0UL\x04\0\xff\0\0\0\x02\0\x10\0UI\xff\xff1234";
    assert!(fault(uid).contains("65535 bytes"));
    // More than its item has, though the file has it.
    let item = [SEQUENCE, b"\xfe\xff\0\xe0\x08\0\0\0", &element(ROWS), &element(ROWS)].concat();
    assert!(fault(&file(EXPLICIT, &item)).contains("(0028,0010) declares 4 bytes, where 0 are left"));
    for cut in [&b"123"[..], SEQUENCE, &[SEQUENCE, ITEM].concat(), &[SEQUENCE, ITEM, &element(ROWS)].concat()]
    {
        assert_eq!(fault(&file(EXPLICIT, cut)), "it is cut short");
    }
    assert!(fault(&file(EXPLICIT, ITEM)).contains("(FFFE,E000)"));
    // The parser goes over no byte of it, and takes the two for the beginning of an element.
    let half = b"\x28\0\x03\x01UL\x02\0\0\0";
    assert!(fault(&file(EXPLICIT, half)).contains("type UL has 2 bytes"));
    assert!(fault(b"P5 1 1 255\n0").contains("begin"));
}

#[test]
fn a_transfer_syntax_is_understood_as_the_parser_does() {
    // Found by fuzzing: with a tab behind its UID a file was walked over as explicit and parsed as implicit.
    let rows = b"\x28\0\x10\0\x02\0\0\0\x03\0";
    for blanks in ["", " ", "\t", "\n\0", "\u{b}\0 "] {
        let bytes = file(&format!("1.2.840.10008.1.2{blanks}"), rows);
        assert_eq!(walk(&bytes).unwrap(), bytes.len() as u64, "{blanks:?}");
    }
    for uid in [" 1.2.840.10008.1.2", "1.2.840.10008.1.2\u{a0}", "1.2.840.10008.1.2x", "1.2\0.840"] {
        assert!(fault(&file(uid, rows)).contains("UID"), "{uid:?}");
    }
}

#[test]
fn pixels_that_say_that_they_are_a_sequence_are_one() {
    // An item of four bytes that would be a fragment, and are no element.
    let item = b"\xfe\xff\0\xe0\x04\0\0\x001234\xfe\xff\xdd\xe0\0\0\0\0";
    let sequence = [&PIXELS, &b"SQ\0\0\xff\xff\xff\xff"[..], item].concat();
    assert!(walk(&file(EXPLICIT, &sequence)).is_err());
    let fragments = [&PIXELS, &b"OB\0\0\xff\xff\xff\xff"[..], item].concat();
    assert!(walk(&file(EXPLICIT, &fragments)).is_ok());
}

#[test]
fn sequences_without_end_are_refused() {
    let level = [SEQUENCE, ITEM].concat();
    assert!(fault(&file(EXPLICIT, &level.repeat(100_000))).contains("64 sequences and items"));
}

#[test]
fn what_follows_the_pixels_counts_if_it_is_an_element() {
    let (before, pixels) = (element(ROWS), element(PIXELS));
    let whole = file(EXPLICIT, &[before.clone(), pixels.clone()].concat());
    let content = whole.len() as u64;
    assert_eq!(walk(&whole).unwrap(), content);
    let padded = [whole.clone(), element([0xfc, 0xff, 0xfc, 0xff])].concat();
    assert_eq!(walk(&padded).unwrap(), content + 12);
    for behind in [&b"garbage"[..], &[0; 512], &before, b"\xff\xff\xff\xffUN\0\0\0\0\0\x0a"] {
        assert_eq!(walk(&[&whole, behind].concat()).unwrap(), content, "{behind:?}");
    }
}

#[test]
fn deflated_elements_are_walked_over_as_well() {
    let deflated = |elements: &[u8]| {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(elements).unwrap();
        file(DEFLATED, &encoder.finish().unwrap())
    };
    let bytes = deflated(&[element(ROWS), element(PIXELS)].concat());
    assert_eq!(walk(&bytes).unwrap(), bytes.len() as u64);
    let behind = deflated(&[&element(PIXELS)[..], b"\xff\xff\xff\xffUN\0\0\0\0\0\x0a"].concat());
    assert_eq!(fault(&behind), "it is cut short");
    let bomb = deflated(&[&b"\x08\0\x08\0OB\0\0\0\0\0\x01"[..], &vec![0; 1 << 24]].concat());
    assert!(bomb.len() < 1 << 18 && walk(&bomb).is_ok());
    let mut claimed = 0;
    let mut claim = |bytes: u64| {
        claimed += bytes;
        let memory = IoError::Memory { needed_bytes: claimed, budget_bytes: 1 << 20, path: "a.dcm".into() };
        if claimed > 1 << 20 { Err(memory) } else { Ok(()) }
    };
    let refused = content_length(&mut Cursor::new(&bomb[..]), bomb.len() as u64, &mut claim);
    assert!(matches!(refused, Err(Fault::Memory(_))), "{refused:?}");
}

#[test]
fn a_deflated_file_of_another_library_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(Image::new(1, 0).object(), DEFLATED, &path);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(walk(&bytes).unwrap(), bytes.len() as u64);
    let image = crate::read_image(
        &path,
        crate::read::reading::Strictness::Lenient,
        &mut veloxel_core::Warnings::new(),
    );
    assert_eq!(image.unwrap().data()[..4], [100.0, 101.0, 102.0, 103.0]);
}

#[test]
fn what_is_cut_within_its_last_delimiter_is_refused() {
    let fragments = b"\xfe\xff\0\xe0\0\0\0\0\xfe\xff\0\xe0\x04\0\0\x001234\xfe\xff\xdd\xe0\0\0\0\0";
    let pixels = [&PIXELS, &b"OB\0\0\xff\xff\xff\xff"[..], fragments].concat();
    let whole = file(EXPLICIT, &pixels);
    assert_eq!(walk(&whole).unwrap(), whole.len() as u64);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&[element(ROWS), element(PIXELS)].concat()).unwrap();
    let deflated = file(DEFLATED, &encoder.finish().unwrap());
    for cut in 1..=8 {
        assert_eq!(fault(&whole[..whole.len() - cut]), "it is cut short", "{cut}");
        assert_eq!(fault(&deflated[..deflated.len() - cut]), "it is cut short", "deflated, {cut}");
    }
}
