//! The measures of a field as a table, and where it folds.

use crate::table;
use veloxel::jobs::MeasureReport;
use veloxel::report::cells_text;
use veloxel::report::number::{counted, percent};

/// Mean and range of every map; `not_positive` is what values of 0 and below are called, where they mean something.
pub(super) fn of(report: &MeasureReport, not_positive: Option<&str>) -> String {
    let number =
        |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.4}"));
    let rows = report.maps.iter().map(|map| {
        let range = [map.min, map.max].map(|value| number(value.map(f64::from)));
        let mut row = vec![map.name.to_owned(), number(map.mean)];
        row.extend(range);
        row.extend(not_positive.map(|_| percent(map.not_positive as f64 / map.known.max(1) as f64)));
        row
    });
    let head = ["map", "mean", "smallest", "largest"].into_iter().chain(not_positive);
    let mut text = table(&head.collect::<Vec<_>>(), rows);
    if let Some(map) = report.maps.first().filter(|map| map.unknown > 0) {
        text.push_str(&format!("{} without a value\n", counted(map.unknown, "voxel")));
    }
    if let Some(cells) = report.cells {
        text.push_str(&format!("{}\n", cells_text(&cells.everywhere)));
    }
    text
}
