//! The tables of a report: errors, levels, parameters, inputs, times.

use crate::number::{count, duration, percent, text};
use crate::plots::charts::Units;
use crate::plots::charts::size_text;
use crate::run::flow_report::PairReport;
use crate::run::header::InputReport;
use serde::Serialize;
use serde_json::Value;
use veloxel_core::{DiagnosticCell, DiagnosticTable, Dimension};
use veloxel_measure::{Distribution, FlowError, LabelOverlap, LabelOverlapReport};

/// A table of text.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows, each with as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Number of columns, from the left, that are text; the others hold numbers.
    pub text_columns: usize,
    /// Colours that the second cells of the rows show, as `rgb(…)` of CSS; none where they are text.
    pub swatches: Vec<String>,
    /// Small pictures before the first cells of the rows, as data URIs; empty where a row has none.
    pub pictures: Vec<String>,
}

impl Table {
    /// A table whose first column is text and whose others hold numbers.
    pub fn new(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let head = head.iter().map(|&name| name.to_owned()).collect();
        Self { head, rows: rows.into_iter().collect(), text_columns: 1, ..Self::default() }
    }
}

/// Labels carried by the field against true ones.
pub(crate) fn labels(overlap: &LabelOverlapReport) -> Table {
    let row = |label: &LabelOverlap| {
        let distance = label.hausdorff95_mm.map_or("–".to_owned(), |mm| format!("{mm:.2}"));
        let shares = [label.dice, label.jaccard].map(|share| format!("{share:.3}"));
        let counts = [label.truth_voxels, label.result_voxels].map(|n| n.to_string());
        std::iter::once(label.label.to_string()).chain(shares).chain([distance]).chain(counts).collect()
    };
    let head = ["Label", "Dice", "Jaccard", "Hausdorff 95, mm", "voxels, truth", "voxels, result"];
    Table::new(&head, overlap.labels.iter().map(row))
}

/// Errors against the truth.
pub(crate) fn errors(error: &FlowError) -> Table {
    let row = |name: &str, d: &Distribution| {
        let values = [d.mean, d.sd, d.a50, d.a75, d.a95, d.max];
        std::iter::once(name.to_owned()).chain(values.map(text)).collect::<Vec<_>>()
    };
    let voxels = match error.dimension {
        Dimension::Two => "End-point error, px",
        Dimension::Three => "End-point error, voxels",
    };
    let mut rows = vec![row(voxels, &error.end_point_vox)];
    rows.extend(error.end_point_mm.as_ref().map(|d| row("End-point error, mm", d)));
    rows.push(row("Angular error, degrees", &error.angular_deg));
    Table::new(&["", "mean", "sd", "50 %", "75 %", "95 %", "max"], rows)
}

/// Shares of vectors with a large error, as one line of facts.
pub(crate) fn error_shares(error: &FlowError) -> Vec<(String, String)> {
    let is_picture = error.dimension == Dimension::Two;
    let shares = [
        ("R0.5, error above 0.5", percent(error.r0_5)),
        ("R1, error above 1", percent(error.r1)),
        ("R2, error above 2", percent(error.r2)),
        ("Fl, error above 3 px and 5 %", percent(error.fl)),
        ("Density", percent(error.density)),
        (if is_picture { "Pixels measured" } else { "Voxels measured" }, count(error.measured_voxels)),
    ];
    let shares = shares.into_iter().filter(|(name, _)| is_picture || !name.starts_with("Fl"));
    shares.map(|(name, share)| (name.to_owned(), share)).collect()
}

/// A method's own table.
pub(crate) fn diagnostics(table: &DiagnosticTable, dimension: Dimension) -> Table {
    let cell = |cell: &DiagnosticCell| match cell {
        DiagnosticCell::Text(text) => text.clone(),
        DiagnosticCell::Number(value) => text(*value),
        DiagnosticCell::Count(count) => count.to_string(),
        DiagnosticCell::Change(from, to) => format!("{} → {}", text(*from), text(*to)),
        DiagnosticCell::DurationMs(ms) => duration(*ms),
        DiagnosticCell::Size(size) => size_text(*size, dimension),
    };
    Table::new(&table.head, table.rows.iter().map(|row| row.iter().map(cell).collect()))
}

/// The pairs of a sequence.
pub(crate) fn pairs(pairs: &[PairReport], Units { length: unit, voxels }: Units) -> Table {
    let with_truth = pairs.iter().any(|p| p.error.is_some());
    let (motion, error) = (format!("motion, {unit}"), format!("error, {voxels}"));
    let volume = if voxels == "px" { "area" } else { "volume" };
    let mut head = vec!["Pair", &motion, "|Iₜ| after", volume, "mean |det − 1|", "folded"];
    if with_truth {
        head.extend([&error, "95 %"]);
    }
    let row = |p: &PairReport| {
        let mut row = vec![
            p.title.clone(),
            text(p.motion.mean_mm),
            text(p.statistics.brightness.mean_abs_after),
            text(p.motion.volume_ratio),
            text(p.statistics.jacobian.mean_abs_minus_one),
            percent(p.cells.asked().share_folded()),
        ];
        if with_truth {
            let error = |f: fn(&FlowError) -> f64| p.error.as_ref().map_or(f64::NAN, f);
            row.extend([text(error(|e| e.end_point_vox.mean)), text(error(|e| e.end_point_vox.a95))]);
        }
        row
    };
    Table::new(&head, pairs.iter().map(row))
}

/// Files that were read.
pub(crate) fn inputs(inputs: &[InputReport]) -> Table {
    let row = |input: &InputReport| {
        let spacing: Vec<String> =
            input.spacing_mm[..input.dimension.count()].iter().map(|h| text(*h)).collect();
        // Pictures have no millimetres: their pixels are their unit.
        let is_picture = input.dimension == Dimension::Two && input.spacing_mm.iter().all(|h| *h == 1.0);
        let unit = if is_picture { "px" } else { "mm" };
        vec![
            input.role.clone(),
            input.path.clone(),
            input.format.clone(),
            size_text(input.size, input.dimension),
            format!("{} {unit}", spacing.join(" × ")),
        ]
    };
    Table {
        text_columns: 3,
        ..Table::new(&["", "file", "format", "size", "spacing"], inputs.iter().map(row))
    }
}

/// Parameters as `(dotted.name, value)`, in the order of the JSON.
pub(crate) fn parameters(value: &Value) -> Vec<(String, String)> {
    let mut flat = Vec::new();
    flatten("", value, &mut flat);
    flat
}

fn flatten(name: &str, value: &Value, flat: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, value, flat);
            }
        }
        Value::Null => flat.push((name.to_owned(), "–".to_owned())),
        Value::String(text) => flat.push((name.to_owned(), text.clone())),
        other => flat.push((name.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_parameters_get_dotted_names() {
        let value = serde_json::json!({ "alpha": 0.05, "solver": { "name": "multigrid", "rtol": null }, "sizes": [1, 2] });
        let expected =
            [("alpha", "0.05"), ("sizes", "[1,2]"), ("solver.name", "multigrid"), ("solver.rtol", "–")];
        let mut flat = parameters(&value);
        flat.sort();
        assert_eq!(flat, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }
}
