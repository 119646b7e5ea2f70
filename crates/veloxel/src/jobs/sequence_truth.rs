//! The true fields of a sequence, one file a field.

use super::name;
use crate::Result;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Warnings};
use veloxel_io::{self as io, Kind, Reading};
use veloxel_report::number::counted;

/// A folder of true fields: by the names of the run's own, such as `consecutive_000_001.flo`, or one for every field in order.
#[derive(Debug)]
pub(super) struct TrueFields {
    folder: PathBuf,
    files: Vec<PathBuf>,
    reading: Reading,
}

impl TrueFields {
    /// Lists the folder.
    ///
    /// # Errors
    /// [`VeloxelError::Frames`](crate::VeloxelError::Frames) if it is none, or holds no field.
    pub fn list(folder: &Path, reading: Reading) -> Result<Self> {
        let wrong = |why: &str| {
            frames!(
                "--truth {}: {why}; a sequence takes a folder with a file for every field, named as the run's own \
                 (consecutive_000_001.flo) or in their order",
                folder.display()
            )
        };
        if !folder.is_dir() {
            return Err(wrong("it is no folder"));
        }
        let files = io::list_folder(folder, Kind::Flow).map_err(|_| wrong("it holds no field"))?;
        Ok(Self { folder: folder.to_owned(), files, reading })
    }

    /// The true field of the `nth` of `count` fields, called `field`; none if the folder has other fields by name.
    ///
    /// # Errors
    /// As for every field; [`VeloxelError::Frames`](crate::VeloxelError::Frames) if the files have names of their own and are
    /// not as many as the fields.
    pub fn of(&self, field: &str, nth: usize, count: usize, warnings: &mut Warnings) -> Result<Option<Flow>> {
        let stem = |path: &PathBuf| name(path).split('.').next().unwrap_or_default().to_owned();
        let is_ours = |stem: &str| stem.starts_with("consecutive_") || stem.starts_with("reference_");
        let file = match self.files.iter().any(|file| is_ours(&stem(file))) {
            true => self.files.iter().find(|file| stem(file) == field),
            false if self.files.len() == count => self.files.get(nth),
            false => {
                let got = counted(self.files.len(), "field");
                return Err(frames!("--truth {}: {got}, but the run has {count}", self.folder.display()));
            }
        };
        Ok(file.map(|file| io::read_flow(file, self.reading, warnings)).transpose()?)
    }
}
