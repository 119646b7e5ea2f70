//! The table of formats: what it promises, and that its page says so.

// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::Path;
use veloxel_io::{ContentKind, Format};

/// What users are told.
const PAGE: &str = include_str!("../../../docs/status/formats.md");

#[test]
fn every_extension_belongs_to_one_format_and_stands_on_its_page() {
    let (mut names, mut seen) = (HashSet::new(), HashSet::new());
    for format in Format::all() {
        assert!(names.insert(format.name()), "{format} is listed twice");
        for extension in format.extensions() {
            assert!(seen.insert(extension), "{extension} stands for two formats");
            assert_eq!(Format::from_path(&Path::new("A.B").with_extension(extension)), Some(*format));
            assert_eq!(
                Format::from_path(Path::new(&format!("a.{}", extension.to_uppercase()))),
                Some(*format)
            );
            assert_eq!(Format::from_path(Path::new(extension)), None, "a name without an extension");
            let told = PAGE.lines().any(|row| {
                let cells: Vec<&str> = row.split('|').collect();
                cells.get(2).is_some_and(|cell| cell.split([' ', '`']).any(|e| e == format!(".{extension}")))
            });
            assert!(told, "docs/status/formats.md has no row with .{extension}");
        }
    }
}

#[test]
fn every_format_can_be_read() {
    let kinds = [
        ContentKind::Image,
        ContentKind::Sequence,
        ContentKind::Flow,
        ContentKind::Mesh,
        ContentKind::Surface,
    ];
    for format in Format::all() {
        assert!(kinds.iter().any(|kind| format.reads(*kind)), "{format}");
        assert!(kinds.iter().all(|kind| format.reads(*kind) || !format.writes(*kind)), "{format}");
    }
}
