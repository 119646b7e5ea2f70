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
    /// `.flo`.
    Flo,
    /// `.nii`, `.nii.gz`.
    Nifti,
}

const EXTENSIONS: &[(&str, Format)] =
    &[("png", Format::Png), ("flo", Format::Flo), ("nii", Format::Nifti), ("nii.gz", Format::Nifti)];

impl Format {
    pub(crate) const READ: &[Self] = &[Self::Png, Self::Flo, Self::Nifti];
    pub(crate) const READ_IMAGE: &[Self] = &[Self::Png, Self::Nifti];
    pub(crate) const READ_FLOW: &[Self] = &[Self::Flo, Self::Png, Self::Nifti];
    pub(crate) const WRITE_IMAGE: &[Self] = &[Self::Png, Self::Nifti];
    pub(crate) const WRITE_LABELS: &[Self] = &[Self::Png, Self::Nifti];
    pub(crate) const WRITE_FLOW: &[Self] = &[Self::Flo, Self::Png, Self::Nifti];
    pub(crate) const WRITE_SEQUENCE: &[Self] = &[Self::Nifti];

    /// The format that a file name asks for, if it is known; upper and lower case are one.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        EXTENSIONS
            .iter()
            .find(|(extension, _)| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
            .map(|&(_, format)| format)
    }

    pub(crate) fn require(path: &Path, what: &'static str, allowed: &[Self]) -> Result<Self, IoError> {
        Self::from_path(path).filter(|f| allowed.contains(f)).ok_or_else(|| IoError::UnknownExtension {
            path: path.to_owned(),
            what,
            known: Self::extensions(allowed),
        })
    }

    /// The extensions of some formats, as a list in words.
    pub(crate) fn extensions(of: &[Self]) -> String {
        let dotted: Vec<String> =
            EXTENSIONS.iter().filter(|(_, f)| of.contains(f)).map(|(e, _)| format!(".{e}")).collect();
        dotted.join(" ")
    }
}
