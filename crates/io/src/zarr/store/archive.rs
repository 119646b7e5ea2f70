//! A store that is an archive, `.zip`: a key is the name of an entry.
//!
//! *Specification*: PKWARE, `APPNOTE.TXT` 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 (entries, central directory and its end, with
//! their 64-bit forms); OME-Zarr RFC-9. Stored and deflated entries are read.

use super::{ReadAt, Value};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use flate2::read::DeflateDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const ENTRY: u32 = 0x0403_4b50;
const LISTED_ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const END_64_PLACE: u32 = 0x0706_4b50;
/// Bytes of the end of the list without its comment.
const END_BYTES: usize = 22;
/// A comment has up to 65535 bytes; as many others behind it are looked through.
const MOST_END_BYTES: u64 = 2 * 65_536;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Bytes that are looked at by place.
trait Bytes: Read + Seek + Send {}
impl<T: Read + Seek + Send> Bytes for T {}

/// The list of an archive's entries, and its bytes.
pub(crate) struct Archive<'a> {
    bytes: Mutex<Box<dyn Bytes + 'a>>,
    entries: BTreeMap<String, Entry>,
    /// What all keys begin with, where the archive has one folder that is the store.
    prefix: String,
}

#[derive(Clone, Copy)]
struct Entry {
    method: u16,
    place: u64,
    stored_bytes: u64,
    bytes: u64,
    checksum: u32,
}

impl<'a> Archive<'a> {
    pub fn open(path: &Path, context: &mut Context) -> Result<Self> {
        let fail = IoError::open(path);
        let metadata = path.metadata().map_err(&fail)?;
        if !metadata.is_file() {
            return Err(fail(std::io::Error::other("not a regular file")));
        }
        let file = File::open(path).map_err(&fail)?;
        let metadata = file.metadata().map_err(&fail)?;
        context.files().opened().tell(path, &metadata)?;
        if metadata.len() == 0 {
            return Err(IoError::Empty { path: path.to_owned() });
        }
        Self::of(Box::new(file), metadata.len(), context)
    }

    pub fn of_bytes(bytes: &'a [u8], context: &mut Context) -> Result<Self> {
        Self::of(Box::new(Cursor::new(bytes)), bytes.len() as u64, context)
    }

    fn of(mut bytes: Box<dyn Bytes + 'a>, length: u64, context: &mut Context) -> Result<Self> {
        let (list, list_place) = list(&mut *bytes, length, context)?;
        let entries = entries(&list, list_place, context)?;
        let prefix = prefix(&entries);
        Ok(Self { bytes: Mutex::new(bytes), entries, prefix })
    }

    pub fn value(&self, key: &str, context: &Context) -> Result<Option<Value<'_>>> {
        let key = format!("{}{key}", self.prefix);
        let Some(entry) = self.entries.get(&key) else { return Ok(None) };
        let mut head = [0; 30];
        let mut part = Part { archive: self, place: entry.place };
        part.read_at(0, &mut head).map_err(|_| cut(context))?;
        context.require(word(&head, 0) == ENTRY, &*key, "an entry of the archive", "something else")?;
        let place = entry.place + 30 + u64::from(half(&head, 26)) + u64::from(half(&head, 28));
        part.place = place;
        match entry.method {
            STORED => Ok(Some(Value::new(part, entry.bytes).checked_by(entry.checksum))),
            DEFLATED => {
                context.claim(entry.stored_bytes.saturating_add(entry.bytes))?;
                let mut deflated = vec![0; entry.stored_bytes as usize];
                part.read_at(0, &mut deflated).map_err(|_| cut(context))?;
                let mut whole = Vec::new();
                let inflated = DeflateDecoder::new(&*deflated).take(entry.bytes + 1).read_to_end(&mut whole);
                let is_whole =
                    inflated.is_ok() && whole.len() as u64 == entry.bytes && crc(&whole) == entry.checksum;
                context.require(is_whole, &*key, "an intact entry of the archive", "another one")?;
                Ok(Some(Value::new(Cursor::new(whole), entry.bytes)))
            }
            other => {
                let what = format!("an archive compressed by method {other}");
                Err(context.unsupported(what, "store its entries without compression (zip -0)"))
            }
        }
    }

    pub fn names_below(&self, node: &str) -> Vec<String> {
        let node = if node.is_empty() { self.prefix.clone() } else { format!("{}{node}/", self.prefix) };
        let below = self.entries.range(node.clone()..).take_while(|(key, _)| key.starts_with(&node));
        let names =
            below.filter_map(|(key, _)| key[node.len()..].split_once('/')).map(|(name, _)| name.to_owned());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    }
}

/// Bytes of an archive from a place on.
struct Part<'s, 'a> {
    archive: &'s Archive<'a>,
    place: u64,
}

impl ReadAt for Part<'_, '_> {
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        let mut bytes = self.archive.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.seek(SeekFrom::Start(self.place.saturating_add(place)))?;
        bytes.read_exact(buffer)
    }
}

impl ReadAt for Cursor<Vec<u8>> {
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.set_position(place);
        self.read_exact(buffer)
    }
}

fn cut(context: &Context) -> IoError {
    context.malformed("the archive", "all of its entries", "an end before them (was it copied completely?)")
}

/// The list of all entries, and where it lies.
fn list(bytes: &mut dyn Bytes, length: u64, context: &mut Context) -> Result<(Vec<u8>, u64)> {
    let tail_place = length.saturating_sub(MOST_END_BYTES);
    let tail = taken(bytes, tail_place, length - tail_place, context)?;
    let is_end = |at: &usize| word(&tail, *at) == END && comment_end(&tail, *at).is_some();
    let last = tail.len().checked_sub(END_BYTES);
    let Some(at) = last.and_then(|last| (0..=last).rev().find(is_end)) else {
        let got = "none (is it cut short?)";
        return Err(context.malformed("the archive", "a list of its entries at the end", got));
    };
    let behind = tail.len() - comment_end(&tail, at).unwrap_or(tail.len());
    let end = &tail[at..];
    let (mut size, mut place) = (u64::from(word(end, 12)), u64::from(word(end, 16)));
    if [size, place].contains(&u64::from(u32::MAX)) || half(end, 10) == u16::MAX {
        let end_place = tail_place + at as u64;
        let named = taken(bytes, end_place.checked_sub(20).ok_or_else(|| cut(context))?, 20, context)?;
        if word(&named, 0) == END_64_PLACE {
            let end = taken(bytes, long(&named, 8), 56, context)?;
            context.require(
                word(&end, 0) == END_64,
                "the archive",
                "the end of its list",
                "something else",
            )?;
            (size, place) = (long(&end, 40), long(&end, 48));
        }
    }
    if behind > 0 {
        context.trailing(Some(behind as u64));
    }
    let is_within = place.checked_add(size).is_some_and(|end| end <= length);
    context.require(is_within, "the archive", "a list of entries within it", "one outside")?;
    Ok((taken(bytes, place, size, context)?, place))
}

/// Where the comment of an end ends, if that is within the bytes.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = at + END_BYTES + usize::from(half(bytes, at + 20));
    (end <= bytes.len()).then_some(end)
}

fn taken(bytes: &mut dyn Bytes, place: u64, count: u64, context: &Context) -> Result<Vec<u8>> {
    let mut taken = context.room_for(usize::try_from(count).unwrap_or(usize::MAX))?;
    taken.resize(count as usize, 0);
    bytes
        .seek(SeekFrom::Start(place))
        .and_then(|_| bytes.read_exact(&mut taken))
        .map_err(|_| cut(context))?;
    Ok(taken)
}

/// The entries that a list names; those without content are folders.
fn entries(list: &[u8], list_place: u64, context: &Context) -> Result<BTreeMap<String, Entry>> {
    context.claim((list.len() as u64).saturating_mul(4))?;
    let (mut entries, mut at) = (BTreeMap::new(), 0);
    while at < list.len() {
        let head = list.get(at..at + 46).filter(|head| word(head, 0) == LISTED_ENTRY);
        let head =
            head.ok_or_else(|| context.malformed("the archive", "a list of its entries", "something else"))?;
        let [name, extra, comment] = [28, 30, 32].map(|place| usize::from(half(head, place)));
        let all = list.get(at + 46..at + 46 + name + extra + comment).ok_or_else(|| cut(context))?;
        let long_fields = long_fields(&all[name..name + extra]);
        let mut long_values = long_fields.chunks_exact(8).map(|bytes| long(bytes, 0));
        let mut value = |place: usize| match word(head, place) {
            u32::MAX => long_values.next().unwrap_or(u64::from(u32::MAX)),
            short => u64::from(short),
        };
        let (bytes, stored_bytes, place) = (value(24), value(20), value(42));
        let (flags, method) = (half(head, 8), half(head, 10));
        let name = String::from_utf8_lossy(&all[..name]).into_owned();
        context.support(flags & 1 == 0, "an archive with a password", "write it without one")?;
        let is_within = place.checked_add(stored_bytes).is_some_and(|end| end <= list_place);
        let is_true = is_within && (method != STORED || bytes == stored_bytes);
        context.require(is_true, name.clone(), "an entry within the archive", "one outside")?;
        if !name.ends_with('/') {
            let checksum = word(head, 16);
            entries.insert(name, Entry { method, place, stored_bytes, bytes, checksum });
        }
        at += 46 + all.len();
    }
    Ok(entries)
}

/// The numbers of 64 bits behind an entry.
fn long_fields(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let length = usize::from(half(extra, 2));
        let Some(content) = extra.get(4..4 + length) else { break };
        if half(extra, 0) == 1 {
            return content;
        }
        extra = &extra[4 + length..];
    }
    &[]
}

/// The one folder around everything, where the metadata of the root are not at the top.
fn prefix(entries: &BTreeMap<String, Entry>) -> String {
    const ROOTS: [&str; 4] = ["zarr.json", ".zgroup", ".zarray", ".zattrs"];
    if ROOTS.iter().any(|root| entries.contains_key(*root)) {
        return String::new();
    }
    let first = entries.keys().next().and_then(|key| key.split_once('/'));
    let prefix = first.map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    if entries.keys().all(|key| key.starts_with(&prefix)) { prefix } else { String::new() }
}

pub(super) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
