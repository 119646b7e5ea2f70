//! The tables of a run as text.

use crate::pipelines::heart::{FunctionTable, STRAIN_KINDS, StrainNumbers, StrainTable};
use std::fmt::Write;
use veloxel_measure::DEFINITIONS;

/// `strain.csv`.
pub(super) fn strain(table: &StrainTable) -> String {
    let mut text = format!("# reference frame: {}\n{DEFINITIONS}", table.reference);
    text.push_str("slice,segment,frame,time_ms");
    for name in STRAIN_KINDS {
        let _ = write!(text, ",{name}_lagrangian,{name}_eulerian,{name}_rate");
    }
    text.push_str(",thickness_mm\n");
    let all = |number: Option<usize>| number.map_or("all".to_owned(), |number| number.to_string());
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.5}"));
    for row in &table.rows {
        let _ = write!(text, "{},{},{},{}", all(row.slice), all(row.segment), row.frame, time(row.time_ms));
        for numbers in &row.kinds {
            let of = |number: fn(&StrainNumbers) -> Option<f64>| cell(numbers.as_ref().and_then(number));
            let [lagrangian, eulerian] = [of(|n| Some(n.lagrangian)), of(|n| Some(n.eulerian))];
            let _ = write!(text, ",{lagrangian},{eulerian},{}", of(|n| n.rate_per_s));
        }
        let _ = writeln!(text, ",{:.4}", row.thickness_mm);
    }
    text
}

/// `function.csv`.
pub(super) fn function(table: &FunctionTable) -> String {
    let mut text =
        "# volumes: areas of slices times their distance; areas: of one slice each\nframe,time_ms".to_owned();
    table.curves.iter().for_each(|curve| text.extend([",", &curve.name]));
    text.push('\n');
    for (frame, &time_ms) in table.time_ms.iter().enumerate() {
        let _ = write!(text, "{frame},{}", time(time_ms));
        for curve in &table.curves {
            let _ = write!(text, ",{:.4}", curve.values[frame]);
        }
        text.push('\n');
    }
    text
}

fn time(time_ms: Option<f64>) -> String {
    time_ms.map_or(String::new(), |ms| format!("{ms:.2}"))
}
