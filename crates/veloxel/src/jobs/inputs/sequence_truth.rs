//! The true fields of a sequence, one file a field.

use crate::jobs::{JobError, Result, name};
use crate::pipelines::FieldLabel;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Warnings};
use veloxel_io::{self as io, ContentKind, Reading};

/// A folder of true fields: by the names of the run's own, such as `consecutive_000_001.flo`, or one for every field in order.
#[derive(Debug)]
pub(crate) struct TrueFields {
    folder: PathBuf,
    files: Vec<PathBuf>,
    reading: Reading,
}

impl TrueFields {
    /// Lists the folder.
    ///
    /// # Errors
    /// [`JobError::TruthFolder`] if it is none, or holds no field.
    pub fn list(folder: &Path, reading: &Reading) -> Result<Self> {
        let wrong = |reason| JobError::TruthFolder { path: folder.to_owned(), reason };
        if !folder.is_dir() {
            return Err(wrong("it is no folder").into());
        }
        let files = io::list_folder(folder, ContentKind::Flow).map_err(|_| wrong("it holds no field"))?;
        Ok(Self { folder: folder.to_owned(), files, reading: reading.clone() })
    }

    /// The true field of a field; none if the folder has other fields by name.
    ///
    /// # Errors
    /// As for every field; [`JobError::TruthCount`] if the files have names of their own and are not as many as the fields.
    pub fn of(&self, field: &FieldLabel, warnings: &mut Warnings) -> Result<Option<Flow>> {
        let (own, count) = (field.name(), field.count);
        let stem = |path: &PathBuf| name(path).split('.').next().unwrap_or_default().to_owned();
        let is_ours = |stem: &str| stem.starts_with("consecutive_") || stem.starts_with("reference_");
        let file = match self.files.iter().any(|file| is_ours(&stem(file))) {
            true => self.files.iter().find(|file| stem(file) == own),
            false if self.files.len() == count => self.files.get(field.nth),
            false => {
                let (path, got) = (self.folder.clone(), self.files.len());
                return Err(JobError::TruthCount { path, got, count }.into());
            }
        };
        Ok(file.map(|file| io::read_flow(file, &self.reading, warnings)).transpose()?)
    }
}
