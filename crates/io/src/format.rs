//! Which format a file has: its extension decides.

use crate::IoError;
use serde::Serialize;
use std::path::Path;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// `.png`, KITTI flow PNG included.
    Png,
    /// `.pgm`, `.ppm`, `.pnm`.
    Pnm,
    /// `.tif`, `.tiff`.
    Tiff,
    /// `.jpg`, `.jpeg`.
    Jpeg,
    /// `.bmp`.
    Bmp,
    /// `.flo`.
    Flo,
    /// `.pfm`.
    Pfm,
    /// `.nii`, `.nii.gz`.
    Nifti,
    /// `.mha`, `.mhd`.
    MetaImage,
    /// `.nrrd`, `.nhdr`.
    Nrrd,
    /// `.gif`, animated or not.
    Gif,
    /// `.y4m`: uncompressed video.
    Y4m,
}

const EXTENSIONS: &[(&str, Format)] = &[
    ("png", Format::Png),
    ("pgm", Format::Pnm),
    ("ppm", Format::Pnm),
    ("pnm", Format::Pnm),
    ("tif", Format::Tiff),
    ("tiff", Format::Tiff),
    ("jpg", Format::Jpeg),
    ("jpeg", Format::Jpeg),
    ("bmp", Format::Bmp),
    ("flo", Format::Flo),
    ("pfm", Format::Pfm),
    ("nii", Format::Nifti),
    ("nii.gz", Format::Nifti),
    ("mha", Format::MetaImage),
    ("mhd", Format::MetaImage),
    ("nrrd", Format::Nrrd),
    ("nhdr", Format::Nrrd),
    ("gif", Format::Gif),
    ("y4m", Format::Y4m),
];

impl Format {
    pub(crate) const READ: &[Self] = &[
        Self::Png,
        Self::Pnm,
        Self::Tiff,
        Self::Jpeg,
        Self::Bmp,
        Self::Flo,
        Self::Pfm,
        Self::Nifti,
        Self::MetaImage,
        Self::Nrrd,
        Self::Gif,
        Self::Y4m,
    ];
    pub(crate) const READ_IMAGE: &[Self] = &[
        Self::Png,
        Self::Pnm,
        Self::Tiff,
        Self::Jpeg,
        Self::Bmp,
        Self::Pfm,
        Self::Nifti,
        Self::MetaImage,
        Self::Nrrd,
        Self::Gif,
    ];
    pub(crate) const FLOW: &[Self] =
        &[Self::Flo, Self::Png, Self::Pfm, Self::Nifti, Self::MetaImage, Self::Nrrd];
    pub(crate) const WRITE_IMAGE: &[Self] = &[
        Self::Png,
        Self::Pnm,
        Self::Tiff,
        Self::Jpeg,
        Self::Bmp,
        Self::Pfm,
        Self::Nifti,
        Self::MetaImage,
        Self::Nrrd,
    ];
    pub(crate) const WRITE_LABELS: &[Self] =
        &[Self::Png, Self::Pnm, Self::Tiff, Self::Bmp, Self::Nifti, Self::MetaImage, Self::Nrrd];
    pub(crate) const WRITE_SEQUENCE: &[Self] = &[Self::Nifti, Self::Nrrd];
    pub(crate) const VIDEO: &[Self] = &[Self::Y4m, Self::Gif];

    /// The format that a file name asks for, if it is known; upper and lower case are one.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        EXTENSIONS
            .iter()
            .find(|(extension, _)| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
            .map(|&(_, format)| format)
    }

    /// Whether pixels are whole numbers there (8 or 16 bits), so that values in [0, 1] must be scaled to survive.
    pub fn is_integral(self) -> bool {
        matches!(self, Self::Png | Self::Pnm | Self::Jpeg | Self::Bmp | Self::Gif | Self::Y4m)
    }

    pub(crate) fn require(path: &Path, what: &'static str, allowed: &[Self]) -> Result<Self, IoError> {
        Self::from_path(path).filter(|f| allowed.contains(f)).ok_or_else(|| IoError::UnknownExtension {
            path: path.to_owned(),
            what,
            known: Self::extensions(allowed),
        })
    }

    /// The format of a file to read; one that is not there, or is a folder, is told so whatever its name.
    pub(crate) fn require_to_read(
        path: &Path,
        what: &'static str,
        allowed: &[Self],
    ) -> Result<Self, IoError> {
        let metadata =
            std::fs::metadata(path).map_err(|source| IoError::Open { path: path.to_owned(), source })?;
        if metadata.is_dir() {
            return Err(IoError::Kind {
                expected: "a file",
                got: "a folder".to_owned(),
                hint: "name the file in it",
                path: path.to_owned(),
            });
        }
        Self::require(path, what, allowed)
    }

    /// The extensions of some formats, as a list in words.
    pub(crate) fn extensions(of: &[Self]) -> String {
        let dotted: Vec<String> =
            EXTENSIONS.iter().filter(|(_, f)| of.contains(f)).map(|(e, _)| format!(".{e}")).collect();
        dotted.join(" ")
    }
}
