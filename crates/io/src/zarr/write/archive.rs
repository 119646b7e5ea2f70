//! A store as an archive: entries without compression, since chunks are compressed, the metadata of the root first.
//!
//! *Specification*: PKWARE, `APPNOTE.TXT` 6.3; OME-Zarr RFC-9 (order of the entries, the comment). Numbers of 64 bits where they are
//! needed.

use crate::error::Result;
use crate::write::target::Target;
use crate::write::whole_file;
use std::fs;
use std::io::{Read, Result as IoResult, Write};
use std::path::{Path, PathBuf};

/// Lets a store be written into a hidden folder beside the archive's place, and copies it.
pub(super) fn write(target: &Target, store: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let place = target.place();
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let folder = place.with_file_name(format!(".{name}.parts"));
    store(&folder)?;
    let written = whole_file::write(target, |file| pack(&folder, file));
    fs::remove_dir_all(&folder).map_err(target.fail())?;
    written
}

/// An entry that was written.
struct Packed {
    name: String,
    checksum: u32,
    bytes: u32,
    place: u64,
}

fn pack(folder: &Path, out: &mut impl Write) -> IoResult<()> {
    let mut files = Vec::new();
    list(folder, "", &mut files)?;
    // The root's metadata, those of its arrays, then chunks.
    files.sort_by_key(|(name, _)| (!name.ends_with("zarr.json"), name.matches('/').count(), name.clone()));
    let (mut place, mut entries) = (0u64, Vec::with_capacity(files.len()));
    let mut content = Vec::new();
    for (name, path) in files {
        content.clear();
        fs::File::open(&path)?.read_to_end(&mut content)?;
        let mut crc = flate2::Crc::new();
        crc.update(&content);
        let bytes = u32::try_from(content.len()).map_err(|_| std::io::Error::other("a chunk above 4 GiB"))?;
        let entry = Packed { checksum: crc.sum(), bytes, place, name };
        let head = head(&entry, false);
        out.write_all(&head)?;
        out.write_all(&content)?;
        place += (head.len() + content.len()) as u64;
        entries.push(entry);
    }
    let list: Vec<u8> = entries.iter().flat_map(|entry| head(entry, true)).collect();
    out.write_all(&list)?;
    out.write_all(&end(entries.len() as u64, list.len() as u64, place))
}

/// The files below a folder, by their keys.
fn list(folder: &Path, key: &str, files: &mut Vec<(String, PathBuf)>) -> IoResult<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let key = if key.is_empty() { name } else { format!("{key}/{name}") };
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &key, files)?;
        } else {
            files.push((key, entry.path()));
        }
    }
    Ok(())
}

/// What stands before an entry, or in the list of all.
fn head(entry: &Packed, is_list: bool) -> Vec<u8> {
    const OLD: [u8; 2] = [20, 0];
    const WITH_LONG_NUMBERS: [u8; 2] = [45, 0];
    // The first of January 1980: the same store is the same archive.
    const WHEN: [u8; 4] = [0, 0, 0x21, 0];
    let is_far = is_list && entry.place >= u64::from(u32::MAX);
    let version = if is_far { WITH_LONG_NUMBERS } else { OLD };
    let mut head = if is_list { [&b"PK\x01\x02"[..], &version].concat() } else { b"PK\x03\x04".to_vec() };
    head.extend(version);
    // Names are UTF-8; no compression.
    head.extend([0, 8, 0, 0]);
    head.extend(WHEN);
    for number in [entry.checksum, entry.bytes, entry.bytes] {
        head.extend(number.to_le_bytes());
    }
    head.extend((entry.name.len() as u16).to_le_bytes());
    head.extend(if is_far { [12, 0] } else { [0, 0] });
    if is_list {
        head.extend([0; 10]);
        head.extend(if is_far { [0xff; 4] } else { (entry.place as u32).to_le_bytes() });
    }
    head.extend(entry.name.as_bytes());
    if is_far {
        head.extend([1, 0, 8, 0]);
        head.extend(entry.place.to_le_bytes());
    }
    head
}

/// What stands behind the list of all entries.
fn end(count: u64, bytes: u64, place: u64) -> Vec<u8> {
    const COMMENT: &[u8] = br#"{"ome":{"version":"0.5"}}"#;
    let mut end = Vec::new();
    let is_long = count >= u64::from(u16::MAX) || place + bytes >= u64::from(u32::MAX);
    if is_long {
        end.extend(b"PK\x06\x06");
        end.extend(44u64.to_le_bytes());
        end.extend([45, 0, 45, 0]);
        end.extend([0; 8]);
        for number in [count, count, bytes, place] {
            end.extend(number.to_le_bytes());
        }
        end.extend(b"PK\x06\x07");
        end.extend([0; 4]);
        end.extend((place + bytes).to_le_bytes());
        end.extend(1u32.to_le_bytes());
    }
    end.extend(b"PK\x05\x06");
    end.extend([0; 4]);
    let short_count = u16::try_from(count).unwrap_or(u16::MAX);
    let [bytes, place] = [bytes, place].map(|n| if is_long { u32::MAX } else { n as u32 });
    end.extend(short_count.to_le_bytes());
    end.extend(short_count.to_le_bytes());
    end.extend(bytes.to_le_bytes());
    end.extend(place.to_le_bytes());
    end.extend((COMMENT.len() as u16).to_le_bytes());
    end.extend(COMMENT);
    end
}
