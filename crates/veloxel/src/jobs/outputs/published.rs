//! Files that a job has given their names, and a way back as long as the job can still fail.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use veloxel_io::{PendingFiles, Revocable, TempDir, Unfinished};

/// The files of one output, all in one folder, with the files that had their names before.
///
/// Dropped before [`stays`](Self::stays), it removes the new files and puts the earlier ones back.
pub(crate) struct Published {
    files: Vec<Revocable>,
    /// Second names of the files that were there before; the folder goes with this value.
    earlier: Option<Unfinished<TempDir>>,
    new_folder: Option<PathBuf>,
    /// Told what cannot be taken back.
    left_behind: LeftBehind,
    /// Where a program that ends at once finds what is to be taken back.
    pending: PendingFiles,
}

impl Published {
    /// Nothing yet; what cannot be taken back is told to `left_behind`, and until it stays it is listed in `pending`.
    pub fn telling(left_behind: &LeftBehind, pending: &PendingFiles) -> Self {
        let (files, earlier, new_folder) = Default::default();
        let (left_behind, pending) = (left_behind.clone(), pending.clone());
        Self { files, earlier, new_folder, left_behind, pending }
    }

    /// Announces that `file` will get its name: what has the name now can be put back.
    pub fn announce(&mut self, file: &Path) -> Result<()> {
        let mut second_name = None;
        if file.symlink_metadata().is_ok_and(|m| !m.is_dir()) {
            if self.earlier.is_none() {
                self.earlier = Some(Unfinished::folder(file, &self.pending)?);
            }
            second_name =
                self.earlier.as_ref().zip(file.file_name()).map(|(earlier, name)| earlier.path().join(name));
            if let Some(earlier) = &second_name {
                // Not every file system has second names.
                fs::hard_link(file, earlier).or_else(|_| fs::copy(file, earlier).map(drop))?;
            }
        }
        self.files.push(Revocable::new(file, second_name, &self.pending));
        Ok(())
    }

    /// Moves every file of a hidden folder into `target`, which is made if it is not there.
    pub fn move_all(&mut self, hidden: &Path, target: &Path) -> Result<()> {
        if !target.exists() {
            self.new_folder = Some(target.to_owned());
        }
        fs::create_dir_all(target)?;
        for entry in fs::read_dir(hidden)? {
            let entry = entry?;
            let file = target.join(entry.file_name());
            self.announce(&file)?;
            fs::rename(entry.path(), &file)?;
        }
        Ok(())
    }

    /// There is no way back any more.
    pub fn stays(mut self) {
        (self.files, self.new_folder) = Default::default();
    }
}

/// The files and folders that a failed job could not take back, in the order of the failures. Clones are the same list.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftBehind(Arc<Mutex<Vec<PathBuf>>>);

impl LeftBehind {
    fn add(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    }

    /// The files and folders that were added so far, which leave the list.
    pub fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        // The failure that leads here is the one to tell.
        for file in std::mem::take(&mut self.files) {
            let path = file.path().to_owned();
            if file.take_back().is_err() {
                self.left_behind.add(&path);
            }
        }
        if let Some(folder) = self.new_folder.take()
            && fs::remove_dir(&folder).is_err()
            && folder.exists()
        {
            self.left_behind.add(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_back_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let left_behind = LeftBehind::default();
        let mut published = Published::telling(&left_behind, &PendingFiles::default());
        published.announce(&file).unwrap();
        // A folder of that name is nobody's to remove.
        fs::create_dir(&file).unwrap();
        drop(published);
        assert_eq!(left_behind.take(), [file]);
    }
}
