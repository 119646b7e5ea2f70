//! What is inside of a product, and its terms.

use crate::{Failure, cargo};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Beginnings of the names of files that hold the terms of a package.
const TERMS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// A package that is handed out as a program or a library.
pub struct Product {
    /// The system that it is built for.
    pub host: String,
    pub version: String,
    /// Names, licences and texts of all packages from outside that are in it.
    pub third_party: String,
}

/// A package of the workspace, with the licences of all that it is built from on this system.
///
/// # Errors
/// Cargo does not know the package, or says nothing that can be understood.
pub fn of_product(name: &str) -> Result<Product, Failure> {
    let facts = cargo::stdout_of(cargo::cargo(&["--version", "--verbose"]))?;
    let host = facts.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure("cargo does not say for which system it builds".to_owned()))?;
    let question = ["metadata", "--format-version", "1", "--filter-platform", host];
    let metadata = cargo::stdout_of(cargo::cargo(&question))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|e| Failure(format!("`cargo metadata` is no JSON: {e}")))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let product = packages.iter().find(|package| package["name"] == name);
    let product = product.ok_or_else(|| Failure(format!("there is no package {name}")))?;
    let version = product["version"].as_str().unwrap_or_default().to_owned();
    let third_party = third_party(&metadata, product, &packages);
    Ok(Product { host: host.to_owned(), version, third_party })
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
