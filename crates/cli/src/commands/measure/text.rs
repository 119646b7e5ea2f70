//! The measures of a field as a table, and where it folds.

use crate::table;
use veloxel::jobs::MeasureReport;
use veloxel::measure::CellCounts;
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
        text.push_str(&folding(&cells.everywhere));
    }
    text
}

/// A line on the cells between the voxels, as the field is interpolated linearly.
fn folding(cells: &CellCounts) -> String {
    let CellCounts { certified, undecided, folded, unknown, non_diffeomorphic_volume_vox } = *cells;
    let known = certified + undecided + folded;
    let mut text = match (folded, undecided) {
        (0, 0) => format!("{} between the voxels: none folds, which is proven\n", counted(known, "cell")),
        _ => format!(
            "{} between the voxels: {} folded, {} undecided, all others proven not to fold; \
             {non_diffeomorphic_volume_vox:.3} voxels turned inside out\n",
            counted(known, "cell"),
            counted(folded, "cell"),
            counted(undecided, "cell"),
        ),
    };
    if unknown > 0 {
        text.push_str(&format!("{} with an unknown corner\n", counted(unknown, "cell")));
    }
    text
}
