//! The files of parts: planes of 32-bit floats, little-endian, one after the other.

use crate::error::{IoError, Result};
use crate::write::target::Target;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use veloxel_core::GridBox;

const SAMPLE_BYTES: usize = size_of::<f32>();
/// Bytes that are written at once.
pub(crate) const BLOCK_BYTES: usize = 1 << 16;
/// Bytes after which the disk is waited for.
const PIECE_BYTES: usize = 16 << 20;

/// The bytes of a part, a block of samples at a time.
pub(crate) fn blocks_of(planes: &[Vec<f32>]) -> impl Iterator<Item = Vec<u8>> {
    let blocks = planes.iter().flat_map(|plane| plane.chunks(BLOCK_BYTES / SAMPLE_BYTES));
    blocks.map(|block| block.iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// Writes a part under a name of its own, and gives it its name once the disk has it.
pub(crate) fn write_part(
    folder: &Path,
    target: &Target,
    [name, unfinished]: [&str; 2],
    blocks: impl Iterator<Item = Vec<u8>>,
) -> std::io::Result<()> {
    let place = folder.join(unfinished);
    let mut file = BufWriter::with_capacity(BLOCK_BYTES, File::create(&place)?);
    let mut unsynchronised = 0;
    for bytes in blocks {
        target.files().control().check().map_err(std::io::Error::other)?;
        file.write_all(&bytes)?;
        unsynchronised += bytes.len();
        if unsynchronised >= PIECE_BYTES {
            // A run that is stopped waits for the disk no longer than one piece takes.
            file.get_ref().sync_data()?;
            unsynchronised = 0;
        }
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_data()?;
    fs::rename(&place, folder.join(name))?;
    // Where folders cannot be synchronised the system keeps names as it does.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The samples of a box in the first planes of a part in a file, whose planes have so many voxels along x, y and z, in the memory of
/// `planes`.
///
/// # Errors
/// [`IoError::Open`]; [`IoError::Read`], also of a part that is shorter; [`IoError::Stopped`].
pub(crate) fn read_part(
    path: &Path,
    planes: &mut [Vec<f32>],
    size: [usize; 3],
    part: GridBox,
    target: &Target,
) -> Result<()> {
    let mut file = File::open(path).map_err(|source| IoError::Open { path: path.to_owned(), source })?;
    let mut bytes = Vec::new();
    for (plane, samples) in planes.iter_mut().enumerate() {
        samples.clear();
        samples.reserve_exact(part.len());
        for z in 0..part.size[2] {
            target.check()?;
            // From the first row of a layer to the last one.
            let layer = GridBox {
                begin: [part.begin[0], part.begin[1], part.begin[2] + z],
                size: [part.size[0], part.size[1], 1],
            };
            let rows: Vec<_> = layer.rows(size).collect();
            let (first, end) = (rows[0].start, rows[rows.len() - 1].end);
            let place = (plane * size.iter().product::<usize>() + first) * SAMPLE_BYTES;
            bytes.resize((end - first) * SAMPLE_BYTES, 0);
            file.seek(SeekFrom::Start(place as u64))
                .and_then(|_| file.read_exact(&mut bytes))
                .map_err(|source| IoError::Read { path: path.to_owned(), source })?;
            for row in rows {
                let own = (row.start - first) * SAMPLE_BYTES..(row.end - first) * SAMPLE_BYTES;
                samples.extend(samples_of(&bytes[own]));
            }
        }
    }
    Ok(())
}

/// All samples of a part in a file.
///
/// # Errors
/// [`IoError::Open`].
pub(crate) fn whole_part(path: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(path).map_err(|source| IoError::Open { path: path.to_owned(), source })?;
    Ok(samples_of(&bytes).collect())
}

/// The samples of the bytes of a part.
pub(crate) fn samples_of(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|&sample| f32::from_le_bytes(sample))
}
