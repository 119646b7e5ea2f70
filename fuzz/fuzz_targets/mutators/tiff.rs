//! Mutations of TIFF, entry by entry: tags, types, counts, values, and the place of the next page.

use super::{EDGES, Random};

const TAGS: [u16; 29] = [
    254, 255, 256, 257, 258, 259, 262, 266, 270, 273, 274, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325,
    330, 338, 339, 347, 530, 532, 34665, 42113,
];
const TYPES: [u16; 14] = [0, 1, 2, 3, 4, 5, 11, 12, 13, 16, 17, 18, 19, 255];
const COMPRESSIONS: [u64; 12] = [1, 2, 5, 6, 7, 8, 32773, 32946, 33003, 34887, 34925, 50000];

/// A changed file; none if these bytes are no TIFF.
pub fn mutate(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (little, big) = match file.get(..4)? {
        b"II*\0" => (true, false),
        b"MM\0*" => (false, false),
        b"II+\0" => (true, true),
        b"MM\0+" => (false, true),
        _ => return None,
    };
    let mut words = Words { file: file.to_vec(), little, big };
    let (head, entry_bytes, value_at) = if big { (8, 20, 12) } else { (2, 12, 8) };
    let mut page = words.offset(if big { 8 } else { 4 })?;
    // One of the first pages.
    for _ in 0..random.below(3) {
        let entries = words.entries(page)?;
        match words.offset(page + head + entry_bytes * entries) {
            Some(next) if next > 0 => page = next,
            _ => break,
        }
    }
    let entries = words.entries(page)?;
    if entries == 0 {
        return None;
    }
    for _ in 0..1 + random.below(3) {
        let entry = page + head + entry_bytes * random.below(entries);
        let edge = edge(random, big);
        match random.below(7) {
            0 => words.put(entry, random.one_of(&TAGS).to_le_bytes())?,
            1 => words.put(entry + 2, random.one_of(&TYPES).to_le_bytes())?,
            2 => words.put_offset(entry + 4, edge)?,
            3 => words.put_offset(entry + value_at, edge)?,
            4 => words.put_offset(entry + value_at, random.below(file.len()) as u64)?,
            5 => words.put_offset(entry + value_at, random.one_of(&COMPRESSIONS))?,
            _ => {
                let anywhere = random.below(file.len()) as u64;
                let next = random.one_of(&[page as u64, 8, 0, anywhere]);
                words.put_offset(page + head + entry_bytes * entries, next)?;
            }
        }
    }
    Some(words.file)
}

/// A number at which bounds are likely to break, of 64 bits now and then where offsets have as many.
fn edge(random: &mut Random, big: bool) -> u64 {
    let edge = u64::from(random.one_of(&EDGES));
    match random.below(4) {
        0 if big => edge << 32,
        1 if big => u64::MAX - edge,
        _ => edge,
    }
}

/// Numbers of the file's own byte order.
struct Words {
    file: Vec<u8>,
    little: bool,
    /// Whether offsets and counts have 64 bits in place of 32 (BigTIFF).
    big: bool,
}

impl Words {
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut bytes: [u8; N] = self.file.get(at..at.checked_add(N)?)?.try_into().ok()?;
        if !self.little {
            bytes.reverse();
        }
        Some(bytes)
    }

    fn put<const N: usize>(&mut self, at: usize, mut bytes: [u8; N]) -> Option<()> {
        if !self.little {
            bytes.reverse();
        }
        self.file.get_mut(at..at.checked_add(N)?)?.copy_from_slice(&bytes);
        Some(())
    }

    /// The number of entries of a directory.
    fn entries(&self, page: usize) -> Option<usize> {
        let entries = match self.big {
            true => u64::from_le_bytes(self.bytes(page)?),
            false => u16::from_le_bytes(self.bytes(page)?).into(),
        };
        usize::try_from(entries).ok().filter(|&entries| entries < self.file.len())
    }

    /// An offset that lies in the file.
    fn offset(&self, at: usize) -> Option<usize> {
        let offset = match self.big {
            true => u64::from_le_bytes(self.bytes(at)?),
            false => u32::from_le_bytes(self.bytes(at)?).into(),
        };
        usize::try_from(offset).ok().filter(|&offset| offset < self.file.len())
    }

    /// Writes an offset or a count; 32 of its bits where there is no room for more.
    fn put_offset(&mut self, at: usize, value: u64) -> Option<()> {
        match self.big {
            true => self.put(at, value.to_le_bytes()),
            false => self.put(at, (value as u32).to_le_bytes()),
        }
    }
}
