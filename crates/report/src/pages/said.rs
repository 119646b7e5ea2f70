//! Warnings and notes as a page shows them: what is the same of several files is said once, paths are cut to the names of files,
//! and lists are folded.

use crate::run::header::RunHeader;
use serde::Serialize;
use std::path::{MAIN_SEPARATOR, Path};
use veloxel_core::{Warning, WarningKind};

/// Notes that are shown before the others are folded.
const SHOWN: usize = 8;

/// A warning, or a note, of one or several files.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Said {
    /// The family, in a word.
    kind: String,
    /// The names of the files, and what is said of them; or what is said alone.
    text: String,
    /// The whole paths, where the text has names alone.
    paths: String,
    /// What the text sums up.
    details: Vec<String>,
}

/// What a page says of a run.
#[derive(Debug, Default, Serialize)]
pub(super) struct AllSaid {
    pub warnings: Vec<Said>,
    pub notes: Vec<Said>,
    /// Notes after the first ones, folded.
    pub more_notes: Vec<Said>,
}

impl AllSaid {
    pub fn of(run: &RunHeader) -> Self {
        let said = |is_note: bool| {
            let of_kind = |warning: &&Warning| (warning.kind == WarningKind::Note) == is_note;
            grouped(run.warnings.iter().filter(of_kind), &run.command_line)
        };
        let mut notes = said(true);
        // A line that unfolds one note takes as much room as the note.
        let more_notes = if notes.len() > SHOWN + 1 { notes.split_off(SHOWN) } else { Vec::new() };
        Self { warnings: said(false), notes, more_notes }
    }
}

/// Warnings in their order, those that say the same of several files as one.
fn grouped<'a>(warnings: impl Iterator<Item = &'a Warning>, command_line: &str) -> Vec<Said> {
    let mut groups: Vec<(&Warning, &str, Vec<&str>)> = Vec::new();
    for warning in warnings {
        let (path, rest) = parted(&warning.message, command_line);
        let known = groups.iter_mut().find(|(first, said, paths)| {
            !paths.is_empty()
                && path.is_some()
                && *said == rest
                && first.kind == warning.kind
                && first.details == warning.details
        });
        match known {
            Some((_, _, paths)) => paths.extend(path),
            None => groups.push((warning, rest, path.into_iter().collect())),
        }
    }
    groups.into_iter().map(|(warning, rest, paths)| said(warning, rest, &paths)).collect()
}

fn said(warning: &Warning, rest: &str, paths: &[&str]) -> Said {
    let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
    let kind = match warning.kind {
        WarningKind::Grid => "grids".to_owned(),
        kind => serde_json::to_value(kind)
            .ok()
            .and_then(|word| Some(word.as_str()?.to_owned()))
            .unwrap_or_default(),
    };
    let text = if names.is_empty() { rest.to_owned() } else { format!("{}: {rest}", names.join(", ")) };
    Said { kind, text, paths: paths.join(", "), details: warning.details.clone() }
}

/// The path of a user's file that a sentence begins with, and the rest of the sentence.
fn parted<'a>(message: &'a str, command_line: &str) -> (Option<&'a str>, &'a str) {
    match message.split_once(": ") {
        Some((path, rest)) if path.contains(MAIN_SEPARATOR) && command_line.contains(path) => {
            (Some(path), rest)
        }
        _ => (None, message),
    }
}

fn name(path: &str) -> String {
    Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "veloxel track data/cine.nii.gz --contours data/seeds.nii.gz -o heart";

    fn texts(warnings: &[Warning]) -> Vec<String> {
        grouped(warnings.iter(), COMMAND).into_iter().map(|said| said.text).collect()
    }

    #[test]
    fn the_same_of_two_files_is_said_once() {
        let header = |text: &str| Warning::new(WarningKind::Header, text);
        let warnings = [
            header("data/cine.nii.gz: pixdim was used"),
            header("slice 3: it has no strain"),
            header("data/seeds.nii.gz: pixdim was used"),
            header("data/seeds.nii.gz: something else"),
        ];
        let expected = [
            "cine.nii.gz, seeds.nii.gz: pixdim was used",
            "slice 3: it has no strain",
            "seeds.nii.gz: something else",
        ];
        assert_eq!(texts(&warnings), expected);
    }

    #[test]
    fn what_begins_with_no_file_of_the_command_stays_whole() {
        let warnings = [Warning::new(WarningKind::Content, "mm/px: both are possible")];
        assert_eq!(texts(&warnings), ["mm/px: both are possible"]);
    }

    #[test]
    fn many_notes_are_folded() {
        let run = |count: usize| {
            let mut run = RunHeader {
                veloxel_version: String::new(),
                command_line: COMMAND.to_owned(),
                method: String::new(),
                preset: None,
                device: Default::default(),
                parameters: serde_json::Value::Null,
                inputs: Vec::new(),
                stage_times: Vec::new(),
                warnings: Default::default(),
            };
            (0..count).for_each(|n| run.warnings.push(WarningKind::Note, format!("note {n}")));
            let AllSaid { warnings, notes, more_notes } = AllSaid::of(&run);
            [warnings.len(), notes.len(), more_notes.len()]
        };
        assert_eq!(run(9), [0, 9, 0]);
        assert_eq!(run(10), [0, 8, 2]);
    }
}
