//! NumPy's `.npy`: arrays of two, three or four axes, from which images, volumes, sequences and fields are read and to which
//! they are written.
//!
//! *Specification*: NumPy enhancement proposal 1, and `numpy.lib.format`: versions 1.0 to 3.0.
//! *Compatible implementations*: NumPy (compared both ways in `tests/peers.py`).
//! *Axes*: `[y, x]` is a picture, `[z, y, x]` a volume, `[t, z, y, x]` a sequence, of pictures where z has one place. Arrays in
//! Fortran's order have the same axes, and their samples are put in ours.
//! *Fields*: `[c, z, y, x]` with x, y (and z) in pixels or voxels of the grid; z has one place for pictures. Such an array is
//! taken for a field where one is asked for, else for a sequence.
//! *Limits*: no spacing, origin, direction or frame interval; booleans, whole numbers and floats of 16, 32 and 64 bits.

pub(crate) mod delivered;
pub(crate) mod header;
mod reader;
mod writer;

use crate::format::{Format, Reader, WriteRecord};
use crate::write::record::Record;
use writer::Npy;

pub(super) static FORMAT: Format = Format {
    keeps_place: false,
    // Frames and components cannot be told apart.
    read_flow: Some(reader::flow),
    write_flow: Some(|target, flow| Npy::write(target, &Record::flow_vox(flow))),
    write_sequence: Some(|target, sequence| Npy::write(target, &Record::sequence(sequence))),
    ..Format::volume::<Npy>("npy", "NumPy", &["npy"], Reader::Header(reader::layout))
};
