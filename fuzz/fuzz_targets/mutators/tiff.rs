//! Mutations of TIFF, entry by entry: tags, types, counts, values, and the place of the next page.

use super::{EDGES, Random};

const TAGS: [u16; 24] = [
    254, 256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 330, 338, 339,
    347, 530, 532,
];
const COMPRESSIONS: [u32; 9] = [1, 2, 5, 6, 7, 8, 32773, 32946, 50000];

/// A changed file; none if these bytes are no TIFF of 32-bit offsets.
pub fn mutate(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let little = match file.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let mut words = Words { file: file.to_vec(), little };
    let mut page = words.u32(4)? as usize;
    // One of the first pages.
    for _ in 0..random.below(3) {
        let entries = usize::from(words.u16(page)?);
        match words.u32(page + 2 + 12 * entries) {
            Some(next) if next > 0 => page = next as usize,
            _ => break,
        }
    }
    let entries = usize::from(words.u16(page)?);
    if entries == 0 {
        return None;
    }
    for _ in 0..1 + random.below(3) {
        let entry = page + 2 + 12 * random.below(entries);
        let edge = random.one_of(&EDGES);
        match random.below(7) {
            0 => words.put_u16(entry, random.one_of(&TAGS))?,
            1 => words.put_u16(entry + 2, random.one_of(&[0, 1, 2, 3, 4, 5, 11, 12, 13, 16, 255]))?,
            2 => words.put_u32(entry + 4, edge)?,
            3 => words.put_u32(entry + 8, edge)?,
            4 => words.put_u32(entry + 8, random.below(file.len()) as u32)?,
            5 => words.put_u32(entry + 8, random.one_of(&COMPRESSIONS))?,
            _ => {
                let anywhere = random.below(file.len()) as u32;
                let next = random.one_of(&[page as u32, 8, 0, anywhere]);
                words.put_u32(page + 2 + 12 * entries, next)?;
            }
        }
    }
    Some(words.file)
}

/// Numbers of the file's own byte order.
struct Words {
    file: Vec<u8>,
    little: bool,
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

    fn u16(&self, at: usize) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    fn put_u16(&mut self, at: usize, value: u16) -> Option<()> {
        self.put(at, value.to_le_bytes())
    }

    fn put_u32(&mut self, at: usize, value: u32) -> Option<()> {
        self.put(at, value.to_le_bytes())
    }
}
