//! A table of an experiment, for people.

use veloxel_report::page::Table;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentTable {
    /// Number of the paper's table or figure that it repeats.
    pub title: String,
    /// Text that the reader needs before the table.
    pub note: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows, each with as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Number of columns, from the left, that are text; the others hold numbers.
    pub text_columns: usize,
}

impl From<ExperimentTable> for Table {
    fn from(ExperimentTable { head, rows, text_columns, .. }: ExperimentTable) -> Self {
        Self { head, rows, text_columns, ..Self::default() }
    }
}
