//! Runs cargo in the workspace: in view, or quietly with its output kept.

use crate::Failure;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root folder of the workspace.
///
/// Cargo says where this package lies when it runs it, so that a binary in a shared target folder works on the
/// workspace it was called from.
pub fn workspace_root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().expect("the xtask package should lie in the workspace").to_path_buf()
}

/// The folder of build results.
pub fn target_folder() -> PathBuf {
    workspace_root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The cargo that runs this program, with `arguments`, in the root folder.
pub fn cargo(arguments: &[&str]) -> Command {
    cargo_at(Path::new(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())), arguments)
}

/// The cargo at a path, with `arguments`, in the root folder.
pub fn cargo_at(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace_root());
    // What `cargo run` tells this program about itself is not for the builds that it starts.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command and returns what it printed, both streams in the order of printing.
///
/// # Errors
/// The command cannot be started, or ends with another status than 0: the failure holds all that it printed.
pub fn run_quietly(mut command: Command) -> Result<String, Failure> {
    let shown = shown(&command);
    let cannot = |error| Failure(format!("cannot run `{shown}`: {error}"));
    let (mut reader, writer) = std::io::pipe().map_err(cannot)?;
    command.stdout(writer.try_clone().map_err(cannot)?).stderr(writer);
    let mut child = command.spawn().map_err(cannot)?;
    // The command holds the writing ends of the pipe: reading would wait for ever.
    drop(command);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(cannot)?;
    let status = child.wait().map_err(cannot)?;
    let printed = String::from_utf8_lossy(&bytes).into_owned();
    if status.success() {
        Ok(printed)
    } else {
        Err(Failure(format!("{}\n`{shown}` ended with {status}", printed.trim_end())))
    }
}

/// Runs a command and returns its standard output alone, for answers in JSON.
///
/// # Errors
/// As [`run_quietly`]; the failure holds the standard error.
pub fn stdout_of(mut command: Command) -> Result<String, Failure> {
    let shown = shown(&command);
    let output = command.output().map_err(|error| Failure(format!("cannot run `{shown}`: {error}")))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let printed = String::from_utf8_lossy(&output.stderr);
        Err(Failure(format!("{}\n`{shown}` ended with {}", printed.trim_end(), output.status)))
    }
}

/// Runs a command with this program's own standard streams.
///
/// # Errors
/// The command cannot be started, or ends with another status than 0.
pub fn run_in_view(mut command: Command) -> Result<(), Failure> {
    let shown = shown(&command);
    let status = command.status().map_err(|error| Failure(format!("cannot run `{shown}`: {error}")))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("`{shown}` ended with {status}"))) }
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_this_package() {
        assert!(workspace_root().join("xtask/src/cargo.rs").is_file());
    }

    #[test]
    fn output_is_kept_and_a_wrong_command_is_a_failure() {
        assert!(run_quietly(cargo(&["--version"])).is_ok_and(|printed| printed.starts_with("cargo ")));
        let failure = run_quietly(cargo(&["no-such-command-of-cargo"])).err();
        let text = failure.expect("an unknown command should fail").0;
        assert!(text.contains("`cargo no-such-command-of-cargo` ended with"), "{text}");
        assert!(text.contains("error:"), "{text}");
    }
}
