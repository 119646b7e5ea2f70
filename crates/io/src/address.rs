//! Addresses of stores of OME-Zarr: `https://host/cells.ome.zarr`, `s3://bucket/cells.ome.zarr/labels/nuclei`.

use std::path::Path;

/// How the addresses of stores begin.
const SCHEMES: [&str; 3] = ["http", "https", "s3"];
/// What the name of a store ends with.
const ENDING: &str = ".zarr";

/// A store at an address, and what a name means in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoreAddress {
    /// The address of the store.
    pub root: String,
    /// The key of what is named in it; empty for the store itself.
    pub below: String,
}

impl StoreAddress {
    /// The store that a name leads to or into; none for files, films and other addresses.
    #[cfg(any(feature = "zarr", test))]
    pub fn of(name: &Path) -> Option<Self> {
        Self::with(name, |part| part)
    }

    /// The store whose last part `bare` makes of a part of the name.
    fn with(name: &Path, bare: impl Fn(&str) -> &str) -> Option<Self> {
        let text = name.to_str()?;
        let (scheme, rest) = text.split_once("://")?;
        let is_known = SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
        let (host, path) = rest.split_once('/').filter(|(host, _)| is_known && !host.is_empty())?;
        let mut end = text.len() - path.len();
        for part in path.split('/') {
            let found = bare(part);
            if is_store_name(found) {
                let below = text[end + part.len()..].trim_matches('/').to_owned();
                return Some(Self { root: text[..end + found.len()].to_owned(), below });
            }
            end += part.len() + 1;
        }
        debug_assert!(!host.is_empty());
        None
    }
}

/// Whether a name is the address of a store of OME-Zarr, or of something in one, also with a part of it behind an `@`.
pub fn is_store_address(name: &Path) -> bool {
    StoreAddress::with(name, |part| part.split('@').next().unwrap_or_default()).is_some()
}

fn is_store_name(part: &str) -> bool {
    let stem = part.len().checked_sub(ENDING.len()).filter(|stem| *stem > 0);
    stem.and_then(|stem| part.get(stem..)).is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_told_from_films_and_files() {
        let of = |name: &str| StoreAddress::of(Path::new(name)).map(|found| (found.root, found.below));
        let found = |root: &str, below: &str| Some((root.to_owned(), below.to_owned()));
        assert_eq!(of("http://h:80/a.ome.zarr"), found("http://h:80/a.ome.zarr", ""));
        assert_eq!(of("S3://b/x/A.ZARR/"), found("S3://b/x/A.ZARR", ""));
        assert_eq!(of("s3://b/a.ome.zarr/labels/c"), found("s3://b/a.ome.zarr", "labels/c"));
        assert_eq!(of("https://h/é/a.zarr/b.zarr"), found("https://h/é/a.zarr", "b.zarr"));
        for other in [
            "http://h/live",
            "a.ome.zarr",
            "rtsp://h/a.zarr",
            "http://h.zarr",
            "http:///a.zarr",
            "s3://b/.zarr",
            "s3://b/a.zarr@5",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        assert!(is_store_address(Path::new("s3://b/a.zarr@part:2@5")));
        assert!(is_store_address(Path::new("s3://me@b/a.zarr/0@5")));
        assert!(!is_store_address(Path::new("http://h/live@0:50")));
    }
}
