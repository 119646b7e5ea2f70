//! The page of a batch: what failed, what lies far from the rest, and all rows with small pictures.

use crate::error::ReportError;
use crate::number::{counted, duration, percent, text};
use crate::pages::page::{Headline, Page, Section};
use crate::pages::tables::Table;
use crate::run::batch_report::{BatchOutlier, BatchReport, BatchRow, RowStatus};
use std::collections::BTreeSet;

/// Rows that the page shows one by one; of more it shows those that failed and the outliers.
const MOST_ROWS: usize = 500;

/// The page of a batch.
///
/// # Errors
/// [`ReportError::Page`] should not occur.
pub fn batch_html(report: &BatchReport) -> Result<String, ReportError> {
    let mut sections = Vec::new();
    if report.failed > 0 {
        sections.push(Section { table: Some(failed(report)), ..Section::new("Failed") });
    }
    if !report.outliers.is_empty() {
        let lead = "Rows whose figures lie more than 5 robust standard deviations from the median of all rows: worth a look.";
        sections.push(Section {
            lead: lead.to_owned(),
            table: Some(outliers(report)),
            ..Section::new("Outliers")
        });
    }
    let mut all = Section { table: Some(rows(report)), ..Section::new("Rows") };
    if report.records.len() > MOST_ROWS {
        all.notes
            .push(format!("The first {MOST_ROWS} of {} rows; summary.json has all.", report.records.len()));
    }
    sections.push(all);
    let of = format!("of {}", counted(report.rows, "row"));
    let number = |label: &str, count: usize| Headline::new(label, count.to_string(), "", of.clone());
    let time = duration(report.time_ms);
    let (value, unit) = time.split_once(' ').filter(|(_, unit)| !unit.contains(' ')).unwrap_or((&time, ""));
    let cards = vec![
        number("Done", report.done),
        number("Failed", report.failed),
        number("Left", report.left),
        Headline::new("Time", value.to_owned(), unit, "of all rows together"),
    ];
    Page { cards, sections, ..Page::new("Batch", &report.jobs) }.to_html()
}

fn failed(report: &BatchReport) -> Table {
    let failed = report.records.iter().filter(|row| row.status == RowStatus::Failed);
    let row =
        |row: &BatchRow| vec![row.row.to_string(), row.reason.clone().unwrap_or_default(), row.job.clone()];
    Table { text_columns: 3, ..Table::new(&["Row", "reason", "job"], failed.map(row)) }
}

fn outliers(report: &BatchReport) -> Table {
    let record = |outlier: &BatchOutlier| report.records.iter().find(|record| record.row == outlier.row);
    let row = |outlier: &BatchOutlier| {
        let name = record(outlier).map_or_else(String::new, name);
        let figures = [outlier.value, outlier.median, outlier.deviations].map(text);
        [outlier.row.to_string(), name, words(&outlier.figure)].into_iter().chain(figures).collect()
    };
    let pictures = report.outliers.iter().map(|outlier| record(outlier).and_then(|row| row.picture.clone()));
    Table {
        text_columns: 3,
        pictures: pictures.map(Option::unwrap_or_default).collect(),
        ..Table::new(
            &["Row", "output", "figure", "value", "median", "deviations"],
            report.outliers.iter().map(row),
        )
    }
}

/// All rows, with a column for every figure that one of them has.
fn rows(report: &BatchReport) -> Table {
    let shown = &report.records[..report.records.len().min(MOST_ROWS)];
    let figures: BTreeSet<&String> = shown.iter().flat_map(|row| row.figures.keys()).collect();
    let head = ["Row", "output", "status"].map(str::to_owned).into_iter();
    let head = head.chain(figures.iter().map(|name| words(name)));
    let head = head.chain(["time".to_owned(), "warnings".to_owned()]).collect();
    let row = |row: &BatchRow| {
        let status = if row.status == RowStatus::Done { "done" } else { "failed" };
        let figure = |name: &&String| {
            row.figures.get(*name).map_or_else(|| "–".to_owned(), |value| shown_figure(name, *value))
        };
        let begin = [row.row.to_string(), name(row), status.to_owned()].into_iter();
        begin
            .chain(figures.iter().map(figure))
            .chain([duration(row.time_ms), row.warnings.len().to_string()])
            .collect()
    };
    Table {
        head,
        rows: shown.iter().map(row).collect(),
        text_columns: 3,
        pictures: shown.iter().map(|row| row.picture.clone().unwrap_or_default()).collect(),
        ..Table::default()
    }
}

/// What a row is called: its first output, or its job where it has none.
fn name(row: &BatchRow) -> String {
    row.outputs.first().map_or_else(|| row.job.clone(), |output| output.path.clone())
}

fn shown_figure(name: &str, value: f64) -> String {
    if name.ends_with("_share") { percent(value) } else { text(value) }
}

/// The name of a figure with its unit: `mean motion, vox`.
fn words(name: &str) -> String {
    let unit = ["vox", "mm", "px", "m"].into_iter().find(|unit| name.ends_with(&format!("_{unit}")));
    let (name, unit) = match unit {
        Some(unit) => (&name[..name.len() - unit.len() - 1], format!(", {unit}")),
        None => (name.strip_suffix("_share").unwrap_or(name), String::new()),
    };
    format!("{}{unit}", name.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::batch_report::tests::row;

    #[test]
    fn the_page_has_what_failed_the_outliers_and_every_row_with_its_picture() {
        let mut records: Vec<_> = (1..=12).map(|n| row(n, RowStatus::Done, 1.0 + 0.01 * n as f64)).collect();
        records[2] = row(3, RowStatus::Done, 30.0);
        records[2].picture = Some("data:image/png;base64,AAAA".to_owned());
        records[8] = row(9, RowStatus::Failed, 0.0);
        records[8].reason = Some("<nothing> came".to_owned());
        let page = batch_html(&BatchReport::new("jobs.csv".to_owned(), 13, records)).unwrap();
        for part in ["&lt;nothing&gt; came", "Outliers", "mean motion, vox", "--output=12.nii", "jobs.csv"] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("class=\"row-picture\"").count(), 2);
    }

    #[test]
    fn figures_are_named_with_their_units() {
        assert_eq!(words("mean_motion_vox"), "mean motion, vox");
        assert_eq!(words("folded_share"), "folded");
        assert_eq!(words("mean_confidence"), "mean confidence");
        assert_eq!(shown_figure("folded_share", 0.25), percent(0.25));
    }
}
