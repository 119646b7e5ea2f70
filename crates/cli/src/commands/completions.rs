//! `veloxel completions` and `veloxel manual`, made from the same description of the command line as its help.

use crate::{Outcome, Run, interface, print};
use clap::Args;
use clap_complete::{Shell, generate};
use std::path::PathBuf;
use veloxel::io::IoError;

/// Print what a shell needs to complete commands and options.
///
/// bash: veloxel completions bash > ~/.local/share/bash-completion/completions/veloxel
/// zsh: veloxel completions zsh > a folder of $fpath, as _veloxel
/// fish: veloxel completions fish > ~/.config/fish/completions/veloxel.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Run for CompletionsArguments {
    fn run(self) -> Outcome {
        let mut text = Vec::new();
        generate(self.shell, &mut interface(), "veloxel", &mut text);
        Ok(print(&String::from_utf8_lossy(&text))?)
    }
}

/// Write the manual pages: veloxel.1, veloxel-flow.1 and so on.
#[derive(Debug, Args)]
pub struct ManualArguments {
    /// The folder for them, made if it is not there, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Run for ManualArguments {
    fn run(self) -> Outcome {
        let made = std::fs::create_dir_all(&self.folder);
        let written = made.and_then(|()| clap_mangen::generate_to(interface(), &self.folder));
        Ok(written.map_err(|source| IoError::Write { path: self.folder, source })?)
    }
}
