//! Which format a file has: its extension decides.

use crate::address::is_store_address;
use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::format::{Format, Reader};
use crate::formats::FORMATS;
use crate::read::foreign;
use std::path::Path;

impl Format {
    /// Every format, in the order in which messages name them.
    pub fn all() -> &'static [&'static Self] {
        FORMATS
    }

    /// The format that a file name asks for, if it is known; upper and lower case are one.
    pub fn from_path(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let ends_in =
            |extension: &&str| name.strip_suffix(*extension).is_some_and(|stem| stem.ends_with('.'));
        let named = FORMATS.iter().copied().find(|format| format.extensions.iter().any(ends_in));
        named.or_else(|| Self::of_store_around(path))
    }

    /// The format of the store that a path leads into: `image.ome.zarr/labels/cells`.
    #[cfg(feature = "zarr")]
    fn of_store_around(path: &Path) -> Option<&'static Self> {
        let (root, _) = crate::zarr::opened::store_around(path)?;
        ((path.is_dir() || is_store_address(path)) && root != path).then_some(&crate::formats::zarr::FORMAT)
    }

    /// Stores are not known without the feature.
    #[cfg(not(feature = "zarr"))]
    fn of_store_around(_: &Path) -> Option<&'static Self> {
        None
    }
}

/// The format of a file, and what `pick` takes from it; a format without that is refused with the extensions of those
/// that have it.
pub(crate) fn require<T>(
    path: &Path,
    what: &'static str,
    pick: impl Fn(&Format) -> Option<T>,
) -> Result<(&'static Format, T)> {
    let found = Format::from_path(path).and_then(|format| Some((format, pick(format)?)));
    found.ok_or_else(|| IoError::UnknownExtension {
        path: path.to_owned(),
        what,
        known: extensions(|format| pick(format).is_some()),
    })
}

/// The format of a file to read; a file that is not there, or is a folder, is told so whatever its name.
pub(crate) fn require_to_read(
    path: &Path,
    what: &'static str,
    allowed: impl Fn(&Format) -> bool,
) -> Result<&'static Format> {
    if !is_store_address(path)
        && std::fs::metadata(path).map_err(IoError::open(path))?.is_dir()
        && !is_store(path)
    {
        return Err(IoError::kind(path, "a file", "a folder", "name the file in it"));
    }
    if Format::from_path(path).is_none()
        && let Some(refusal) = foreign::refusal(path)
    {
        return Err(refusal);
    }
    Ok(require(path, what, |format| allowed(format).then_some(()))?.0)
}

/// Whether a path is read as one file is although it is none: a folder or an address that is a store of chunks (`.zarr`), or a part of
/// one.
pub fn is_store(path: &Path) -> bool {
    let is_of_store = |format: &Format| matches!(format.reader, Reader::Store(_));
    (path.is_dir() || is_store_address(path)) && Format::from_path(path).is_some_and(is_of_store)
}

/// Whether a format holds samples on a grid: images, sequences or fields.
pub(crate) fn has_grid(format: &Format) -> bool {
    [ContentKind::Image, ContentKind::Sequence, ContentKind::Flow].iter().any(|kind| format.reads(*kind))
}

/// The extensions of some formats, as a list in words.
pub(crate) fn extensions(of: impl Fn(&Format) -> bool) -> String {
    let dotted = FORMATS.iter().filter(|format| of(format)).flat_map(|format| format.extensions);
    dotted.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ")
}
