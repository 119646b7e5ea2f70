//! What a mistaken command line may have meant.

use crate::commands::{COMMANDS, Entry};
use crate::interface;
use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Most commands that are named for an option of theirs.
const MOST_NAMED: usize = 4;

/// Suggests the command that does what another program's command of this name does, or says which commands have an option;
/// clap knows similar spellings alone.
pub fn with_suggestion(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) {
        let given = given.to_lowercase().replace('_', "-");
        let means = |entry: &&Entry| entry.other_names.split_whitespace().any(|other| other == given);
        if let Some(entry) = COMMANDS.iter().find(means) {
            let suggested = ContextValue::Strings(vec![entry.name.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, suggested);
        }
    } else if error.kind() == ErrorKind::UnknownArgument
        && error.get(ContextKind::SuggestedArg).is_none()
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && let Some(text) = of_others(given)
    {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(text)]));
    }
    error
}

/// Which commands have an option that the given one has not; none where no command has it.
fn of_others(given: &str) -> Option<String> {
    let option = given.split('=').next().unwrap_or(given);
    let long = option.strip_prefix("--")?;
    let interface = interface();
    let with_it: Vec<&str> =
        interface.get_subcommands().filter(|c| has(c, long)).map(Command::get_name).collect();
    if with_it.is_empty() {
        return None;
    }
    let named = with_it[..with_it.len().min(MOST_NAMED)].join(", ");
    let more = if with_it.len() > MOST_NAMED { " and others" } else { "" };
    Some(format!("{option} is an option of {named}{more}; this command has no use for it"))
}

/// Whether a command, or one below it, has an option.
fn has(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(long))
        || command.get_subcommands().any(|below| has(below, long))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        with_suggestion(interface().try_get_matches_from(line.split(' ')).unwrap_err()).to_string()
    }

    #[test]
    fn an_option_of_other_commands_is_told_whose_it_is() {
        let text = told("veloxel info --device cpu a.png");
        assert!(text.contains("--device is an option of flow") && text.contains("and others"), "{text}");
        let text = told("veloxel info --nowhere a.png");
        assert!(!text.contains("is an option of"), "{text}");
        let text = told("veloxel info --jsn a.png");
        assert!(text.contains("--json") && !text.contains("is an option of"), "{text}");
    }

    #[test]
    fn commands_of_other_programs_are_suggested() {
        assert!(told("veloxel optical_flow a b").contains("'flow'"));
    }
}
