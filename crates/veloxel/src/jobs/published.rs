//! Files that a job has given their names, and a way back as long as the job can still fail.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};
use veloxel_io::{TempDir, Unfinished};

/// The files of one output, all in one folder, with the files that had their names before.
///
/// Dropped before [`stays`](Self::stays), it removes the new files and puts the earlier ones back.
#[derive(Default)]
pub(super) struct Published {
    files: Vec<PathBuf>,
    /// Second names of the files that were there before; the folder goes with this value.
    earlier: Option<Unfinished<TempDir>>,
    new_folder: Option<PathBuf>,
}

impl Published {
    /// Announces that `file` will get its name: what has the name now can be put back.
    pub fn announce(&mut self, file: &Path) -> Result<()> {
        if file.symlink_metadata().is_ok_and(|m| !m.is_dir()) {
            if self.earlier.is_none() {
                self.earlier = Some(Unfinished::folder(file)?);
            }
            if let Some(earlier) = kept(&self.earlier, file) {
                // Not every file system has second names.
                fs::hard_link(file, &earlier).or_else(|_| fs::copy(file, &earlier).map(drop))?;
            }
        }
        self.files.push(file.to_owned());
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

impl Drop for Published {
    fn drop(&mut self) {
        // The failure that leads here is the one to tell.
        for file in &self.files {
            let _ = match kept(&self.earlier, file).filter(|earlier| earlier.symlink_metadata().is_ok()) {
                Some(earlier) => fs::rename(earlier, file),
                None => fs::remove_file(file),
            };
        }
        let _ = self.new_folder.as_deref().map(fs::remove_dir);
    }
}

fn kept(earlier: &Option<Unfinished<TempDir>>, file: &Path) -> Option<PathBuf> {
    Some(earlier.as_ref()?.path().join(file.file_name()?))
}
