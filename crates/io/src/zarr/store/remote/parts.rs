//! The objects of a folder beside a store at an address: parts of it, kept by processes that share nothing but the address.
//!
//! *Requests*: each object is sent, and asked for, whole; [`Remote`](super::Remote) says how failures and stops are met.

use super::{Failure, Remote};
use crate::address::StoreAddress;
use crate::error::{IoError, Result};
use crate::film::shown_source;
use object_store::path::Path as Key;
use object_store::{Error, ObjectStoreExt, PutPayload};
use std::path::{Path, PathBuf};
use veloxel_core::Control;

/// The objects of a folder at an address, by their names in it.
#[derive(Debug)]
pub(crate) struct PartObjects {
    remote: Remote,
    place: PathBuf,
}

impl PartObjects {
    /// The objects of the folder of this name beside a store; nothing is asked yet.
    ///
    /// # Errors
    /// [`IoError::Write`] for what is no whole store at an address; as [`Remote::open`].
    pub fn beside(store: &Path, name: &str, control: &Control) -> Result<Self> {
        let address = super::upload::address_of(store)?;
        let (before, _) = address.root.rsplit_once('/').unwrap_or_default();
        let root = format!("{before}/{name}");
        let place = shown_source(Path::new(&root));
        let remote = Remote::open(&StoreAddress { root, below: String::new() }, control)?;
        Ok(Self { remote, place })
    }

    /// The address of the folder.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The bytes of an object; none if it is not there.
    ///
    /// # Errors
    /// [`IoError::Open`] with what the server says, or the run's stop.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let key = self.remote.key(name);
        let asked = async { self.remote.objects.get(&key).await?.bytes().await };
        match self.remote.wait(asked) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Failure::Server(Error::NotFound { .. })) => Ok(None),
            Err(failure) => Err(IoError::open(&self.place.join(name))(failure.into())),
        }
    }

    /// Sends an object; one of this name is replaced.
    ///
    /// # Errors
    /// What the server says, or the run's stop.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> std::io::Result<()> {
        let key = self.remote.key(name);
        self.remote.wait(self.remote.objects.put(&key, PutPayload::from(bytes)))?;
        Ok(())
    }

    /// Removes objects, those that are not there as well.
    ///
    /// # Errors
    /// What the server says, or the run's stop.
    pub fn remove(&self, names: impl Iterator<Item = String>) -> std::io::Result<()> {
        let remove = |key: Key| {
            let objects = self.remote.objects.clone();
            async move {
                match objects.delete(&key).await {
                    Err(error) if !matches!(error, Error::NotFound { .. }) => Err(error),
                    _ => Ok(()),
                }
            }
        };
        Ok(self.remote.each(names.map(|name| remove(self.remote.key(&name))), |()| ())?)
    }
}
