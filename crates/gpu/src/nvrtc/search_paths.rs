//! Search paths of NVRTC: the user's path, CUDA toolkits, the system's libraries, Python's packages.

use super::NvrtcError;
use super::library::Library;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// File names of NVRTC that the system may find, newest first after the unversioned name.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
} else {
    &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
};

/// A place to search.
enum Place {
    /// A library name, for the system's own search.
    Name(&'static str),
    /// A pattern of folders; `*` stands for any part of one name.
    Folders(String),
}

/// Loads the first NVRTC whose major version is at most `most`. If `VELOXEL_NVRTC` is set, only that file is tried.
pub(super) fn find(most: i32) -> Result<Library, NvrtcError> {
    if let Some(path) = variable("VELOXEL_NVRTC").map(PathBuf::from) {
        return match open(path.as_os_str(), most) {
            Ok(library) => Ok(library),
            Err(reason) => Err(NvrtcError::Named { path, reason }),
        };
    }
    let mut looked = Vec::new();
    for place in places() {
        match place {
            Place::Name(name) => {
                // A name that the system does not find needs no reason in the error.
                match Library::open(OsStr::new(name)).ok().map(|library| suitable(library, most)) {
                    Some(Ok(library)) => return Ok(library),
                    Some(Err(reason)) => looked.push(format!("{name} ({reason})")),
                    None => looked.push(name.to_owned()),
                }
            }
            Place::Folders(pattern) => {
                let mut refusals = String::new();
                for file in folders(&pattern).iter().flat_map(|folder| libraries(folder)) {
                    match open(file.as_os_str(), most) {
                        Ok(library) => return Ok(library),
                        Err(error) => refusals += &format!(" ({}: {error})", file.display()),
                    }
                }
                looked.push(pattern + &refusals);
            }
        }
    }
    Err(NvrtcError::NotFound { looked: looked.join(", ") })
}

/// Loads a library if it can be used; the error is the reason why not.
fn open(name: &OsStr, most: i32) -> Result<Library, String> {
    suitable(Library::open(name).map_err(|error| error.to_string())?, most)
}

fn suitable(library: Library, most: i32) -> Result<Library, String> {
    let (major, minor) = library.version().map_err(|error| error.to_string())?;
    if major > most {
        return Err(format!("version {major}.{minor} is too young for the driver, which knows CUDA {most}"));
    }
    Ok(library)
}

fn places() -> Vec<Place> {
    let mut places = Vec::new();
    let mut folders = |pattern: String| places.push(Place::Folders(pattern));
    for toolkit in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(text_variable) {
        for inside in ["lib64", "targets/x86_64-linux/lib", "bin", "bin/x64"] {
            folders(format!("{toolkit}/{inside}"));
        }
    }
    places.extend(NAMES.iter().map(|name| Place::Name(name)));
    let mut folders = |pattern: String| places.push(Place::Folders(pattern));
    folders("/usr/local/cuda*/lib64".to_owned());
    folders("/usr/local/cuda*/targets/*-linux/lib".to_owned());
    for python in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(text_variable) {
        folders(format!("{python}/lib/python3*/site-packages/nvidia/*/lib"));
        folders(format!("{python}/Lib/site-packages/nvidia/*/bin"));
        folders(format!("{python}/lib"));
    }
    let home = text_variable("HOME").map(|home| format!("{home}/.local"));
    for python in ["/usr", "/usr/local", "/opt/*/.venv"].into_iter().map(str::to_owned).chain(home) {
        folders(format!("{python}/lib/python3*/*-packages/nvidia/*/lib"));
    }
    places
}

/// The existing folders that match a pattern; newest first where names end in versions.
fn folders(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from(if pattern.starts_with('/') { "/" } else { "" })];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = match part.split_once('*') {
            None => found.into_iter().map(|folder| folder.join(part)).collect(),
            Some((before, after)) => {
                found.iter().flat_map(|folder| inside(folder, |name| fits(name, before, after))).collect()
            }
        };
    }
    found.into_iter().filter(|folder| folder.is_dir()).collect()
}

fn fits(name: &str, before: &str, after: &str) -> bool {
    name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
}

/// The NVRTC libraries in a folder. Left out are the built-ins library that belongs to NVRTC, and the variant with a
/// smaller stack.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    inside(folder, |name| {
        let is_library = name.starts_with("libnvrtc.so") || fits(name, "nvrtc64_", ".dll");
        is_library && !name.contains("alt") && !name.contains("builtins")
    })
}

/// The paths in a folder whose names satisfy `is_right`, newest version first.
fn inside(folder: &Path, is_right: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_right(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(numbers(name)));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// The numbers in a name, in order; compared as numbers, so that 13 comes after 9.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn text_variable(name: &str) -> Option<String> {
    let value = variable(name)?.into_string().ok()?;
    Some(if cfg!(windows) { value.replace('\\', "/") } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_the_latest_first() {
        let root = std::env::temp_dir().join(format!("veloxel-places-{}", std::process::id()));
        for folder in ["cuda-9.2/lib64", "cuda-13.0/lib64", "cuda-12.4/lib64", "cuda-14/lib", "other/lib64"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for name in ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13", "libcudart.so"] {
            std::fs::write(root.join("cuda-13.0/lib64").join(name), "").unwrap();
        }
        let found = folders(&format!("{}/cuda*/lib64", root.display()));
        let expected = ["cuda-13.0", "cuda-12.4", "cuda-9.2"].map(|name| root.join(name).join("lib64"));
        assert_eq!(found, expected);
        assert_eq!(libraries(&found[0]), [found[0].join("libnvrtc.so.13")]);
        std::fs::remove_dir_all(root).unwrap();
    }
}
