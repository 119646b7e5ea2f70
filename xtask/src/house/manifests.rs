//! Reads from `cargo metadata` which crates the workspace has and on what each of them depends.

use crate::{Failure, cargo};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The purpose of a dependency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Part of what users build: normal and build dependencies.
    #[default]
    Product,
    /// For tests, examples and benches alone.
    Tests,
}

/// One dependency of a crate.
#[derive(Clone, Debug, Default)]
pub struct Dependency {
    /// The package's own name, even if the crate renames it.
    pub name: String,
    /// Its name in paths of the crate's sources.
    pub identifier: String,
    /// Its purpose.
    pub purpose: Purpose,
    /// Whether it may be of any version, or comes from a repository's branch.
    pub is_free: bool,
}

/// One crate of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Crate {
    /// The package's name.
    pub name: String,
    /// The folder of its manifest.
    pub folder: PathBuf,
    /// The root files of its library and of its programs.
    pub roots: Vec<PathBuf>,
    /// All dependencies that its manifest names, for any target and feature.
    pub dependencies: Vec<Dependency>,
}

/// The crates of this workspace.
///
/// # Errors
/// A manifest is wrong, so that cargo refuses to read it, or cargo's answer is not the JSON that it documents.
pub fn workspace_crates() -> Result<Vec<Crate>, Failure> {
    let printed = cargo::stdout_of(cargo::cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    from_metadata(&printed).ok_or_else(|| Failure("`cargo metadata` answered in an unknown form".to_owned()))
}

fn from_metadata(text: &str) -> Option<Vec<Crate>> {
    let metadata: Value = serde_json::from_str(text).ok()?;
    metadata["packages"].as_array()?.iter().map(package).collect()
}

fn package(value: &Value) -> Option<Crate> {
    let dependencies = value["dependencies"].as_array()?.iter().map(dependency).collect::<Option<_>>()?;
    let roots = value["targets"].as_array()?.iter().filter_map(root).collect();
    let folder = Path::new(value["manifest_path"].as_str()?).parent()?.to_path_buf();
    Some(Crate { name: value["name"].as_str()?.to_owned(), folder, roots, dependencies })
}

fn root(target: &Value) -> Option<PathBuf> {
    let is_product = target["kind"].as_array()?.iter().any(|kind| kind == "lib" || kind == "bin");
    is_product.then(|| target["src_path"].as_str().map(PathBuf::from))?
}

fn dependency(value: &Value) -> Option<Dependency> {
    // `kind` is null for a normal dependency.
    let purpose = if value["kind"].as_str() == Some("dev") { Purpose::Tests } else { Purpose::Product };
    let name = value["name"].as_str()?.to_owned();
    let identifier = value["rename"].as_str().unwrap_or(&name).replace('-', "_");
    let is_git = value["source"].as_str().is_some_and(|source| source.starts_with("git"));
    let is_free = is_git || value["req"] == "*";
    Some(Dependency { name, identifier, purpose, is_free })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_renamed_packages_are_told_apart() {
        let text = r#"{"packages": [{"name": "veloxel-io", "targets": [
            {"kind": ["lib"], "src_path": "src/lib.rs"}, {"kind": ["test"], "src_path": "tests/a.rs"}],
            "manifest_path": "/io/Cargo.toml", "dependencies": [
            {"name": "png", "rename": "pictures", "kind": null, "req": "*", "source": "registry+x"},
            {"name": "cc", "rename": null, "kind": "build", "req": "^1"},
            {"name": "tempfile", "rename": null, "kind": "dev"}]}]}"#;
        let crates = from_metadata(text).expect("this is the form that cargo prints");
        assert_eq!(crates[0].name, "veloxel-io");
        assert_eq!(crates[0].roots, [PathBuf::from("src/lib.rs")]);
        let found = crates[0].dependencies.iter();
        let found: Vec<_> =
            found.map(|d| (d.name.as_str(), d.identifier.as_str(), d.purpose, d.is_free)).collect();
        assert_eq!(
            found,
            [
                ("png", "pictures", Purpose::Product, true),
                ("cc", "cc", Purpose::Product, false),
                ("tempfile", "tempfile", Purpose::Tests, false)
            ]
        );
    }

    #[test]
    fn another_form_is_no_answer() {
        assert!(from_metadata("{}").is_none());
        assert!(from_metadata(r#"{"packages": [{"name": "x"}]}"#).is_none());
    }

    #[test]
    fn this_workspace_has_this_crate() {
        let crates = workspace_crates().ok().expect("the workspace's manifests should be valid");
        assert!(crates.iter().any(|each| each.name == "xtask"));
    }
}
