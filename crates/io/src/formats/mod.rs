//! The table of file formats: one file a format, and one line of [`FORMATS`].

mod bmp;
pub(crate) mod covariance;
pub(crate) mod depth;
#[cfg(feature = "dicom")]
mod dicom;
pub(crate) mod disparity;
mod film;
mod flo;
#[cfg(feature = "gif")]
mod gif;
mod glb;
mod gltf;
#[cfg(feature = "jpeg")]
pub(crate) mod jpeg;
pub(crate) mod lookup;
mod metaimage;
mod nifti;
pub(crate) mod npy;
mod nrrd;
mod obj;
mod off;
pub(crate) mod packed;
mod pfm;
mod ply;
pub(crate) mod png;
mod pnm;
pub(crate) mod raw_frames;
mod stl;
#[cfg(feature = "tiff")]
mod tiff;
mod vtk;
pub(crate) mod y4m;
#[cfg(feature = "zarr")]
pub(crate) mod zarr;

use crate::format::Format;

/// Every format, in the order in which messages name their extensions.
pub(crate) static FORMATS: &[&Format] = &[
    &png::FORMAT,
    &pnm::FORMAT,
    #[cfg(feature = "tiff")]
    &tiff::FORMAT,
    #[cfg(feature = "jpeg")]
    &jpeg::FORMAT,
    &bmp::FORMAT,
    &flo::FORMAT,
    &pfm::FORMAT,
    &packed::FORMAT,
    &nifti::FORMAT,
    &nifti::pair::FORMAT,
    #[cfg(feature = "dicom")]
    &dicom::FORMAT,
    &metaimage::FORMAT,
    &nrrd::FORMAT,
    #[cfg(feature = "zarr")]
    &zarr::FORMAT,
    &npy::FORMAT,
    #[cfg(feature = "gif")]
    &gif::FORMAT,
    &y4m::FORMAT,
    &raw_frames::FORMAT,
    &film::FORMAT,
    &vtk::FORMAT,
    &off::FORMAT,
    &obj::FORMAT,
    &ply::FORMAT,
    &stl::FORMAT,
    &glb::FORMAT,
    &gltf::FORMAT,
];
