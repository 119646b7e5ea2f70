//! OME-Zarr (NGFF) 0.4, 0.5 and 0.6 over Zarr 2 and 3, `.ome.zarr` and `.zarr`, a folder; `.ome.zarr.zip` and `.ozx`, an archive.
//!
//! *Specifications*: OME-Zarr 0.4 to 0.6, ngff.openmicroscopy.org; Zarr 2 and 3; RFC-4 (orientations) and RFC-9 (archives).
//! *Compatible implementations*: ngff-zarr, ome-zarr-py, zarr-python (compared both ways in `tests/peers.py`).
//! *World*: the image's coordinates are LPS; axes may have anatomical orientations; a linear transformation of 0.6 to another
//! coordinate system is followed. A grid along the world's axes is written as 0.5, any other with an affine transformation as 0.6.
//! *Fields*: 0.6, an axis of type `displacement` first, components in the order of the axes of space, in the image's own coordinates.
//! *Levels*: the finest one is read; `image.ome.zarr/1` is another one, `image.ome.zarr/labels/cells` a label image.
//! *Chunks*: without compression, gzip, zlib, zstd, Blosc (all but Snappy), sharded; missing ones are the fill value.
//! *Time*: an axis of type `time`; its interval needs a unit.
//! *Addresses*: `https://host/image.ome.zarr`, `s3://bucket/image.ome.zarr`, with the feature `remote`.
//! *Limits*: one channel, `image.ome.zarr@part:2`; no complex samples, no stored transformations.

use crate::format::{Format, Reader, WriteRecord};
use crate::write::record::Record;
use crate::zarr::opened;
use crate::zarr::write::OmeZarr;

pub(crate) static FORMAT: Format = Format {
    write_sequence: Some(|target, sequence| OmeZarr::write(target, &Record::sequence(sequence))),
    ..Format::volume::<OmeZarr>(
        "ome-zarr",
        "OME-Zarr",
        &["zarr", "zarr.zip", "ozx"],
        Reader::Store(opened::open),
    )
};
