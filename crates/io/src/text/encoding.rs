//! The text of a file as bytes of UTF-8 with a line feed at the end of each line, however the program that wrote it stored it.
//!
//! *Read*: UTF-8 with and without a mark; UTF-16 and UTF-32 in both byte orders with their marks, and UTF-16 without, where the
//! first characters are plain; lines that end in `\n`, `\r\n` or `\r` alone. Marks between joined files are left out as well.

use crate::error::Result;
use crate::read::context::Context;

/// The mark of UTF-8.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// How characters are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Two,
    Four,
}

/// Bytes as UTF-8 with line feeds; other bytes than characters of a UTF-8 text stay as they are.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) for a broken UTF-16 or UTF-32;
/// [`IoError::Memory`](crate::IoError::Memory) beyond the budget.
pub(crate) fn plain(bytes: Vec<u8>, context: &Context) -> Result<Vec<u8>> {
    Ok(with_line_feeds(unmarked(bytes, context)?))
}

/// Bytes without a mark, those of a text in UTF-16 or UTF-32 as UTF-8; line ends stay.
///
/// # Errors
/// As [`plain`].
pub(crate) fn unmarked(bytes: Vec<u8>, context: &Context) -> Result<Vec<u8>> {
    let (width, is_big, mark) = match &bytes[..] {
        [0xff, 0xfe, 0, 0, ..] => (Width::Four, false, 4),
        [0, 0, 0xfe, 0xff, ..] => (Width::Four, true, 4),
        [0xff, 0xfe, ..] => (Width::Two, false, 2),
        [0xfe, 0xff, ..] => (Width::Two, true, 2),
        [a, 0, b, 0, ..] if is_plain(*a) && is_plain(*b) => (Width::Two, false, 0),
        [0, a, 0, b, ..] if is_plain(*a) && is_plain(*b) => (Width::Two, true, 0),
        _ => return Ok(without_marks(bytes)),
    };
    // A character of two bytes becomes three at most.
    context.claim(bytes.len() as u64 / 2 * 3)?;
    let decoded = match width {
        Width::Two => of_two(&bytes[mark..], is_big),
        Width::Four => of_four(&bytes[mark..], is_big),
    };
    let name = if width == Width::Two { "UTF-16" } else { "UTF-32" };
    let broken = || context.malformed("text", format!("whole characters of {name}"), "a broken one");
    decoded.map(|text| without_marks(text.into_bytes())).ok_or_else(broken)
}

/// Whether bytes begin as a text of another width than one byte does.
pub(crate) fn is_wide(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..])
        || matches!(head, [a, 0, b, 0, ..] | [0, a, 0, b, ..] if is_plain(*a) && is_plain(*b))
}

/// Whether bytes begin with the mark of UTF-8.
pub(crate) fn is_marked(head: &[u8]) -> bool {
    head.starts_with(&MARK)
}

/// The length of the mark of UTF-8.
pub(crate) const MARK_BYTES: usize = MARK.len();

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

fn of_two(bytes: &[u8], is_big: bool) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units =
        pairs.iter().map(|&pair| if is_big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|_| rest.is_empty())
}

fn of_four(bytes: &[u8], is_big: bool) -> Option<String> {
    let (fours, rest) = bytes.as_chunks::<4>();
    let units =
        fours.iter().map(|&four| if is_big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) });
    let text: Option<String> = units.map(char::from_u32).collect();
    text.filter(|_| rest.is_empty())
}

/// Leaves out the mark at the beginning, and those at the beginning of lines, where files were joined.
fn without_marks(mut bytes: Vec<u8>) -> Vec<u8> {
    let is_mark = |bytes: &[u8], at: usize| {
        bytes[at..].starts_with(&MARK) && (at == 0 || matches!(bytes[at - 1], b'\n' | b'\r'))
    };
    if !bytes.contains(&MARK[0]) {
        return bytes;
    }
    let (mut from, mut to) = (0, 0);
    while from < bytes.len() {
        if bytes[from] == MARK[0] && is_mark(&bytes, from) {
            from += MARK.len();
            // Another one may follow.
            while bytes[from..].starts_with(&MARK) {
                from += MARK.len();
            }
            continue;
        }
        bytes[to] = bytes[from];
        (from, to) = (from + 1, to + 1);
    }
    bytes.truncate(to);
    bytes
}

/// Lone carriage returns become line feeds.
fn with_line_feeds(mut bytes: Vec<u8>) -> Vec<u8> {
    for at in 0..bytes.len() {
        if bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strictness;
    use std::path::Path;
    use veloxel_core::Warnings;

    fn read(bytes: &[u8]) -> Result<String> {
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.txt"), Strictness::Lenient, &mut warnings);
        plain(bytes.to_vec(), &context).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn every_way_to_store_a_text_gives_the_same() {
        let text = "ä 1\n2 3\n";
        let wide = |is_big: bool| {
            let units = format!("\u{feff}{text}");
            units
                .encode_utf16()
                .flat_map(|u| if is_big { u.to_be_bytes() } else { u.to_le_bytes() })
                .collect::<Vec<u8>>()
        };
        let four = |is_big: bool| {
            let units = format!("\u{feff}{text}");
            units
                .chars()
                .map(u32::from)
                .flat_map(|u| if is_big { u.to_be_bytes() } else { u.to_le_bytes() })
                .collect::<Vec<u8>>()
        };
        for stored in [wide(false), wide(true), four(false), four(true)] {
            assert_eq!(read(&stored).unwrap(), text);
        }
        assert_eq!(read("\u{feff}ä 1\r2 3\r".as_bytes()).unwrap(), text);
        assert_eq!(read("\u{feff}\u{feff}ä 1\n\u{feff}2 3\n".as_bytes()).unwrap(), text, "joined files");
        assert_eq!(read(b"1 2\r\n3\r\r\n4").unwrap(), "1 2\r\n3\n\r\n4");
        assert_eq!(read(b"1\0 \x002\0\n\0").unwrap(), "1 2\n", "UTF-16 without a mark");
        assert_eq!(read(b"\x001\0 \x002").unwrap(), "1 2");
    }

    #[test]
    fn broken_characters_are_refused() {
        for stored in [&b"\xff\xfea\0b"[..], b"\xff\xfe\x00\xd8a\0", b"\xff\xfe\0\0\xff\xff\xff\xff"] {
            let refused = read(stored).unwrap_err().to_string();
            assert!(refused.contains("UTF-16") || refused.contains("UTF-32"), "{refused}");
        }
    }
}
