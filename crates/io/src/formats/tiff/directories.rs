//! The directories of a file as its bytes give them, before a decoder follows them.
//!
//! *Limits*: directories that share bytes, or lead back to an earlier one, are refused: each entry of them is looked at once for
//! every directory that has it, so that a file of a megabyte could ask for hours.

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;

/// Directories of a file.
const MOST_DIRECTORIES: usize = 1 << 22;

/// How a file's numbers are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub order: ByteOrder,
    /// Whether offsets have 64 bits in place of 32 (BigTIFF).
    is_big: bool,
}

/// A list of entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Directory {
    /// Where its first entry begins, bytes from the beginning of the file.
    first: u64,
    entries: u64,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// What it describes.
    pub tag: u64,
    /// How many values it has.
    pub count: u64,
    /// Where its values stand, or the offset of more than fit there.
    pub values_at: u64,
    /// The type of its values.
    kind: u64,
}

impl Entry {
    pub fn is_text(&self) -> bool {
        self.kind == TEXT
    }
}

/// Types of characters, and of whole numbers of 16 and of 32 bits.
const TEXT: u64 = 2;
const WORD: u64 = 3;
const LONG: u64 = 4;

impl Layout {
    pub fn of(file: &[u8]) -> Self {
        let order = if file.starts_with(b"II") { ByteOrder::Little } else { ByteOrder::Big };
        Self { order, is_big: number(order, file, 2, 2) == Some(43) }
    }

    /// The number in so many bytes, where the file has them.
    pub fn number(self, file: &[u8], at: u64, bytes: u64) -> Option<u64> {
        number(self.order, file, at, bytes)
    }

    /// Bytes of an offset, of an entry, and of the number of entries.
    fn sizes(self) -> (u64, u64, u64) {
        if self.is_big { (8, 20, 8) } else { (4, 12, 2) }
    }

    /// Where a directory's entries begin and how many it says to have; none beyond the file.
    fn directory(self, file: &[u8], at: u64) -> Option<Directory> {
        let (.., head) = self.sizes();
        Some(Directory { first: at.checked_add(head)?, entries: self.number(file, at, head)? })
    }

    /// All directories that follow one another, as far as the file has them whole.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) for directories that together are longer than the file.
    pub fn directories(self, file: &[u8], context: &Context) -> Result<Vec<Directory>> {
        let (offset, entry, head) = self.sizes();
        let first_at = if self.is_big { 8 } else { 4 };
        let (mut found, mut bytes) = (Vec::new(), 0u64);
        let mut next = self.number(file, first_at, offset);
        while let Some(directory) = next.filter(|at| *at != 0).and_then(|at| self.directory(file, at)) {
            let end = entry.checked_mul(directory.entries).and_then(|all| all.checked_add(directory.first));
            // The offset of the next one stands behind its entries.
            next = end.and_then(|end| self.number(file, end, offset));
            found.push(directory);
            if next.is_none() {
                break;
            }
            bytes += head + entry * directory.entries + offset;
            if bytes > file.len() as u64 {
                let got = format!("{} that share bytes, or lead back to an earlier one", found.len());
                return Err(context.malformed("TIFF directories", "each with bytes of its own", got));
            }
            if found.len() > MOST_DIRECTORIES {
                let expected = format!("at most {MOST_DIRECTORIES}");
                return Err(context.malformed("TIFF directories", expected, found.len()));
            }
        }
        Ok(found)
    }

    /// The entries of a directory, as far as the file has them.
    pub fn entries(self, file: &[u8], directory: Directory) -> impl Iterator<Item = Entry> {
        let (_, bytes, _) = self.sizes();
        let count_bytes = if self.is_big { 8 } else { 4 };
        (0..directory.entries).map_while(move |nth| {
            let at = bytes.checked_mul(nth)?.checked_add(directory.first)?;
            let tag = self.number(file, at, 2)?;
            let kind = self.number(file, at + 2, 2)?;
            let count = self.number(file, at + 4, count_bytes)?;
            Some(Entry { tag, count, values_at: at + 4 + count_bytes, kind })
        })
    }

    /// The whole number that an entry of one value has.
    pub fn value(self, file: &[u8], entry: &Entry) -> Option<u32> {
        let bytes = match (entry.count, entry.kind) {
            (1, WORD) => 2,
            (1, LONG) => 4,
            _ => return None,
        };
        self.number(file, entry.values_at, bytes).map(|value| value as u32)
    }

    /// Gives an entry of one value another one, of 32 bits.
    pub fn put_value(self, file: &mut [u8], entry: &Entry, value: u32) -> Option<()> {
        let values_at = usize::try_from(entry.values_at).ok()?;
        let kind_at = values_at - if self.is_big { 10 } else { 6 };
        let (kind, value) = match self.order {
            ByteOrder::Little => ((LONG as u16).to_le_bytes(), value.to_le_bytes()),
            ByteOrder::Big => ((LONG as u16).to_be_bytes(), value.to_be_bytes()),
        };
        file.get_mut(values_at..values_at + 4)?.copy_from_slice(&value);
        file.get_mut(kind_at..kind_at + 2)?.copy_from_slice(&kind);
        Some(())
    }
}

fn number(order: ByteOrder, file: &[u8], at: u64, bytes: u64) -> Option<u64> {
    let place = usize::try_from(at).ok()?..usize::try_from(at.checked_add(bytes)?).ok()?;
    file.get(place).map(|bytes| order.number(bytes))
}
