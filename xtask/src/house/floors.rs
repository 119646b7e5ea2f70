//! The floors of the house: the crates that each crate may use.
//!
//! * A crate uses only crates of ours on floors strictly below its own.
//! * A face uses the façade `veloxel` alone, and the benchmarks that it brings along.
//! * `veloxel-testkit` is a dependency of tests alone.
//! * Dependencies of tests are free, except that nothing depends on a crate of the top floor.
//! * A crate from outside is used where [`HOUSE`] says so and nowhere else; [`ANYWHERE`] lists the few for all.
//!
//! The table is that of ARCHITECTURE.md. A crate that is in neither is refused, so that every new dependency is decided here.

use crate::house::manifests::{Crate, Purpose};

/// A crate of ours, its floor, and the crates from outside that it may use.
struct Room {
    name: &'static str,
    floor: u8,
    outside: &'static [&'static str],
}

/// The floor of the faces and tools, on which nothing depends.
const TOP_FLOOR: u8 = 7;

const HOUSE: [Room; 16] = [
    // Settings by name are JSON values until a method's parameters are built from them.
    Room { name: "veloxel-core", floor: 0, outside: &["serde_json", "strsim"] },
    Room {
        name: "veloxel-io",
        floor: 1,
        outside: &[
            "alphanumeric-sort",
            "base64",
            "dicom-core",
            "dicom-dictionary-std",
            "dicom-encoding",
            "dicom-object",
            "dicom-pixeldata",
            "flate2",
            "gif",
            "jpeg-encoder",
            "lz4_flex",
            "object_store",
            "png",
            "reqwest",
            "serde_json",
            "rustix",
            "rustls",
            "rustls-platform-verifier",
            "ruzstd",
            "saphyr-parser",
            "tempfile",
            "tiff",
            "tokio",
            "wildmatch",
            "zune-jpeg",
        ],
    },
    Room { name: "wgsl-to-cuda", floor: 0, outside: &["naga"] },
    Room {
        name: "veloxel-gpu",
        floor: 1,
        outside: &["libc", "rayon", "wgpu", "pollster", "libloading", "cudarc", "siphasher", "tempfile"],
    },
    Room { name: "veloxel-kernels", floor: 2, outside: &["multiversion"] },
    Room { name: "veloxel-phantoms", floor: 1, outside: &[] },
    // Above core alone: a measure knows no method's insides, no files and no pictures.
    Room { name: "veloxel-measure", floor: 1, outside: &[] },
    // Above core and measure: a report knows no method's insides and no file's format but PNG, its pictures' own.
    Room {
        name: "veloxel-report",
        floor: 2,
        outside: &["base64", "font8x8", "minijinja", "png", "serde_json"],
    },
    Room { name: TESTKIT, floor: 2, outside: &[] },
    Room { name: "veloxel-mesh", floor: 3, outside: &[] },
    Room { name: "veloxel-motion", floor: 3, outside: &["serde_json"] },
    Room { name: "veloxel", floor: 4, outside: &["serde_json", "toml"] },
    Room { name: "veloxel-bench", floor: 5, outside: &["serde_json", "tempfile"] },
    Room { name: "veloxel-py", floor: TOP_FLOOR, outside: &["numpy", "pyo3", "serde_json"] },
    Room {
        name: "veloxel-cli",
        // Python's package has the command inside.
        floor: 6,
        outside: &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "comfy-table",
            "indicatif",
            "libc",
            "serde_json",
            "signal-hook",
        ],
    },
    Room { name: "xtask", floor: TOP_FLOOR, outside: &["proc-macro2", "quote", "serde_json", "syn"] },
];

/// Crates for errors, serialisation and casts of plain data, which every floor may use.
const ANYWHERE: [&str; 3] = ["bytemuck", "serde", "thiserror"];

/// Crates that users start, and those of ours that a face may name.
const FACES: [&str; 1] = ["veloxel-cli"];
const USED_BY_FACES: [&str; 2] = ["veloxel", "veloxel-bench"];

const TESTKIT: &str = "veloxel-testkit";

/// One line for each dependency that breaks a rule, and for each crate that has no floor.
pub fn refusals(crates: &[Crate]) -> Vec<String> {
    let mut refused = Vec::new();
    for each in crates {
        let Some(user) = room(&each.name) else {
            refused.push(format!(
                "{} has no floor: add it to the table in xtask/src/house/floors.rs",
                each.name
            ));
            continue;
        };
        for dependency in &each.dependencies {
            let reason = match room(&dependency.name) {
                Some(used) => refusal_of_ours(user, used, dependency.purpose),
                None if dependency.purpose == Purpose::Tests => None,
                None => refusal_of_outside(user, &dependency.name),
            };
            refused.extend(reason);
        }
    }
    refused
}

fn room(name: &str) -> Option<&'static Room> {
    HOUSE.iter().find(|room| room.name == name)
}

fn refusal_of_ours(user: &Room, used: &Room, purpose: Purpose) -> Option<String> {
    let dependency =
        format!("{} (floor {}) uses {} (floor {})", user.name, user.floor, used.name, used.floor);
    if used.floor == TOP_FLOOR {
        Some(format!("{dependency}: nothing may depend on the top floor, not even a test"))
    } else if purpose == Purpose::Tests {
        None
    } else if used.floor >= user.floor {
        Some(format!("{dependency}: only floors below its own are allowed"))
    } else if FACES.contains(&user.name) && !USED_BY_FACES.contains(&used.name) {
        Some(format!("{dependency}: a face uses the façade `veloxel` alone"))
    } else if used.name == TESTKIT {
        Some(format!("{dependency}: it is for tests, a dev-dependency"))
    } else {
        None
    }
}

fn refusal_of_outside(user: &Room, name: &str) -> Option<String> {
    if ANYWHERE.contains(&name) || user.outside.contains(&name) {
        return None;
    }
    let owners: Vec<&str> =
        HOUSE.iter().filter(|room| room.outside.contains(&name)).map(|room| room.name).collect();
    let rule = if owners.is_empty() {
        "no crate may yet: decide in xtask/src/house/floors.rs".to_owned()
    } else {
        format!("only {} may", owners.join(", "))
    };
    Some(format!("{} (floor {}) uses {name} from outside: {rule}", user.name, user.floor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::manifests::Dependency;

    fn refused(user: &str, used: &str, purpose: Purpose) -> Vec<String> {
        let dependencies = vec![Dependency { name: used.to_owned(), purpose, ..Dependency::default() }];
        refusals(&[Crate { name: user.to_owned(), dependencies, ..Crate::default() }])
    }

    fn assert_allowed(user: &str, used: &str, purpose: Purpose) {
        assert_eq!(refused(user, used, purpose), Vec::<String>::new());
    }

    fn assert_refused(user: &str, used: &str, purpose: Purpose, because: &str) {
        let lines = refused(user, used, purpose);
        assert_eq!(lines.len(), 1, "{user} uses {used}: {lines:?}");
        for part in [user, used, because] {
            assert!(lines[0].contains(part), "`{}` should say `{part}`", lines[0]);
        }
    }

    #[test]
    fn floors_strictly_below_are_allowed() {
        assert_allowed("veloxel-io", "veloxel-core", Purpose::Product);
        assert_allowed("veloxel-motion", "veloxel-kernels", Purpose::Product);
        assert_allowed("veloxel", "veloxel-io", Purpose::Product);
        assert_allowed("veloxel-cli", "veloxel", Purpose::Product);
    }

    #[test]
    fn the_same_floor_and_floors_above_are_refused() {
        assert_refused("veloxel-io", "veloxel-gpu", Purpose::Product, "only floors below");
        assert_refused("veloxel-core", "veloxel-motion", Purpose::Product, "only floors below");
        assert_refused("veloxel-testkit", "veloxel-motion", Purpose::Product, "only floors below");
    }

    #[test]
    fn tests_may_look_up_but_not_to_the_top() {
        assert_allowed("veloxel-testkit", "veloxel-io", Purpose::Tests);
        assert_allowed("veloxel-core", "veloxel-testkit", Purpose::Tests);
        assert_refused("veloxel", "veloxel-py", Purpose::Tests, "top floor");
        assert_refused("veloxel-cli", "xtask", Purpose::Tests, "top floor");
    }

    #[test]
    fn faces_use_the_facade() {
        assert_allowed("veloxel-cli", "veloxel-bench", Purpose::Product);
        assert_allowed("veloxel-cli", "veloxel-io", Purpose::Tests);
        assert_refused("veloxel-cli", "veloxel-io", Purpose::Product, "façade");
    }

    #[test]
    fn the_testkit_belongs_to_tests() {
        assert_allowed("veloxel", "veloxel-phantoms", Purpose::Product);
        assert_refused("veloxel", "veloxel-testkit", Purpose::Product, "dev-dependency");
        assert_refused("veloxel", "veloxel-bench", Purpose::Product, "only floors below");
    }

    #[test]
    fn outside_crates_stay_in_their_room() {
        assert_allowed("veloxel-gpu", "rayon", Purpose::Product);
        assert_refused("veloxel-motion", "rayon", Purpose::Product, "only veloxel-gpu may");
        assert_refused("veloxel", "clap", Purpose::Product, "only veloxel-cli may");
        assert_refused("veloxel-core", "flate2", Purpose::Product, "only veloxel-io may");
        assert_allowed("veloxel-core", "proptest", Purpose::Tests);
    }

    #[test]
    fn the_unknown_is_refused_until_somebody_decides() {
        assert_refused("veloxel-io", "some-new-crate", Purpose::Product, "no crate may yet");
        let homeless = refusals(&[Crate { name: "veloxel-new".to_owned(), ..Crate::default() }]);
        assert_eq!(homeless, ["veloxel-new has no floor: add it to the table in xtask/src/house/floors.rs"]);
    }
}
