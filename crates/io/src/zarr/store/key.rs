//! Keys of a store: names joined by `/`.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use std::path::{Component, Path};

/// The key of something below a node; the root is the empty key.
pub(crate) fn joined(node: &str, name: &str) -> String {
    match (node, name) {
        ("", name) => name.to_owned(),
        (node, "") => node.to_owned(),
        _ => format!("{node}/{name}"),
    }
}

/// A path of metadata as a key: it leads downwards alone.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) for any other.
pub(crate) fn plain(path: &str, what: &str, context: &Context) -> Result<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_name = |part: &&str| {
        let mut components = Path::new(part).components();
        let is_one = matches!((components.next(), components.next()), (Some(Component::Normal(_)), None));
        is_one && !part.contains(['\\', '\0'])
    };
    let is_plain = parts.iter().all(is_name) && !path.starts_with('/');
    context.require(is_plain, what, "a path below the group", quoted(path))?;
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;
    use veloxel_core::Warnings;

    #[test]
    fn paths_lead_downwards_alone() {
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.zarr"), Strictness::Lenient, &mut warnings);
        assert_eq!(plain("./a//0/", "path", &context).unwrap(), "a/0");
        assert_eq!(plain("", "path", &context).unwrap(), "");
        for path in ["..", "a/../..", "/etc", "a\\..\\b", "a/../b"] {
            assert!(plain(path, "path", &context).is_err(), "{path}");
        }
    }
}
