//! A store on its way to an address: written into a folder of this machine, then sent.
//!
//! *Order*: chunks, then the metadata of arrays, which name what is whole by then, then the metadata of the root, without which there is no
//! store. Nothing there is replaced: an address with a store is refused. What was sent is removed again where a later object cannot be
//! sent, or another output of the run cannot get its name.
//! *Limits*: a program that is killed leaves objects without metadata of the root; the next run to that address replaces them. The folder
//! lies where temporary files do (`TMPDIR`) and takes the bytes of the store.

use super::Remote;
use crate::address::StoreAddress;
use crate::error::{IoError, Result};
use crate::files::Files;
use crate::film::shown_source;
use crate::write::pending::Listed;
use object_store::path::Path as Key;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use veloxel_core::Control;

/// The metadata of a node.
const METADATA: &str = "zarr.json";
/// Objects of which one is there where there is a store.
const ROOTS: [&str; 4] = [METADATA, ".zgroup", ".zarray", ".zattrs"];
/// What is put and removed again to see whether one may write.
const PROBE: &str = ".veloxel-probe";

/// A store that is being written.
#[derive(Debug)]
pub(crate) struct Upload {
    // Dropped in this order: what is there is listed.
    folder: TempDir,
    _listed: Listed,
    address: StoreAddress,
    path: PathBuf,
    control: Control,
    /// The keys that were sent, in their order.
    sent: Vec<Key>,
}

impl Upload {
    /// Begins a store for an address.
    ///
    /// # Errors
    /// [`IoError::Write`] if no folder can be made for it.
    pub fn begin(path: &Path, files: &Files) -> Result<Self> {
        let address = address_of(path)?;
        let (folder, listed) = files
            .pending()
            .list(|| {
                let folder = tempfile::Builder::new().prefix("veloxel-").tempdir()?;
                let path = folder.path().to_owned();
                Ok((folder, path))
            })
            .map_err(IoError::write(path))?;
        let control = files.control().clone();
        Ok(Self { folder, _listed: listed, address, path: path.to_owned(), control, sent: Vec::new() })
    }

    /// Where it is written first.
    pub fn place(&self) -> PathBuf {
        self.folder.path().join(self.path.file_name().unwrap_or_default())
    }

    /// The address.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sends everything but the metadata of the root.
    ///
    /// # Errors
    /// What the server says, or the run's stop.
    pub fn send(&mut self) -> std::io::Result<()> {
        let remote = self.remote(&self.control)?;
        let (root, mut names) = (self.place(), Vec::new());
        collect(&root, "", &mut names)?;
        names.retain(|name| name != METADATA);
        let (arrays, chunks): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| name.ends_with(&format!("/{METADATA}")));
        for names in [chunks, arrays] {
            self.sent.extend(names.iter().map(|name| remote.key(name)));
            let put = |name: String| {
                let (objects, key, file) = (remote.objects.clone(), remote.key(&name), root.join(name));
                async move {
                    let read = |source| Error::Generic { store: "", source: Box::new(source) };
                    let bytes = std::fs::read(&file).map_err(read)?;
                    objects.put(&key, PutPayload::from(bytes)).await
                }
            };
            remote.each(names.into_iter().map(put), |_| ())?;
        }
        Ok(())
    }

    /// Sends the metadata of the root: from then on the store is there.
    ///
    /// # Errors
    /// What the server says, a store that came there meanwhile, or the run's stop.
    pub fn complete(&mut self) -> std::io::Result<()> {
        let remote = self.remote(&self.control)?;
        let key = remote.key(METADATA);
        let payload = PutPayload::from(std::fs::read(self.place().join(METADATA))?);
        let new = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match remote.wait(remote.objects.put_opts(&key, payload.clone(), new)) {
            // Servers that cannot tell a new object from a replaced one are asked before.
            Err(super::Failure::Server(Error::NotImplemented { .. } | Error::NotSupported { .. })) => {
                remote.require_none().map_err(std::io::Error::other)?;
                remote.wait(remote.objects.put(&key, payload))?;
            }
            Err(super::Failure::Server(Error::AlreadyExists { .. })) => return Err(taken()),
            answer => drop(answer?),
        }
        self.sent.push(key);
        Ok(())
    }

    /// Removes what was sent, the metadata first; the address if something may be left there. A stop does not end it.
    pub fn take_back(&mut self) -> Option<PathBuf> {
        let mut sent = std::mem::take(&mut self.sent);
        if sent.is_empty() {
            return None;
        }
        sent.reverse();
        let removed = self.remote(&Control::default()).and_then(|remote| {
            let remove = |key: Key| {
                let objects = remote.objects.clone();
                async move {
                    match objects.delete(&key).await {
                        Err(error) if !matches!(error, Error::NotFound { .. }) => Err(error),
                        _ => Ok(()),
                    }
                }
            };
            Ok(remote.each(sent.into_iter().map(remove), |()| ())?)
        });
        removed.is_err().then(|| self.path.clone())
    }

    fn remote(&self, control: &Control) -> std::io::Result<Remote> {
        Remote::open(&self.address, control).map_err(std::io::Error::other)
    }
}

impl Remote {
    /// Refuses an address with a store.
    fn require_none(&self) -> std::io::Result<()> {
        for name in ROOTS {
            match self.wait(self.objects.head(&self.key(name))) {
                Ok(_) => return Err(taken()),
                Err(super::Failure::Server(Error::NotFound { .. })) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(())
    }

    /// Puts an object and removes it again.
    fn probe(&self) -> std::io::Result<()> {
        let key = self.key(PROBE);
        self.wait(self.objects.put(&key, PutPayload::default()))?;
        Ok(self.wait(self.objects.delete(&key))?)
    }
}

/// Refuses, before any work is done for it, an address with a store, and one that is no store's.
///
/// # Errors
/// [`IoError::Write`] with what the server says.
pub(crate) fn check_address(path: &Path) -> Result<()> {
    let remote = Remote::open(&address_of(path)?, &Control::default())?;
    remote.require_none().map_err(IoError::write(&shown_source(path)))
}

/// Checks that objects can be put at an address by putting one, which is removed at once.
///
/// # Errors
/// [`IoError::Write`] with what the server says.
pub(crate) fn check_address_writable(path: &Path, control: &Control) -> Result<()> {
    let remote = Remote::open(&address_of(path)?, control)?;
    remote.probe().map_err(IoError::write(&shown_source(path)))
}

pub(super) fn address_of(path: &Path) -> Result<StoreAddress> {
    let whole = StoreAddress::of(path).filter(|address| address.below.is_empty());
    let error = || std::io::Error::other("name a whole store there, such as s3://bucket/field.ome.zarr");
    whole.ok_or_else(|| IoError::write(&shown_source(path))(error()))
}

fn taken() -> std::io::Error {
    std::io::Error::other("a store is there: remove it, or name another output")
}

/// The names of all files of a folder, from its root on, parted by `/`.
fn collect(folder: &Path, before: &str, names: &mut Vec<String>) -> std::io::Result<()> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>();
    for entry in entries? {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
