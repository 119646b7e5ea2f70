//! A file that only grows, a line at a time: what it holds survives the end of the program at any moment.

use crate::error::{IoError, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A log that this process alone appends to, as long as this lives.
///
/// A line counts once its line break is in the file. One that was torn, because the program or the machine ended in the middle of
/// it, is cut off when the log is opened again. On file systems without locks two processes are not kept apart.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: File,
    /// Bytes of the whole lines.
    length: u64,
}

impl AppendLog {
    /// Opens a log, or begins one, and gives the lines that it has.
    ///
    /// # Errors
    /// [`IoError::Busy`] while another process has it open; [`IoError::Open`]; [`IoError::Read`]; [`IoError::Malformed`] for a text
    /// that is not UTF-8; [`IoError::Write`] if a torn line cannot be cut off.
    pub fn open(path: &Path) -> Result<(Self, Vec<String>)> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|source| IoError::Open { path: path.to_owned(), source })?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(IoError::Busy { path: path.to_owned() });
        }
        let (lines, length) = whole_lines(&mut file, path)?;
        let log = Self { path: path.to_owned(), file, length };
        log.cut().map_err(IoError::write(path))?;
        keep_name(path);
        Ok((log, lines))
    }

    /// The whole lines of a log, and whether a process has it open.
    ///
    /// # Errors
    /// [`IoError::Open`], [`IoError::Read`]; [`IoError::Malformed`] for a text that is not UTF-8.
    pub fn look_at(path: &Path) -> Result<(Vec<String>, LogUse)> {
        let mut file = File::open(path).map_err(|source| IoError::Open { path: path.to_owned(), source })?;
        let (lines, _) = whole_lines(&mut file, path)?;
        // The lock, if it can be had, goes with the file.
        let is_open = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        Ok((lines, if is_open { LogUse::Open } else { LogUse::Closed }))
    }

    /// Adds a line, and waits until the disk has it. After a failure the log is as it was.
    ///
    /// # Errors
    /// [`IoError::Write`], also for a line with a line break.
    pub fn append(&mut self, line: &str) -> Result<()> {
        let written = self.write(line);
        if written.is_err() {
            // What is left of the line is cut off when the log is opened again.
            let _ = self.cut();
        }
        written.map_err(IoError::write(&self.path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        if line.contains('\n') {
            return Err(Error::new(ErrorKind::InvalidInput, "a line of a log has no line break"));
        }
        let bytes = format!("{line}\n");
        self.file.write_all(bytes.as_bytes())?;
        self.file.sync_data()?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts off what follows the whole lines.
    fn cut(&self) -> std::io::Result<()> {
        if self.file.metadata()?.len() > self.length {
            self.file.set_len(self.length)?;
            self.file.sync_data()?;
        }
        Ok(())
    }
}

/// Whether a process appends to a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogUse {
    /// One does.
    Open,
    /// No process does, or the file system does not tell.
    Closed,
}

/// The lines that end with a line break, and their bytes.
fn whole_lines(file: &mut File, path: &Path) -> Result<(Vec<String>, u64)> {
    let failed = |source| IoError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(failed)?;
    let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(length);
    let text = String::from_utf8(bytes).map_err(|error| IoError::malformed(path, "text", "UTF-8", error))?;
    Ok((text.lines().map(str::to_owned).collect(), length as u64))
}

/// Lets the disk keep the name of a file that is new.
fn keep_name(path: &Path) {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Where folders cannot be synchronised the system keeps names as it does.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        (folder, path)
    }

    #[test]
    fn a_log_that_is_cut_at_any_byte_has_the_whole_lines_before_and_goes_on() {
        let (_folder, path) = place();
        let lines = ["{\"row\": 1}", "{\"row\": 2, \"name\": \"ä\"}", "", "{\"row\": 4}"];
        let (mut log, none) = AppendLog::open(&path).unwrap();
        assert!(none.is_empty());
        lines.iter().for_each(|line| log.append(line).unwrap());
        drop(log);
        let whole = std::fs::read(&path).unwrap();
        for end in 0..=whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let count = whole[..end].iter().filter(|&&byte| byte == b'\n').count();
            let (mut log, there) = AppendLog::open(&path).unwrap();
            assert_eq!(there, lines[..count], "cut at {end}");
            log.append("next").unwrap();
            drop(log);
            let (there, use_of_it) = AppendLog::look_at(&path).unwrap();
            assert_eq!((there.len(), use_of_it), (count + 1, LogUse::Closed), "cut at {end}");
            assert_eq!(there[count], "next");
        }
    }

    #[test]
    fn one_process_at_a_time_has_a_log() {
        let (_folder, path) = place();
        let (log, _) = AppendLog::open(&path).unwrap();
        assert!(matches!(AppendLog::open(&path), Err(IoError::Busy { .. })));
        assert_eq!(AppendLog::look_at(&path).unwrap().1, LogUse::Open);
        drop(log);
        assert!(AppendLog::open(&path).is_ok());
    }

    #[test]
    fn a_line_has_no_line_break() {
        let (_folder, path) = place();
        let (mut log, _) = AppendLog::open(&path).unwrap();
        assert!(log.append("a\nb").is_err());
        log.append("c").unwrap();
        drop(log);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "c\n");
    }
}
