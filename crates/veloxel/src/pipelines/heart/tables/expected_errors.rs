//! The error to expect of every outline: how far it moved, and what that has meant where readers outlined all frames.

use std::fmt::Write;
use veloxel_core::Structure;
use veloxel_report::ExpectedDistance;

/// Expected errors of outlines, by structure, slice and frame; those that were drawn have none.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineErrorTable {
    /// One an outline.
    pub rows: Vec<OutlineError>,
}

/// The error to expect of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlineError {
    /// What it encloses.
    pub structure: Structure,
    /// Its frame.
    pub frame: usize,
    /// Its slice.
    pub slice: usize,
    /// Modified Hausdorff distance to the outline that it was carried from, to the nearer one of several.
    pub moved_mm: f64,
    /// The mean modified Hausdorff distance of such outlines to a reader's.
    pub expected_mm: f64,
    /// The distance that nine of ten such outlines stay below.
    pub nine_of_ten_mm: f64,
}

impl OutlineErrorTable {
    /// The means of every structure.
    pub(in crate::pipelines::heart) fn summary(&self) -> Vec<ExpectedDistance> {
        let of = |structure: Structure| {
            let own: Vec<&OutlineError> = self.rows.iter().filter(|row| row.structure == structure).collect();
            let mean = |value: fn(&OutlineError) -> f64| {
                own.iter().map(|row| value(row)).sum::<f64>() / own.len() as f64
            };
            (!own.is_empty()).then(|| ExpectedDistance {
                structure,
                count: own.len(),
                modified_hausdorff_mm: mean(|row| row.expected_mm),
                nine_of_ten_mm: mean(|row| row.nine_of_ten_mm),
            })
        };
        Structure::ALL.into_iter().filter_map(of).collect()
    }

    /// The table as CSV, a line an outline.
    pub fn to_csv(&self) -> String {
        let mut text = "# modified Hausdorff distances, mm: to the outline carried from; to be expected to a reader's; that nine of ten stay below\n\
                        structure,frame,slice,moved_mm,expected_mm,nine_of_ten_mm\n"
            .to_owned();
        for row in &self.rows {
            let OutlineError { structure, frame, slice, moved_mm, expected_mm, nine_of_ten_mm } = row;
            let _ = writeln!(
                text,
                "{structure},{frame},{slice},{moved_mm:.4},{expected_mm:.4},{nine_of_ten_mm:.4}"
            );
        }
        text
    }
}
