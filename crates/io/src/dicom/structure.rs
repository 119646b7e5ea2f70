//! The elements of a DICOM file, walked over before they are parsed: the parser makes room for every length that is declared.
//!
//! *Specification*: DICOM PS3.10, section 7.1, for the file; PS3.5, chapter 7 and sections A.4 and A.5, for its elements.

use super::bytes::{Bytes, Inflated, Plain};
use crate::error::IoError;
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::{Tag, VR};
use dicom_object::StandardDataDictionary;
use std::io::{Read, Seek};

const PREAMBLE: u64 = 128;
const MAGIC: &[u8; 4] = b"DICM";
const IMPLICIT: &str = "1.2.840.10008.1.2";
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";
const DEFLATED: [&str; 3] = ["1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.4.95", "1.2.840.10008.1.2.4.205"];
const TRANSFER_SYNTAX: Tag = Tag(0x0002, 0x0010);
/// A UID has 64 characters at the most.
const MOST_UID_BYTES: u32 = 64;
const PIXELS: Tag = Tag(0x7FE0, 0x0010);
const ITEM: Tag = Tag(0xFFFE, 0xE000);
const END_OF_ITEM: Tag = Tag(0xFFFE, 0xE00D);
const END_OF_SEQUENCE: Tag = Tag(0xFFFE, 0xE0DD);
const UNDEFINED: u32 = u32::MAX;
/// Sequences and items within each other; the parser goes into them by recursion.
const MOST_LEVELS: usize = 64;
/// What the parser keeps of an element, an item, and a byte of text that can have several values, beside its bytes.
const ELEMENT_BYTES: u64 = 256;
const ITEM_BYTES: u64 = 2048;
const TEXT_FACTOR: u64 = 64;
/// Memory is claimed in portions of so many bytes.
const PORTION_BYTES: u64 = 1 << 16;

/// Why a file is not parsed.
#[derive(Debug)]
pub(super) enum Fault {
    /// What is wrong with it.
    Structure(String),
    /// It takes more memory than there may be.
    Memory(IoError),
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self::Structure(text)
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Structure(match error.kind() {
            std::io::ErrorKind::UnexpectedEof => "it is cut short".to_owned(),
            _ => error.to_string(),
        })
    }
}

/// Claims memory.
pub(super) type ClaimBytes<'a> = &'a mut dyn FnMut(u64) -> Result<(), IoError>;

/// Walks over a file of `length` bytes from its beginning; how many of them are its content. What its parser will keep
/// is claimed.
///
/// # Errors
/// [`Fault`]: a length beyond what is there, an element out of place, the end within an element, a sequence or an item.
pub(super) fn content_length(
    reader: &mut (impl Read + Seek),
    length: u64,
    claim: ClaimBytes<'_>,
) -> Result<u64, Fault> {
    let mut start = [0; PREAMBLE as usize + 4];
    let mut bytes = Plain::new(reader, length);
    let found = bytes.fill(&mut start)?;
    let begin = match &start[..found] {
        [.., d, i, c, m] if found == start.len() && &[*d, *i, *c, *m] == MAGIC => PREAMBLE + 4,
        [d, i, c, m, ..] if &[*d, *i, *c, *m] == MAGIC => 4,
        _ => return Err(Fault::Structure("it does not begin as a DICOM file does".to_owned())),
    };
    bytes.back(found as u64 - begin)?;
    let syntax = transfer_syntax(&mut bytes)?;
    let encoding = match syntax.as_str() {
        IMPLICIT => Encoding::Implicit,
        BIG_ENDIAN => Encoding::ExplicitBig,
        _ => Encoding::Explicit,
    };
    let before = bytes.at();
    if DEFLATED.contains(&syntax.as_str()) {
        // What lies behind the elements cannot be cut off here.
        let (_, behind) = Walk::new(&mut Inflated::new(bytes), encoding, claim).data_set()?;
        return behind.map_or(Ok(length), Err);
    }
    let (data_set_length, _) = Walk::new(&mut bytes, encoding, claim).data_set()?;
    Ok(before + data_set_length)
}

/// The UID of the transfer syntax out of the group of elements that every file begins with.
fn transfer_syntax(bytes: &mut impl Bytes) -> Result<String, Fault> {
    let first = Header::read(bytes, Encoding::Explicit)?;
    if (first.tag, first.length) != (Tag(0x0002, 0x0000), 4) {
        return Err(Fault::Structure("its first element is not the length of its first group".to_owned()));
    }
    let mut group_length = [0; 4];
    bytes.exact(&mut group_length)?;
    let end = bytes.at() + u64::from(u32::from_le_bytes(group_length));
    let mut syntax = Vec::new();
    while bytes.at() < end {
        let header = Header::read(bytes, Encoding::Explicit)?;
        if header.tag != TRANSFER_SYNTAX {
            bytes.skip(header.length.into())?;
            continue;
        }
        if header.length > MOST_UID_BYTES {
            return Err(Fault::Structure(format!(
                "the UID of its transfer syntax has {} bytes",
                header.length
            )));
        }
        syntax = vec![0; header.length as usize];
        bytes.exact(&mut syntax)?;
    }
    // As the parser trims it: read in another encoding, elements would have lengths that nobody has checked.
    let text = String::from_utf8_lossy(&syntax);
    let uid = text.trim_end_matches(|c: char| c.is_ascii() && (c.is_whitespace() || c == '\0'));
    if uid.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'.') {
        return Err(Fault::Structure(format!("the UID of its transfer syntax is {uid:?}")));
    }
    Ok(uid.to_owned())
}

/// How the headers of elements are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Implicit,
    Explicit,
    ExplicitBig,
}

impl Encoding {
    fn word(self, bytes: [u8; 2]) -> u16 {
        if self == Self::ExplicitBig { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    fn long(self, bytes: [u8; 4]) -> u32 {
        if self == Self::ExplicitBig { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }
}

/// The header of an element, an item or a delimiter.
#[derive(Debug, Clone, Copy)]
struct Header {
    tag: Tag,
    vr: VR,
    length: u32,
}

impl Header {
    /// The header that must be there.
    fn read(bytes: &mut impl Bytes, encoding: Encoding) -> Result<Self, Fault> {
        let header = Self::read_or_end(bytes, encoding)?;
        header.ok_or_else(|| Fault::Structure("it is cut short".to_owned()))
    }

    /// None at the end of the bytes.
    fn read_or_end(bytes: &mut impl Bytes, encoding: Encoding) -> Result<Option<Self>, Fault> {
        let mut start = [0; 8];
        match bytes.fill(&mut start)? {
            0 => return Ok(None),
            8 => {}
            _ => return Err(Fault::Structure("it is cut short".to_owned())),
        }
        let [g0, g1, e0, e1, rest @ ..] = start;
        let tag = Tag(encoding.word([g0, g1]), encoding.word([e0, e1]));
        if tag.group() == 0xFFFE || encoding == Encoding::Implicit {
            let vr = if tag.group() == 0xFFFE { VR::UN } else { implicit_vr(tag) };
            return Ok(Some(Self { tag, vr, length: encoding.long(rest) }));
        }
        let vr = VR::from_binary([rest[0], rest[1]]).unwrap_or(VR::UN);
        let length = if has_short_length(vr) {
            encoding.word([rest[2], rest[3]]).into()
        } else {
            let mut long = [0; 4];
            bytes.exact(&mut long)?;
            encoding.long(long)
        };
        Ok(Some(Self { tag, vr, length }))
    }

    /// That the value, which begins at `at`, ends where what it lies in ends, or before.
    fn require_within(self, end: Option<u64>, at: u64) -> Result<(), Fault> {
        match end {
            Some(end) if at + u64::from(self.length) > end => Err(Fault::Structure(format!(
                "element {} declares {} bytes, where {} are left",
                self.tag,
                self.length,
                end.saturating_sub(at)
            ))),
            _ => Ok(()),
        }
    }
}

/// The type of an element whose header does not tell.
fn implicit_vr(tag: Tag) -> VR {
    let is_overlay = tag.group() >> 8 == 0x60 && tag.element() == 0x3000;
    if tag == PIXELS || is_overlay {
        return VR::OW;
    }
    StandardDataDictionary.by_tag(tag).map_or(VR::UN, |entry| entry.vr().relaxed())
}

/// Whether the length has two bytes instead of four.
fn has_short_length(vr: VR) -> bool {
    use VR::*;
    matches!(
        vr,
        AE | AS
            | AT
            | CS
            | DA
            | DS
            | DT
            | FL
            | FD
            | IS
            | LO
            | LT
            | PN
            | SH
            | SL
            | SS
            | ST
            | TM
            | UI
            | UL
            | US
    )
}

/// Bytes of one value, for numbers; 1 for everything else.
fn value_bytes(vr: VR) -> u32 {
    use VR::*;
    match vr {
        OW | SS | US => 2,
        AT | FL | OF | OL | SL | UL => 4,
        FD | OD | OV | SV | UV => 8,
        _ => 1,
    }
}

/// Whether a text is a list, of which every member is kept by itself.
fn is_list_of_texts(vr: VR) -> bool {
    use VR::*;
    matches!(vr, AE | AS | CS | DA | DS | DT | IS | LO | PN | SH | TM | UC | UI)
}

/// What an element lies in; the end where its length tells.
#[derive(Debug, Clone, Copy)]
enum Level {
    Sequence(Option<u64>),
    Item(Option<u64>),
}

impl Level {
    fn end(self) -> Option<u64> {
        match self {
            Self::Sequence(end) | Self::Item(end) => end,
        }
    }
}

struct Walk<'a, B> {
    bytes: &'a mut B,
    begin: u64,
    encoding: Encoding,
    levels: Vec<Level>,
    claim: ClaimBytes<'a>,
    unclaimed: u64,
}

impl<'a, B: Bytes> Walk<'a, B> {
    fn new(bytes: &'a mut B, encoding: Encoding, claim: ClaimBytes<'a>) -> Self {
        Self { begin: bytes.at(), bytes, encoding, levels: Vec::new(), claim, unclaimed: 0 }
    }

    /// Walks to the end; how many bytes are elements, and what is wrong with those behind: what follows the pixels and is
    /// no element of a higher tag does not count.
    fn data_set(&mut self) -> Result<(u64, Option<Fault>), Fault> {
        let (mut last, mut content) = (Tag(0, 0), 0);
        let behind = loop {
            match self.element_of_the_root(last) {
                Ok(Some(tag)) => (last, content) = (tag, self.bytes.at() - self.begin),
                Ok(None) => break None,
                Err(fault @ Fault::Structure(_)) if last >= PIXELS => break Some(fault),
                Err(fault) => return Err(fault),
            }
        };
        (self.claim)(std::mem::take(&mut self.unclaimed)).map_err(Fault::Memory)?;
        Ok((content, behind))
    }

    /// Walks over an element with all that lies in it.
    fn element_of_the_root(&mut self, last: Tag) -> Result<Option<Tag>, Fault> {
        let Some(header) = Header::read_or_end(self.bytes, self.encoding)? else { return Ok(None) };
        if last >= PIXELS && header.tag <= last {
            return Err(Fault::Structure(format!("element {} follows the pixels", header.tag)));
        }
        // Some programs end a file as if it were an item.
        if header.tag == END_OF_ITEM {
            return Ok(Some(last));
        }
        self.element(header)?;
        self.leave();
        while let Some(&level) = self.levels.last() {
            match level {
                Level::Sequence(_) => self.item()?,
                Level::Item(_) => {
                    let header = Header::read(self.bytes, self.encoding)?;
                    if header.tag == END_OF_ITEM {
                        self.levels.pop();
                    } else {
                        self.element(header)?;
                    }
                }
            }
            self.leave();
        }
        Ok(Some(header.tag))
    }

    /// Leaves whatever ends here by its length.
    fn leave(&mut self) {
        while self.levels.last().is_some_and(|level| level.end() == Some(self.bytes.at())) {
            self.levels.pop();
        }
    }

    /// The end of the innermost level that has one.
    fn end(&self) -> Option<u64> {
        self.levels.iter().rev().find_map(|level| level.end())
    }

    fn enter(&mut self, length: u32, level: impl Fn(Option<u64>) -> Level) -> Result<(), Fault> {
        if self.levels.len() >= MOST_LEVELS {
            return Err(Fault::Structure(format!(
                "more than {MOST_LEVELS} sequences and items in each other"
            )));
        }
        let end = (length != UNDEFINED).then(|| self.bytes.at() + u64::from(length));
        if let Some(end) = end {
            self.bytes.require(end - self.bytes.at())?;
        }
        self.levels.push(level(end));
        Ok(())
    }

    /// Goes into a sequence, or over everything else.
    fn element(&mut self, header: Header) -> Result<(), Fault> {
        if header.tag.group() == 0xFFFE {
            return Err(Fault::Structure(format!("delimiter {} stands where an element should", header.tag)));
        }
        self.keep(ELEMENT_BYTES)?;
        // The type goes before the tag, as it does for the parser.
        if header.tag == PIXELS && header.vr != VR::SQ && header.length == UNDEFINED {
            return self.fragments();
        }
        if header.length == UNDEFINED {
            return self.enter(UNDEFINED, Level::Sequence);
        }
        header.require_within(self.end(), self.bytes.at())?;
        if header.vr == VR::SQ {
            return self.enter(header.length, Level::Sequence);
        }
        let length = u64::from(header.length);
        self.bytes.require(length)?;
        // The parser would go over whole values alone, and take the rest for the next element.
        if !header.length.is_multiple_of(value_bytes(header.vr)) {
            return Err(Fault::Structure(format!(
                "element {} of type {} has {length} bytes, which are no whole values",
                header.tag,
                header.vr.to_string()
            )));
        }
        self.keep(if is_list_of_texts(header.vr) { length * TEXT_FACTOR } else { length })?;
        Ok(self.bytes.skip(length)?)
    }

    /// Goes into an item, or out of its sequence.
    fn item(&mut self) -> Result<(), Fault> {
        let header = Header::read(self.bytes, self.encoding)?;
        match header.tag {
            ITEM => {
                self.keep(ITEM_BYTES)?;
                if header.length != UNDEFINED {
                    header.require_within(self.end(), self.bytes.at())?;
                }
                self.enter(header.length, Level::Item)
            }
            END_OF_SEQUENCE => {
                self.levels.pop();
                Ok(())
            }
            tag => Err(Fault::Structure(format!("{tag} stands where an item should"))),
        }
    }

    /// Goes over compressed pixels.
    fn fragments(&mut self) -> Result<(), Fault> {
        loop {
            let header = Header::read(self.bytes, self.encoding)?;
            match header.tag {
                ITEM if header.length != UNDEFINED => {
                    header.require_within(self.end(), self.bytes.at())?;
                    self.bytes.require(header.length.into())?;
                    self.keep(u64::from(header.length) + ELEMENT_BYTES)?;
                    self.bytes.skip(header.length.into())?;
                }
                END_OF_SEQUENCE => return Ok(()),
                tag => return Err(Fault::Structure(format!("{tag} stands within compressed pixels"))),
            }
        }
    }

    /// Counts what the parser will keep.
    fn keep(&mut self, bytes: u64) -> Result<(), Fault> {
        self.unclaimed += bytes;
        if self.unclaimed >= PORTION_BYTES {
            (self.claim)(std::mem::take(&mut self.unclaimed)).map_err(Fault::Memory)?;
        }
        Ok(())
    }
}
