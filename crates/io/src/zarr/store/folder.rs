//! A store that is a folder: a key is the path of a file.

use super::{ReadAt, Value, no_file};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::reading::DataFiles;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The folder of a store.
pub(crate) struct Folder {
    root: PathBuf,
    /// Without links; what is read lies in it, unless samples may lie anywhere.
    real_root: PathBuf,
}

impl Folder {
    pub fn open(root: &Path, context: &Context) -> Result<Self> {
        let fail = IoError::open(root);
        let real_root = root.canonicalize().map_err(&fail)?;
        context.files().opened().tell(root, &root.metadata().map_err(&fail)?)?;
        Ok(Self { root: root.to_owned(), real_root })
    }

    /// A folder that is being written here.
    pub fn own(root: &Path) -> Self {
        Self { root: root.to_owned(), real_root: root.to_owned() }
    }

    pub fn value(&self, key: &str, context: &Context) -> Result<Option<Value<'static>>> {
        let path = self.root.join(key);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(IoError::open(&path)(error)),
        };
        // Links may lead anywhere.
        if context.reading.options.data_files == DataFiles::BesideHeader && !real.starts_with(&self.real_root)
        {
            return Err(IoError::Outside { data: real, path: self.root.clone() });
        }
        // A pipe would wait for ever when it is opened.
        let is_file = real.metadata().map_err(IoError::open(&path))?.is_file();
        if !is_file {
            return Err(no_file(context, key));
        }
        let file = File::open(&real).map_err(IoError::open(&path))?;
        let length = file.metadata().map_err(IoError::open(&path))?.len();
        Ok(Some(Value::new(file, length)))
    }

    pub fn names_below(&self, node: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(node)).into_iter().flatten().flatten();
        let names = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl ReadAt for File {
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.seek(SeekFrom::Start(place))?;
        self.read_exact(buffer)
    }
}
