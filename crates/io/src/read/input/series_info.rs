//! What tells series of DICOM files apart.

use serde::Serialize;

/// A series of DICOM files, for those who choose one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeriesInfo {
    /// Its number, which is not always there.
    pub number: Option<i64>,
    /// Its UID.
    pub uid: String,
    /// How it was made: `MR`, `CT`, `US`.
    pub modality: String,
    /// Free text, which may name people: it is shown and goes into no file.
    pub description: String,
    /// Columns and rows of its first image.
    pub size: [usize; 2],
    /// Images: slices times frames.
    pub images: usize,
    /// Files that hold them.
    pub files: usize,
}
