//! `veloxel completions` and `veloxel manual`, made from the same description of the command line as its help.

use crate::{Outcome, Run, interface, interrupt, print};
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::path::PathBuf;
use veloxel::VeloxelError;
use veloxel::io::{IoError, Publication, Target, resolve_earlier, write_bytes};

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
        let files = interrupt::files();
        resolve_earlier(&self.folder, &files)?;
        let mut publication = Publication::of(&files);
        let folder = publication.folder(&self.folder)?;
        let mut all = interface().disable_help_subcommand(true);
        all.build();
        write_pages(&all, &folder)?;
        Ok(publication.publish().map_err(VeloxelError::from)?)
    }
}

/// Writes the page of a command and those of its own commands.
fn write_pages(command: &Command, folder: &Target) -> Result<(), IoError> {
    let shown = command.get_subcommands().filter(|own| !own.is_hide_set());
    shown.into_iter().try_for_each(|own| write_pages(own, folder))?;
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    let rendered = page.render(&mut text);
    let target = folder.join(page.get_filename());
    rendered.map_err(IoError::write(target.path()))?;
    write_bytes(target, &text)
}
