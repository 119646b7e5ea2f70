//! The site of documents, built into the target folder's `site`: `docs/site/build.py` with the command and the Python
//! package of this tree.

use crate::{Failure, cargo};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that the site and its pages need, by the names of their modules.
const MODULES: &str =
    "import cv2, ipykernel, matplotlib, mkdocs, nbclient, networkx, numpy, scipy, SimpleITK";
/// The line that installs them.
const INSTALL: &str =
    "pip install mkdocs nbclient ipykernel matplotlib networkx numpy opencv-python-headless scipy SimpleITK";

/// Builds the site: runs every block of code and every notebook, makes the pages, and looks at their links.
///
/// With `--check` the pages of rustdoc are left out, which have a step of their own (`cargo xtask check docs`); without it they
/// lie in the site's folder `rust`.
///
/// # Errors
/// A package of Python is missing, a block or a notebook fails, or a link leads nowhere.
pub fn site(arguments: &[&str]) -> Result<(), Failure> {
    let (is_check, pages) = match arguments.split_first() {
        Some((&"--check", pages)) => (true, pages),
        _ => (false, arguments),
    };
    let python = python();
    let mut question = Command::new(&python);
    question.args(["-c", MODULES]);
    if let Err(Failure(said)) = cargo::run_quietly(question) {
        let missing =
            said.lines().rev().find(|line| line.contains("Error")).unwrap_or("Python cannot be run");
        return Err(Failure(format!("the site needs Python packages ({missing}): `{INSTALL}`")));
    }
    let target = cargo::target_folder();
    let command = command(&target)?;
    let package = package(&target)?;

    let site = target.join("site");
    let mut build = Command::new(&python);
    build.current_dir(cargo::workspace_root()).arg("docs/site/build.py").args([&command, &site]).args(pages);
    build.env("PYTHONPATH", search_path(&package)).env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::run_in_view(build)?;
    if !is_check && pages.is_empty() {
        cargo::run_in_view(cargo::cargo(&["doc", "--workspace", "--no-deps"]))?;
        copy_folder(&target.join("doc"), &site.join("rust")).map_err(|e| cannot_write(&site, &e))?;
    }
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// The interpreter of the active environment, or the system's.
fn python() -> PathBuf {
    std::env::var_os("VIRTUAL_ENV")
        .map_or_else(|| "python3".into(), |folder| PathBuf::from(folder).join("bin/python3"))
}

/// The command as `…/veloxel`: the one that `VELOXEL` names, or a development build.
fn command(target: &Path) -> Result<PathBuf, Failure> {
    if let Some(given) = std::env::var_os("VELOXEL") {
        return Ok(given.into());
    }
    cargo::run_in_view(cargo::cargo(&["build", "--quiet", "--workspace", "--bin", "veloxel"]))?;
    Ok(target.join("debug/veloxel"))
}

/// A folder with the package, as installed: its Python files beside a development build of the extension.
fn package(target: &Path) -> Result<PathBuf, Failure> {
    // With the tests, whose crates are compiled already where they ran: without them features differ.
    cargo::run_in_view(cargo::cargo(&["build", "--quiet", "--workspace", "--lib", "--tests"]))?;
    let folder = target.join("site-package");
    let inside = folder.join("veloxel");
    let built = ["lib_veloxel.so", "lib_veloxel.dylib"].map(|name| target.join("debug").join(name));
    let built = built
        .iter()
        .find(|path| path.exists())
        .ok_or_else(|| Failure("no extension was built".to_owned()))?;
    let written = copy_folder(&cargo::workspace_root().join("python/veloxel"), &inside)
        .and_then(|()| fs::copy(built, inside.join("_veloxel.abi3.so")));
    written.map_err(|e| cannot_write(&inside, &e))?;
    Ok(folder)
}

/// `PYTHONPATH` with a folder before what it names already.
fn search_path(first: &Path) -> OsString {
    let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let all = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&before));
    std::env::join_paths(all).unwrap_or_else(|_| first.into())
}

/// Makes `to` a copy of a folder of files and folders.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

fn cannot_write(place: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("cannot write {}: {error}", place.display()))
}
