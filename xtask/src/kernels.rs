//! Looks whether every kernel is complete: a folder with a `mod.rs` that begins with its page.

use crate::Failure;
use std::fs;
use std::path::Path;

const FOLDER: &str = "crates/kernels/src";

/// What the look found.
pub struct Kernels {
    /// How many kernel folders there are.
    pub count: usize,
    /// A line for each folder without its contract.
    pub incomplete: Vec<String>,
}

/// Looks at every folder of `crates/kernels/src` below `root`.
///
/// # Errors
/// The folder cannot be read.
pub fn inspect(root: &Path) -> Result<Kernels, Failure> {
    let folder = root.join(FOLDER);
    let unreadable = |error| Failure(format!("{}: cannot be read: {error}", folder.display()));
    let mut kernels = Kernels { count: 0, incomplete: Vec::new() };
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_type().map_err(unreadable)?.is_dir() {
            continue;
        }
        kernels.count += 1;
        let contract = entry.path().join("mod.rs");
        let shown = format!("{FOLDER}/{}/mod.rs", entry.file_name().to_string_lossy());
        match fs::read_to_string(contract) {
            Ok(text) if text.starts_with("//!") => {}
            Ok(_) => kernels.incomplete.push(format!("{shown}: the first line is no `//!` page")),
            Err(error) => kernels.incomplete.push(format!("{shown}: the contract cannot be read: {error}")),
        }
    }
    kernels.incomplete.sort();
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_its_page_or_its_contract_is_named() {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let folder = root.path().join(FOLDER);
        for name in ["whole", "silent", "hollow"] {
            fs::create_dir_all(folder.join(name)).expect("should be writable");
        }
        fs::write(folder.join("mod.rs"), "mod whole;").expect("should be writable");
        fs::write(folder.join("whole/mod.rs"), "//! What it does.\n").expect("should be writable");
        fs::write(folder.join("silent/mod.rs"), "use std::fs;\n").expect("should be writable");
        let kernels = inspect(root.path()).ok().expect("the folder should be readable");
        assert_eq!(kernels.count, 3);
        assert_eq!(kernels.incomplete.len(), 2, "{:?}", kernels.incomplete);
        assert!(kernels.incomplete[0].starts_with("crates/kernels/src/hollow/mod.rs: the contract"));
        assert!(kernels.incomplete[1].starts_with("crates/kernels/src/silent/mod.rs: the first line"));
    }
}
