//! Which files readers open, whatever names, headers and folders led to them: none of them may be replaced by an output of the
//! same run.

use crate::error::{IoError, Result};
use crate::file_identity::{FileIdentity, FileSet};
use std::fmt;
use std::fs::Metadata;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Says whether a file will be replaced.
type WillReplace = dyn Fn(&FileIdentity) -> bool + Send + Sync;

/// The lists of one session: a run keeps its own as long as it lives.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenedFiles {
    lists: Arc<Mutex<Vec<Weak<OpenedList>>>>,
}

/// The files that the readers of a session open while this lives.
pub struct OpenedList {
    will_replace: Box<WillReplace>,
    opened: Mutex<FileSet>,
}

impl OpenedFiles {
    /// From now on, every file that is opened is in this list, and one that `will_replace` holds for is not read.
    pub fn list(&self, will_replace: Box<WillReplace>) -> Arc<OpenedList> {
        let list = Arc::new(OpenedList { will_replace, opened: Mutex::default() });
        let mut lists = locked(&self.lists);
        lists.retain(|list| list.strong_count() > 0);
        lists.push(Arc::downgrade(&list));
        list
    }

    /// Tells that a file was opened.
    ///
    /// # Errors
    /// [`IoError::ReplacesInput`].
    pub fn tell(&self, path: &Path, metadata: &Metadata) -> Result<()> {
        let lists: Vec<_> = locked(&self.lists).iter().filter_map(Weak::upgrade).collect();
        if lists.is_empty() {
            return Ok(());
        }
        let file = FileIdentity::of_opened(path, metadata);
        for list in lists {
            locked(&list.opened).extend([file.clone()]);
            if (list.will_replace)(&file) {
                return Err(IoError::ReplacesInput { path: path.to_owned() });
            }
        }
        Ok(())
    }
}

impl OpenedList {
    /// Whether a file was opened.
    pub fn holds(&self, file: &FileIdentity) -> bool {
        locked(&self.opened).contains(file)
    }
}

impl fmt::Debug for OpenedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedList").field("opened", &self.opened).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::read::reading::ReadOptions;
    use crate::read_text;

    #[test]
    fn what_will_be_replaced_is_not_read_while_its_list_lives() {
        let folder = tempfile::tempdir().unwrap();
        let [read, kept] = ["read", "kept"].map(|name| folder.path().join(name));
        for file in [&read, &kept] {
            std::fs::write(file, "text").unwrap();
        }
        let (files, replaced) = (Files::default(), FileIdentity::of(&kept));
        let list = files.list_opened(move |file| file.is(&replaced));
        let open = |path: &Path| read_text(path, 9, files.reading(ReadOptions::default()));
        open(&read).unwrap();
        assert!(list.holds(&FileIdentity::of(&read)) && !list.holds(&FileIdentity::of(&kept)));
        assert!(matches!(open(&kept), Err(IoError::ReplacesInput { path }) if path == kept));
        assert!(list.holds(&FileIdentity::of(&kept)));
        #[cfg(unix)]
        {
            let second = folder.path().join("second name");
            std::fs::hard_link(&kept, &second).unwrap();
            assert!(matches!(open(&second), Err(IoError::ReplacesInput { .. })));
        }
        drop(list);
        open(&kept).unwrap();
    }
}
