//! Keys to bytes: the files of a folder, the entries of an archive, or the objects at an address.

mod archive;
mod folder;
mod key;
#[cfg(feature = "remote")]
mod remote;

use crate::address::StoreAddress;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::stored::StorePlace;
use std::ops::Range;

pub(crate) use archive::Archive;
pub(crate) use folder::Folder;
pub(crate) use key::{joined, plain};
#[cfg(feature = "remote")]
pub(crate) use remote::{PartObjects, Upload, check_address, check_address_writable};

/// Values by their keys.
pub(crate) enum Store<'a> {
    Folder(Folder),
    Archive(Archive<'a>),
    #[cfg(feature = "remote")]
    Remote(remote::Remote),
}

/// The value of a key, which is read in parts.
pub(crate) struct Value<'a> {
    reader: Box<dyn ReadAt + 'a>,
    /// Bytes of it.
    pub length: u64,
    /// CRC-32 of all of it, where that is known.
    checksum: Option<u32>,
}

/// Bytes at a place.
pub(crate) trait ReadAt {
    /// Fills the buffer from this place on.
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()>;

    /// Asks for parts together that will be read, where that takes less time than one by one.
    fn ask_for(&mut self, parts: &[Range<u64>]) -> std::io::Result<()> {
        let _ = parts;
        Ok(())
    }
}

impl<'a> Store<'a> {
    /// Opens a folder, an archive, or a store at an address.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::Malformed`] for an archive that is not whole; [`IoError::Unsupported`] for an address without the
    /// feature `remote`.
    pub fn open(place: StorePlace<'a>, context: &mut Context) -> Result<Self> {
        match place {
            StorePlace::Path(path) => match StoreAddress::of(&path) {
                Some(address) => at(&address, context),
                None if path.is_dir() => Folder::open(&path, context).map(Self::Folder),
                None => Archive::open(&path, context).map(Self::Archive),
            },
            StorePlace::Memory(bytes) => Archive::of_bytes(bytes, context).map(Self::Archive),
        }
    }

    /// The value of a key; none if it has none.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::Outside`] for a file that a link leads to, outside of the store.
    pub fn value(&self, key: &str, context: &Context) -> Result<Option<Value<'_>>> {
        match self {
            Self::Folder(folder) => folder.value(key, context),
            Self::Archive(archive) => archive.value(key, context),
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.value(key, context),
        }
    }

    /// How many values may be asked for together.
    pub fn at_once(&self) -> usize {
        match self {
            Self::Folder(_) | Self::Archive(_) => 1,
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.at_once(),
        }
    }

    /// Asks for values together that will be read next, each of at most so many bytes; larger ones are asked for when they are read.
    ///
    /// # Errors
    /// [`IoError::Open`]; [`IoError::Stopped`].
    pub fn ask_for(&self, keys: &[String], most_bytes: u64, context: &Context) -> Result<()> {
        match self {
            Self::Folder(_) | Self::Archive(_) => {
                let _ = (keys, most_bytes, context);
                Ok(())
            }
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.ask_for(keys, most_bytes, context),
        }
    }

    /// A whole value: metadata, which are small.
    ///
    /// # Errors
    /// As [`value`](Self::value); [`IoError::Malformed`] for one that is longer than metadata are.
    pub fn metadata(&self, key: &str, context: &Context) -> Result<Option<Vec<u8>>> {
        let Some(mut value) = self.value(key, context)? else { return Ok(None) };
        let expected = format!("at most {MOST_METADATA_BYTES} bytes");
        context.require(value.length <= MOST_METADATA_BYTES, key, expected, value.length)?;
        let mut bytes = context.room_for(value.length as usize)?;
        value.take(0, value.length, &mut bytes, context)?;
        Ok(Some(bytes))
    }

    /// The names of what lies directly below a node, in order.
    pub fn names_below(&self, node: &str) -> Vec<String> {
        match self {
            Self::Folder(folder) => folder.names_below(node),
            Self::Archive(archive) => archive.names_below(node),
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.names_below(node),
        }
    }
}

/// Opens a store at an address.
#[cfg(feature = "remote")]
fn at<'a>(address: &StoreAddress, context: &Context) -> Result<Store<'a>> {
    remote::Remote::open(address, context.control()).map(Store::Remote)
}

/// Refuses a store at an address, which is not read without the feature.
#[cfg(not(feature = "remote"))]
fn at<'a>(_: &StoreAddress, context: &Context) -> Result<Store<'a>> {
    let hint = "copy the store to this machine, or build the program with its feature `remote`";
    Err(context.unsupported("a store at an address", hint))
}

/// Metadata that are longer are none.
const MOST_METADATA_BYTES: u64 = 64 << 20;

impl<'a> Value<'a> {
    fn new(reader: impl ReadAt + 'a, length: u64) -> Self {
        Self { reader: Box::new(reader), length, checksum: None }
    }

    fn checked_by(self, checksum: u32) -> Self {
        Self { checksum: Some(checksum), ..self }
    }

    /// Asks for parts together that will be taken. The caller has claimed them.
    ///
    /// # Errors
    /// [`IoError::Read`]; [`IoError::Stopped`].
    pub fn ask_for(&mut self, parts: &[Range<u64>], context: &Context) -> Result<()> {
        self.reader.ask_for(parts).map_err(|error| match context.check() {
            Err(stopped) => stopped,
            Ok(()) => context.read(error),
        })
    }

    /// Puts these bytes into a buffer, in place of what it holds. The caller has claimed them.
    ///
    /// # Errors
    /// [`IoError::Truncated`] beyond the end; [`IoError::Read`]; [`IoError::Stopped`].
    pub fn take(&mut self, place: u64, count: u64, bytes: &mut Vec<u8>, context: &Context) -> Result<()> {
        context.check()?;
        let end = place.saturating_add(count);
        context.require_bytes("a chunk", end, self.length)?;
        bytes.clear();
        bytes.resize(count as usize, 0);
        if let Err(error) = self.reader.read_at(place, bytes) {
            context.check()?;
            return Err(match error.kind() {
                std::io::ErrorKind::UnexpectedEof => context.truncated("a chunk", end, self.length),
                _ => context.read(error),
            });
        }
        context.control().count_bytes(count);
        let is_whole = place == 0 && count == self.length;
        let is_intact = !is_whole || self.checksum.is_none_or(|checksum| archive::crc(bytes) == checksum);
        context.require(is_intact, "an entry of the archive", "the checksum of its list", "another one")
    }
}

/// The error for a value that is not a regular file.
fn no_file(context: &Context, key: &str) -> IoError {
    context.malformed(key, "a file", "something else")
}
