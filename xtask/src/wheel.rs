//! The wheel of a release: the package of Python with the command inside, and the licences of everything in it.

use crate::{Failure, cargo, licences};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes that a wheel may have.
const MOST_BYTES: u64 = 15_000_000;

/// Builds the wheel in the target folder's `wheels`, with `THIRD-PARTY.txt` in its package.
///
/// # Errors
/// maturin is missing or fails, a file cannot be written, or the wheel is larger than [`MOST_BYTES`].
pub fn wheel() -> Result<(), Failure> {
    let product = licences::of_product("veloxel-py")?;
    let licences = Licences::write(&product.third_party)?;
    let folder = cargo::target_folder().join("wheels");
    let mut build = Command::new("maturin");
    build.current_dir(cargo::workspace_root()).args(["build", "--release", "--out"]).arg(&folder);
    cargo::run_in_view(build)?;
    drop(licences);
    let cannot = |error| Failure(format!("cannot look at {}: {error}", folder.display()));
    let newest = newest_wheel(&folder).map_err(cannot)?;
    let newest = newest.ok_or_else(|| Failure(format!("there is no wheel in {}", folder.display())))?;
    let bytes = fs::metadata(&newest).map_err(cannot)?.len();
    println!("{} ({bytes} bytes)", newest.display());
    match bytes > MOST_BYTES {
        true => Err(Failure(format!("the wheel has {bytes} bytes: at most {MOST_BYTES}"))),
        false => Ok(()),
    }
}

/// The file of licences beside the package's sources, while the wheel is built.
struct Licences(PathBuf);

impl Licences {
    fn write(text: &str) -> Result<Self, Failure> {
        let path = cargo::workspace_root().join("python/veloxel/THIRD-PARTY.txt");
        fs::write(&path, text).map_err(|e| Failure(format!("cannot write {}: {e}", path.display())))?;
        Ok(Self(path))
    }
}

impl Drop for Licences {
    fn drop(&mut self) {
        // One that stays is ignored by Git, and replaced by the next.
        let _ = fs::remove_file(&self.0);
    }
}

fn newest_wheel(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let files = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let wheels = files.into_iter().map(|file| file.path());
    let wheels = wheels.filter(|path| path.extension() == Some(OsStr::new("whl")));
    Ok(wheels.max_by_key(|path| fs::metadata(path).and_then(|facts| facts.modified()).ok()))
}
