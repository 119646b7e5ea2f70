//! A folder of results that appears whole or not at all.

use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_io::{IoError, TempDir, Unfinished};

/// A hidden folder beside the one asked for; its files move over at the end, and go if the work fails or is stopped.
pub(crate) struct Staging {
    target: PathBuf,
    folder: Unfinished<TempDir>,
}

impl Staging {
    /// Makes the hidden folder, which also shows that the real one can be made.
    pub fn new(target: &Path) -> Result<Self, VeloxelError> {
        let fail = IoError::write(target);
        veloxel_io::check_folder(target)?;
        if target.exists() && !target.is_dir() {
            return Err(fail(std::io::Error::other("it exists and is not a folder")).into());
        }
        let absolute = std::path::absolute(target).map_err(&fail)?;
        let folder = Unfinished::folder(&absolute).map_err(&fail)?;
        Ok(Self { target: absolute, folder })
    }

    /// Where to write a file of this name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Moves everything to where it was asked for; files of the same names are replaced.
    pub fn publish(self) -> Result<(), VeloxelError> {
        let fail = IoError::write(&self.target);
        std::fs::create_dir_all(&self.target).map_err(&fail)?;
        for entry in std::fs::read_dir(self.folder.path()).map_err(&fail)? {
            let entry = entry.map_err(&fail)?;
            std::fs::rename(entry.path(), self.target.join(entry.file_name())).map_err(&fail)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_of_a_failure_and_everything_of_a_success() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        let staging = Staging::new(&target).unwrap();
        std::fs::write(staging.path("a"), "1").unwrap();
        drop(staging);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
        let staging = Staging::new(&target).unwrap();
        std::fs::write(staging.path("a"), "2").unwrap();
        staging.publish().unwrap();
        assert_eq!(std::fs::read_to_string(target.join("a")).unwrap(), "2");
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        assert!(Staging::new(&parent.path().join("none/out")).is_err());
    }
}
