//! Images, labels, sequences and fields as OME-Zarr: a folder, or an archive, that appears when it is whole.
//!
//! Level 0 is written chunk by chunk, and each coarser level from the one before it, as it is read back, so that no level is ever
//! held as a whole. Chunks have 64³ voxels or 512² pixels, and are compressed by Blosc with LZ4: a smooth
//! field of 128 × 128 × 96 voxels takes 0.84 of its bytes then, and 1.06 with gzip, which does not shuffle.

mod archive;
mod axes;
pub(crate) mod boxes;
mod chunks;
mod coarser;
mod levels;
mod metadata;

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::format::WriteRecord;
use crate::write::publication;
use crate::write::record::Record;
use crate::write::target::Target;
use chunks::{ChunkMemory, ChunkWriter, StoreWriter};
use coarser::CoarserChunks;
use levels::Pyramid;
use std::io::Error;
use std::path::Path;

/// Writes OME-Zarr.
pub(crate) struct OmeZarr;

impl WriteRecord for OmeZarr {
    fn write(target: &Target, record: &Record) -> Result<()> {
        check_place(target.path())?;
        publication::together(target, |target| {
            if is_archive(target.path()) {
                return archive::write(target, |folder| write_store(folder, target, record));
            }
            write_store(target.place(), target, record)
        })
    }
}

/// Whether a name asks for an archive.
fn is_archive(path: &Path) -> bool {
    let name = file_name(path).to_lowercase();
    name.ends_with(".zip") || name.ends_with(".ozx")
}

/// Refuses to replace what is no store of its kind: a folder of something else, or a file where a folder is to be; and at an address
/// any store.
///
/// # Errors
/// [`IoError::Write`].
pub(crate) fn check_place(path: &Path) -> Result<()> {
    let refuse = |text: &str| Err(IoError::write(path)(Error::other(text.to_owned())));
    if is_store_address(path) {
        #[cfg(feature = "remote")]
        return crate::zarr::store::check_address(path);
        #[cfg(not(feature = "remote"))]
        return refuse(
            "stores at addresses are written by builds with the feature `remote`: write into a folder, and copy it there",
        );
    }
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if is_archive(path) || !super::opened::is_store_name(path) {
        return Ok(());
    }
    if !metadata.is_dir() {
        return refuse("it exists and is no folder: move it away, or name another output");
    }
    let is_empty = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let holds = ["zarr.json", ".zgroup", ".zarray"].iter().any(|name| path.join(name).is_file());
    if is_empty || holds {
        Ok(())
    } else {
        refuse("a folder that is no Zarr store has that name: move it away, or name another output")
    }
}

/// Writes a store into a folder that is not there yet.
fn write_store(folder: &Path, target: &Target, record: &Record) -> Result<()> {
    let (store, pyramid) = (StoreWriter::create(folder, target)?, Pyramid::of(record));
    write_metadata(&store, &pyramid, record)?;
    let (mut coarser, mut memory) = (CoarserChunks::of(record), ChunkMemory::default());
    let mut writer = ChunkWriter { store: &store, memory: &mut memory };
    chunks::write_record(&mut writer, &pyramid.array(0, record), record, |writer, chunk| {
        coarser.written(writer, record, chunk)
    })?;
    coarser.finish(&mut writer, record)?;
    store.finish()
}

/// Writes all metadata.
fn write_metadata(store: &StoreWriter, pyramid: &Pyramid, record: &Record) -> Result<()> {
    let group = metadata::group(&file_name(store.target().path()), record, pyramid);
    store.put("zarr.json", group.to_string().as_bytes())?;
    for level in 0..pyramid.levels.len() {
        let array = metadata::array(&pyramid.array(level, record));
        store.put(&format!("{level}/zarr.json"), array.to_string().as_bytes())?;
    }
    Ok(())
}
