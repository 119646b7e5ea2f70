//! NIfTI-1 and NIfTI-2, `.nii` and `.nii.gz`: volumes, sequences and displacement fields.
//!
//! *Specification*: `nifti1.h`, NIfTI Data Format Working Group, 2003 (revised 2007).
//! *Compatible implementations*: ITK and SimpleITK (compared both ways in `tests/peers.py`).
//! *World*: the file's affine is RAS; its x and y rows change sign on the way to LPS. The sform is taken if
//! `sform_code > 0`, else the qform, else `pixdim` alone; an sform without scales takes its spacing from `pixdim`.
//! *Fields*: 5-D, `dim[5]` components in mm. Intent 1007 (vector) holds LPS components, as ITK, ANTs and greedy write
//! and read it; intent 1006 (displacement) holds RAS components, which ITK flips and so do we. 1007 is written. What other programs
//! store as vectors and mean otherwise (NiftyReg, SPM, FSL) is converted or refused by name: [`deformation`].
//! *Time*: `pixdim[4]` in the unit of `xyzt_units`; without a unit the frame interval is unknown.
//! *2-D*: `dim[0] = 2`, and files that are one voxel thick along an axis: a plane in space, or a 2-D cine. A field of a plane in
//! space is written with its axis of one voxel second, `dim = [5, nx, 1, ny, 1, 3]`: ITK drops a third axis of one voxel from fields
//! of five axes, and then fails on a plane that is not the world's xy plane. The order of the samples is the same.
//! *Two places*: where sform and qform lie apart, the sform is taken and the distance told.
//! *Limits*: no complex or 128-bit samples, sides up to 32767, of NIfTI-2 as well.

mod deformation;
mod header;
pub(super) mod pair;
mod placement;
mod reader;
mod second;
#[cfg(test)]
mod tests;
mod writer;

use crate::format::{Format, Limits, Reader, VOLUME_LIMITS, WriteRecord};
use crate::write::record::Record;
use writer::Nifti;

pub(super) static FORMAT: Format = Format {
    limits: Limits { side: i16::MAX as usize, hint: "write it as .mha or .nrrd", ..VOLUME_LIMITS },
    write_sequence: Some(|target, sequence| Nifti::write(target, &Record::sequence(sequence))),
    ..Format::volume::<Nifti>("nifti", "NIfTI", &["nii", "nii.gz"], Reader::Header(reader::layout))
};
