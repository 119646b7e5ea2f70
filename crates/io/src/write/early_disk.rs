//! A large file goes to the disk while it is being written, and leaves the system's memory once the disk has it.
//!
//! A file gets its name when the disk has its bytes. Without this the disk would begin once the last one is written, and until
//! then a system keeps all of them in memory: it has to find as much of it, and may drop what other programs read again.

use std::fs::File;
use std::io::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

/// How many bytes wait at most for the disk's next turn. Smaller files are left to the system.
const TURN_BYTES: u64 = 64 << 20;

/// Sends a file to the disk in turns, on a thread of its own, which ends with it.
#[derive(Debug)]
pub(crate) struct EarlyDisk {
    /// Bytes since the last turn.
    waiting_bytes: AtomicU64,
    next_turn: SyncSender<()>,
}

impl EarlyDisk {
    /// For a file that will have so many bytes; none where it is small, or no thread can be had.
    ///
    /// # Errors
    /// The system's, where a handle cannot be doubled.
    pub fn of(file: &File, bytes: u64) -> Result<Option<Self>> {
        if bytes < 2 * TURN_BYTES {
            return Ok(None);
        }
        let (next_turn, turns) = mpsc::sync_channel(1);
        let same = file.try_clone()?;
        let begun = thread::Builder::new().spawn(move || {
            while turns.recv().is_ok() && same.sync_data().is_ok() {
                forget_clean_pages(&same);
            }
        });
        Ok(begun.is_ok().then_some(Self { waiting_bytes: AtomicU64::new(0), next_turn }))
    }

    /// Counts bytes that were written, from any thread. A failure of the disk is told when the file gets its name.
    pub fn wrote(&self, bytes: u64) {
        let before = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        // The one call that passes a multiple asks for a turn; while the disk is busy one waits, and further ones come to the same.
        if before / TURN_BYTES != (before + bytes) / TURN_BYTES {
            let _ = self.next_turn.try_send(());
        }
    }
}

/// Lets the system reuse the memory of what the disk has.
#[cfg(target_os = "linux")]
fn forget_clean_pages(file: &File) {
    // Advice: where it is not taken nothing is lost.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
fn forget_clean_pages(_: &File) {}

/// Gives a file its length, with room on the disk where the file system can take it at once.
///
/// # Errors
/// The system's.
pub(crate) fn reserve(file: &File, bytes: u64) -> Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes).is_ok() {
        return Ok(());
    }
    file.set_len(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, SeekFrom, Write};

    #[test]
    fn small_files_are_left_to_the_system() {
        let file = tempfile::tempfile().unwrap();
        assert!(EarlyDisk::of(&file, 2 * TURN_BYTES - 1).unwrap().is_none());
    }

    #[test]
    fn a_file_is_what_was_written_whatever_the_disk_has_already() {
        let mut file = tempfile::tempfile().unwrap();
        reserve(&file, 1 << 16).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 1 << 16);
        // As if it were to become large: the turns are asked for by what is said to be written.
        let disk = EarlyDisk::of(&file, 2 * TURN_BYTES).unwrap().expect("a thread");
        for turn in 0..16u8 {
            file.write_all(&[turn; 1 << 12]).unwrap();
            disk.wrote(TURN_BYTES);
        }
        drop(disk);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert!(
            bytes.len() == 1 << 16 && bytes.iter().zip(0..).all(|(&byte, place)| byte == (place >> 12) as u8)
        );
    }
}
