//! Checks whether the workspace compiles for other systems, and without a C compiler on any.
//!
//! The standard library of another system comes with `rustup target add`; where that is missing it is built from the library's
//! sources, by this toolchain (`rustup component add rust-src`) or by Debian's. Nothing is linked.

use crate::{Failure, cargo};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Systems on which all crates except this program are checked.
const WHOLE: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];
/// The system of browsers, for which the library is checked, without its features.
const BROWSER: &str = "wasm32-unknown-unknown";
/// Packages that compile C or C++, or look for C libraries.
const COMPILERS: [&str; 9] =
    ["autotools", "bindgen", "cc", "cmake", "cpp_build", "cxx-build", "nasm-rs", "pkg-config", "vcpkg"];
/// A compiler beside the one that runs this program: Debian's.
const BESIDE: [&str; 2] = ["/usr/bin/cargo", "/usr/bin/rustc"];
/// The sources of the standard library, in a toolchain.
const LIBRARY: &str = "lib/rustlib/src/rust/library/Cargo.lock";
const ADVICE: &str = "\
cargo xtask systems: no standard library for other systems, and no sources of it; one of these brings them:
  rustup target add x86_64-pc-windows-gnu aarch64-apple-darwin wasm32-unknown-unknown
  rustup component add rust-src
  apt-get install rustc-web cargo-web rust-web-src binutils-mingw-w64-x86-64";

/// A way to compile code for another system.
struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    /// Arguments of cargo that build the standard library; none where it is installed.
    library: &'static [&'static str],
}

/// Checks the workspace for all other systems, and that the command's default features bring no C or C++ on them.
///
/// # Errors
/// No compiler can do it, or the code does not compile.
pub fn systems() -> Result<(), Failure> {
    let systems = WHOLE.into_iter().chain([BROWSER]);
    for system in WHOLE.into_iter().chain(["x86_64-unknown-linux-gnu"]) {
        refuse_compilers(system)?;
    }
    let toolchain = toolchain(&systems.collect::<Vec<_>>())?;
    println!("{} of {}", version(&toolchain.rustc)?.trim(), toolchain.rustc.display());
    let whole = WHOLE.iter().flat_map(|system| ["--target", system]);
    let whole: Vec<&str> = whole.chain(["--workspace", "--exclude", "xtask"]).collect();
    let library = ["--target", BROWSER, "--package", "veloxel", "--no-default-features"];
    for arguments in [&whole[..], &library] {
        let start = Instant::now();
        cargo::run_quietly(check(&toolchain, arguments))?;
        println!("{}: compiles, {:.0} s", arguments.join(" "), start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn check(toolchain: &Toolchain, arguments: &[&str]) -> Command {
    // Only the standard library is compiled whole, and none of it runs.
    let quickly = ["--config", "profile.dev.opt-level=0", "--target-dir"];
    let mut command = cargo::cargo_at(&toolchain.cargo, &["check", "--locked"]);
    command.args(toolchain.library).args(arguments).args(quickly).arg(cargo::target_folder().join("systems"));
    command.env("RUSTC", &toolchain.rustc).env_remove("RUSTC_WRAPPER");
    if !toolchain.library.is_empty() {
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    command
}

/// The first compiler that can do it: with installed libraries, with their sources, or Debian's with their sources.
fn toolchain(systems: &[&str]) -> Result<Toolchain, Failure> {
    const BUILT: &[&str] = &["-Zbuild-std=std,panic_abort"];
    let own = [std::env::var_os("CARGO"), std::env::var_os("RUSTC")].map(|path| path.map(PathBuf::from));
    let [cargo, rustc] = own;
    let (cargo, rustc) = (cargo.unwrap_or_else(|| "cargo".into()), rustc.unwrap_or_else(|| "rustc".into()));
    let beside = BESIDE.map(PathBuf::from);
    if has_libraries(&rustc, systems) {
        return Ok(Toolchain { cargo, rustc, library: &[] });
    }
    let [beside_cargo, beside_rustc] = beside;
    let mut with_sources = [[cargo, rustc], [beside_cargo, beside_rustc]].into_iter();
    let found =
        with_sources.find(|[_, rustc]| sysroot(rustc).is_some_and(|root| root.join(LIBRARY).is_file()));
    let Some([cargo, rustc]) = found else { return Err(Failure(ADVICE.to_owned())) };
    Ok(Toolchain { cargo, rustc, library: BUILT })
}

fn has_libraries(rustc: &Path, systems: &[&str]) -> bool {
    let folder = |system: &str| asked(rustc, &["--print", "target-libdir", "--target", system]);
    systems.iter().all(|system| folder(system).is_some_and(|folder| Path::new(&folder).is_dir()))
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    asked(rustc, &["--print", "sysroot"]).map(PathBuf::from)
}

/// The compiler's answer, if there is a compiler.
fn asked(rustc: &Path, question: &[&str]) -> Option<String> {
    let mut command = Command::new(rustc);
    command.args(question);
    cargo::stdout_of(command).ok().map(|answer| answer.trim().to_owned())
}

fn version(rustc: &Path) -> Result<String, Failure> {
    let mut command = Command::new(rustc);
    command.arg("--version");
    cargo::stdout_of(command)
}

/// # Errors
/// One of [`COMPILERS`] is among what the command is built with on the system.
fn refuse_compilers(system: &str) -> Result<(), Failure> {
    let question = ["tree", "--locked", "--package", "veloxel-cli", "--edges", "normal,build"];
    let form = ["--target", system, "--prefix", "none", "--format", "{p}"];
    let tree = cargo::stdout_of(cargo::cargo(&[&question[..], &form].concat()))?;
    match compiler_in(&tree) {
        Some(name) => Err(Failure(format!(
            "veloxel-cli for {system} is built with {name}: its default features need no C compiler; \
             `cargo tree --package veloxel-cli --target {system} --edges normal,build --invert {name}` says for what"
        ))),
        None => Ok(()),
    }
}

/// The first of [`COMPILERS`] in the lines, each a package's name and version.
fn compiler_in(tree: &str) -> Option<&str> {
    tree.lines().filter_map(|line| line.split(' ').next()).find(|name| COMPILERS.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_of_c_are_found_by_their_whole_name() {
        assert_eq!(compiler_in("veloxel-cli v0.1.0\naccess v1.0.0\ncc v1.2.3 (*)\n"), Some("cc"));
        assert_eq!(compiler_in("veloxel-cli v0.1.0\nacc v1.0.0\ncc-like v1.0.0\n"), None);
    }

    #[test]
    fn a_compiler_that_is_not_there_has_no_libraries() {
        assert!(!has_libraries(Path::new("/no/rustc"), &[BROWSER]));
        assert_eq!(sysroot(Path::new("/no/rustc")), None);
    }
}
