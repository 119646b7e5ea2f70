//! Standard output, whose reader may leave early (`veloxel info FILE | head -1`).

use crate::Outcome;
use std::io::{ErrorKind, Write, stdout};
use veloxel::io::IoError;

/// Prints text as it is.
///
/// A reader that left has seen all it wanted: the command ends there, and well.
pub fn print(text: &str) -> Result<(), IoError> {
    let written = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(source) => Err(IoError::Write { path: "standard output".into(), source }),
        Ok(()) => Ok(()),
    }
}

/// Names and values in two columns.
pub fn print_lines(lines: &[(&str, String)]) -> Outcome {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 2;
    Ok(print(&lines.iter().map(|(name, value)| format!("{name:<width$}{value}\n")).collect::<String>())?)
}

/// Any result as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Outcome {
    Ok(print(&(serde_json::to_string_pretty(value)? + "\n"))?)
}
