//! Which colours a JPEG stream of three channels has: its marks and the header together say so, and the decoder is told.
//!
//! *Rule*, as pydicom and Pillow have it: components that are called R, G and B are these. Where the header says RGB, a JFIF mark or
//! Adobe's transform 1 stand for luminance and two colours all the same; without them the channels are as the header says. Where
//! the header says YBR, they are that. Decoders go by the marks alone, and take channels without any for luminance and two
//! colours.
//!
//! *Specification*: ISO/IEC 10918-1, annex B; ISO/IEC 10918-5 (JFIF); ISO/IEC 10918-6 (Adobe's segment); DICOM PS3.5, section 8.2.1.

use dicom_dictionary_std::{tags, uids};
use dicom_object::DefaultDicomObject;

/// Streams that hold transformed colours: lossless ones are never turned by their decoder.
const TRANSFORMED: [&str; 2] = [uids::JPEG_BASELINE8_BIT, uids::JPEG_EXTENDED12_BIT];

/// Names of components that decoders leave as they are, and of those that they turn into red, green and blue.
const RGB: [u8; 3] = *b"RGB";
const YBR: [u8; 3] = [1, 2, 3];

/// Renames the components of a file's JPEG streams so that a decoder gives red, green and blue.
pub(in crate::dicom) fn tell(object: &mut DefaultDicomObject) {
    let element = object.get(tags::PHOTOMETRIC_INTERPRETATION).and_then(|element| element.to_str().ok());
    let is_rgb = element.is_some_and(|text| text.trim_matches(['\0', ' ']) == "RGB");
    let channels = object.get(tags::SAMPLES_PER_PIXEL).and_then(|element| element.to_int::<u16>().ok());
    if channels != Some(3) || !TRANSFORMED.contains(&object.meta().transfer_syntax()) {
        return;
    }
    object.update_value(tags::PIXEL_DATA, |value| {
        let Some(fragments) = value.fragments_mut().filter(|fragments| !fragments.is_empty()) else { return };
        let begins = |fragment: &Vec<u8>| fragment.starts_with(&[0xff, 0xd8]);
        let mut rest = &mut fragments[..];
        while !rest.is_empty() {
            let more = rest[1..].iter().position(begins).map_or(rest.len(), |next| 1 + next);
            let (stream, others) = rest.split_at_mut(more);
            rename(stream, is_rgb);
            rest = others;
        }
    });
}

/// What a stream says of its colours.
#[derive(Debug, Default)]
struct Marks {
    /// Bytes of a JFIF mark that are there.
    jfif: usize,
    /// Bytes of Adobe's mark that are there.
    adobe: usize,
    transform: u8,
    names: [u8; 3],
}

impl Marks {
    fn see(&mut self, marker: u8, at: usize, byte: u8) {
        let follows = |word: &[u8]| word.get(at) == Some(&byte);
        match marker {
            0xe0 => self.jfif += usize::from(follows(b"JFIF\0")),
            0xee if at == 11 => self.transform = byte,
            0xee => self.adobe += usize::from(follows(b"Adobe")),
            _ if is_frame(marker) && at >= 6 && at.is_multiple_of(3) => {
                if let Some(name) = self.names.get_mut(at / 3 - 2) {
                    *name = byte;
                }
            }
            _ => {}
        }
    }

    fn wanted(&self, is_rgb: bool) -> [u8; 3] {
        let says_so = self.names == RGB || self.names == *b"rgb";
        let is_turned = self.jfif == 5 || (self.adobe == 5 && self.transform == 1);
        if says_so || (is_rgb && !is_turned) { RGB } else { YBR }
    }
}

fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf)
}

/// Gives the components of a stream the names that say which colours they are.
fn rename(stream: &mut [Vec<u8>], is_rgb: bool) {
    let mut marks = Marks::default();
    visit(stream, |marker, at, byte| marks.see(marker, at, *byte));
    let (names, wanted) = (marks.names, marks.wanted(is_rgb));
    // Two components of one name would be one.
    if names == wanted || names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
        return;
    }
    visit(stream, |marker, at, byte| {
        let is_name =
            (is_frame(marker) && at >= 6 && at.is_multiple_of(3)) || (marker == 0xda && at % 2 == 1);
        if let Some(nth) = names.iter().position(|name| name == byte).filter(|_| is_name) {
            *byte = wanted[nth];
        }
    });
}

/// Shows every byte of a stream's segments, behind their lengths, with its marker and its place.
fn visit(stream: &mut [Vec<u8>], mut see: impl FnMut(u8, usize, &mut u8)) {
    let mut bytes = stream.iter_mut().flatten();
    let mut next = || bytes.next();
    loop {
        let Some(byte) = next() else { return };
        if *byte != 0xff {
            continue;
        }
        let mut marker = 0xff;
        while marker == 0xff {
            let Some(byte) = next() else { return };
            marker = *byte;
        }
        if matches!(marker, 0x00 | 0x01 | 0xd0..=0xd9) {
            continue;
        }
        let (Some(high), Some(low)) = (next().map(|b| *b), next().map(|b| *b)) else { return };
        let length = usize::from(u16::from_be_bytes([high, low]));
        // A scan's last three bytes are no names.
        let named = if marker == 0xda { length.saturating_sub(5) } else { length.saturating_sub(2) };
        for at in 0..length.saturating_sub(2) {
            let Some(byte) = next() else { return };
            if at < named {
                see(marker, at, byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of these application segments and names, in two fragments, without entropy-coded data.
    fn stream(marks: &[(u8, &[u8])], names: [u8; 3]) -> Vec<Vec<u8>> {
        let mut bytes = vec![0xff, 0xd8];
        for (marker, content) in marks {
            bytes.extend([0xff, *marker, 0, content.len() as u8 + 2]);
            bytes.extend(*content);
        }
        let [a, b, c] = names;
        bytes.extend([0xff, 0xc0, 0, 17, 8, 0, 4, 0, 4, 3, a, 0x11, 0, b, 0x11, 0, c, 0x11, 0]);
        bytes.extend([0xff, 0xda, 0, 12, 3, a, 0, b, 0, c, 0, 0, 63, 0]);
        // Coded data may hold what looks like names.
        bytes.extend([5, 0, 1, 2, 3, b'R', 0xff, 0, b'G', 0xff, 0xd9]);
        let second = bytes.split_off(bytes.len() - 25);
        vec![bytes, second]
    }

    #[test]
    fn names_say_which_colours_a_stream_has() {
        let jfif: (u8, &[u8]) = (0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
        let adobe = |transform: u8| [&b"Adobe\0\x64\0\0\0\0"[..], &[transform]].concat();
        let (kept, turned) = (adobe(0), adobe(1));
        /// Marks with what they hold, names of components, whether the header says RGB, and what is to come of the names.
        type Case<'a> = (&'a [(u8, &'a [u8])], [u8; 3], bool, [u8; 3]);
        let cases: [Case<'_>; 9] = [
            (&[], [0, 1, 2], true, RGB),
            (&[], [1, 2, 3], true, RGB),
            (&[(0xee, &kept)], [1, 2, 3], true, RGB),
            (&[(0xee, &turned)], [0, 1, 2], true, YBR),
            (&[jfif], [1, 2, 3], true, YBR),
            (&[], [0, 1, 2], false, YBR),
            (&[(0xee, &kept)], [0, 1, 2], false, YBR),
            (&[], *b"RGB", false, RGB),
            (&[], *b"rgb", true, RGB),
        ];
        for (marks, names, is_rgb, expected) in cases {
            let mut found = stream(marks, names);
            rename(&mut found, is_rgb);
            assert_eq!(found, stream(marks, expected), "{names:?} {is_rgb}");
        }
    }

    #[test]
    fn broken_streams_are_left_to_the_decoder() {
        let whole = stream(&[], [0, 1, 2]).concat();
        for cut in 0..whole.len() {
            rename(&mut [whole[..cut].to_vec()], true);
        }
        rename(&mut [vec![0xff; 40]], true);
    }
}
