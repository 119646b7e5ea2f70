//! Records to jobs: a record becomes the line of its command, which is parsed as that command parses its own.

use crate::commands::{COMMANDS, Fallible};
use crate::hints::error_text_of;
use crate::interface::interface;
use crate::run_arguments::quoted;
use crate::suggestions::with_suggestion;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use veloxel::io::{FieldValue, Record};
use veloxel::jobs::{BatchError, JobRow, Refusal, RowJob};

/// The field that names a row's command, and what a row is without it.
const COMMAND: &str = "command";
const DEFAULT_COMMAND: &str = "flow";
/// Options that are for all rows together: the batch has them itself, or they make no sense for a row.
const OF_BATCH: [&str; 7] = ["device", "threads", "max-memory", "quiet", "dry-run", "help", "json"];
/// What parts several values of one option in a cell.
const PARTS_VALUES: char = ';';

/// The jobs of records. Options that a record does not say are taken from `options`; relative outputs lie in `folder`.
///
/// # Errors
/// [`BatchError::Refused`] with every record that is no line of a command.
pub fn read_rows(
    records: &[Record],
    options: &[(String, FieldValue)],
    folder: &Path,
    max_memory: Option<u64>,
) -> Result<Vec<JobRow>, BatchError> {
    let mut interface = interface();
    interface.build();
    let (mut rows, mut refusals) = (Vec::new(), Vec::new());
    for (nth, record) in records.iter().enumerate() {
        let line = Some(record.line).filter(|line| *line > 0);
        let reader = RowReader { interface: &mut interface, options, folder, max_memory };
        match reader.read(record) {
            Ok(Line { text, job }) => rows.push(JobRow { row: nth + 1, line, text, job }),
            Err(reason) => {
                let place = line.map_or_else(String::new, |line| format!(" (line {line})"));
                refusals.push(Refusal { place: format!("row {}{place}", nth + 1), reason });
            }
        }
    }
    if refusals.is_empty() { Ok(rows) } else { Err(BatchError::Refused { refusals }) }
}

/// The command that the text of a row begins with.
pub(super) fn row_command(text: &str) -> Option<Command> {
    let mut command = interface();
    for word in text.split(' ') {
        match command.find_subcommand(word) {
            Some(inner) => command = inner.clone(),
            None => break,
        }
    }
    (command.get_name() != "veloxel").then_some(command)
}

/// Reads one record.
struct RowReader<'a> {
    interface: &'a mut Command,
    options: &'a [(String, FieldValue)],
    folder: &'a Path,
    max_memory: Option<u64>,
}

/// What a record is.
struct Line {
    /// What the ledger knows the row by.
    text: String,
    job: RowJob,
}

/// The words of a line.
#[derive(Default)]
struct Words {
    /// `--name=value`, outputs as the record says them.
    said: Vec<String>,
    /// These words with outputs in the batch's folder.
    options: Vec<OsString>,
    /// What has no name in the line, with its place there.
    positional: Vec<(usize, OsString)>,
}

impl RowReader<'_> {
    fn read(self, record: &Record) -> Result<Line, String> {
        let own = |name: &str| record.fields.iter().any(|(field, _)| spelt(field) == spelt(name));
        let added = self.options.iter().filter(|(name, _)| !own(name));
        let fields: Vec<&(String, FieldValue)> = record.fields.iter().chain(added).collect();
        let named = fields.iter().find(|(name, _)| name == COMMAND).map(|(_, value)| value);
        let names = match named {
            None => DEFAULT_COMMAND.to_owned(),
            Some(FieldValue::Text(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Some(_) => return Err(format!("`{COMMAND}` is the name of a command")),
        };
        let command = find(self.interface, &names)?;
        let mut words = Words::default();
        for (name, value) in fields.iter().filter(|(name, _)| name != COMMAND) {
            words.add(command, name, value, self.folder)?;
        }
        words.said.sort();
        words.positional.sort();
        if let Some(bytes) = self.max_memory {
            words.said.push(format!("--max-memory={bytes}"));
        }
        let begin = ["veloxel"].into_iter().chain(names.split(' ')).map(OsString::from);
        let mut line: Vec<OsString> = begin.chain(words.options).collect();
        if !words.positional.is_empty() {
            line.push("--".into());
            line.extend(words.positional.into_iter().map(|(_, word)| word));
        }
        let said = words.said.iter().map(|word| quoted(word));
        let text = std::iter::once(names.clone()).chain(said).collect::<Vec<_>>().join(" ");
        let job = self.job(&line).map_err(|error| one_line(&*error, row_command(&names).as_ref()))?;
        let shown: Vec<String> = line.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        Ok(Line { text, job: job.with_command_line(&shown.join(" ")) })
    }

    fn job(self, line: &[OsString]) -> Fallible<RowJob> {
        let matches: ArgMatches = self.interface.try_get_matches_from_mut(line).map_err(with_suggestion)?;
        let (name, given) = matches.subcommand().ok_or("a row names a command")?;
        let entry = COMMANDS.iter().find(|entry| entry.name == name);
        let row_job = entry.and_then(|entry| entry.row_job).ok_or("a row names a command of rows")?;
        row_job(given)
    }
}

/// The command that a row names: `flow`, `warp image`.
fn find<'a>(interface: &'a Command, names: &str) -> Result<&'a Command, String> {
    let of_rows: Vec<&str> =
        COMMANDS.iter().filter(|entry| entry.row_job.is_some()).map(|entry| entry.name).collect();
    let refused = || format!("no row can be `{names}`: it is one of {}", of_rows.join(", "));
    let mut words = names.split(' ');
    let first = words.next().filter(|name| of_rows.contains(name)).ok_or_else(refused)?;
    let mut command = interface.find_subcommand(first).ok_or_else(refused)?;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(refused)?;
    }
    if command.has_subcommands() {
        let inner: Vec<String> = command
            .get_subcommands()
            .map(Command::get_name)
            .filter(|name| *name != "help")
            .map(|name| format!("`{names} {name}`"))
            .collect();
        return Err(format!("`{names}` is {}", inner.join(" or ")));
    }
    Ok(command)
}

/// A field's name as options are spelt: Python's underscores are hyphens.
fn spelt(name: &str) -> String {
    name.trim().trim_start_matches('-').replace('_', "-")
}

impl Words {
    fn add(
        &mut self,
        command: &Command,
        name: &str,
        value: &FieldValue,
        folder: &Path,
    ) -> Result<(), String> {
        let long = spelt(name);
        if OF_BATCH.contains(&long.as_str()) {
            return Err(format!("`{name}` is for all rows together: give it beside JOBS, not in a row"));
        }
        let by_long = command.get_arguments().find(|argument| argument.get_long() == Some(long.as_str()));
        let by_place =
            || command.get_positionals().find(|argument| spelt(argument.get_id().as_str()) == long);
        let Some(argument) = by_long.or_else(by_place) else {
            // The command says what is wrong with it, and what may have been meant.
            self.options.push(format!("--{long}").into());
            return Ok(());
        };
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            if holds(name, value)? {
                self.said.push(format!("--{long}"));
                self.options.push(format!("--{long}").into());
            }
            return Ok(());
        }
        for value in values(argument, name, value)? {
            let is_relative = is_output(argument) && value != "-" && Path::new(&value).is_relative();
            let placed =
                if is_relative { folder.join(&value).into_os_string() } else { OsString::from(&value) };
            self.said.push(format!("--{long}={value}"));
            match argument.get_index() {
                None => {
                    let mut word = OsString::from(format!("--{long}="));
                    word.push(placed);
                    self.options.push(word);
                }
                Some(place) => self.positional.push((place, placed)),
            }
        }
        Ok(())
    }
}

/// Whether an option names a file or a folder that is written.
fn is_output(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    let is_named = names.iter().any(|name| name.starts_with("OUT") || name.as_str() == "FOLDER");
    let is_path = argument.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
    is_path && (argument.get_id() == "output" || is_named)
}

/// Whether a flag is set.
fn holds(name: &str, value: &FieldValue) -> Result<bool, String> {
    let word = match value {
        FieldValue::Flag(holds) => return Ok(*holds),
        FieldValue::Text(word) => word.to_lowercase(),
        FieldValue::List(_) => String::new(),
    };
    match word.as_str() {
        "true" | "yes" | "1" => Ok(true),
        "false" | "no" | "0" => Ok(false),
        _ => Err(format!("`{name}` is true or false")),
    }
}

/// The values of an option.
fn values(argument: &Arg, name: &str, value: &FieldValue) -> Result<Vec<String>, String> {
    let is_repeated = matches!(argument.get_action(), ArgAction::Append)
        || argument.get_num_args().is_some_and(|count| count.max_values() > 1);
    match value {
        FieldValue::Text(text) if is_repeated => {
            Ok(text.split(PARTS_VALUES).map(|part| part.trim().to_owned()).collect())
        }
        FieldValue::Text(text) => Ok(vec![text.clone()]),
        FieldValue::List(values) if is_repeated => Ok(values.clone()),
        FieldValue::List(_) => Err(format!("`{name}` has one value")),
        FieldValue::Flag(_) => Err(format!("`{name}` has a value, and is not just true or false")),
    }
}

/// An error of a row in one line: of clap's without its usage.
fn one_line(error: &(dyn std::error::Error + 'static), command: Option<&Command>) -> String {
    let Some(usage) = error.downcast_ref::<clap::Error>() else { return error_text_of(error, command) };
    let text = usage.to_string();
    let told = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let told: Vec<&str> = told.map(str::trim).filter(|line| !line.is_empty()).collect();
    let told = told.join(" ");
    told.strip_prefix("error: ").unwrap_or(&told).to_owned()
}

#[cfg(test)]
mod tests;
