//! The archive of a release: the stripped binary with completions, manual pages and licences.

use crate::{Failure, cargo};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells with completions, and the names of their files.
const SHELLS: [(&str, &str); 3] = [("bash", "veloxel"), ("zsh", "_veloxel"), ("fish", "veloxel.fish")];
/// Beginnings of the names of files that hold the terms of a package.
const TERMS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// Builds `veloxel-VERSION-TARGET.tar.gz` in the target folder's `dist`.
///
/// # Errors
/// The build fails, or a file cannot be written.
pub fn dist() -> Result<(), Failure> {
    let facts = cargo::stdout_of(cargo::cargo(&["--version", "--verbose"]))?;
    let host = facts.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure("cargo does not say for which system it builds".to_owned()))?;
    let question = ["metadata", "--format-version", "1", "--filter-platform", host];
    let metadata = cargo::stdout_of(cargo::cargo(&question))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|e| Failure(format!("`cargo metadata` is no JSON: {e}")))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let target = PathBuf::from(text(&metadata["target_directory"]));
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let product = packages.iter().find(|package| package["name"] == "veloxel-cli");
    let product = product.ok_or_else(|| Failure("there is no package veloxel-cli".to_owned()))?;

    let settings = ["--config", "profile.release.strip=\"symbols\"", "--config", "profile.release.debug=0"];
    let build = [&["build", "--release", "--package", "veloxel-cli"][..], &settings].concat();
    cargo::run_in_view(cargo::cargo(&build))?;

    let name = format!("veloxel-{}-{host}", text(&product["version"]));
    let folder = target.join("dist").join(&name);
    let written = fill(&folder, &target.join("release"), &third_party(&metadata, product, &packages));
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

/// The packages from outside that are in the binary, and their terms; each text stands once.
fn third_party(metadata: &Value, product: &Value, packages: &[Value]) -> String {
    let mut list = String::from("Veloxel contains these packages; their terms follow.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let inside = reached(metadata, &product["id"]);
    for package in packages.iter().filter(|p| inside.contains(p["id"].as_str().unwrap_or_default())) {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        // Packages of the workspace come from nowhere else.
        if package["source"].is_null() {
            continue;
        }
        let title = format!("{} {}", field("name"), field("version"));
        list += &format!("{title}: {}, {}\n", field("license"), field("repository"));
        let folder = Path::new(field("manifest_path")).parent().unwrap_or(Path::new(""));
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_terms = |name: &str| TERMS.iter().any(|start| name.to_uppercase().starts_with(start));
        let terms = files.filter(|file| is_terms(&file.file_name().to_string_lossy()));
        for text in terms.filter_map(|file| fs::read_to_string(file.path()).ok()) {
            texts.entry(text.trim().to_owned()).or_default().push(title.clone());
        }
    }
    // A script inside a page, which no manifest names.
    list += "three.js 0.159.0: MIT, https://github.com/mrdoob/three.js\n";
    let terms = include_str!("../../crates/report/src/pages/mesh_viewer/three-LICENSE.txt").trim();
    texts.entry(terms.to_owned()).or_default().push("three.js 0.159.0".to_owned());
    for (text, titles) in texts {
        list += &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), titles.join(", "));
    }
    list
}

/// The ids of the packages that a package is built from, its own included.
fn reached(metadata: &Value, from: &Value) -> BTreeSet<String> {
    let nodes = metadata["resolve"]["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut found, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(id) = open.pop() {
        if !found.insert(id.as_str().unwrap_or_default().to_owned()) {
            continue;
        }
        let deps = nodes.iter().filter(|node| node["id"] == id).flat_map(|node| node["deps"].as_array());
        // What only builds or tests it is not in the binary.
        let is_inside = |dep: &&Value| {
            dep["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        open.extend(deps.flatten().filter(is_inside).map(|dep| dep["pkg"].clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_tests_and_builds_is_not_inside() {
        let dep = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let node = |id: &str, deps: Vec<Value>| json!({ "id": id, "deps": deps });
        let metadata = json!({ "resolve": { "nodes": [
            node("a", vec![dep("b", Value::Null), dep("t", json!("dev"))]),
            node("b", vec![dep("c", Value::Null), dep("m", json!("build"))]),
            node("c", vec![dep("a", Value::Null)]),
        ] } });
        assert_eq!(reached(&metadata, &json!("a")), ["a", "b", "c"].map(str::to_owned).into());
    }
}
