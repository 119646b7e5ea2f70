//! Parts of an output that is too large to be made at once, kept in a hidden folder beside it: a run that was ended in between, by
//! whatever, goes on with those that are whole.
//!
//! A part is a file of planes of 32-bit floats, little-endian, which appears under its name when it is whole; it counts once a line of
//! the ledger says so, and the ledger's first line says what all parts are of.

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::write::append_log::AppendLog;
use crate::write::part_files::{BLOCK_BYTES, blocks_of, read_part, whole_part, write_part};
use crate::write::parts_folder::{LEDGER, UNFINISHED, remove_empty};
use crate::write::pending::PartsFolder;
use crate::write::target::Target;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use veloxel_core::GridBox;

/// Parts of an output, in a folder that this process alone has as long as this lives. Dropped without a part, it leaves no folder.
#[derive(Debug)]
pub struct KeptParts {
    folder: PathBuf,
    target: Target,
    log: AppendLog,
    head: Option<String>,
    /// The notes of whole parts, by their names.
    notes: HashMap<String, String>,
    /// Whether the folder stays without a part, for other processes that keep theirs in it.
    is_left_open: bool,
}

impl Drop for KeptParts {
    fn drop(&mut self) {
        if self.notes.is_empty() && !self.is_left_open {
            self.list(None);
            remove_empty(&self.folder);
        }
    }
}

impl KeptParts {
    /// Opens the parts of an output, or begins them.
    ///
    /// # Errors
    /// [`IoError::Busy`] while another run keeps parts of the same output; [`IoError::Write`]; as [`AppendLog::open`].
    pub fn open(target: impl Into<Target>) -> Result<Self> {
        let target = target.into();
        let folder = folder_of(target.path());
        fs::create_dir_all(&folder).map_err(target.fail())?;
        let (log, lines) = AppendLog::open(&folder.join(LEDGER))?;
        let mut lines = lines.into_iter();
        let head = lines.next();
        let mut notes = HashMap::new();
        for line in lines {
            add_note(&mut notes, &folder, &line);
        }
        let mut parts = Self { folder, target, log, head, notes, is_left_open: false };
        parts.adopt()?;
        let holds = if parts.notes.is_empty() { PartsFolder::Empty } else { PartsFolder::Kept };
        parts.list(Some(holds));
        Ok(parts)
    }

    /// Leaves the folder to other processes, even without a part: they keep theirs in it.
    pub fn leave_open(&mut self) {
        self.is_left_open = true;
        self.list(Some(PartsFolder::Kept));
    }

    fn list(&self, holds: Option<PartsFolder>) {
        self.target.files().pending().list_parts(&self.folder, holds);
    }

    /// Takes parts into the ledger that other processes kept beside it.
    fn adopt(&mut self) -> Result<()> {
        let entries = fs::read_dir(&self.folder).map_err(self.target.fail())?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut noted: Vec<String> =
            names.filter_map(|name| name.strip_suffix(NOTE).map(str::to_owned)).collect();
        noted.sort();
        for name in noted {
            let path = self.folder.join(format!("{name}{NOTE}"));
            let Ok(note) = fs::read_to_string(&path) else { continue };
            if !self.notes.contains_key(&name) && self.folder.join(&name).is_file() {
                self.log.append(&format!("{name}\t{note}"))?;
                self.notes.insert(name, note);
            }
            fs::remove_file(&path).map_err(self.target.fail())?;
        }
        Ok(())
    }

    /// All samples of a part.
    ///
    /// # Errors
    /// [`IoError::Open`], [`IoError::Read`].
    pub fn whole(&self, name: &str) -> Result<Vec<f32>> {
        whole_part(&self.folder.join(name))
    }

    /// What the parts are of; none of parts that have just begun.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// The folder that they are in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many are whole.
    pub fn count(&self) -> usize {
        self.notes.len()
    }

    /// Says what the parts are of: one line.
    ///
    /// # Errors
    /// [`IoError::Write`].
    pub fn begin(&mut self, head: &str) -> Result<()> {
        self.log.append(head)?;
        self.head = Some(head.to_owned());
        Ok(())
    }

    /// What was noted of a part that is whole.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// Keeps a part, a plane of samples after the other; the disk has it when this returns. The note is one line.
    ///
    /// # Errors
    /// [`IoError::Write`], [`IoError::Stopped`].
    pub fn put(&mut self, name: &str, planes: &[Vec<f32>], note: &str) -> Result<()> {
        write_part(&self.folder, &self.target, [name, UNFINISHED], blocks_of(planes))
            .map_err(self.target.fail())?;
        self.log.append(&format!("{name}\t{note}"))?;
        self.notes.insert(name.to_owned(), note.to_owned());
        self.list(Some(PartsFolder::Kept));
        Ok(())
    }

    /// Keeps a part of whole numbers, as [`put`](Self::put) keeps samples; one of this name is replaced.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn put_words(&mut self, name: &str, words: &[u64]) -> Result<()> {
        let blocks = words.chunks(BLOCK_BYTES / size_of::<u64>());
        let blocks = blocks.map(|block| block.iter().flat_map(|word| word.to_le_bytes()).collect());
        write_part(&self.folder, &self.target, [name, UNFINISHED], blocks).map_err(self.target.fail())?;
        if !self.notes.contains_key(name) {
            self.log.append(&format!("{name}\t"))?;
            self.notes.insert(name.to_owned(), String::new());
            self.list(Some(PartsFolder::Kept));
        }
        Ok(())
    }

    /// The whole numbers of a part; none where none is kept.
    ///
    /// # Errors
    /// [`IoError::Open`].
    pub fn words(&self, name: &str) -> Result<Option<Vec<u64>>> {
        if self.note(name).is_none() {
            return Ok(None);
        }
        let path = self.folder.join(name);
        let bytes = fs::read(&path).map_err(|source| IoError::Open { path, source })?;
        Ok(Some(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()))
    }

    /// The samples of a box in the first planes of a part, whose planes have so many voxels along x, y and z, in the memory of `planes`.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::Read`], also of a part that is shorter; [`IoError::Stopped`].
    pub fn read(&self, name: &str, planes: &mut [Vec<f32>], size: [usize; 3], part: GridBox) -> Result<()> {
        read_part(&self.folder.join(name), planes, size, part, &self.target)
    }

    /// Removes all parts: their output has its name.
    ///
    /// # Errors
    /// [`IoError::Write`].
    pub fn remove(self) -> Result<()> {
        let (folder, target) = (self.folder.clone(), self.target.clone());
        // A system may keep files that are open.
        drop(self);
        target.files().pending().list_parts(&folder, None);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(target.fail()(error)),
            _ => Ok(()),
        }
    }
}

/// Parts that other processes keep for one that has them all in the end: beside its ledger, which they look at.
#[derive(Debug)]
pub struct PartsBeside {
    folder: PathBuf,
    target: Target,
    head: Option<String>,
    notes: HashMap<String, String>,
}

impl PartsBeside {
    /// Looks at the parts of an output; what is kept from here on by others is not seen.
    ///
    /// # Errors
    /// [`IoError::Open`] where nothing has begun, [`IoError::Read`].
    pub fn open(target: impl Into<Target>) -> Result<Self> {
        let target = target.into();
        let folder = folder_of(target.path());
        let ledger = folder.join(LEDGER);
        let text = fs::read(&ledger).map_err(|source| IoError::Open { path: ledger, source })?;
        let text = String::from_utf8_lossy(&text);
        // A line counts once its line break is there.
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let head = lines.next().map(str::to_owned);
        let mut notes = HashMap::new();
        lines.for_each(|line| add_note(&mut notes, &folder, line));
        Ok(Self { folder, target, head, notes })
    }

    /// What the parts are of; none where nothing was said yet.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// The folder that they are in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was noted of a part that is whole, in the ledger or beside it.
    pub fn note(&self, name: &str) -> Option<String> {
        let beside = || {
            let note = fs::read_to_string(self.folder.join(format!("{name}{NOTE}"))).ok()?;
            self.folder.join(name).is_file().then_some(note)
        };
        self.notes.get(name).cloned().or_else(beside)
    }

    /// Keeps a part beside the ledger, which takes it when it is opened; the disk has it when this returns.
    ///
    /// # Errors
    /// As [`KeptParts::put`].
    pub fn put(&self, name: &str, planes: &[Vec<f32>], note: &str) -> Result<()> {
        // Another process may be at the same part, whose bytes are the same.
        let own = format!("{name}.{}.{UNFINISHED}", std::process::id());
        let write = || -> std::io::Result<()> {
            write_part(&self.folder, &self.target, [name, &own], blocks_of(planes))?;
            let (place, path) = (self.folder.join(&own), self.folder.join(format!("{name}{NOTE}")));
            let mut file = File::create(&place)?;
            file.write_all(note.as_bytes())?;
            file.sync_data()?;
            fs::rename(&place, path)
        };
        write().map_err(self.target.fail())
    }

    /// All samples of a part, from the first plane to the last.
    ///
    /// # Errors
    /// As [`KeptParts::whole`].
    pub fn whole(&self, name: &str) -> Result<Vec<f32>> {
        whole_part(&self.folder.join(name))
    }
}

/// The ending of a note beside a part, as long as no ledger has it.
pub(crate) const NOTE: &str = ".note";

fn add_note(notes: &mut HashMap<String, String>, folder: &Path, line: &str) {
    let Some((name, note)) = line.split_once('\t') else { return };
    // A disk may have lost what a machine without power had written.
    if folder.join(name).is_file() {
        notes.insert(name.to_owned(), note.to_owned());
    }
}

/// The name of the hidden folder beside an output.
pub(crate) fn hidden_name(path: &Path) -> String {
    format!(".{}.tiles", path.file_name().unwrap_or_default().to_string_lossy())
}

/// The hidden folder beside an output; of one at an address in the current folder.
fn folder_of(path: &Path) -> PathBuf {
    let hidden = hidden_name(path);
    if is_store_address(path) { hidden.into() } else { path.with_file_name(hidden) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(first: f32) -> Vec<Vec<f32>> {
        (0..2).map(|plane| (0..60).map(|i| first + (100 * plane + i) as f32).collect()).collect()
    }

    #[test]
    fn a_run_that_ends_before_its_first_part_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("field.ome.zarr");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let begun = |output: &Path| {
            let mut parts = KeptParts::open(output).unwrap();
            parts.begin("of these images").unwrap();
            fs::write(parts.folder().join(UNFINISHED), b"half").unwrap();
            parts
        };
        drop(begun(&output));
        assert_eq!(names(), 0, "without a part");
        // What ends at once leaves as little.
        let files = crate::Files::default();
        let mut parts = KeptParts::open(files.target(&output)).unwrap();
        parts.begin("of these images").unwrap();
        assert_eq!(files.pending().kept(), [] as [PathBuf; 0]);
        files.pending().remove_all();
        assert_eq!(names(), 0, "at once");
        std::mem::forget(parts);
        // Other processes keep theirs in it.
        let mut parts = begun(&output);
        parts.leave_open();
        drop(parts);
        PartsBeside::open(&output).unwrap().put("a", &planes(0.0), "first").unwrap();
        // Another run that begins and ends loses none of them.
        drop(KeptParts::open(&output).unwrap());
        let parts = KeptParts::open(&output).unwrap();
        assert_eq!((parts.head(), parts.note("a")), (Some("of these images"), Some("first")));
        parts.remove().unwrap();
        assert_eq!(names(), 0);
    }

    #[test]
    fn parts_come_back_in_boxes_and_survive_the_end_of_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("field.ome.zarr");
        let mut parts = KeptParts::open(&output).unwrap();
        assert_eq!((parts.head(), parts.count()), (None, 0));
        parts.begin("of these images").unwrap();
        parts.put("a", &planes(0.0), "first").unwrap();
        parts.put("b", &planes(0.5), "second").unwrap();
        assert!(matches!(KeptParts::open(&output), Err(IoError::Busy { .. })));
        drop(parts);
        // Ended in the middle of a part, and of a line; another part was lost.
        let hidden = folder.path().join(".field.ome.zarr.tiles");
        fs::write(hidden.join(UNFINISHED), b"half").unwrap();
        fs::remove_file(hidden.join("a")).unwrap();
        let mut ledger = fs::read(hidden.join(LEDGER)).unwrap();
        ledger.extend(b"c\tthi");
        fs::write(hidden.join(LEDGER), ledger).unwrap();
        let mut parts = KeptParts::open(&output).unwrap();
        assert_eq!(parts.head(), Some("of these images"));
        assert_eq!((parts.note("a"), parts.note("b"), parts.note("c")), (None, Some("second"), None));
        parts.put("a", &planes(0.0), "again").unwrap();
        for words in [vec![1, u64::MAX], vec![7; 20_000]] {
            parts.put_words("sums", &words).unwrap();
            assert_eq!(parts.words("sums").unwrap(), Some(words));
        }
        assert_eq!(parts.words("none").unwrap(), None);
        let part = GridBox { begin: [1, 2, 1], size: [3, 2, 2] };
        let mut found = vec![vec![7.0; 90], Vec::new()];
        parts.read("a", &mut found, [5, 4, 3], part).unwrap();
        let own: Vec<Vec<f32>> = planes(0.0).iter().map(|plane| part.of(plane, [5, 4, 3])).collect();
        assert_eq!(found, own);
        // Another process keeps one beside the ledger, which the next one that opens it takes over.
        let beside = PartsBeside::open(&output).unwrap();
        assert_eq!((beside.head(), beside.note("c")), (Some("of these images"), None));
        beside.put("c", &planes(2.0), "third").unwrap();
        assert_eq!(PartsBeside::open(&output).unwrap().note("c").as_deref(), Some("third"));
        drop(parts);
        let parts = KeptParts::open(&output).unwrap();
        assert_eq!((parts.note("c"), parts.count()), (Some("third"), 4));
        assert_eq!(parts.words("sums").unwrap(), Some(vec![7; 20_000]));
        assert_eq!(parts.whole("c").unwrap(), planes(2.0).concat());
        assert!(!hidden.join("c.note").exists());
        parts.remove().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
