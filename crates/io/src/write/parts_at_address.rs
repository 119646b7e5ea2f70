//! Parts of an output at an address, kept as objects beside it: processes that share nothing but the address find each other's.
//!
//! *Objects*, in `.NAME.tiles` beside the store: `head`, which says what all parts are of; a part under its name, planes of 32-bit floats,
//! little-endian; and its note, under that name and `.note`, once the server has the part. A part counts when its note is there.
//! *Limits*: nothing keeps two runs apart; where both are of one thing, their parts have the same bytes. A part is sent and fetched as a
//! whole, and read in boxes from a copy in a folder for temporary files, which is removed when this is dropped.

use crate::error::{IoError, Result};
use crate::write::kept_parts::{NOTE, hidden_name};
use crate::write::part_files::{blocks_of, read_part, samples_of};
use crate::write::pending::Listed;
use crate::write::target::Target;
use crate::zarr::store::PartObjects;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;
use veloxel_core::GridBox;

/// The object that says what all parts are of.
const HEAD: &str = "head";

/// Parts of an output at an address.
#[derive(Debug)]
pub struct PartsAtAddress {
    objects: PartObjects,
    target: Target,
    /// Names of parts that were asked for or kept here: what is removed in the end.
    names: Mutex<BTreeSet<String>>,
    copies: Mutex<Option<Copies>>,
}

/// A folder with copies of parts.
#[derive(Debug)]
struct Copies {
    // Dropped in this order: what is there is listed.
    folder: TempDir,
    _listed: Listed,
}

impl PartsAtAddress {
    /// The parts of an output; nothing is asked yet.
    ///
    /// # Errors
    /// [`IoError::Write`] for an output that is no whole store at an address; [`IoError::Unsupported`] for an address with a password.
    pub fn of(target: impl Into<Target>) -> Result<Self> {
        let target = target.into();
        let objects =
            PartObjects::beside(target.path(), &hidden_name(target.path()), target.files().control())?;
        Ok(Self { objects, target, names: Mutex::default(), copies: Mutex::default() })
    }

    /// The address of the folder that they are in.
    pub fn folder(&self) -> &Path {
        self.objects.place()
    }

    /// What the parts are of; none where nothing has begun.
    ///
    /// # Errors
    /// [`IoError::Open`] with what the server says, [`IoError::Stopped`].
    pub fn head(&self) -> Result<Option<String>> {
        self.text(HEAD)
    }

    /// Says what the parts are of.
    ///
    /// # Errors
    /// [`IoError::Write`] with what the server says, [`IoError::Stopped`].
    pub fn begin(&self, head: &str) -> Result<()> {
        self.objects.put(HEAD, head.into()).map_err(self.target.fail())
    }

    /// What was noted of a part that is whole.
    ///
    /// # Errors
    /// As [`head`](Self::head).
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        self.remember(name);
        self.text(&format!("{name}{NOTE}"))
    }

    /// Keeps a part, a plane of samples after the other, then its note.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn put(&self, name: &str, planes: &[Vec<f32>], note: &str) -> Result<()> {
        self.remember(name);
        let bytes = blocks_of(planes).flatten().collect();
        let put = self.objects.put(name, bytes);
        put.and_then(|()| self.objects.put(&format!("{name}{NOTE}"), note.into())).map_err(self.target.fail())
    }

    /// All samples of a part, from the first plane to the last.
    ///
    /// # Errors
    /// [`IoError::Open`], also of a part that is not there; [`IoError::Stopped`].
    pub fn whole(&self, name: &str) -> Result<Vec<f32>> {
        Ok(samples_of(&self.fetched(name)?).collect())
    }

    /// The samples of a box in every plane of a part whose planes have so many voxels along x, y and z.
    ///
    /// # Errors
    /// As [`whole`](Self::whole); [`IoError::Write`] where the copy has no room; [`IoError::Read`] of a part that is shorter.
    pub fn read(&self, name: &str, planes: &mut [Vec<f32>], size: [usize; 3], part: GridBox) -> Result<()> {
        read_part(&self.copied(name)?, planes, size, part, &self.target)
    }

    /// Removes all parts that were asked for or kept here, and what they are of: their output has its name.
    ///
    /// # Errors
    /// [`IoError::Write`] with what the server says.
    pub fn remove(self) -> Result<()> {
        let names = self.names.into_inner().unwrap_or_else(PoisonError::into_inner);
        let notes: Vec<String> = names.iter().map(|name| format!("{name}{NOTE}")).collect();
        let all = notes.into_iter().chain(names).chain([HEAD.to_owned()]);
        self.objects.remove(all).map_err(self.target.fail())
    }

    fn remember(&self, name: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        let bytes = self.get(name)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.objects.get(name).map_err(|error| self.target.files().stopped().unwrap_or(error))
    }

    fn fetched(&self, name: &str) -> Result<Vec<u8>> {
        let missing = || IoError::open(&self.folder().join(name))(Error::from(ErrorKind::NotFound));
        self.get(name)?.ok_or_else(missing)
    }

    /// The copy of a part, fetched the first time.
    fn copied(&self, name: &str) -> Result<PathBuf> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = match &mut *copies {
            Some(copies) => copies,
            none => none.insert(self.folder_of_copies().map_err(self.target.fail())?),
        };
        let path = copies.folder.path().join(name);
        if !path.exists() {
            fs::write(&path, self.fetched(name)?).map_err(self.target.fail())?;
        }
        Ok(path)
    }

    fn folder_of_copies(&self) -> std::io::Result<Copies> {
        let (folder, listed) = self.target.files().pending().list(|| {
            let folder = tempfile::Builder::new().prefix("veloxel-").tempdir()?;
            let path = folder.path().to_owned();
            Ok((folder, path))
        })?;
        Ok(Copies { folder, _listed: listed })
    }
}
