//! The elements of a DICOM file, walked over before they are parsed: the parser makes room for every length that is declared.
//!
//! *Specification*: DICOM PS3.10, section 7.1, for the file; PS3.5, chapter 7 and sections A.4 and A.5, for its elements.

use super::bytes::Bytes;
use crate::error::{IoError, Result};
use dicom_core::header::{DataElementHeader, Length};
use dicom_core::{Tag, VR};
use dicom_dictionary_std::tags::{FILE_META_INFORMATION_GROUP_LENGTH, PIXEL_DATA, TRANSFER_SYNTAX_UID};
use dicom_dictionary_std::uids::{
    DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN, IMPLICIT_VR_LITTLE_ENDIAN, JPIP_REFERENCED_DEFLATE,
    JPIPHTJ2K_REFERENCED_DEFLATE,
};
use dicom_encoding::decode::explicit_be::ExplicitVRBigEndianDecoder;
use dicom_encoding::decode::explicit_le::ExplicitVRLittleEndianDecoder;
use dicom_encoding::decode::implicit_le::StandardImplicitVRLittleEndianDecoder;
use dicom_encoding::decode::{self, Decode};
use std::error::Error;
use std::io::{ErrorKind, Read, Seek};

const PREAMBLE: usize = 128;
const MAGIC: &[u8] = b"DICM";
/// Retired, and in files all the same.
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";
const DEFLATED: [&str; 3] =
    [DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN, JPIP_REFERENCED_DEFLATE, JPIPHTJ2K_REFERENCED_DEFLATE];
const ITEM: Tag = Tag(0xFFFE, 0xE000);
const END_OF_ITEM: Tag = Tag(0xFFFE, 0xE00D);
const END_OF_SEQUENCE: Tag = Tag(0xFFFE, 0xE0DD);
const FILE_GROUP: u16 = 0x0002;
/// Why a file is not parsed that only lacks the length of its first group.
const NO_GROUP_LENGTH: &str = "its first group has no length";
/// A UID has 64 characters at the most.
const MOST_UID_BYTES: u32 = 64;
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

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Structure(match error.kind() {
            ErrorKind::UnexpectedEof => "it is cut short".to_owned(),
            _ => error.to_string(),
        })
    }
}

impl From<decode::Error> for Fault {
    fn from(error: decode::Error) -> Self {
        let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
        let kind = source.map_or(ErrorKind::InvalidData, std::io::Error::kind);
        std::io::Error::new(kind, error).into()
    }
}

fn refuse<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Structure(what.into()))
}

/// Claims memory.
pub(super) type ClaimBytes<'a> = &'a mut dyn FnMut(u64) -> Result<()>;

/// Reads the header of an element, an item or a delimiter; how many bytes that has.
type DecodeHeader = fn(&mut dyn Read) -> Result<(DataElementHeader, usize), decode::Error>;

const EXPLICIT: DecodeHeader = |bytes| ExplicitVRLittleEndianDecoder::default().decode_header(bytes);

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
    let mut start = Vec::new();
    reader.take((PREAMBLE + MAGIC.len()) as u64).read_to_end(&mut start)?;
    let begin = match start.get(PREAMBLE..) {
        Some(MAGIC) => PREAMBLE + MAGIC.len(),
        _ if start.starts_with(MAGIC) => MAGIC.len(),
        _ => return refuse("it does not begin as a DICOM file does"),
    };
    reader.seek_relative(begin as i64 - start.len() as i64)?;
    let mut bytes = Bytes::of_file(reader, begin as u64, length);
    let syntax = transfer_syntax(&mut bytes)?;
    let decode: DecodeHeader = match syntax.as_str() {
        IMPLICIT_VR_LITTLE_ENDIAN => {
            |bytes| StandardImplicitVRLittleEndianDecoder::default().decode_header(bytes)
        }
        BIG_ENDIAN => |bytes| ExplicitVRBigEndianDecoder::default().decode_header(bytes),
        _ => EXPLICIT,
    };
    let before = bytes.at();
    if DEFLATED.contains(&syntax.as_str()) {
        // What lies behind the elements cannot be cut off here.
        let (_, behind) = Walk::new(&mut Bytes::inflated(bytes), decode, claim).data_set()?;
        return behind.map_or(Ok(length), Err);
    }
    let (data_set_length, _) = Walk::new(&mut bytes, decode, claim).data_set()?;
    Ok(before + data_set_length)
}

/// The UID of the transfer syntax out of the group of elements that every file begins with.
fn transfer_syntax<R: Read>(bytes: &mut Bytes<R>) -> Result<String, Fault> {
    let first = header(bytes, EXPLICIT)?;
    if first.tag != FILE_META_INFORMATION_GROUP_LENGTH && first.tag.group() == FILE_GROUP {
        return refuse(NO_GROUP_LENGTH);
    }
    if (first.tag, first.len.0) != (FILE_META_INFORMATION_GROUP_LENGTH, 4) {
        return refuse("its first element is not the length of its first group");
    }
    let mut group_length = [0; 4];
    bytes.read_exact(&mut group_length)?;
    let end = bytes.at() + u64::from(u32::from_le_bytes(group_length));
    let mut syntax = Vec::new();
    while bytes.at() < end {
        let DataElementHeader { tag, len: Length(length), .. } = header(bytes, EXPLICIT)?;
        if tag != TRANSFER_SYNTAX_UID {
            bytes.skip(length.into())?;
            continue;
        }
        if length > MOST_UID_BYTES {
            return refuse(format!("the UID of its transfer syntax has {length} bytes"));
        }
        syntax = vec![0; length as usize];
        bytes.read_exact(&mut syntax)?;
    }
    // As the parser trims it: read in another encoding, elements would have lengths that nobody has checked.
    let text = String::from_utf8_lossy(&syntax);
    let uid = text.trim_end_matches(|c: char| c.is_ascii() && (c.is_whitespace() || c == '\0'));
    if uid.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'.') {
        return refuse(format!("the UID of its transfer syntax is {uid:?}"));
    }
    Ok(uid.to_owned())
}

/// What a file that lacks the length of its first group should begin with: preamble, magic, and that length; and how many of the file's
/// own bytes that stands for. None where the group does not end within the first bytes.
pub(super) fn mended_start(start: &[u8]) -> Option<(Vec<u8>, usize)> {
    let begin = if start.get(PREAMBLE..)?.starts_with(MAGIC) { PREAMBLE + MAGIC.len() } else { MAGIC.len() };
    let mut at = begin;
    while start.get(at..at + 2)? == FILE_GROUP.to_le_bytes() {
        let mut rest = start.get(at..)?;
        let (header, bytes) = ExplicitVRLittleEndianDecoder::default().decode_header(&mut rest).ok()?;
        at = at.checked_add(bytes)?.checked_add(header.len.get()? as usize)?;
    }
    let length = u32::try_from(at - begin).ok()?.to_le_bytes();
    let mut mended = vec![0; PREAMBLE];
    mended.extend([MAGIC, b"\x02\0\0\0UL\x04\0", &length].concat());
    Some((mended, begin))
}

/// The header that must be there.
fn header<R: Read>(bytes: &mut Bytes<R>, decode: DecodeHeader) -> Result<DataElementHeader, Fault> {
    header_or_end(bytes, decode)?.ok_or_else(|| std::io::Error::from(ErrorKind::UnexpectedEof).into())
}

/// Reads a header; none at the end of the bytes.
fn header_or_end<R: Read>(
    bytes: &mut Bytes<R>,
    decode: DecodeHeader,
) -> Result<Option<DataElementHeader>, Fault> {
    let mut first = [0];
    if std::io::copy(&mut bytes.by_ref().take(1), &mut &mut first[..])? == 0 {
        return Ok(None);
    }
    let (header, _) = decode(&mut first.as_slice().chain(bytes))?;
    Ok(Some(header))
}

/// Bytes of one value, for numbers; 1 for everything else.
fn value_bytes(vr: VR) -> u64 {
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

/// A sequence or an item that elements lie in.
#[derive(Debug, Clone, Copy)]
struct Level {
    is_item: bool,
    /// Where its length tells that it ends.
    end: Option<u64>,
}

struct Walk<'a, R> {
    bytes: &'a mut Bytes<R>,
    begin: u64,
    decode: DecodeHeader,
    levels: Vec<Level>,
    claim: ClaimBytes<'a>,
    unclaimed: u64,
}

impl<'a, R: Read> Walk<'a, R> {
    fn new(bytes: &'a mut Bytes<R>, decode: DecodeHeader, claim: ClaimBytes<'a>) -> Self {
        Self { begin: bytes.at(), bytes, decode, levels: Vec::new(), claim, unclaimed: 0 }
    }

    /// Walks to the end; how many bytes are elements, and what is wrong with those behind: what follows the pixels and is
    /// no element of a higher tag does not count.
    fn data_set(&mut self) -> Result<(u64, Option<Fault>), Fault> {
        let (mut last, mut content) = (Tag(0, 0), 0);
        let behind = loop {
            match self.element_of_the_root(last) {
                Ok(Some(tag)) => (last, content) = (tag, self.bytes.at() - self.begin),
                Ok(None) => break None,
                Err(fault @ Fault::Structure(_)) if last >= PIXEL_DATA => break Some(fault),
                Err(fault) => return Err(fault),
            }
        };
        (self.claim)(std::mem::take(&mut self.unclaimed)).map_err(Fault::Memory)?;
        Ok((content, behind))
    }

    /// Walks over an element with all that lies in it.
    fn element_of_the_root(&mut self, last: Tag) -> Result<Option<Tag>, Fault> {
        let Some(header) = header_or_end(self.bytes, self.decode)? else { return Ok(None) };
        if last >= PIXEL_DATA && header.tag <= last {
            return refuse(format!("element {} follows the pixels", header.tag));
        }
        // Some programs end a file as if it were an item.
        if header.tag == END_OF_ITEM {
            return Ok(Some(last));
        }
        self.element(header)?;
        self.leave();
        while let Some(level) = self.levels.last() {
            if level.is_item {
                self.element_of_an_item()?
            } else {
                self.item()?
            }
            self.leave();
        }
        Ok(Some(header.tag))
    }

    /// Leaves whatever ends here by its length.
    fn leave(&mut self) {
        while self.levels.last().is_some_and(|level| level.end == Some(self.bytes.at())) {
            self.levels.pop();
        }
    }

    fn enter(&mut self, length: Length, is_item: bool) -> Result<(), Fault> {
        if self.levels.len() >= MOST_LEVELS {
            return refuse(format!("more than {MOST_LEVELS} sequences and items in each other"));
        }
        self.bytes.require(length.get().unwrap_or(0).into())?;
        let end = length.get().map(|length| self.bytes.at() + u64::from(length));
        self.levels.push(Level { is_item, end });
        Ok(())
    }

    /// That a value, which begins here, ends where the innermost level with an end does, or before.
    fn require_within(&self, header: DataElementHeader) -> Result<(), Fault> {
        let (tag, Length(length)) = (header.tag, header.len);
        match self.levels.iter().rev().find_map(|level| level.end) {
            Some(end) if self.bytes.at() + u64::from(length) > end => {
                let left = end.saturating_sub(self.bytes.at());
                refuse(format!("element {tag} declares {length} bytes, where {left} are left"))
            }
            _ => Ok(()),
        }
    }

    /// Goes into a sequence, or over everything else.
    fn element(&mut self, header: DataElementHeader) -> Result<(), Fault> {
        let DataElementHeader { tag, vr, len } = header;
        if tag.group() == ITEM.group() {
            return refuse(format!("delimiter {tag} stands where an element should"));
        }
        self.keep(ELEMENT_BYTES)?;
        // The type goes before the tag, as it does for the parser.
        if tag == PIXEL_DATA && vr != VR::SQ && len.is_undefined() {
            return self.fragments();
        }
        if len.is_defined() {
            self.require_within(header)?;
        }
        if len.is_undefined() || vr == VR::SQ {
            return self.enter(len, false);
        }
        let length = u64::from(len.0);
        self.bytes.require(length)?;
        // The parser would go over whole values alone, and take the rest for the next element.
        if !length.is_multiple_of(value_bytes(vr)) {
            let vr = vr.to_string();
            return refuse(format!(
                "element {tag} of type {vr} has {length} bytes, which are no whole values"
            ));
        }
        self.keep(if is_list_of_texts(vr) { length * TEXT_FACTOR } else { length })?;
        Ok(self.bytes.skip(length)?)
    }

    /// Goes over an element of an item, or out of the item.
    fn element_of_an_item(&mut self) -> Result<(), Fault> {
        let header = header(self.bytes, self.decode)?;
        if header.tag != END_OF_ITEM {
            return self.element(header);
        }
        self.levels.pop();
        Ok(())
    }

    /// Goes into an item, or out of its sequence.
    fn item(&mut self) -> Result<(), Fault> {
        let header = header(self.bytes, self.decode)?;
        match header.tag {
            ITEM => {
                self.keep(ITEM_BYTES)?;
                if header.len.is_defined() {
                    self.require_within(header)?;
                }
                self.enter(header.len, true)
            }
            END_OF_SEQUENCE => {
                self.levels.pop();
                Ok(())
            }
            tag => refuse(format!("{tag} stands where an item should")),
        }
    }

    /// Goes over compressed pixels.
    fn fragments(&mut self) -> Result<(), Fault> {
        loop {
            let header = header(self.bytes, self.decode)?;
            match header.tag {
                ITEM if header.len.is_defined() => {
                    self.require_within(header)?;
                    let length = header.len.0.into();
                    self.bytes.require(length)?;
                    self.keep(length + ELEMENT_BYTES)?;
                    self.bytes.skip(length)?;
                }
                END_OF_SEQUENCE => return Ok(()),
                tag => return refuse(format!("{tag} stands within compressed pixels")),
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
