//! The hidden folder in which outputs wait under their own names.
//!
//! `FOLDER/.veloxel-XXXXXX.part/` holds `owner`, a file that its process keeps locked; `new/`, the outputs with their paths
//! relative to `FOLDER`; `earlier/`, second names of the files that they replace; and `journal` once the outputs are decided.

use crate::write::plain_error::without_path;
use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Component, Path, PathBuf};

const PREFIX: &str = ".veloxel-";
const SUFFIX: &str = ".part";
/// The end of its name while it is removed.
const DISCARDED: &str = ".gone";

/// A staging folder; dropped, it is removed with all that is in it.
#[derive(Debug)]
pub(super) struct Staging {
    root: PathBuf,
    path: PathBuf,
    /// Locked as long as this lives.
    _owner: File,
}

/// What waits in a staging folder, relative to the folder that it will move to.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Folders, each before those inside it.
    pub folders: Vec<PathBuf>,
    /// Files in the order in which they are published: samples before the headers that name them.
    pub files: Vec<PathBuf>,
}

/// The folder that an output's staging folder lies in, absolute, and the output's path from there: the output itself if it is a
/// folder, or else the innermost folder around it that is there.
///
/// A store (`.zarr`) is one output whatever it holds: it is replaced as a whole.
pub(super) fn root_of(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let absolute = std::path::absolute(path)?;
    let nameless = || Error::new(ErrorKind::InvalidInput, "the path names no file");
    let is_folder = absolute.is_dir() && !is_whole(&absolute);
    if !is_folder && !matches!(path.components().next_back(), Some(Component::Normal(_))) {
        return Err(nameless());
    }
    let outer = usize::from(!is_folder);
    let root = absolute.ancestors().skip(outer).find(|folder| folder.is_dir()).ok_or_else(nameless)?;
    let name = absolute.strip_prefix(root).map_err(|_| nameless())?;
    Ok((root.canonicalize()?, name.to_owned()))
}

/// The folders in which an ended run may have left outputs of this path: `root`, in which a new one waits, and what lies around an
/// output that is a folder, since the ended run may have made it.
pub(super) fn roots_left(path: &Path, root: &Path) -> Vec<PathBuf> {
    let around = root.parent().filter(|_| path.is_dir() && !is_whole(path));
    [Some(root), around].into_iter().flatten().map(Path::to_owned).collect()
}

/// Whether a folder of this name is one output, which moves as a file does.
pub(crate) fn is_whole(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zarr"))
}

/// Whether a staging folder was being removed.
pub(super) fn is_discarded(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(DISCARDED))
}

/// Whether a path has the name of a staging folder.
pub(super) fn is_staging(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(PREFIX) && (name.ends_with(SUFFIX) || name.ends_with(DISCARDED))
}

/// Whether a path is a folder of this process's user: in a folder that several users write into, another's journal is not
/// followed.
#[cfg(unix)]
pub(super) fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == user)
}

/// Whether a path is a folder; this system does not tell whose.
#[cfg(not(unix))]
pub(super) fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// The staging folders of this user in a folder, of running and of ended processes.
pub(super) fn in_folder(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        if is_staging(&path) && is_own(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Staging {
    /// Makes a staging folder in `root`.
    pub fn make(root: &Path) -> Result<Self> {
        let mut made = Self::try_make(root);
        // Another run may have taken a folder without an owner for one that was left.
        while matches!(&made, Err(error) if error.kind() == ErrorKind::WouldBlock) {
            made = Self::try_make(root);
        }
        made
    }

    fn try_make(root: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(root);
        let folder = folder.map_err(without_path)?;
        let taken = |_| Error::from(ErrorKind::WouldBlock);
        let mut owner =
            File::create_new(folder.path().join("owner")).map_err(|error| match error.kind() {
                ErrorKind::NotFound => taken(error),
                _ => error,
            })?;
        match owner.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
            // Where nothing can be locked, nobody takes a folder for one that was left.
            Err(TryLockError::Error(_)) => owner.write_all(UNLOCKED)?,
            Ok(()) => {}
        }
        fs::create_dir(folder.path().join("new")).map_err(taken)?;
        Ok(Self { root: root.to_owned(), path: folder.keep(), _owner: owner })
    }

    /// Takes over a staging folder whose owner is gone; none if it lives, or is not known to be gone.
    pub fn left_by_its_owner(path: &Path) -> Option<Self> {
        if !is_own(path) {
            return None;
        }
        let owner = File::options().read(true).write(true).open(path.join("owner"));
        let owner = match owner {
            Ok(owner) => owner,
            // Its owner was ended before it could make the file, or is about to and will make another folder.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let _ = fs::remove_dir(path);
                return None;
            }
            Err(_) => return None,
        };
        owner.try_lock().ok()?;
        if owner.metadata().ok()?.len() == UNLOCKED.len() as u64 || !path.join("owner").exists() {
            return None;
        }
        Some(Self { root: path.parent()?.to_owned(), path: path.to_owned(), _owner: owner })
    }

    /// Leaves the folder where it is.
    pub fn leave(self) {
        std::mem::forget(self);
    }

    /// Leaves the folder as a process does that is killed.
    #[cfg(test)]
    pub fn end(self) {
        self._owner.unlock().expect("a lock should be given back");
        std::mem::forget(self);
    }

    /// The folder that the outputs will move to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The hidden folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where an output of this name waits; the folders around it are made.
    pub fn place(&self, name: &Path) -> PathBuf {
        let place = self.path.join("new").join(name);
        if let Some(folder) = place.parent() {
            // What cannot be made is told by whoever writes there.
            let _ = fs::create_dir_all(folder);
        }
        place
    }

    /// What waits here.
    pub fn content(&self) -> Result<Content> {
        let mut content = Content::default();
        add_content(&self.path.join("new"), Path::new(""), &mut content)?;
        content.folders.sort();
        let is_header = |name: &PathBuf| name.extension().is_some_and(|e| e == "mhd" || e == "nhdr");
        content.files.sort_by(|a, b| is_header(a).cmp(&is_header(b)).then_with(|| a.cmp(b)));
        Ok(content)
    }
}

/// The content of `owner` on file systems without locks.
const UNLOCKED: &[u8] = b"unlocked";

fn add_content(folder: &Path, name: &Path, content: &mut Content) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = name.join(entry.file_name());
        if entry.file_type()?.is_dir() && !is_whole(&name) {
            content.folders.push(name.clone());
            add_content(&entry.path(), &name, content)?;
        } else {
            content.files.push(name);
        }
    }
    Ok(())
}

/// Removes a staging folder, also while another thread still writes into it, since under another name no thread finds it, and
/// while another one removes it.
pub(crate) fn remove(path: &Path) {
    let discarded = path.with_extension(&DISCARDED[1..]);
    let _ = fs::rename(path, &discarded);
    for folder in [&discarded, path] {
        let _ = fs::remove_dir_all(folder);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        remove(&self.path);
    }
}
