//! DICOM files by hand: what is written of headers in three ways, compressed pixels, and items within each other.

use super::{Sample, sample};

const IMPLICIT: &str = "1.2.840.10008.1.2";
const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";
const RUN_LENGTHS: &str = "1.2.840.10008.1.2.5";
const UNDEFINED: u32 = u32::MAX;

/// Elements, as a transfer syntax writes them.
struct Elements {
    syntax: &'static str,
    bytes: Vec<u8>,
}

impl Elements {
    fn new(syntax: &'static str) -> Self {
        Self { syntax, bytes: Vec::new() }
    }

    fn word(&mut self, value: u16) {
        self.bytes.extend(if self.syntax == BIG_ENDIAN { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn long(&mut self, value: u32) {
        self.bytes.extend(if self.syntax == BIG_ENDIAN { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn header(&mut self, tag: [u16; 2], vr: &str, length: u32) {
        tag.into_iter().for_each(|half| self.word(half));
        if tag[0] == 0xfffe || self.syntax == IMPLICIT {
            return self.long(length);
        }
        self.bytes.extend(vr.as_bytes());
        if ["OB", "OW", "SQ", "UN"].contains(&vr) {
            self.word(0);
            self.long(length);
        } else {
            self.word(length as u16);
        }
    }

    fn text(&mut self, tag: [u16; 2], vr: &str, text: &str) {
        let padding = if vr == "UI" { 0 } else { b' ' };
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len().next_multiple_of(2), padding);
        self.header(tag, vr, bytes.len() as u32);
        self.bytes.extend(bytes);
    }

    fn words(&mut self, tag: [u16; 2], vr: &str, words: &[u16]) {
        self.header(tag, vr, 2 * words.len() as u32);
        words.iter().for_each(|&word| self.word(word));
    }

    /// Behind the preamble and the elements of the file's own group, which are explicit and little-endian in every file.
    fn in_a_file(self) -> Vec<u8> {
        let mut group = Self::new(EXPLICIT);
        group.header([2, 1], "OB", 2);
        group.bytes.extend([0, 1]);
        group.text([2, 2], "UI", "1.2.840.10008.5.1.4.1.1.4");
        group.text([2, 3], "UI", "1.2.3.4");
        group.text([2, 0x10], "UI", self.syntax);
        group.text([2, 0x12], "UI", "1.2.3");
        let mut file = Self::new(EXPLICIT);
        file.bytes = [&[0; 128][..], b"DICM"].concat();
        file.header([2, 0], "UL", 4);
        file.long(group.bytes.len() as u32);
        [file.bytes, group.bytes, self.bytes].concat()
    }
}

/// The elements of an image of 4 × 3 pixels before its pixels; its spacing lies in items within each other.
fn image(syntax: &'static str, frames: u16) -> Elements {
    let mut all = Elements::new(syntax);
    all.text([0x0008, 0x0060], "CS", "MR");
    all.text([0x0018, 0x0050], "DS", "2");
    all.text([0x0018, 0x1063], "DS", "33.3");
    all.text([0x0020, 0x000e], "UI", "1.2.3");
    all.text([0x0020, 0x0013], "IS", "1");
    all.text([0x0020, 0x0032], "DS", "0\\0\\0");
    all.text([0x0020, 0x0037], "DS", "1\\0\\0\\0\\1\\0");
    all.words([0x0028, 0x0002], "US", &[1]);
    all.text([0x0028, 0x0004], "CS", "MONOCHROME2");
    all.text([0x0028, 0x0008], "IS", &frames.to_string());
    for (tag, word) in [(0x10, 3), (0x11, 4), (0x100, 16), (0x101, 12), (0x102, 11), (0x103, 0)] {
        all.words([0x0028, tag], "US", &[word]);
    }
    let mut spacing = Elements::new(syntax);
    spacing.text([0x0028, 0x0030], "DS", "1\\1.5");
    let mut measures = Elements::new(syntax);
    measures.header([0xfffe, 0xe000], "", spacing.bytes.len() as u32);
    measures.bytes.extend(spacing.bytes);
    all.header([0x5200, 0x9229], "SQ", UNDEFINED);
    all.header([0xfffe, 0xe000], "", UNDEFINED);
    all.header([0x0028, 0x9110], "SQ", measures.bytes.len() as u32);
    all.bytes.extend(measures.bytes);
    all.header([0xfffe, 0xe00d], "", 0);
    all.header([0xfffe, 0xe0dd], "", 0);
    all
}

pub(super) fn samples() -> Vec<Sample> {
    let plain = |syntax: &'static str, frames: u16| {
        let mut all = image(syntax, frames);
        all.words([0x7fe0, 0x0010], "OW", &(0..12 * frames).collect::<Vec<_>>());
        all.in_a_file()
    };
    let mut packed = image(RUN_LENGTHS, 1);
    packed.header([0x7fe0, 0x0010], "OB", UNDEFINED);
    packed.header([0xfffe, 0xe000], "", 0);
    packed.header([0xfffe, 0xe000], "", 68);
    // Twelve times 1, then twelve times 2.
    let mut run_lengths = [2u32, 64, 66].map(u32::to_le_bytes).concat();
    run_lengths.resize(64, 0);
    packed.bytes.extend(run_lengths);
    packed.bytes.extend([245, 1, 245, 2]);
    packed.header([0xfffe, 0xe0dd], "", 0);
    vec![
        sample("explicit.dcm", &plain(EXPLICIT, 1)),
        sample("implicit.dcm", &plain(IMPLICIT, 1)),
        sample("big.dcm", &plain(BIG_ENDIAN, 1)),
        sample("cine.dcm", &plain(EXPLICIT, 2)),
        sample("packed.dcm", &packed.in_a_file()),
    ]
}
