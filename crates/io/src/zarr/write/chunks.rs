//! Chunks on their way into a store.

use super::axes::space_axes;
use crate::error::Result;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::zarr::array::Array;
use crate::zarr::codecs::{EncoderMemory, compressed};
use crate::zarr::region::Numbers;
use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};
use veloxel_core::GridBox;

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

/// Memory for chunks, which is used again.
#[derive(Debug, Default)]
pub(super) struct ChunkMemory {
    bytes: Vec<u8>,
    encoder: EncoderMemory,
}

/// Writes chunks into a store.
pub(super) struct ChunkWriter<'a, 't> {
    pub store: &'a StoreWriter<'t>,
    pub memory: &'a mut ChunkMemory,
}

impl ChunkWriter<'_, '_> {
    /// Gives a chunk its samples, little-endian bytes in the array's order.
    pub fn put(&mut self, array: &Array, chunk: &[usize], samples: &[u8]) -> Result<()> {
        let stored = compressed(samples, array.sample.bytes(), &mut self.memory.encoder);
        self.store.put(&array.key(chunk), stored)
    }
}

/// Writes all chunks of level 0; `written` gets the number of each.
pub(super) fn write_record<'a, 't>(
    writer: &mut ChunkWriter<'a, 't>,
    array: &Array,
    record: &Record,
    written: impl FnMut(&mut ChunkWriter<'a, 't>, &[usize]) -> Result<()>,
) -> Result<()> {
    let size = record.grid.size();
    let [nx, ny, _] = size;
    let fill = |part: usize, [x, y, z]: [usize; 3], out: &mut [u8]| {
        record.fill_row(part, x + nx * (y + ny * z), out);
    };
    write_box(writer, array, record, GridBox::all(size), fill, written)
}

/// Writes the chunks of level 0 that a box has, which begins and ends between chunks. `fill` fills bytes with the samples of a frame,
/// or of a component, from a voxel on along x. `written` gets the number of each chunk.
pub(super) fn write_box<'a, 't>(
    writer: &mut ChunkWriter<'a, 't>,
    array: &Array,
    record: &Record,
    part: GridBox,
    fill: impl Fn(usize, [usize; 3], &mut [u8]),
    mut written: impl FnMut(&mut ChunkWriter<'a, 't>, &[usize]) -> Result<()>,
) -> Result<()> {
    let lead = array.shape.len() - space_axes(record);
    let along = |values: [usize; 3]| values.into_iter().rev().skip(3 - space_axes(record));
    let start: Vec<usize> = std::iter::repeat_n(0, lead).chain(along(part.begin)).collect();
    let size: Vec<usize> = array.shape[..lead].iter().copied().chain(along(part.size)).collect();
    let mut numbers = Numbers::of(&start, &size, &array.chunk);
    let mut bytes = std::mem::take(&mut writer.memory.bytes);
    let (sample, count) = (array.sample.bytes(), array.chunk.iter().product::<usize>());
    let [cz, cy, cx] = of_space(&array.chunk[lead..], 1);
    let [sz, sy, sx] = of_space(&array.shape[lead..], 1);
    while let Some(chunk) = numbers.next() {
        bytes.clear();
        bytes.resize(count * sample, 0);
        // Frames or components: the first axis, if there is one.
        let number = match lead {
            0 => 0,
            // Components stand in the order of the axes of space, the slowest first.
            _ if record.components > 1 => record.components - 1 - chunk[0],
            _ => chunk[0],
        };
        let [nz, ny, nx] = of_space(&chunk[lead..], 0);
        let [z0, y0, x0] = [nz * cz, ny * cy, nx * cx];
        let length = cx.min(sx - x0);
        for z in z0..sz.min(z0 + cz) {
            for y in y0..sy.min(y0 + cy) {
                let at = ((z - z0) * cy + (y - y0)) * cx * sample;
                fill(number, [x0, y, z], &mut bytes[at..at + length * sample]);
            }
        }
        writer.put(array, chunk, &bytes)?;
        written(writer, chunk)?;
    }
    writer.memory.bytes = bytes;
    Ok(())
}

/// Values along z, y and x, of two or three; a picture has one along z.
pub(super) fn of_space(values: &[usize], of_picture: usize) -> [usize; 3] {
    match values {
        [z, y, x] => [*z, *y, *x],
        [y, x] => [of_picture, *y, *x],
        _ => unreachable!("an image should have two or three axes of space"),
    }
}
