//! The modules of a crate and their items, tests excluded.

use crate::Failure;
use crate::reading::tokens;
use std::path::{Path, PathBuf};
use syn::Item;

/// The sources of one library or program.
#[derive(Default)]
pub struct Crate {
    /// All files, the root first.
    pub files: Vec<PathBuf>,
    /// All modules, the root first, parents before their children.
    pub modules: Vec<Module>,
}

/// One module of a crate: a file, or a block within one.
pub struct Module {
    pub name: String,
    /// The file that holds it, as an index into [`Crate::files`].
    pub file: usize,
    /// The module around it, as an index into [`Crate::modules`]; none at the root.
    pub parent: Option<usize>,
    /// All items except modules.
    pub items: Vec<Item>,
}

/// Reads the crate whose root file is `root`: its `lib.rs` or `main.rs`.
///
/// # Errors
/// A file cannot be read or is no Rust.
pub fn read(root: &Path) -> Result<Crate, Failure> {
    let mut read = Crate::default();
    let folder = root.parent().unwrap_or(Path::new(""));
    read.add_file("crate", root.to_path_buf(), None, folder)?;
    Ok(read)
}

impl Crate {
    fn add_file(
        &mut self,
        name: &str,
        file: PathBuf,
        parent: Option<usize>,
        folder: &Path,
    ) -> Result<(), Failure> {
        let parsed: syn::File = syn::parse2(tokens::read(&file)?)
            .map_err(|error| Failure(format!("{}: is no Rust: {error}", file.display())))?;
        self.files.push(file);
        let module = Module { name: name.to_owned(), file: self.files.len() - 1, parent, items: Vec::new() };
        self.add(module, parsed.items, folder)
    }

    /// Adds a module with its items; the files of the modules below it lie in `folder`.
    fn add(&mut self, module: Module, items: Vec<Item>, folder: &Path) -> Result<(), Failure> {
        let (here, file) = (self.modules.len(), module.file);
        self.modules.push(module);
        for item in items {
            let Item::Mod(child) = item else {
                self.modules[here].items.push(item);
                continue;
            };
            let name = child.ident.to_string();
            let below = folder.join(&name);
            match child.content {
                Some((_, items)) => {
                    let module = Module { name, file, parent: Some(here), items: Vec::new() };
                    self.add(module, items, &below)?;
                }
                None => {
                    let beside = folder.join(format!("{name}.rs"));
                    let path = if beside.is_file() { beside } else { below.join("mod.rs") };
                    self.add_file(&name, path, Some(here), &below)?;
                }
            }
        }
        Ok(())
    }
}
