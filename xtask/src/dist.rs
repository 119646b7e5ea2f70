//! The archive of a release: the stripped binary with completions, manual pages and licences.

use crate::licences::{self, Product};
use crate::{Failure, cargo};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Shells with completions, and the names of their files.
const SHELLS: [(&str, &str); 3] = [("bash", "veloxel"), ("zsh", "_veloxel"), ("fish", "veloxel.fish")];

/// Builds `veloxel-VERSION-TARGET.tar.gz` in the target folder's `dist`.
///
/// # Errors
/// The build fails, or a file cannot be written.
pub fn dist() -> Result<(), Failure> {
    let Product { host, version, third_party } = licences::of_product("veloxel-cli")?;
    let target = cargo::target_folder();

    let settings = ["--config", "profile.release.strip=\"symbols\"", "--config", "profile.release.debug=0"];
    let build = [&["build", "--release", "--package", "veloxel-cli"][..], &settings].concat();
    cargo::run_in_view(cargo::cargo(&build))?;

    let name = format!("veloxel-{version}-{host}");
    let folder = target.join("dist").join(&name);
    let written = fill(&folder, &target.join("release"), &third_party);
    written.map_err(|e| Failure(format!("cannot write {}: {e}", folder.display())))?;
    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(target.join("dist")).args(["-czf", &archive, &name]);
    cargo::run_in_view(tar)?;
    println!("{}", target.join("dist").join(archive).display());
    Ok(())
}

/// Fills the folder of the archive anew.
fn fill(folder: &Path, built: &Path, third_party: &str) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let program = if cfg!(windows) { "veloxel.exe" } else { "veloxel" };
    for sub in ["completions", "man"] {
        fs::create_dir_all(folder.join(sub))?;
    }
    fs::copy(built.join(program), folder.join(program))?;
    let root = cargo::workspace_root();
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(file), folder.join(file))?;
    }
    fs::write(folder.join("THIRD-PARTY.txt"), third_party)?;
    let run = |arguments: &[&str]| -> std::io::Result<Vec<u8>> {
        let output = Command::new(folder.join(program)).args(arguments).output()?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(std::io::Error::other(format!("`veloxel {}` failed", arguments.join(" ")))),
        }
    };
    for (shell, file) in SHELLS {
        fs::write(folder.join("completions").join(file), run(&["completions", shell])?)?;
    }
    run(&["manual", &folder.join("man").to_string_lossy()]).map(drop)
}
