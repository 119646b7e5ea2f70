//! Looks whether every kernel is complete: a folder of a family with a `mod.rs` that begins with its page.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "crates/kernels/src";
const FAMILIES: [&str; 3] = ["image", "phase", "variational"];

/// What the look found.
pub struct Kernels {
    /// How many kernel folders there are.
    pub count: usize,
    /// A line for each folder without its contract.
    pub incomplete: Vec<String>,
}

/// Looks at every folder of the families in `crates/kernels/src` below `root`.
///
/// # Errors
/// A folder cannot be read.
pub fn inspect(root: &Path) -> Result<Kernels, Failure> {
    let mut kernels = Kernels { count: 0, incomplete: Vec::new() };
    for family in FAMILIES {
        for folder in folders(&root.join(FOLDER).join(family))? {
            kernels.count += 1;
            let contract = folder.join("mod.rs");
            let shown = contract.strip_prefix(root).unwrap_or(&contract).display().to_string();
            match fs::read_to_string(&contract) {
                Ok(text) if text.starts_with("//!") => {}
                Ok(_) => kernels.incomplete.push(format!("{shown}: the first line is no `//!` page")),
                Err(error) => {
                    kernels.incomplete.push(format!("{shown}: the contract cannot be read: {error}"))
                }
            }
        }
    }
    kernels.incomplete.sort();
    Ok(kernels)
}

/// The folders in a folder.
fn folders(parent: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure(format!("{}: cannot be read: {error}", parent.display()));
    let entries = fs::read_dir(parent).map_err(unreadable)?.collect::<Result<Vec<_>, _>>();
    Ok(entries
        .map_err(unreadable)?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_its_page_or_its_contract_is_named() {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        for family in FAMILIES {
            fs::create_dir_all(root.path().join(FOLDER).join(family)).expect("should be writable");
        }
        let folder = root.path().join(FOLDER).join("image");
        for name in ["whole", "silent", "hollow"] {
            fs::create_dir_all(folder.join(name)).expect("should be writable");
        }
        fs::write(folder.join("mod.rs"), "mod whole;").expect("should be writable");
        fs::write(folder.join("whole/mod.rs"), "//! What it does.\n").expect("should be writable");
        fs::write(folder.join("silent/mod.rs"), "use std::fs;\n").expect("should be writable");
        let kernels = inspect(root.path()).ok().expect("the folders should be readable");
        assert_eq!(kernels.count, 3);
        assert_eq!(kernels.incomplete.len(), 2, "{:?}", kernels.incomplete);
        let [hollow, silent] = &kernels.incomplete[..] else { unreachable!("there are two") };
        assert!(hollow.starts_with("crates/kernels/src/image/hollow/mod.rs: the contract"), "{hollow}");
        assert!(silent.starts_with("crates/kernels/src/image/silent/mod.rs: the first line"), "{silent}");
    }
}
