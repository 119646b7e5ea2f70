//! The tables of a run as text.

use super::{FunctionTable, STRAIN_KINDS, StrainNumbers, StrainTable};
use std::fmt::Write;
use veloxel_measure::DEFINITIONS;

impl StrainTable {
    /// The table as CSV, behind comments that say what strain is.
    pub fn to_csv(&self) -> String {
        let mut text = format!("# reference frame: {}\n{DEFINITIONS}", self.reference);
        text.push_str("slice,segment,frame,time_ms");
        for name in STRAIN_KINDS {
            let _ = write!(text, ",{name}_lagrangian,{name}_eulerian,{name}_rate");
        }
        text.push_str(",thickness_mm\n");
        let all = |number: Option<usize>| number.map_or("all".to_owned(), |number| number.to_string());
        let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.5}"));
        for row in &self.rows {
            let place = [all(row.slice), all(row.segment), row.frame.to_string()].join(",");
            let _ = write!(text, "{place},{}", time(row.time_ms));
            for numbers in &row.kinds {
                let of = |number: fn(&StrainNumbers) -> Option<f64>| cell(numbers.as_ref().and_then(number));
                let [lagrangian, eulerian] = [of(|n| Some(n.lagrangian)), of(|n| Some(n.eulerian))];
                let _ = write!(text, ",{lagrangian},{eulerian},{}", of(|n| n.rate_per_s));
            }
            let _ = writeln!(text, ",{:.4}", row.thickness_mm);
        }
        text
    }
}

impl FunctionTable {
    /// The table as CSV, a line a frame.
    pub fn to_csv(&self) -> String {
        let mut text =
            "# volumes: areas of slices times their distance; areas: of one slice each\nframe,time_ms"
                .to_owned();
        self.curves.iter().for_each(|curve| text.extend([",", &curve.name]));
        text.push('\n');
        for (frame, &time_ms) in self.time_ms.iter().enumerate() {
            let _ = write!(text, "{frame},{}", time(time_ms));
            for curve in &self.curves {
                let _ = write!(text, ",{:.4}", curve.values[frame]);
            }
            text.push('\n');
        }
        text
    }
}

fn time(time_ms: Option<f64>) -> String {
    time_ms.map_or(String::new(), |ms| format!("{ms:.2}"))
}
