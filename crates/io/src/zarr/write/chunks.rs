//! Chunks on their way into a store.

use super::axes::space_axes;
use crate::error::Result;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::zarr::array::Array;
use crate::zarr::codecs::compressed;
use crate::zarr::region::Numbers;
use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

/// A store that is being written: a folder under a hidden name.
pub(super) struct StoreWriter<'t> {
    root: PathBuf,
    target: &'t Target,
}

impl<'t> StoreWriter<'t> {
    pub fn create(root: &Path, target: &'t Target) -> Result<Self> {
        fs::create_dir_all(root).map_err(target.fail())?;
        Ok(Self { root: root.to_owned(), target })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn target(&self) -> &Target {
        self.target
    }

    /// Gives a key its value.
    pub fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        self.target.check()?;
        let path = self.root.join(key);
        let made = File::create_new(&path).or_else(|error| {
            if error.kind() != std::io::ErrorKind::NotFound {
                return Err(error);
            }
            fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
            File::create_new(&path)
        });
        let written = made.and_then(|mut file| {
            file.write_all(value)?;
            // Elsewhere all files are brought to the disk at once, in the end.
            if cfg!(target_os = "linux") { Ok(()) } else { file.sync_data() }
        });
        written.map_err(|error| self.fail(error))
    }

    /// Gives a chunk its samples, little-endian bytes in the array's order.
    pub fn put_chunk(&self, array: &Array, chunk: &[usize], samples: &[u8]) -> Result<()> {
        self.put(&array.key(chunk), &compressed(samples, array.sample.bytes()))
    }

    /// Waits until the disk has everything: network file systems tell of a full one only then.
    pub fn finish(self) -> Result<()> {
        self.target.check()?;
        #[cfg(target_os = "linux")]
        File::open(&self.root)
            .and_then(|folder| rustix::fs::syncfs(&folder).map_err(Error::from))
            .map_err(|error| self.fail(error))?;
        Ok(())
    }

    fn fail(&self, error: Error) -> crate::IoError {
        self.target.fail()(error)
    }
}

/// Writes all chunks of level 0.
pub(super) fn write_record(store: &StoreWriter, array: &Array, record: &Record) -> Result<()> {
    let axes = array.shape.len();
    let lead = axes - space_axes(record);
    let [nx, ny, _] = record.grid.size();
    let zero = vec![0; axes];
    let mut numbers = Numbers::of(&zero, &array.shape, &array.chunk);
    let mut bytes = Vec::new();
    let (size, count) = (array.sample.bytes(), array.chunk.iter().product::<usize>());
    while let Some(chunk) = numbers.next() {
        bytes.clear();
        bytes.resize(count * size, 0);
        // Frames or components: the first axis, if there is one.
        let part = match lead {
            0 => 0,
            // Components stand in the order of the axes of space, the slowest first.
            _ if record.components > 1 => record.components - 1 - chunk[0],
            _ => chunk[0],
        };
        let [cz, cy, cx] = of_space(&array.chunk[lead..]);
        let [sz, sy, sx] = of_space(&array.shape[lead..]);
        let [z0, y0, x0] = of_space(
            &chunk.iter().zip(&array.chunk).skip(lead).map(|(n, size)| n * size).collect::<Vec<_>>(),
        );
        // The first of a picture's axes of space is not among the array's.
        let (cz, sz, z0) = if axes - lead == 2 { (1, 1, 0) } else { (cz, sz, z0) };
        let length = cx.min(sx - x0);
        for z in z0..sz.min(z0 + cz) {
            for y in y0..sy.min(y0 + cy) {
                let at = ((z - z0) * cy + (y - y0)) * cx * size;
                record.fill_row(part, x0 + nx * (y + ny * z), &mut bytes[at..at + length * size]);
            }
        }
        store.put_chunk(array, chunk, &bytes)?;
    }
    Ok(())
}

/// Sizes along z, y and x, of two or three.
fn of_space(sizes: &[usize]) -> [usize; 3] {
    match sizes {
        [z, y, x] => [*z, *y, *x],
        [y, x] => [1, *y, *x],
        _ => unreachable!("an image should have two or three axes of space"),
    }
}
