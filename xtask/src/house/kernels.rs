//! Checks whether every kernel is complete (contract, CPU text, GPU text, and a parity test that names it), and that no text
//! binds anything by hand.

use crate::Failure;
use crate::reading::{sources, tokens};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CRATE: &str = "crates/kernels";
/// Folder of the tests that compare kernels on every device with their CPU texts, unless the kernel's own `parity.rs` does it.
const PARITY: &str = "tests/kernels/parity";
/// Folder of parts that several kernels share; it is no kernel itself.
const SHARED: &str = "shared";

/// The result of the check.
#[derive(Default)]
pub struct Kernels {
    /// Number of kernels.
    pub count: usize,
    /// A line for each missing part of a kernel, for each text that nothing includes, and for each binding by hand.
    pub incomplete: Vec<String>,
}

/// One kernel: its folder's name, and all words and strings of the Rust in it.
struct Kernel {
    folder: PathBuf,
    name: String,
    words: BTreeSet<String>,
}

/// Checks every folder of every family in `crates/kernels/src` below `root`.
///
/// # Errors
/// A folder or file cannot be read.
pub fn inspect(root: &Path) -> Result<Kernels, Failure> {
    let source = root.join(CRATE).join("src");
    let tested = words_below(&root.join(CRATE).join(PARITY))?;
    let mut kernels = Vec::new();
    for family in sources::folders(&source)?.into_iter().filter(|family| !family.ends_with(SHARED)) {
        for folder in sources::folders(&family)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            kernels.push(Kernel { words: words_below(&folder)?, name, folder });
        }
    }
    let mut found = Kernels { count: kernels.len(), ..Kernels::default() };
    for kernel in &kernels {
        let lacks = kernel.lacks(&kernels, &tested)?;
        let shown = kernel.folder.strip_prefix(root).unwrap_or(&kernel.folder).display();
        found.incomplete.extend(lacks.into_iter().map(|what| format!("{shown}: {what}")));
    }
    let included = words_below(&source)?;
    for text in sources::files(&source, &["wgsl", "cu"])? {
        let shown = text.strip_prefix(root).unwrap_or(&text).display();
        if !includes(&included, &text) {
            found.incomplete.push(format!("{shown}: no Rust file includes it"));
        }
        let by_hand = bindings_by_hand(&sources::text(&text)?);
        found.incomplete.extend(by_hand.into_iter().map(|what| format!("{shown}: {what}")));
    }
    Ok(found)
}

impl Kernel {
    fn lacks(&self, all: &[Kernel], tested: &BTreeSet<String>) -> Result<Vec<String>, Failure> {
        let contract = fs::read_to_string(self.folder.join("mod.rs")).unwrap_or_default();
        let has_cpu_text = self.folder.join("cpu.rs").is_file() || self.words.contains("on_cpu");
        // A kernel may be made of launches of another.
        let borrows = |other: &Kernel| other.name != self.name && self.words.contains(&other.name);
        let mut has_gpu_text = self.has_gpu_text()?;
        for other in all.iter().filter(|other| borrows(other)) {
            has_gpu_text |= other.has_gpu_text()?;
        }
        let has_parity_test = self.folder.join("parity.rs").is_file() || tested.contains(&self.name);
        let no_parity = format!("no parity.rs, and no test in {CRATE}/{PARITY} names `{}`", self.name);
        let parts = [
            (contract.starts_with("//!"), "its mod.rs does not begin with the contract, a `//!` page"),
            (has_cpu_text, "no CPU text: neither cpu.rs nor a function `on_cpu`"),
            (has_gpu_text, "no GPU text: no .wgsl or .cu that its Rust includes, and no other kernel's"),
            (has_parity_test, &no_parity),
        ];
        Ok(parts.into_iter().filter(|(is_there, _)| !is_there).map(|(_, what)| what.to_owned()).collect())
    }

    fn has_gpu_text(&self) -> Result<bool, Failure> {
        Ok(sources::files(&self.folder, &["wgsl", "cu"])?.iter().any(|text| includes(&self.words, text)))
    }
}

fn words_below(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut words = BTreeSet::new();
    for file in sources::files(folder, &["rs"])? {
        tokens::words(tokens::read(&file)?, &mut words);
    }
    Ok(words)
}

/// Lines of a text that bind something, or declare the uniform block, which `bindings!` beside the contract should do.
fn bindings_by_hand(text: &str) -> Vec<String> {
    let by_hand = |line: &&str| line.contains("@binding(") || line.trim_start().starts_with("struct Block");
    let lines = text.lines().filter(by_hand);
    lines.map(|line| format!("`{}` is written by hand; `bindings!` declares it", line.trim())).collect()
}

/// Whether one of the words is a string that names the file.
fn includes(words: &BTreeSet<String>, text: &Path) -> bool {
    let name = text.file_name().unwrap_or_default().to_string_lossy();
    words.iter().any(|word| word.trim_matches('"').rsplit('/').next() == Some(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [(&str, &str); 5] = [
        (
            "src/image/whole/mod.rs",
            "//! What it does.\nconst TEXT: &str = include_str!(\"../whole/whole.wgsl\");",
        ),
        ("src/image/whole/cpu.rs", "fn whole() {}"),
        ("src/image/whole/whole.wgsl", "fn main() {}"),
        ("src/shared/mod.rs", "//! No kernel."),
        ("tests/kernels/parity/images.rs", "use veloxel_kernels::image::whole;"),
    ];

    /// The result if the file `but` holds `text` instead of its own; with an empty `text` the file is missing.
    fn incomplete(but: &str, text: &str) -> Vec<String> {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let changed = WHOLE.into_iter().filter(|(name, _)| *name != but).chain([(but, text)]);
        for (name, text) in changed.filter(|(_, text)| !text.is_empty()) {
            let file = root.path().join(CRATE).join(name);
            fs::create_dir_all(file.parent().expect("every name has a folder")).expect("should be writable");
            fs::write(file, text).expect("should be writable");
        }
        let found = inspect(root.path()).ok().expect("the folder should be readable");
        assert_eq!(found.count, if but.starts_with("src/image/other/") { 2 } else { 1 });
        found.incomplete
    }

    fn assert_lacks(but: &str, text: &str, part: &str) {
        let found = incomplete(but, text);
        assert!(found.len() == 1 && found[0].contains(part), "without {but}: {found:?}");
    }

    #[test]
    fn a_whole_kernel_is_whole() {
        assert_eq!(incomplete("README.md", "text"), Vec::<String>::new());
        let on_cpu = "//! What it does.\nconst TEXT: &str = include_str!(\"whole.wgsl\"); fn on_cpu() {}";
        assert_eq!(incomplete("src/image/whole/mod.rs", on_cpu), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_lacks("src/image/whole/mod.rs", "const T: &str = \"whole.wgsl\";", "contract");
        assert_lacks("src/image/whole/cpu.rs", "", "no CPU text");
        assert_lacks("src/image/whole/whole.wgsl", "", "no GPU text");
        assert_lacks("tests/kernels/parity/images.rs", "// whole\nfn test() {}", "names `whole`");
        let bound = "@group(0) @binding(0) var<uniform> block: Block;\nfn main() {}";
        assert_lacks("src/image/whole/whole.wgsl", bound, "`bindings!` declares it");
        assert_lacks("src/image/whole/whole.wgsl", "struct Block { n: u32 }", "struct Block");
        assert_lacks("src/shared/forgotten.wgsl", "fn f() {}", "forgotten.wgsl: no Rust file includes it");
    }

    #[test]
    fn a_kernel_may_launch_another_ones_text() {
        let found = incomplete("src/image/other/mod.rs", "//! Page.\nuse super::whole::gpu; fn on_cpu() {}");
        assert_eq!(
            found,
            [
                "crates/kernels/src/image/other: no parity.rs, and no test in crates/kernels/tests/kernels/parity names `other`"
            ]
        );
    }
}
