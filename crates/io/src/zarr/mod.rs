//! Zarr of versions 2 and 3: stores, arrays of chunks, and the images that OME-Zarr says they are.
//!
//! *Specifications*: Zarr storage specification 2, Zarr core protocol 3.0 with its sharding codec, OME-Zarr (NGFF) 0.4, 0.5 and 0.6.
//! *Compatible implementations*: zarr-python, ngff-zarr and ome-zarr-py (compared both ways in `tests/peers.py`).
//!
//! | module | does |
//! |---|---|
//! | [`store`] | keys to bytes: a folder, an archive (`.zip`), or an address |
//! | [`array`] | what the metadata of an array say: shape, chunks, sample type, fill value, keys, codecs |
//! | [`codecs`] | bytes of a chunk as they are stored to its samples |
//! | [`region`] | any part of an array, from the chunks that it touches |
//! | [`image`] | axes, units, levels and places: what OME-Zarr adds |
//! | [`transforms`] | linear transformations between coordinate systems |
//! | [`scene`] | the coordinate systems of a scene, and the way between two of them |
//! | [`opened`] | an image, a sequence or a field, ready to be read |
//! | [`write`] | the same way out |

pub(crate) mod array;
pub(crate) mod codecs;
mod fields;
mod image;
pub(crate) mod opened;
pub(crate) mod region;
pub(crate) mod scene;
pub(crate) mod store;
mod transforms;
pub(crate) mod write;
