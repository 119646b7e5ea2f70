//! `veloxel bench --merge`: what benches printed on several machines, beside each other.

use super::{BenchArguments, check_folder, experiment_text};
use crate::{Outcome, interrupt, print, wrong_usage};
use clap::error::ErrorKind;
use std::path::Path;
use veloxel::io::write_text;
use veloxel_bench::MergedRuns;

/// Puts the runs of several machines beside each other.
pub(super) fn merge(arguments: &BenchArguments) -> Outcome {
    let BenchArguments { names, merge: paths, html, .. } = arguments;
    if let Some(page) = html.as_ref().filter(|page| paths.iter().any(|path| is_same_file(path, page))) {
        let text = format!("{} is one of the files to merge: write the page to another name", page.display());
        return Err(wrong_usage("bench", ErrorKind::ArgumentConflict, &text).into());
    }
    check_folder(arguments)?;
    let merged = MergedRuns::read(paths, names)?;
    if let Some(path) = html {
        write_text(interrupt::files().target(path), &merged.html()?)?;
    }
    Ok(print(&experiment_text(&merged.tables(), &[], &[], &[]))?)
}

/// Whether two paths name one file that exists.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
