//! A folder whose outputs appear one after the other.

use crate::error::Result;
use crate::write::parts_folder::remove_empty;
use crate::write::pending::PartsFolder;
use crate::write::target::Target;

/// A folder that is there before its first output is. Dropped, or when a signal ends the program, it goes if nothing is in it, unless it
/// was there before.
#[derive(Debug)]
pub struct OutputFolder {
    /// The folder, unless it was there before.
    made: Option<Target>,
}

impl OutputFolder {
    /// Makes a folder, and those around it, unless it is there.
    ///
    /// # Errors
    /// [`IoError::Write`](crate::IoError::Write).
    pub fn make(target: impl Into<Target>) -> Result<Self> {
        let target = target.into();
        if target.path().is_dir() {
            return Ok(Self { made: None });
        }
        std::fs::create_dir_all(target.path()).map_err(target.fail())?;
        target.files().pending().list_parts(target.path(), Some(PartsFolder::Empty));
        Ok(Self { made: Some(target) })
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if let Some(target) = &self.made {
            target.files().pending().list_parts(target.path(), None);
            remove_empty(target.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Files;

    #[test]
    fn a_folder_without_an_output_goes_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/fields");
        let made = OutputFolder::make(path.as_path()).unwrap();
        assert!(path.is_dir());
        drop(made);
        assert!(!path.exists());
        // One with an output stays, and so does one that was there.
        let made = OutputFolder::make(path.as_path()).unwrap();
        std::fs::write(path.join("field"), "").unwrap();
        drop(made);
        assert!(path.is_dir());
        std::fs::remove_file(path.join("field")).unwrap();
        drop(OutputFolder::make(path.as_path()).unwrap());
        assert!(path.is_dir());
        // What ends at once leaves as little.
        std::fs::remove_dir(&path).unwrap();
        let files = Files::default();
        std::mem::forget(OutputFolder::make(files.target(&path)).unwrap());
        std::mem::forget(crate::KeptParts::open(files.target(path.join("field"))).unwrap());
        files.pending().remove_all();
        assert!(!path.exists());
    }
}
