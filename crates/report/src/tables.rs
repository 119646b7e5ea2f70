//! The tables of a report: errors, levels, parameters, inputs, times.

use super::charts::size_text;
use super::number::{count, duration, percent, text};
use super::{InputReport, PairReport};
use crate::metrics::{Distribution, FlowError};
use serde::Serialize;
use serde_json::Value;
use veloxel_core::{DiagnosticCell, DiagnosticTable, Dimension, StageTime};

/// A table of text; every column after the first holds numbers unless `text_columns` says otherwise.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Table {
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// How many columns from the left are text.
    pub text_columns: usize,
}

/// Errors against the truth.
pub(super) fn errors(error: &FlowError, unit: &str) -> Table {
    let row = |name: &str, d: &Distribution| {
        let values = [d.mean, d.sd, d.a50, d.a75, d.a95, d.max];
        std::iter::once(name.to_owned()).chain(values.map(text)).collect::<Vec<_>>()
    };
    let voxels = if unit == "px" { "End-point error, pixels" } else { "End-point error, voxels" };
    let mut rows = vec![row(voxels, &error.end_point_vox)];
    rows.extend(error.end_point_mm.as_ref().map(|d| row("End-point error, mm", d)));
    rows.push(row("Angular error, degrees", &error.angular_deg));
    Table { head: vec!["", "mean", "sd", "50 %", "75 %", "95 %", "max"], rows, text_columns: 1 }
}

/// Shares of vectors with a large error, as one line of facts.
pub(super) fn error_shares(error: &FlowError) -> Vec<(&'static str, String)> {
    vec![
        ("R0.5, error above 0.5", percent(error.r0_5)),
        ("R1, error above 1", percent(error.r1)),
        ("R2, error above 2", percent(error.r2)),
        ("Density", percent(error.density)),
        ("Voxels measured", count(error.measured_voxels)),
    ]
}

/// A method's own table.
pub(super) fn diagnostics(table: &DiagnosticTable, dimension: Dimension) -> Table {
    let cell = |cell: &DiagnosticCell| match cell {
        DiagnosticCell::Text(text) => text.clone(),
        DiagnosticCell::Number(value) => text(*value),
        DiagnosticCell::Count(count) => count.to_string(),
        DiagnosticCell::Change(from, to) => format!("{} → {}", text(*from), text(*to)),
        DiagnosticCell::DurationMs(ms) => duration(*ms),
        DiagnosticCell::Size(size) => size_text(*size, dimension),
    };
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    Table { head: table.head.clone(), rows, text_columns: 1 }
}

/// The pairs of a sequence.
pub(super) fn pairs(pairs: &[PairReport], unit: &str) -> Table {
    let with_truth = pairs.iter().any(|p| p.error.is_some());
    let mut head = vec![
        "Pair",
        if unit == "px" { "motion, px" } else { "motion, mm" },
        "|Iₜ| after",
        "volume",
        "|det − 1|",
    ];
    if with_truth {
        head.extend(["error, voxels", "95 %"]);
    }
    let row = |p: &PairReport| {
        let mut row = vec![
            p.title.clone(),
            text(p.motion.mean_mm),
            text(p.statistics.brightness.mean_abs_after),
            text(p.motion.volume_ratio),
            text(p.statistics.jacobian.mean_abs_minus_one),
        ];
        if with_truth {
            let error = |f: fn(&FlowError) -> f64| p.error.as_ref().map_or(f64::NAN, f);
            row.extend([text(error(|e| e.end_point_vox.mean)), text(error(|e| e.end_point_vox.a95))]);
        }
        row
    };
    Table { head, rows: pairs.iter().map(row).collect(), text_columns: 1 }
}

/// Files that were read.
pub(super) fn inputs(inputs: &[InputReport]) -> Table {
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
        head: vec!["", "file", "format", "size", "spacing"],
        rows: inputs.iter().map(row).collect(),
        text_columns: 3,
    }
}

/// Parameters as `(dotted.name, value)`, in the order of the JSON.
pub(super) fn parameters(value: &Value) -> Vec<(String, String)> {
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

/// One stretch of the time bar.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TimeShare {
    stage: String,
    time: String,
    percent: f64,
}

/// Stages with their share of the total.
pub(super) fn times(stages: &[StageTime]) -> Vec<TimeShare> {
    let total: f64 = stages.iter().map(|s| s.time_ms).sum();
    let share = |s: &StageTime| TimeShare {
        stage: s.stage.clone(),
        time: duration(s.time_ms),
        percent: (1000.0 * s.time_ms / total.max(1e-9)).round() / 10.0,
    };
    stages.iter().map(share).collect()
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

    #[test]
    fn times_share_the_whole() {
        let stages = [("load", 100.0), ("solve", 300.0)]
            .map(|(stage, time_ms)| StageTime { stage: stage.to_owned(), time_ms });
        assert_eq!(times(&stages).iter().map(|t| t.percent).sum::<f64>(), 100.0);
    }
}
