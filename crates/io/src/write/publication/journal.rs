//! The list of all moves of a publication, which the disk has before the first of them.
//!
//! It lies in the first staging folder; those on other places hold its path, so that a run that finds one of them finds all.

use super::staging::{Staging, is_own, is_staging};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Result, Write};
use std::path::{Component, Path, PathBuf};

/// The moves of one publication.
#[derive(Debug)]
pub(super) struct Journal {
    /// One a staging folder; the first holds the journal.
    pub parts: Vec<Part>,
}

/// The moves out of one staging folder.
#[derive(Debug)]
pub(super) struct Part {
    /// The staging folder, which need not be there any more.
    pub staging: PathBuf,
    /// The folder that the outputs move to.
    pub root: PathBuf,
    /// Folders that are made for them, relative to `root`, outer ones first.
    pub folders: Vec<PathBuf>,
    /// The files in their order.
    pub files: Vec<Move>,
}

/// A file that gets its name.
#[derive(Debug)]
pub(super) struct Move {
    /// Its path relative to the folder that it moves to.
    pub name: PathBuf,
    /// Whether there is a file of that name, which is replaced.
    pub replaces: bool,
}

const FIRST_LINE: &str = "veloxel moves 1";
const ELSEWHERE: &str = "veloxel moves elsewhere ";
const LAST_LINE: &str = "end";

impl Part {
    /// Where a file waits.
    pub fn staged(&self, name: &Path) -> PathBuf {
        self.staging.join("new").join(name)
    }
    /// The second name of the file that is replaced.
    pub fn earlier(&self, name: &Path) -> PathBuf {
        self.staging.join("earlier").join(name)
    }
}

impl Journal {
    /// The moves of everything that waits in these staging folders.
    pub fn of(stagings: &[&Staging]) -> Result<Self> {
        let part = |staging: &&Staging| {
            let (content, root) = (staging.content()?, staging.root().to_owned());
            let folders = content.folders.into_iter().filter(|name| !root.join(name).is_dir()).collect();
            let files = content.files.into_iter().map(|name| {
                let replaces = root.join(&name).symlink_metadata().is_ok();
                Move { name, replaces }
            });
            Ok(Part { staging: staging.path().to_owned(), files: files.collect(), folders, root })
        };
        Ok(Self { parts: stagings.iter().map(part).collect::<Result<_>>()? })
    }

    /// Writes it; once this returns, the moves are decided.
    pub fn write(&self) -> Result<()> {
        let [first, others @ ..] = &self.parts[..] else { return Ok(()) };
        for part in others {
            write_through(
                &part.staging.join("journal"),
                &format!("{ELSEWHERE}{}\n", escaped(&first.staging)),
            )?;
        }
        let mut text = format!("{FIRST_LINE}\n");
        for part in &self.parts {
            text += &format!("at {}\n", escaped(&part.staging));
            for name in &part.folders {
                text += &format!("folder {}\n", escaped(name));
            }
            for Move { name, replaces } in &part.files {
                text += &format!("{} {}\n", if *replaces { "over" } else { "file" }, escaped(name));
            }
        }
        write_through(&first.staging.join("journal"), &format!("{text}{LAST_LINE}\n"))
    }

    /// Decides otherwise: the moves are to be taken back.
    pub fn revoke(&self) -> Result<()> {
        write_through(&self.parts[0].staging.join("revoked"), "")
    }

    /// Whether the moves are to be taken back.
    pub fn is_revoked(&self) -> bool {
        self.parts[0].staging.join("revoked").exists()
    }

    /// The journal of a staging folder; none if its moves were not decided.
    pub fn read(staging: &Path) -> Option<Self> {
        let text = fs::read_to_string(staging.join("journal")).ok()?;
        let Some(first) = text.strip_prefix(ELSEWHERE) else { return Self::parse(&text) };
        let first = unescaped(first.trim_end()).filter(|first| is_staging(first) && is_own(first))?;
        let journal = Self::parse(&fs::read_to_string(first.join("journal")).ok()?)?;
        journal.parts.iter().any(|part| part.staging == staging).then_some(journal)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix(&format!("{LAST_LINE}\n"))?.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let mut parts: Vec<Part> = Vec::new();
        for line in lines {
            let (what, path) = line.split_once(' ')?;
            let path = unescaped(path)?;
            match (what, parts.last_mut()) {
                ("at", _) if path.is_absolute() && is_staging(&path) => {
                    let root = path.parent()?.to_owned();
                    parts.push(Part { staging: path, root, folders: Vec::new(), files: Vec::new() });
                }
                // A name leads nowhere but into the folder of its part.
                ("folder" | "file" | "over", Some(_)) if !is_plain(&path) => return None,
                ("folder", Some(part)) => part.folders.push(path),
                ("file" | "over", Some(part)) => {
                    part.files.push(Move { name: path, replaces: what == "over" });
                }
                _ => return None,
            }
        }
        (!parts.is_empty()).then_some(Self { parts })
    }
}

/// Whether a path leads downwards alone.
fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Writes a small file that is there whole, on the disk, or not at all.
fn write_through(path: &Path, text: &str) -> Result<()> {
    let hidden = path.with_extension("writing");
    let mut file = File::create(&hidden)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&hidden, path)?;
    sync_folder(path.parent().unwrap_or(path));
    Ok(())
}

/// Makes the names in a folder durable, where the system has a word for it.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// A path as one line of text: bytes outside of printable ASCII, and `%`, as `%` and two hexadecimal digits.
fn escaped(path: &Path) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'%';
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|&b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02x}") }).collect()
}

/// The path of a line; none if the line is not one.
fn unescaped(line: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    os_string(bytes).map(PathBuf::from)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).map(OsString::from).ok()
}
